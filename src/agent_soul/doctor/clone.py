"""A clone of the hub: what a person left unfinished in Git, how far it is from the remote, locks left over. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from agent_soul.doctor.finding import Finding
from agent_soul.gitio import Sight, without_credentials

_OLD_LOCK = 600.0
"""Seconds after which a lock of git's counts as left over; no command of a person's takes as long."""
_LONG_APART = 7
"""Days without a word from the remote after which memory here may be old; most people share daily."""
OLDEST_GIT = (2, 38)
"""`git merge-tree --write-tree` is that old."""


class Clone(NamedTuple):
    """What is known of a clone besides how git sees it.

    `unreachable` is what the remote said when it was asked, empty where it answered or nobody asked. `apart_days` is
    how long ago the clone and the remote last came together, None for never. `spoilt` are files of the state that
    cannot be read.
    """

    sight: Sight
    unmerged: tuple[str, ...] = ()
    unreachable: str = ""
    apart_days: int | None = None
    spoilt: tuple[str, ...] = ()
    writable: bool = True
    missed: tuple[str, str] | None = None
    """What a clone of the remote gets instead of the memory, and what mends it."""


def check_clone(clone: Clone, *, is_template: bool = False) -> Iterator[Finding]:
    """Yield what of the clone is in the way of sharing; from a template nothing is shared."""
    sight = clone.sight
    yield from _unfinished(clone)
    yield from _left_locks(sight.locks)
    if sight.url and not is_template:
        yield from _remote(clone)
        yield from _distance(sight)
    if not clone.writable:
        mend = "let this user write in the folder .git/agent-soul of the hub"
        yield Finding("state", ".git/agent-soul", "cannot be written", "no event can be acknowledged", mend)
    for name in clone.spoilt:
        why = "it only saves time; what it knew is found out again"
        yield Finding("state", name, "holds nothing that can be read", why, f"delete the file {name}")
    if sight.version < OLDEST_GIT:
        found = ".".join(map(str, sight.version))
        what = f"git is {found}, older than {'.'.join(map(str, OLDEST_GIT))}"
        why = "your own unpushed commits cannot be brought together with the remote's"
        yield Finding("old-git", "git", what, why, "install a newer git")


def _unfinished(clone: Clone) -> Iterator[Finding]:
    operation = clone.sight.operation
    if operation:
        what = f"a {operation} is under way" + (f", undecided in {_some(clone.unmerged)}" if clone.unmerged else "")
        mend = f"finish it (`git {operation} --continue`) or give it up (`git {operation} --abort`), then `soul sync`"
        if operation == "bisect":
            mend = "`git bisect reset`, then `soul sync`"
        yield Finding("unfinished", ".git", what, "events are kept beside the work tree until it has ended", mend)
    elif clone.unmerged:
        what = f"undecided after a merge: {_some(clone.unmerged)}"
        mend = "`soul compile` for canonical/, both sides' lines for sources/; then `git add` and `git commit`"
        yield Finding("unfinished", ".git", what, "agents read the marks of the conflict", mend)
    elif not clone.sight.branch:
        what = "no branch is checked out (HEAD is detached)"
        mend = "`git switch main` (`git branch` names yours)"
        yield Finding("detached", ".git", what, "commits made here belong to no branch", mend)


def _left_locks(locks: Mapping[str, float]) -> Iterator[Finding]:
    for path, age in locks.items():
        if age >= _OLD_LOCK:
            what = f"git's own lock is {age / 60:.0f} minutes old; a git that was killed left it"
            mend = f"if no git is at work here, `rm '{path}'`"
            yield Finding("git-lock", path, what, "every later git fails", mend, "locks")


def _remote(clone: Clone) -> Iterator[Finding]:
    sight = clone.sight
    shown = without_credentials(sight.url)
    if shown != sight.url:
        mend = (
            f"`git remote set-url {sight.remote} {shown.replace('***@', '')}`, and let git's credential helper keep it"
        )
        yield Finding(
            "credentials", "git remote", f"{shown} holds a password", "everybody who reads .git/config has it", mend
        )
    if clone.unreachable:
        mend = (
            f"`git ls-remote {sight.remote}` says the same; mend the network, the address or the key, then `soul sync`"
        )
        what = f"{shown} does not answer without a question: {clone.unreachable}"
        yield Finding("unreachable", "git remote", what, "nothing new comes here, nothing of here is shared", mend)
    if clone.missed:
        what, mend = clone.missed
        yield Finding("remote-head", "git remote", what, "another machine's clone has no memory", mend)
    if clone.apart_days is None and sight.head:
        what = f"this clone and {shown} have never come together by `soul`"
        yield Finding("never-shared", "git remote", what, "what is recorded here may exist here only", "`soul sync`")
    elif clone.apart_days is not None and clone.apart_days >= _LONG_APART:
        what = f"last together with {shown} {clone.apart_days} days ago"
        yield Finding("apart", "git remote", what, "agents here may read old memory", "`soul sync`")


def _distance(sight: Sight) -> Iterator[Finding]:
    if sight.ahead and sight.behind:
        what = f"has {sight.ahead} commits that {sight.upstream} lacks, and lacks {sight.behind}"
        yield Finding(
            "diverged",
            sight.branch or "HEAD",
            what,
            "a plain `git pull --ff-only` fails",
            "`soul sync`, then `git push`",
        )
    elif sight.behind:
        what = f"lacks {sight.behind} commits of {sight.upstream}"
        yield Finding("behind", sight.branch or "HEAD", what, "agents here read old memory", "`soul sync`")
    elif sight.ahead:
        what = f"has {sight.ahead} commits that {sight.upstream} lacks"
        yield Finding("ahead", sight.branch or "HEAD", what, "other machines do not have them", "`git push`")


def _some(paths: Sequence[str]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
