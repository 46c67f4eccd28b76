"""How a process of ours starts and ends: in UTF-8 whatever the locale, interrupted at any moment without a traceback.

What is imported here comes before either holds, so it is next to nothing.
"""

import gc
import os
import sys
from collections.abc import Sequence

TYPE_CHECKING = False  # as `typing` has it, which is not next to nothing
if TYPE_CHECKING:
    from typing import NoReturn

INTERRUPTED = 130
"""128 + SIGINT: what a shell reports of a program that Ctrl-C ended."""
_NEW_OBJECTS = 100_000
"""Objects made before garbage is looked for; by default, 700, that is a twentieth of a short command, for nothing."""


def run() -> "NoReturn":
    """Be the process of a command: run it with this process's own arguments, and end with its exit code."""
    end(main())


def end(code: int) -> "NoReturn":
    """End the process now. Python would first take its hundred thousand objects apart, for a tenth of a command's time.

    All that a command holds it has closed by itself by then; only what it said may still be on its way out.
    """
    import contextlib  # loaded by now

    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # nobody is there to read it
            stream.flush()
    os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, by default with this process's own arguments, and return its exit code."""
    try:
        gc.set_threshold(_NEW_OBJECTS)
        if argv is None:
            ensure_utf8()
        from agent_soul.cli import main as run

        return run(argv)
    except KeyboardInterrupt:
        return INTERRUPTED


def ensure_utf8() -> None:
    """Where Python would take file names and arguments for another encoding, start this process again in UTF-8 mode.

    A page's name would else be other bytes under another locale (GBK), or none at all (ASCII). The mode can only be
    chosen at the start of an interpreter.
    """
    if os.name == "nt" or sys.flags.utf8_mode or sys.getfilesystemencoding() == "utf-8" or not sys.executable:
        return
    python = os.fsencode(sys.executable)
    try:
        os.execve(python, [python, b"-X", b"utf8", *_own_arguments()], {**os.environb, b"PYTHONUTF8": b"1"})  # noqa: S606
    except OSError:
        return  # a system that lets nobody start anew: most names are ASCII all the same


def _own_arguments() -> list[bytes]:
    """Return what follows the interpreter on this process's command line, as bytes that no encoding has touched."""
    try:
        with open("/proc/self/cmdline", "rb") as opened:  # noqa: PTH123 - pathlib takes longer than all of this
            return opened.read().split(b"\0")[1:-1]
    except OSError:
        return [os.fsencode(argument) for argument in sys.orig_argv[1:]]
