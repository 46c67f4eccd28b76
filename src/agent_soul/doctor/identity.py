"""The files that people write, and the ceilings of what is loaded in every session. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agent_soul.doctor.finding import Finding
from agent_soul.identity import EXAMPLE, L0_BUDGET, L0_FILES, UNFILLED
from agent_soul.pages import budget_of, fits
from agent_soul.tokens import estimate_tokens


def check_identity(files: Mapping[str, str | None]) -> Iterator[Finding]:
    """Yield what the identity files lack or cost too much; `None` stands for one that is not there."""
    for name, text in files.items():
        if text is None:
            mend = f"`git restore {name}` where it was committed; else copy it from the template and fill it in"
            yield Finding("missing", name, "is not there", "agents load it first", mend)
        else:
            yield from _unfilled(name, text)
    together = "".join(text or "" for text in files.values())
    if not fits(together, L0_BUDGET):
        each = ", ".join(f"{name} {estimate_tokens(text or '')}" for name, text in files.items())
        size = len(together.encode("utf-8"))
        what = f"cost about {estimate_tokens(together)} tokens and {size} bytes together ({each})"
        limit = f"the limit is {L0_BUDGET.tokens} tokens and {L0_BUDGET.bytes} bytes, paid in every session"
        yield Finding("over-budget", " ".join(L0_FILES), what, limit, "shorten them; details belong in events")


def _unfilled(name: str, text: str) -> Iterator[Finding]:
    for found in UNFILLED.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        what = f"is still to be filled in: {found[0]}"
        why = "agents read the placeholder as it stands"
        yield Finding("unfilled", f"{name}:{line}", what, why, f"write it in {name}")
    examples = len(EXAMPLE.findall(text))
    if examples and not UNFILLED.search(text):
        what, why = f"still holds {examples} example lines", "they cost tokens in every session"
        yield Finding("examples", name, what, why, f"delete the `>` lines in {name}")


def check_ceilings(pages: Mapping[str, str | None]) -> Iterator[Finding]:
    """Yield pages (by path from the hub) that are over their ceilings: a compile never makes one."""
    for path, text in pages.items():
        budget = budget_of(path.removeprefix("canonical/"))
        if text is not None and not fits(text, budget):
            what = f"costs about {estimate_tokens(text)} tokens, its limit is {budget.tokens}"
            yield Finding("over-budget", path, what, "it is loaded in every session", "run `soul compile`", "compile")
