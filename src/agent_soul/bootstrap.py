"""From any Python to the command line: what each file in `scripts/` runs first.

Whatever Python 3 a machine has must be able to read this module, or it could not say what is wrong. So it
keeps to what Python 3.6 knows, and imports our other modules after the version check. Its usual path, that of
the second start, is a few look-ups and one `exec`.

The private environment is a folder in `<state>/venv` that holds a *stamp*, written last: what it was made
for. One whose stamp is missing or speaks of another toolkit, pyproject.toml or checkout is not used, so a killed
set-up, a moved clone, a pulled toolkit and a second worktree need no code of their own. The Python that calls
is not in the stamp, because an environment serves whichever Python found it.
"""

# Importing pathlib takes longer than all the rest of the usual path.
# ruff: noqa: PTH100, PTH110, PTH118, PTH119, PTH120, PTH123, PTH208

import os
import sys
from importlib.machinery import PathFinder

TYPE_CHECKING = False  # as type checkers understand it; importing `typing` would cost more than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable

OLDEST = (3, 11)
NEWEST_TRIED = 20  # a name that does not exist yet costs nothing
# The import names of pyproject.toml's dependencies.
NEEDED = ("click", "git", "jsonschema", "jsonschema_rs", "orjson", "yaml")
# Commands that need an extra of the package, and its import name: all three are called the same.
WITH_EXTRA = ("mcp",)
STAMP = "made-for"

STOPPED = 5  # ExitCode.STOPPED, which an old Python cannot import
INTERRUPTED = 130

# These belong to the Python that started us and would lead another one to the wrong packages.
FOREIGN_VARIABLES = ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__")
SCRIPT_HUB_VARIABLE = "AGENT_SOUL_SCRIPT_HUB"
# How messages name the command: whoever starts a script need not have `soul` on PATH.
INVOKED_AS_VARIABLE = "AGENT_SOUL_INVOKED_AS"
# Says which interpreter this process was sent to: one that lacks packages all the same is broken.
SENT_TO_VARIABLE = "AGENT_SOUL_SENT_TO"


def run(script: str, *command: str) -> None:
    """Run `soul COMMAND ARGUMENTS...` for the file `script` of a checkout; never returns.

    The arguments are this process's own. Goes on in the private environment when this Python lacks something,
    and makes that environment on first use. Ends with the exit code of the command, or with 5 when there is
    no environment to run it in.
    """
    try:
        _run(script, command)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except SystemExit:
        if _is_hook():
            raise SystemExit(0) from None  # anything else stops the agent of some programs
        raise


def _is_hook() -> bool:
    """Tell whether an agent's program runs us and waits for a few seconds at most."""
    return sys.argv[1:2] == ["hook"] and os.path.basename(sys.argv[0]) == "soul.py"


def _run(script: str, command: "tuple[str, ...]") -> None:
    root = _checkout_of(script)
    from agent_soul import start

    start.ensure_utf8()
    os.environ[SCRIPT_HUB_VARIABLE] = root
    os.environ.setdefault(INVOKED_AS_VARIABLE, _soul_script(sys.argv[0]))
    sent_to = os.environ.pop(SENT_TO_VARIABLE, "")
    _forget_foreign_packages(root)
    extras = _extras_of([*command, *sys.argv[1:]])
    if _or_end(lambda: _toolkit_folder(root)) != root:
        # The package in this checkout is not the one that is meant: go where only the other can be imported.
        _go_on(_private_python(root, extras), ["-P", "-m", "agent_soul", *command, *sys.argv[1:]])
    if not _fits_here(root, extras):
        os.environ[SENT_TO_VARIABLE] = _private_python(root, extras, broken=sent_to)
        _go_on(os.environ[SENT_TO_VARIABLE], [script, *sys.argv[1:]])
    code = start.main([*command, *sys.argv[1:]])
    start.end(0 if _is_hook() else code)


