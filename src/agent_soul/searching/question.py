"""What is looked for: a person's words as units that an event holds or does not. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from agent_soul.searching.dates import Phrase, phrases
from agent_soul.searching.document import sequence
from agent_soul.searching.stemming import stem
from agent_soul.searching.words import Wanted, asked, fold, names_in, terms, words


class Unit(NamedTuple):
    """One thing asked for: any of its terms will do. `weight` is 1, and half for what says half as much.

    What does not find only adds to the score of an event that another unit finds.
    """

    text: str
    terms: tuple[str, ...]
    weight: float
    finds: bool = True


class Question(NamedTuple):
    """What is looked for. `units` rank; every one of `required` must occur."""

    text: str
    """The folded text without the dates that it names."""
    dates: tuple[Phrase, ...]
    units: tuple[Unit, ...]
    required: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[str, ...]:
        """Every term that counts."""
        return tuple(dict.fromkeys(term for unit in self.units for term in unit.terms))

    @property
    def finding_terms(self) -> tuple[str, ...]:
        """Every term that makes a hit."""
        return tuple(dict.fromkeys(term for unit in self.units if unit.finds for term in unit.terms))

    @property
    def phrases(self) -> tuple[str, ...]:
        """The keywords as `document.sequence` has them."""
        return tuple(map(sequence, self.required))

    @property
    def required_terms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(term for word in self.required for term in terms(fold(word))))

    def matched(self, held: Collection[str]) -> list[str]:
        """Return the words that an event with the terms `held` has: keywords as given, others as they are folded."""
        found = dict.fromkeys(self.required)
        for phrase in self.dates:
            if any(term in held for term in phrase.terms):
                found[phrase.text.strip()] = None
        for word in words(self.text):
            if word.is_cjk:
                found.update(dict.fromkeys(_held_runs(word.text, held)))
            elif stem(word.text) in held:
                found[word.text] = None
        return list(found)


_MOST_UNITS = 1 << 15


def ask(text: str, keywords: Collection[str], today: str) -> Question:
    """Return the question of a free text and keywords; `today` (`YYYY-MM-DD`) is what "yesterday" counts from.

    It has no unit where neither has a word or there are only stop words in the text, and at most 32,768: nobody asks
    for more, but may paste a book.
    """
    folded = fold(text)
    dates = tuple(phrases(folded, today))
    for phrase in reversed(dates):
        folded = folded[: phrase.start] + " " * len(phrase.text) + folded[phrase.start + len(phrase.text) :]
    units = {phrase.terms: Unit(phrase.text.strip(), phrase.terms, 1.0) for phrase in dates}
    wanted = asked(folded)
    if not wanted and not dates:
        wanted = dict.fromkeys(names_in(text), Wanted(1.0))
    for keyword in keywords:
        wanted |= dict.fromkeys(terms(fold(keyword)), Wanted(1.0)) | wanted
    units |= {(term,): Unit(term, (term,), *way) for term, way in wanted.items()}
    return Question(folded, dates, tuple(units.values())[:_MOST_UNITS], tuple(keywords))


def _held_runs(run: str, held: Collection[str]) -> list[str]:
    """Return the longest pieces of a run of characters all of whose pairs are held, and single held characters."""
    pieces = [""]
    for i, character in enumerate(run):
        if i and run[i - 1 : i + 1] in held:
            pieces[-1] = (pieces[-1] or run[i - 1]) + character
        else:
            pieces.append(character if character in held else "")
    return [piece for piece in pieces if piece]
