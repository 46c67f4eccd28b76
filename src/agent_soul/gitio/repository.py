"""A clone: its folders, its branch, who works there, and commits of our own files."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from agent_soul.gitio.process import Answer, GitError, attempt, attempt_all, run
from agent_soul.hub import Hub, find_git_dirs
from agent_soul.text import terminal_safe

_UNDER_WAY: Mapping[str, str] = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


_FARTHEST_OFFSET = 1400
"""Hours and minutes from UTC, as a commit's date has them."""
_LAST_SECOND = 2**63 - 1
"""The latest date of a commit; `git fsck` calls a later one badDateOverflow."""

BRANCH = ("symbolic-ref", "--quiet", "--short", "HEAD")
PEOPLE = (("var", "GIT_AUTHOR_IDENT"), ("var", "GIT_COMMITTER_IDENT"))


def commit_named(ref: str) -> tuple[str, ...]:
    """Return the command that prints the hash of the commit that `ref` names, and ends with 1 where it names none."""
    return "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"


HEAD = commit_named("HEAD")


class Origin(NamedTuple):
    """The commit that brought a line: its hash, author, ISO date, and subject."""

    commit: str
    author: str
    date: str
    subject: str


def head(hub: Hub) -> str:
    """Return the hash of the commit that is checked out, or an empty string before the first one."""
    return run(hub, *HEAD, ok=(0, 1)).decode().strip()


def tracked(hub: Hub, files: Sequence[Path]) -> list[str]:
    """Return those of the files, given by whole paths, that the repository of the folder tracks."""
    out = run(hub, "--literal-pathspecs", "ls-files", "-z", "--", *map(str, files))
    return [os.fsdecode(name) for name in out.split(b"\0") if name]


def not_ignored(hub: Hub, files: Sequence[Path], exclude: bytes) -> list[Path]:
    """Return those of the files, given by whole paths, that `git add --all` would take up.

    `exclude` is what the repository's `info/exclude` is to hold. Git judges that in a Git folder of its own over the
    work tree, so that nothing is written before its answer.
    """
    import tempfile  # 7 ms, which no other command need pay

    with tempfile.TemporaryDirectory(prefix="agent-soul-") as folder:
        run(hub, "init", "--quiet", "--bare", "--template=", "--", folder)
        place = Path(folder, "info", "exclude")
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(exclude)
        names = b"\0".join(map(os.fsencode, files))
        env = {"GIT_DIR": folder, "GIT_WORK_TREE": str(hub.root)}
        out = run(hub, "check-ignore", "--no-index", "-z", "--stdin", stdin=names, env=env, ok=(0, 1))
    ignored = {os.fsdecode(name) for name in out.split(b"\0")}
    return [file for file in files if str(file) not in ignored]


def find_commit(hub: Hub, revision: str) -> str:
    """Return the hash of the commit that a person names, or an empty string where there is none."""
    if "\0" in revision or revision.startswith("^"):  # that names what not to show
        return ""
    arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    code, out, _ = attempt(hub, *arguments)
    return out.decode().strip() if code == 0 else ""


def branch(hub: Hub) -> str:
    """Return the name of the branch that is checked out, or an empty string where HEAD is detached."""
    return run(hub, *BRANCH, ok=(0, 1)).decode().strip()


def has_remote(hub: Hub) -> bool:
    """Tell whether the repository knows a remote."""
    return bool(run(hub, "remote").strip())


def upstream(hub: Hub) -> str:
    """Return the hash of the remote-tracking commit of the branch that is checked out, or an empty string."""
    return run(hub, "rev-parse", "--verify", "--quiet", "@{upstream}^{commit}", ok=(0, 1, 128)).decode().strip()


def operation_under_way(hub: Hub) -> str:
    """Return the name of a rebase, merge or the like that a person has not finished, or an empty string."""
    git_dir = git_dirs(hub)[0]
    return next((name for file, name in _UNDER_WAY.items() if (git_dir / file).exists()), "")


def git_dirs(hub: Hub) -> tuple[Path, Path]:
    """Return the folder of this work tree, with its HEAD and index, and the one that all work trees share."""
    found = find_git_dirs(hub.git_root / ".git") if hub.git_root else None
    if found is None:
        raise GitError(f"{hub.git_root} is no longer a Git work tree", hint="look at the repository with `git status`")
    return found


def commit_of_line(hub: Hub, path: str, event_id: str) -> Origin | None:
    """Return the commit that added the event to the source file `path`, or None where none has it yet.

    Raises `GitError` where the history cannot be read, or git is not installed.
    """
    if not head(hub):
        return None
    import git  # 200 ms that only the reading of history pays

    try:
        repo = git.Repo(hub.root, search_parent_directories=True, expand_vars=False)
        # -S finds the commits that change how often the id occurs; --reverse puts the one that brought it first.
        log = repo.git.log("--reverse", "--format=%H%x00%an%x00%aI%x00%s", f"-S{event_id}", "--", path)
    except git.exc.GitError as error:
        said = terminal_safe(str(error).strip().rpartition("\n")[2])
        raise GitError(
            f"the history cannot be read: {said}", hint="look at the repository with `git status`"
        ) from error
    return Origin(*str(log).split("\n", 1)[0].split("\0")) if log else None


def identity(hub: Hub, author: str) -> dict[str, str]:
    """Return variables that name the author, for a machine on which Git was never told who works there.

    With a clock before 1970 they also give the date, which git itself would write as one that no git can read.
    """
    dates = {} if time.time() >= 0 else dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "@0 +0000")
    if known_people(hub):
        return dates
    names = ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME")
    mails = ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")
    return {**dict.fromkeys(names, author), **dict.fromkeys(mails, f"{author}@agent-soul.invalid"), **dates}


def unnamed(author: str) -> str:
    """Return what `known_people` does of one person, for a source `author` of which Git knows nothing."""
    return f"{author} <{author}@agent-soul.invalid> {max(int(time.time()), 0)} +0000"


def known_people(hub: Hub) -> tuple[str, str] | None:
    """Return author and committer as `Name <mail> seconds offset`, or None where Git knows nobody."""
    return people_in(attempt_all(hub, *PEOPLE))


def people_in(answers: Sequence[Answer]) -> tuple[str, str] | None:
    """Return what `known_people` does, of the answers to `PEOPLE`."""
    if any(code for code, _, _ in answers):
        return None
    made_by, committed_by = (out.decode("utf-8", "replace").strip() for _, out, _ in answers)
    return _with_legal_date(made_by), _with_legal_date(committed_by)


def _with_legal_date(person: str) -> str:
    """Return `Name <mail> seconds offset` with a date that `git fast-import` takes and `git fsck` accepts.

    An offset that is too far becomes UTC. Of a clock before 1970 `git var` tells a number that has gone below 0 and
    comes out above the highest date; that becomes 0.
    """
    rest, seconds, offset = person.rsplit(" ", 2)
    is_near = offset[1:].isdecimal() and int(offset[1:]) <= _FARTHEST_OFFSET
    is_date = seconds.isdecimal() and int(seconds) <= _LAST_SECOND
    return f"{rest} {seconds if is_date else 0} {offset if is_near else '+0000'}"


def prefix_of(hub: Hub) -> str:
    """Return the path from the top of the repository to the hub, with a slash at its end unless it is the top."""
    assert hub.git_root is not None
    inside = hub.root.relative_to(hub.git_root).as_posix()
    return "" if inside == "." else f"{inside}/"
