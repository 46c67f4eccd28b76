"""Which pairs of many statements are worth judging: those that share rare words. Near-linear in their number."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

from agent_soul.judging.chinese import StandIns
from agent_soul.judging.lexicon import Word, find, load, longest_phrase
from agent_soul.judging.stems import stem

_LEAST_WEIGHT = 0.9
_RAREST = 6
"""Of each statement this many of its rarest words make its keys, two at a time ..."""
_RAREST_AMONG_FEW = 14
_FEW = 400
"""... and more among few statements, where completeness costs nothing."""
_SINGLY = 4
"""A word that so few statements hold is a key by itself."""
_LONGEST = 3
"""Words of the phrases that are looked for."""
_COMMON = 24
"""A key that more statements share says too little about each pair of them."""
_STAND_INS = StandIns("")
_WORD = re.compile("[CJK]+|[^\\W_](?:[.+#'-]?[^\\WCJK])*".replace("CJK", _STAND_INS.characters))
SHARED_BY_RIVALS = 0.3
SHARED_BY_DUPLICATES = 0.5
"""Share of the fewer words of two texts that both hold, below which no rule finds a conflict, or a duplicate."""


def candidate_pairs(
    texts: Sequence[str], anchors: Collection[int] | None = None, least: float = SHARED_BY_RIVALS
) -> Iterator[tuple[int, int]]:
    """Yield the positions of each two texts that share a key, the smaller one first, each pair once, in order.

    With `anchors` only pairs that hold one of these positions; `least` is the share of words that both must hold. Cost
    grows with the number of texts times a constant: a text has at most 91 keys, a key at most 276 pairs.
    """
    if len(texts) < 2 or (anchors is not None and not anchors):
        return
    terms = [terms_of(text) for text in texts]
    wanted = None if anchors is None else frozenset().union(*(terms[position] for position in anchors))
    pairs: set[tuple[int, int]] = set()
    for holders in _postings([each & wanted for each in terms] if wanted is not None else terms).values():
        if 1 < len(holders) <= _COMMON:
            pairs.update(combinations(holders, 2))
    for one, other in sorted(pairs):
        if anchors is not None and one not in anchors and other not in anchors:
            continue
        first, second = terms[one], terms[other]
        if len(first & second) >= least * min(len(first), len(second)):
            yield one, other


def _postings(terms: Sequence[frozenset[str]]) -> dict[object, list[int]]:
    """Return the positions of the texts by key: a very rare word, or two of a text's rarest."""
    held: dict[str, int] = defaultdict(int)
    for each in terms:
        for term in each:
            held[term] += 1
    most = _RAREST_AMONG_FEW if len(terms) <= _FEW else _RAREST
    postings: dict[object, list[int]] = defaultdict(list)
    for position, each in enumerate(terms):
        rarest = sorted((held[term], term) for term in each if held[term] > 1)[:most]
        for number, term in rarest:
            if number <= _SINGLY:
                postings[term].append(position)
        for pair in combinations([term for _, term in rarest], 2):
            postings[pair].append(position)
    return postings


def terms_of(text: str) -> frozenset[str]:
    """Return the words of a text that say what it is about, by their concepts; of a setting, the setting."""
    folded = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()
    words = words_of(folded)
    terms: set[str] = set()
    for at, word in enumerate(words):
        if not word[0].isascii() and word[0] > "\u3000":
            terms.update(_cjk_terms(word))
            continue
        following = words[at + 1] if at + 1 < len(words) else ""
        if length := longest_phrase(word, following):
            terms.update(_phrase_terms(words[at : at + min(length, _LONGEST)]))
        terms.update(_terms(word))
    return frozenset(terms)


def words_of(text: str) -> list[str]:
    """Return the runs of Chinese characters and the words of other scripts, in their order."""
    if text.isascii():
        return _WORD.findall(text)
    return [text[slice(*found.span())] for found in _WORD.finditer(_STAND_INS.put_into(text))]


@functools.lru_cache(maxsize=100_000)
def _terms(form: str) -> tuple[str, ...]:
    """Return the concept of a word, or those of its parts; none where it says nothing."""
    known = find(form)
    return _names(known) if known else (stem(form),)


def _names(word: Word) -> tuple[str, ...]:
    if word.setting:
        return (f"{word.setting[0]}=",)
    if word.parts:
        return tuple(name for part in word.parts for name in _terms(part))
    return (word.concept,) if word.weight >= _LEAST_WEIGHT else ()


def _phrase_terms(words: Sequence[str]) -> Iterable[str]:
    for length in range(2, len(words) + 1):
        if known := find(" ".join(words[:length])):
            yield from _names(known) or (known.concept,)


def _cjk_terms(run: str) -> Iterable[str]:
    """Yield the concepts of a run of characters, and the pairs of neighbours that no entry covers."""
    lexicon = load()
    position, unknown = 0, ""
    while position < len(run):
        longest = min(lexicon.longest_cjk, len(run) - position)
        length = next((n for n in range(longest, 0, -1) if lexicon.holds(run[position : position + n])), 0)
        if not length:
            unknown += run[position]
        if length or position + 1 == len(run):
            yield from (unknown[at : at + 2] for at in range(len(unknown) - 1))
            unknown = ""
        if length:
            yield from _terms(run[position : position + length])
        position += length or 1
