"""Two statements laid out beside each other, and how much of them agrees."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from agent_soul.judging.aligning import aligned, tokens_of
from agent_soul.judging.chinese import is_cjk
from agent_soul.judging.clauses import Clause
from agent_soul.judging.frames import Frame, frame
from agent_soul.judging.quantities import Quantity
from agent_soul.judging.statements import Judgement, Label, Statement
from agent_soul.judging.waiting import makes_wait

__all__ = ["Judgement", "Label", "Pair", "Statement"]

_FRAMES_KEPT = 32_768
"""Statements of one reach that are not laid out again for each of their pairs; some 10 KB each."""
_CERTAINLY_ALIKE = 0.95
"""Share in common from which a translation leaves no room for another thing."""
_THE_USER = 0.3
"""Weight of the user, who may be all that a statement is about."""
_NUMBER_WEIGHT = 0.4
"""What an equal number adds to what two statements have in common."""
_UNTRANSLATED = 0.6
_BINDING = frozenset({"rule", "preference", "decision"})
"""Kinds that bind, however they are worded: "add a test" is then no report."""


class _Two(NamedTuple):
    one: Statement
    other: Statement


class Pair(_Two):
    """Two statements with their frames; measures are shares of 1."""

    @functools.cached_property
    def frames(self) -> tuple[Frame, Frame]:
        found = aligned(self.one.text, self.other.text)
        if not found:
            return _frame(self.one.text), _frame(self.other.text)
        return frame(self.one.text, found[0]), frame(self.other.text, found[1])

    @functools.cached_property
    def is_certain(self) -> bool:
        """Tell whether nothing that agrees is joined by the thesaurus alone, nor across languages in part."""
        return not self.is_aligned and (not self.is_bilingual or self.alike >= _CERTAINLY_ALIKE)

    @functools.cached_property
    def is_aligned(self) -> bool:
        """Tell whether some words of one stand for others of the other one by the thesaurus alone."""
        return aligned(self.one.text, self.other.text) is not None

    @functools.cached_property
    def is_bilingual(self) -> bool:
        """Tell whether one is Chinese and one is not: words that no table knows may then be each other's."""
        return _is_cjk(self.one.text) != _is_cjk(self.other.text)

    def total(self, frame: Frame) -> float:
        """Return the weight of what a statement is about; of what nothing in another language could equal a part."""
        return self._sum(frame.weights, frame)

    @functools.cached_property
    def shared(self) -> float:
        """Weight of what both are about; a full word weighs 1."""
        return shared_weight(self.frames[0].weights, self.frames[1].weights)

    @functools.cached_property
    def contained(self) -> float:
        """Share of the smaller statement that the larger one holds too."""
        return (self.shared + self.agreed) / max(min(map(self.total, self.frames)) + self.agreed, 1.0)

    @functools.cached_property
    def alike(self) -> float:
        """Share of both statements that they have in common."""
        both = 2 * (self.shared + self.agreed) / max(sum(map(self.total, self.frames)) + 2 * self.agreed, 1.0)
        return min(both, 1.0)

    @functools.cached_property
    def clauses(self) -> tuple[list[Clause], list[Clause]]:
        """Return the clauses of each as they affirm or deny for the other."""
        one, other = self.frames
        return [c.towards(other.weights) for c in one.clauses], [c.towards(one.weights) for c in other.clauses]

    @functools.cached_property
    def alignment(self) -> tuple[float, Sequence[tuple[str, int, int, int, int]]]:
        """Return how alike both are built, and what of their main clauses is equal or stands for what."""
        from difflib import SequenceMatcher  # 4 ms that a statement without a neighbour need not pay

        matcher = SequenceMatcher(None, self.frames[0].slots, self.frames[1].slots, autojunk=False)
        return matcher.ratio(), matcher.get_opcodes()

    @functools.cached_property
    def predicate(self) -> float:
        """Weight of what both say of their subjects; what is the subject of one alone is said by the other."""
        first, second = ({token.concept for token in each.subject} for each in self.frames)
        subjects = first & second if first and second else first | second
        said = ({c: w for c, w in each.weights.items() if c not in subjects} for each in self.frames)
        return shared_weight(*said)

    @functools.cached_property
    def said_of_things(self) -> float:
        """Weight of the things, verbs set aside, that both say of their subjects."""
        subjects = {token.concept for each in self.frames for token in each.subject}
        return shared_weight(*({c: w for c, w in each.things.items() if c not in subjects} for each in self.frames))

    @functools.cached_property
    def agreed(self) -> float:
        """Weight of the numbers that both give."""
        first, second = (len(each.quantities) for each in self.frames)
        return _NUMBER_WEIGHT * min(first - len(self.left_over[0]), second - len(self.left_over[1]))

    def things_without(self, concepts: Iterable[str]) -> float:
        """Return `contained` of the things that both are about, verbs and `concepts` set aside."""
        aside = frozenset(concepts)
        first, second = ({c: w for c, w in each.things.items() if c not in aside} for each in self.frames)
        return shared_weight(first, second) / max(min(map(self._sum, (first, second), self.frames)), _THE_USER)

    def _sum(self, weights: Mapping[str, float], frame: Frame) -> float:
        """Return the weight of some of a statement's words; of what nothing in another language could equal a part."""
        unknown = sum(weight for concept, weight in weights.items() if concept in frame.unknown)
        return sum(weights.values()) - (_UNTRANSLATED * unknown if self.is_bilingual else 0.0)

    def _quantities(self, frame: Frame) -> Sequence[Quantity]:
        """Return the quantities of a statement; of what is counted what both languages have words for."""
        if not self.is_bilingual:
            return frame.quantities
        return [each._replace(things=each.things - frame.unknown) for each in frame.quantities]

    @functools.cached_property
    def left_over(self) -> tuple[list[Quantity], list[Quantity]]:
        """Return the quantities of each side that the other does not have."""
        first, second = map(self._quantities, self.frames)
        own = (
            [quantity for quantity in first if not any(map(quantity.equals, second))],
            [quantity for quantity in second if not any(map(quantity.equals, first))],
        )
        return _counted(own[0], own[1]), _counted(own[1], own[0])

    @functools.cached_property
    def rivals(self) -> list[tuple[Quantity, Quantity]]:
        """Return the quantities of one kind of which each side has its own."""
        return [(one, other) for one, other in itertools.product(*self.left_over) if one.is_like(other)]

    @functools.cached_property
    def reports(self) -> int:
        """Number of the statements that report an act: project updates, and lines of a change log."""
        sides = zip((self.one, self.other), self.frames, strict=True)
        return sum(s.kind == "project-update" or (f.is_report and s.kind not in _BINDING) for s, f in sides)

    @functools.cached_property
    def are_sentences(self) -> bool:
        """Tell whether both say what holds, by their words or by their kinds; lines of a log and headings do not."""
        sides = zip((self.one, self.other), self.frames, strict=True)
        return not self.reports and all(f.is_sentence or s.kind in _BINDING for s, f in sides)

    def contained_without(self, concepts: Iterable[str], *, least: float) -> float:
        """Return `contained` of what is left when `concepts` are set aside; `least` is the weight it is measured by."""
        aside = frozenset(concepts)
        first, second = ({c: w for c, w in each.weights.items() if c not in aside} for each in self.frames)
        return shared_weight(first, second) / max(min(map(self._sum, (first, second), self.frames)), least)

    @functools.cached_property
    def waits(self) -> tuple[bool, bool]:
        """Tell of each whether it makes a thing wait for another, by allowing it only then or denying it before."""
        return makes_wait(self.frames[0].clauses), makes_wait(self.frames[1].clauses)

    @property
    def is_gated(self) -> bool:
        """Tell whether both make a thing wait, and so are of one sense however they deny."""
        return all(self.waits)

    @functools.cached_property
    def gives_several(self) -> bool:
        """Tell whether what one gives leaves room for what the other gives: it comes on top, or the verb takes many."""
        return self.either("additive") or all("several" in each.roles for each in self.frames)

    def either(self, role: str) -> bool:
        return any(role in each.roles for each in self.frames)

    def only_one(self, role: str) -> bool:
        return (role in self.frames[0].roles) != (role in self.frames[1].roles)


def _counted(own: list[Quantity], other: list[Quantity]) -> list[Quantity]:
    """Return quantities without those of one that the other side counts nothing against: `一台服务器` is a server."""
    return [each for each in own if not each.is_an_article or any(map(each.is_like, other))]


def _is_cjk(text: str) -> bool:
    return not text.isascii() and any(map(is_cjk, text))


def shared_weight(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Return the weight of the concepts that both have, each by the lesser of its weights."""
    return sum(min(weight, second[concept]) for concept, weight in first.items() if concept in second)


def listed(values: Iterable[str]) -> str:
    """Return values as evidence shows them, in one order everywhere."""
    return ", ".join(sorted(values))


@functools.lru_cache(maxsize=_FRAMES_KEPT)
def _frame(text: str) -> Frame:
    return frame(text, tokens_of(text))
