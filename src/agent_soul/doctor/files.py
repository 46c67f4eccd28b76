"""The hub's own files beside log and pages: what Git is told of them, and the scripts. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agent_soul.doctor.finding import Finding
from agent_soul.errors import SoulError

ATTRIBUTES = ".gitattributes"


def missing_attributes(text: str, wanted: str) -> list[str]:
    """Return the lines of `wanted` that a .gitattributes lacks; how its words are spaced does not matter."""
    there = {" ".join(line.split()) for line in text.split("\n")}
    return [line for line in wanted.split("\n") if line.strip() and " ".join(line.split()) not in there]


def check_unread(unread: Mapping[str, SoulError]) -> Iterator[Finding]:
    """Yield files of the hub that are there and cannot be read; `unread` says why, by path."""
    for path, error in unread.items():
        yield Finding("unread", path, error.message, "whoever needs it stops there, or goes without it", error.hint)


def check_attributes(text: str, wanted: str) -> Iterator[Finding]:
    """Yield the rules that Git has not been told: without them it merges what must not be merged."""
    missing = missing_attributes(text, wanted)
    if missing:
        what = f"lacks {len(missing)} lines: {'; '.join(missing)}"
        why = "a plain `git merge` may mix both sides' pages, or change the bytes of the log"
        yield Finding("gitattributes", ATTRIBUTES, what, why, f"add them to {ATTRIBUTES}", "attributes")


def check_scripts(not_executable: Sequence[str]) -> Iterator[Finding]:
    """Yield scripts that cannot be started by their name."""
    for path in not_executable:
        mend = f"`chmod +x {path}`"
        yield Finding(
            "not-executable", path, "has no executable bit", "`./` and hooks cannot start it", mend, "executable"
        )


def check_set_up(there: Mapping[str, bytes], ours: Mapping[str, bytes]) -> Iterator[Finding]:
    """Yield that the hub's scripts are set up by modules of another toolkit than the one that runs.

    `there` holds the modules that a hub without the toolkit's source has for it; a hub with the source has none.
    """
    other = sorted(path for path in there if path in ours and there[path] != ours[path])
    lacking = sorted(ours.keys() - there.keys()) if there else []
    if lacking:
        what = f"lacks {', '.join(lacking)}"
        mend = "`git checkout HEAD -- scripts`, or copy them from a new hub of `soul init`"
        yield Finding("set-up", "scripts", what, "the hub's scripts cannot start", mend)
    elif other:
        what = f"{len(other)} of the modules that set the scripts up are of another agent-soul than this one"
        mend = "copy scripts/ from a new hub of `soul init`"
        yield Finding("set-up", "scripts", what, "what was mended in the set-up since is not here", mend)
