"""How well each event answers a task: what search finds, and what is like the best of it."""

from __future__ import annotations

from collections.abc import Mapping

from agent_soul.errors import StoppedError
from agent_soul.hub import Hub
from agent_soul.searching.filters import Filters
from agent_soul.searching.finding import NoWordsError, find, open_index
from agent_soul.searching.glossary import translations
from agent_soul.searching.index import Index
from agent_soul.searching.models import READING_SECONDS, meant_by
from agent_soul.searching.related import likeness_to_answers


def relevance_of(hub: Hub, task: str, today: str, reading: float | None = None) -> Mapping[str, float]:
    """Return how well each event answers the task, from 0 to 1 (the best of them), by id.

    It is what search finds, and what is like the best of that: a task names what is to be done, seldom all that one
    should know for it.
    """
    with open_index(hub, today) as index:
        answers = _answers(hub, index, task, today, reading)
        passing = index.passing(Filters())
        like = likeness_to_answers(index, answers, passing)
        ids = {number: facts.order[-1] for number, facts in index.facts(answers.keys() | like.keys()).items()}
    best = max(answers.values(), default=1.0)
    worth = {number: answers.get(number, 0.0) / best + like.get(number, 0.0) for number in ids}
    most = max(worth.values(), default=1.0)
    return {ids[number]: each / most for number, each in worth.items()}


def _answers(hub: Hub, index: Index, task: str, today: str, reading: float | None) -> Mapping[int, float]:
    """Return what each event is worth as an answer to the task, by its number in the index; only what is worth any."""
    text = " ".join([task, *translations(task)])
    meant = meant_by(hub, index, task, seconds=READING_SECONDS if reading is None else reading)
    try:
        ranking = find(index, text, (), Filters(), today, meant=meant).ranking
    except NoWordsError:
        return {}
    except StoppedError:  # a model that cannot be asked; words say the most
        ranking = find(index, text, (), Filters(), today).ranking
    return {each.number: each.score.answer for each in ranking.best if each.score.answer > 0}
