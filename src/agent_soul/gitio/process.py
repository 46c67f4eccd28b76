"""Running the `git` program: constant arguments, no prompt, no editor, no hooks of a person's, a time limit.

User text goes in on stdin or after `--`. What a repository's own settings could make git run while it merely looks
(`core.fsmonitor`) is turned off.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from agent_soul.errors import StoppedError
from agent_soul.files import remedy
from agent_soul.hub import Hub
from agent_soul.text import terminal_safe

Answer = tuple[int, bytes, str]
"""Exit code, stdout, and what was said on stderr, safe to print."""
LOCAL_TIMEOUT = 60.0
_GRACE = 1.0
_ALWAYS = (
    *("-c", "core.fsmonitor=false", "-c", "core.fsync=all", "-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    *("-c", "core.quotePath=false", "-c", "core.hooksPath=/dev/null"),
    # One pack is made durable at once, a dozen loose objects one after the other; `packs` joins the small ones.
    *("-c", "fastimport.unpackLimit=1", "-c", "transfer.unpackLimit=1"),
)
# What Git sets for its hooks: we may be running inside one, for another repository.
_FOREIGN = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_LITERAL_PATHSPECS",
]

# Whatever would ask somebody for a password fails instead; a remote's address cannot name a program (`ext::`).
_NEVER_ASK = {"GCM_INTERACTIVE": "never", "SSH_ASKPASS_REQUIRE": "never"}
_TRANSPORTS = {"GIT_ALLOW_PROTOCOL": "file:http:https:ssh"}


class GitError(StoppedError):
    """Git refused or failed; the message holds its own words, made safe to print."""


class UnmergedError(GitError):
    """What was shared and a person's unpushed commits do not go together by themselves."""


class GitTimeoutError(GitError):
    """Git was ended because it took too long."""


def run(
    hub: Hub,
    *arguments: str,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    timeout: float = LOCAL_TIMEOUT,
    ok: Collection[int] = (0,),
) -> bytes:
    """Run git in the hub's folder and return its stdout. Raises `GitError` for an exit code that is not in `ok`."""
    return checked(arguments[0], *attempt(hub, *arguments, stdin=stdin, env=env, timeout=timeout), ok)


def attempt(
    hub: Hub, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, timeout: float = LOCAL_TIMEOUT
) -> Answer:
    """Run git in the hub's folder; return its exit code, its stdout, and what it said on stderr, safe to print."""
    return _outcome(_start(hub, arguments, env), arguments[0], stdin, timeout)


@contextlib.contextmanager
def running(hub: Hub, *commands: Sequence[str]) -> Iterator[Callable[[], list[Answer]]]:
    """Run commands that do not depend on each other side by side, while the body does something else.

    What is yielded waits for them and returns for each, in order, what `attempt` does. It may be called once, and
    raises what kept one from starting.
    """
    with contextlib.ExitStack() as left:
        children: list[subprocess.Popen[bytes]] = []
        refused: list[GitError] = []
        try:
            for command in commands:
                children.append(_start(hub, command))
                left.callback(_end_if_running, children[-1])
        except GitError as error:
            refused.append(error)

        def answers() -> list[Answer]:
            if refused:
                raise refused[0]
            pairs = zip(children, commands, strict=True)
            return [_outcome(child, command[0], b"", LOCAL_TIMEOUT) for child, command in pairs]

        yield answers


def attempt_all(hub: Hub, *commands: Sequence[str]) -> list[Answer]:
    """Do what `attempt` does for commands that do not depend on each other, side by side; the answers are in order."""
    with running(hub, *commands) as answers:
        return answers()


def run_all(hub: Hub, *commands: Sequence[str], ok: Collection[int] = (0,)) -> list[bytes]:
    """Do what `run` does for commands that do not depend on each other, side by side; the answers are in order."""
    answers = attempt_all(hub, *commands)
    return [checked(command[0], *answer, ok) for command, answer in zip(commands, answers, strict=True)]


def checked(name: str, code: int, out: bytes, said: str, ok: Collection[int] = (0,)) -> bytes:
    """Return the stdout of an answer. Raises `GitError` for an exit code that is not in `ok`."""
    if code not in ok:
        raise GitError(
            f"git {name} failed: {said or f'exit code {code}'}", hint="look at the repository with `git status`"
        )
    return out


def _start(hub: Hub, arguments: Sequence[str], env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            ["git", *_ALWAYS, *arguments],  # noqa: S607 - the one on PATH is the one that the person uses
            cwd=hub.root,
            env=_environment(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # a transport that hangs is ended with its git, and ssh has no terminal to ask on
        )
    except FileNotFoundError as error:
        if error.filename != "git":
            raise
        raise GitError(
            "git is not installed or not on PATH", hint="install git; adding and searching work without it"
        ) from error
    except OSError as error:
        raise GitError(f"git cannot be started: {error.strerror}", hint=remedy(error)) from error


def _outcome(child: subprocess.Popen[bytes], name: str, stdin: bytes, timeout: float) -> Answer:
    with child:
        try:
            out, said = child.communicate(stdin, timeout=timeout)
        except BaseException as error:
            end_with_children(child)
            if isinstance(error, subprocess.TimeoutExpired):
                what = f"git {name} took longer than {timeout:.0f} s and was ended"
                raise GitTimeoutError(what, hint="try again later") from error
            raise
    words = said.decode("utf-8", "replace").replace("\r\n", "\n")  # so ssh ends its lines
    return child.returncode, out, terminal_safe(words).strip()


def _end_if_running(child: subprocess.Popen[bytes]) -> None:
    if child.returncode is None:
        with child:
            end_with_children(child)


def end_with_children(child: subprocess.Popen[bytes]) -> None:
    """End a program that leads its own session, and all that it started, such as git and its transport.

    First so that git can remove its locks, then for good.
    """
    with contextlib.suppress(OSError):
        if os.name == "nt":
            child.kill()
            return
        os.killpg(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_GRACE)
        os.killpg(child.pid, signal.SIGKILL)


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    quiet = {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C.UTF-8",
        **_NEVER_ASK,
    }
    return {**_TRANSPORTS, **kept, **quiet, **(extra or {})}
