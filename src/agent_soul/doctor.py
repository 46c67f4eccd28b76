"""What is wrong with a hub, and the command that mends it. First form: identity files, budgets, bad lines."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from agent_soul import gitio
from agent_soul.config import CONFIG_NAME, parse_config
from agent_soul.errors import Problem, SoulError
from agent_soul.event import Event
from agent_soul.files import read_regular
from agent_soul.hub import Hub
from agent_soul.identity import EXAMPLE, L0_BUDGET, L0_FILES, UNFILLED
from agent_soul.pages import INDEX, PROFILE, STABLE, budget_of
from agent_soul.sessions import known_sessions, writes_of
from agent_soul.settings import load_config
from agent_soul.tokens import estimate_tokens

# Odd, but the log only grows and nobody can take it out; `soul validate` lists it.
_PAST_MENDING = frozenset({"unknown-id", "self-reference", "not-replaceable", "cycle"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend: `what` is wrong, `where` (`file:line`), `why` it matters, `mend` what to do."""

    code: str
    where: str
    what: str
    why: str
    mend: str


def examine(hub: Hub, problems: Iterable[Problem], events: Iterable[Event], now: datetime) -> list[Finding]:
    """Return what is wrong at `now` (local), in the order in which files are loaded.

    `problems` are those of the log and `events` all that it holds.
    """
    l0 = {name: _text(hub, name) for name in L0_FILES}
    pages = {f"canonical/{path}": _text(hub, f"canonical/{path}") for path in (INDEX, PROFILE, STABLE)}
    return [*_settings(hub), *_identity(l0), *_budgets(l0, pages), *_lines(problems), *_missed(hub, events, now)]


def _settings(hub: Hub) -> Iterator[Finding]:
    try:
        config, warnings = load_config(hub)
    except SoulError as error:
        yield Finding("settings", CONFIG_NAME, error.message, "no page can be made without it", error.hint)
        return
    for warning in warnings:
        yield Finding("settings", CONFIG_NAME, warning, "it has no effect as it stands", f"mend it in {CONFIG_NAME}")
    if not config.template and _remote_is_template(hub):
        what = "the remote branch is still the template's (its soul.yaml says `template: true`)"
        mend = "`git remote set-url origin URL` with a private repository of your own, then `git push -u origin HEAD`"
        yield Finding("template-remote", "git remote", what, "nothing is shared to there", mend)


def _remote_is_template(hub: Hub) -> bool:
    """Tell what the remote branch said of itself when somebody last looked there."""
    with contextlib.suppress(gitio.GitError, SoulError):
        commit = gitio.upstream(hub) if hub.git_root is not None and gitio.has_remote(hub) else ""
        if commit:
            content = gitio.read_files(hub, gitio.read_tree(hub, commit), [CONFIG_NAME]).get(CONFIG_NAME, b"")
            return bool(content) and parse_config(content)[0].template
    return False


def _text(hub: Hub, path: str) -> str | None:
    file = hub.root / path
    return read_regular(file).decode("utf-8", "replace") if file.exists() else None


def _identity(files: Mapping[str, str | None]) -> Iterator[Finding]:
    for name, text in files.items():
        if text is None:
            yield Finding(
                "missing", name, "is not there", "agents load it first", "copy it from the template and fill it in"
            )
            continue
        for found in UNFILLED.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            what = f"is still to be filled in: {found[0]}"
            yield Finding(
                "unfilled", f"{name}:{line}", what, "agents read the placeholder as it stands", f"write it in {name}"
            )
        examples = len(EXAMPLE.findall(text))
        if examples and not UNFILLED.search(text):
            why = "they cost tokens in every session"
            yield Finding(
                "examples", name, f"still holds {examples} example lines", why, f"delete the `>` lines in {name}"
            )


def _budgets(l0: Mapping[str, str | None], pages: Mapping[str, str | None]) -> Iterator[Finding]:
    together = "".join(text or "" for text in l0.values())
    tokens, size = estimate_tokens(together), len(together.encode("utf-8"))
    if tokens > L0_BUDGET.tokens or size > L0_BUDGET.bytes:
        each = ", ".join(f"{name} {estimate_tokens(text or '')}" for name, text in l0.items())
        what = f"cost about {tokens} tokens and {size} bytes together ({each})"
        limit = f"the limit is {L0_BUDGET.tokens} tokens and {L0_BUDGET.bytes} bytes, paid in every session"
        yield Finding("over-budget", " ".join(L0_FILES), what, limit, "shorten them; details belong in events")
    for path, text in pages.items():
        budget = budget_of(path.removeprefix("canonical/"))
        if text is not None and (estimate_tokens(text) > budget.tokens or len(text.encode("utf-8")) > budget.bytes):
            what = f"costs about {estimate_tokens(text)} tokens, its limit is {budget.tokens}"
            yield Finding("over-budget", path, what, "it is loaded in every session", "run `soul compile`")


def _lines(problems: Iterable[Problem]) -> Iterator[Finding]:
    for problem in problems:
        if problem.code in _PAST_MENDING:
            continue
        where = f"{problem.path}:{problem.line}" if problem.line else problem.path
        if problem.level == "error":
            mend = "look at it with `soul validate`; the right statement can be added again with `soul add`"
            yield Finding("bad-line", where, problem.message, "no page shows what it says", mend)
        elif problem.code == "id-clash":
            mend = "`soul resolve ID --keep DIGEST`; `soul validate` lists the digests"
            yield Finding(problem.code, where, problem.message, "no page shows either", mend)
        else:
            yield Finding(problem.code, where, problem.message, "it costs nothing now", "see `soul validate`")


def _missed(hub: Hub, events: Iterable[Event], now: datetime) -> Iterator[Finding]:
    """Yield what the log lacks; a source that went quiet is named where it had sessions on this machine."""
    try:
        writes = writes_of(hub, events, now)
    except SoulError:  # the settings, which have a finding of their own
        return
    for missed in writes.missed:
        yield Finding("missed-write", missed.source, missed.what, "the next session will not know of it", missed.mend)
    here = {session.source for session in known_sessions(hub)}
    for quiet in writes.quiet:
        if quiet.source in here:
            mend = "look whether its instructions and hooks still call `soul`"
            yield Finding("quiet", quiet.source, str(quiet), "what it learns may be lost", mend)