def _extras_of(words: "list[str]") -> "tuple[str, ...]":
    """Return what the command in these arguments needs besides; its word is the first that is no option."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] == "--hub" else rest[1:]
    return (rest[0],) if rest and rest[0] in WITH_EXTRA else ()


def _soul_script(typed: str) -> str:
    """Return the words that start any command, for somebody who typed `typed` to start a script of ours."""
    script = os.path.join(os.path.dirname(typed), "soul.py")
    quoted = f'"{script}"' if " " in script else script
    return ("python " if os.name == "nt" else "python3 ") + quoted


def print_python(script: str, *groups: str) -> None:
    """Print the interpreter of the private environment that also has these dependency groups."""
    sys.stdout.write(_private_python(_checkout_of(script), groups) + "\n")


def find_python(home: str, root: str, groups: "tuple[str, ...]", broken: str = "") -> str:
    """Return the interpreter, but not `broken`, of an environment in `home` that is ready, or ""."""
    try:
        names = os.listdir(home)
    except OSError:
        return ""
    for folder in (os.path.join(home, name) for name in names):
        python = python_in(folder)
        # A link to an interpreter that was removed does not exist.
        if python != broken and os.path.exists(python) and _is_made_for(folder, root, groups):
            return python
    return ""


def python_in(folder: str) -> str:
    """Return where the virtual environment `folder` has its interpreter."""
    return os.path.join(folder, "Scripts", "python.exe") if os.name == "nt" else os.path.join(folder, "bin", "python")


def stamp_text(root: str, groups: "tuple[str, ...]") -> str:
    """Return what the stamp of an environment says: all that decides which packages are in it."""
    from agent_soul import toolkit

    folder = _toolkit_folder(root)
    project = _text_of(os.path.join(folder, "pyproject.toml")) if folder else ""
    return "\n".join((root, " ".join(groups), toolkit.lines_of(root), project))


def _toolkit_folder(root: str) -> str:
    from agent_soul import toolkit

    return toolkit.folder_of(root)


def _text_of(file: str) -> str:
    with open(file, encoding="utf-8", errors="surrogateescape") as opened:
        return opened.read()


def _checkout_of(script: str) -> str:
    """Return the checkout that holds `script`; if this Python is too old, go on in a newer one instead."""
    if sys.version_info < OLDEST:
        _go_on(_newer_python(), [script, *sys.argv[1:]])
    return os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(script)), ".."))


def _fits_here(root: str, extras: "tuple[str, ...]") -> bool:
    if not all(PathFinder.find_spec(name) for name in NEEDED + extras):
        return False
    if _is_made_for(sys.prefix, root, extras):
        return True
    from agent_soul import requirements

    return requirements.are_met(root, extras)


def _is_made_for(folder: str, root: str, groups: "tuple[str, ...]") -> bool:
    try:
        with open(os.path.join(folder, STAMP), encoding="utf-8", errors="surrogateescape") as stamp:
            return stamp.read() == stamp_text(root, groups)
    except OSError:
        return False


def _private_python(root: str, groups: "tuple[str, ...]", broken: str = "") -> str:
    """Return the interpreter of the private environment, which is made where it is missing."""
    usual_home = os.path.join(root, ".git", "agent-soul", "venv")  # what `open_hub` says of a plain clone
    found = _or_end(lambda: find_python(usual_home, root, groups, broken))
    make = _find_or_make_later if _is_hook() else _make_environment
    return found or _or_end(lambda: make(root, groups, broken))


def _find_or_make_later(root: str, groups: "tuple[str, ...]", broken: str) -> str:
    """Return the interpreter of an environment that is ready; without one, end and have one made in the background."""
    from agent_soul.environment import home_of

    found = find_python(str(home_of(root)), root, groups, broken)
    if found:
        return found
    import subprocess

    nothing = subprocess.DEVNULL
    subprocess.Popen(
        [sys.executable, os.path.join(root, "scripts", "soul.py"), "--version"],
        env=_own_variables(),
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        start_new_session=True,  # it outlives the program that runs the hook
    )
    sys.stderr.write("soul hook: not set up here yet; that is being done now, for the next session\n")
    sys.stderr.flush()
    os._exit(0)


def _make_environment(root: str, groups: "tuple[str, ...]", broken: str) -> str:
    from agent_soul.environment import find_or_make

    return find_or_make(root, groups, broken)


def _or_end(act: "Callable[[], str]") -> str:
    """Return what `act` does; where it cannot, say why and exit."""
    try:
        return act()
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped; nothing was left behind\n")
        raise SystemExit(INTERRUPTED) from None
    except Exception as error:
        from agent_soul.errors import SoulError

        if not isinstance(error, SoulError):
            raise
        sys.stderr.write(f"error: nothing was done: {error.message}\n  {error.hint}\n")
        raise SystemExit(int(error.exit_code)) from None


def _go_on(python: str, arguments: "list[str]") -> None:
    """Become `python ARGUMENTS...`: same process, same stdin; never returns."""
    variables = _own_variables()
    if os.name == "nt":  # exec on Windows gives the shell its prompt back before the command has ended
        import subprocess

        raise SystemExit(subprocess.call([python, *arguments], env=variables))
    os.execve(python, [python, *arguments], variables)  # noqa: S606 - no shell is what is wanted


def _own_variables() -> "dict[str, str]":
    return {name: value for name, value in os.environ.items() if name not in FOREIGN_VARIABLES}


def _forget_foreign_packages(root: str) -> None:
    """Drop what PYTHONPATH put on the module path: it may have been built for another Python."""
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    foreign = {os.path.abspath(entry) for entry in named if entry} - {os.path.join(root, "src")}
    sys.path[:] = [entry for entry in sys.path if entry not in foreign]


def _newer_python() -> str:
    """Return a Python on PATH that is new enough; where there is none, say what to install and exit."""
    import shutil

    for minor in range(NEWEST_TRIED, OLDEST[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found and _is_new_enough(found):
            return found
    have = ".".join(str(part) for part in sys.version_info[:3])
    want = ".".join(str(part) for part in OLDEST)
    sys.stderr.write(
        f"error: agent-soul needs Python {want} or newer; {sys.executable} is {have}, PATH has no newer one\n"
        f"  install one (Debian, Ubuntu: apt install python{want} python{want}-venv;\n"
        "  macOS: brew install python), then run the same command again\n"
    )
    raise SystemExit(STOPPED)


def _is_new_enough(python: str) -> bool:
    """Ask the interpreter itself: version managers put names on PATH that start nothing."""
    import subprocess

    question = f"import sys; sys.exit(sys.version_info < {OLDEST!r})"
    nothing = subprocess.DEVNULL
    try:
        return not subprocess.call(
            [python, "-c", question], env=_own_variables(), stdin=nothing, stdout=nothing, stderr=nothing
        )
    except OSError:
        return False
