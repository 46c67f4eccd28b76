"""From a hub to what its contexts are chosen from: the rim around the pure part.

Nothing is written but the index and what was judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from agent_soul.compiler import default_state, recorded_in
from agent_soul.conflicts import find_conflicts
from agent_soul.contexts.asking import Memory, Request
from agent_soul.contexts.choosing import Context, make_context
from agent_soul.errors import StoppedError
from agent_soul.files import read_regular
from agent_soul.hub import Hub
from agent_soul.identity import L0_FILES
from agent_soul.judgements import remembered_judge
from agent_soul.log import Log
from agent_soul.outbox import whole_log
from agent_soul.projects import folded
from agent_soul.resolve import resolve
from agent_soul.searching.filters import Filters
from agent_soul.searching.finding import NoWordsError, find, open_index
from agent_soul.searching.glossary import translations
from agent_soul.searching.index import Index
from agent_soul.searching.models import READING_SECONDS, meant_by
from agent_soul.searching.related import likeness_to_answers
from agent_soul.settings import load_config

JUDGING_SECONDS = 1.5
"""Nobody waits longer for new statements to be compared; the next that reads goes on where this one ended."""


def context_of(hub: Hub, request: Request, now: datetime) -> Context:
    """Return the context of a request as of `now`, which carries the reader's own offset."""
    return make_context(request, recall(hub, whole_log(hub), request.task, now))


def recall(hub: Hub, log: Log, task: str, now: datetime, reading: float = READING_SECONDS) -> Memory:
    """Return what the whole `log` of the hub says at `now`, and how well that answers the task.

    A model, where there is one, reads new events for `reading` seconds first.
    """
    config = load_config(hub)[0]
    today = now.astimezone(UTC).date().isoformat()
    as_of = default_state(None, recorded_in(hub), today).as_of
    resolution = folded(resolve(log.events, as_of, config))
    relevance = relevance_of(hub, task, today, reading)
    with remembered_judge(hub, seconds=JUDGING_SECONDS) as judge:
        conflicts = find_conflicts(resolution, judge)
    day = now.date().isoformat()
    return Memory(_identity(hub), resolution, conflicts, config, day, relevance, unjudged=judge.unjudged)


def relevance_of(hub: Hub, task: str, today: str, reading: float = READING_SECONDS) -> Mapping[str, float]:
    """Return how well each event answers the task, from 0 to 1 (the best of them), by id.

    It is what search finds, and what is like the best of that: a task names what is to be done, seldom all that one
    should know for it.
    """
    if not task.strip():
        return {}
    with open_index(hub, today) as index:
        answers = _answers(hub, index, task, today, reading)
        passing = index.passing(Filters())
        like = likeness_to_answers(index, answers, passing)
        ids = {number: facts.order[-1] for number, facts in index.facts(answers.keys() | like.keys()).items()}
    best = max(answers.values(), default=1.0)
    worth = {number: answers.get(number, 0.0) / best + like.get(number, 0.0) for number in ids}
    most = max(worth.values(), default=1.0)
    return {ids[number]: each / most for number, each in worth.items()}


def _answers(hub: Hub, index: Index, task: str, today: str, reading: float) -> Mapping[int, float]:
    """Return what each event is worth as an answer to the task, by its number in the index; only what is worth any."""
    text = " ".join([task, *translations(task)])
    meant = meant_by(hub, index, task, seconds=reading)
    try:
        ranking = find(index, text, (), Filters(), today, meant=meant).ranking
    except NoWordsError:
        return {}
    except StoppedError:  # a model that cannot be asked; words say the most
        ranking = find(index, text, (), Filters(), today).ranking
    return {each.number: each.score.answer for each in ranking.best if each.score.answer > 0}


def _identity(hub: Hub) -> dict[str, str]:
    files = {name: hub.root / name for name in L0_FILES}
    return {name: read_regular(file).decode("utf-8", "replace") for name, file in files.items() if file.exists()}
