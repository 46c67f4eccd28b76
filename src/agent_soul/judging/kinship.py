"""Which words may say the same in some use: the thesaurus `kin.txt`, beside the one concept that each word has.

A word of several senses stands in several rows there, so a row makes no two words one. What it says is used only where
two statements are compared: words of one that the other lacks may be the other's words of a common row (`aligning`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from agent_soul.judging.lexicon import sections

LONGEST = 4
"""Words of the longest phrase that is looked for."""
_ENDINGS = (
    ("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("d", ""),
    ("er", ""), ("'s", ""),
)  # fmt: skip
_SHORTEST = 2
_IRREGULAR = {
    form: verb
    for verb, forms in (
        each.split(": ")
        for each in (
            "be: is are was were been; begin: began begun; bear: bore borne; become: became; break: broke broken;"
            " bring: brought; build: built; buy: bought; catch: caught; choose: chose chosen; come: came; deal: dealt;"
            " do: did done does; draw: drew drawn; drink: drank drunk; drive: drove driven; eat: ate eaten; fall: fell"
            " fallen; feel: felt; find: found; fly: flew flown; forbid: forbade forbidden; forget: forgot forgotten;"
            " freeze: froze frozen; get: got gotten; give: gave given; go: went gone goes; grow: grew grown; hang: hung;"
            " have: has had; hear: heard; hide: hid hidden; hold: held; keep: kept; know: knew known; lay: laid; lead: led;"
            " leave: left; lend: lent; lie: lay lain lies; lose: lost; make: made; mean: meant; meet: met; pay: paid;"
            " ride: rode ridden; ring: rang rung; rise: rose risen; run: ran; say: said; see: saw seen; sell: sold; send:"
            " sent; show: shown; sit: sat; sleep: slept; speak: spoke spoken; spend: spent; stand: stood; steal: stole"
            " stolen; swim: swam; take: took taken; teach: taught; tell: told; think: thought; throw: threw thrown;"
            " understand: understood; wake: woke woken; wear: wore worn; win: won; write: wrote written"
        ).split("; ")
    )
    for form in forms.split()
}


@functools.lru_cache(maxsize=65_536)
def rows_of(form: str) -> frozenset[int]:
    """Return the numbers of the rows in which a form stands, its first or last word inflected or not."""
    known = _index()
    small = form.lower()
    if small in known or not small.isascii():
        return frozenset(known.get(small, ()))
    return frozenset(row for other in _uninflected(small) for row in known.get(other, ()))


def _uninflected(form: str) -> Iterator[str]:
    first, blank, rest = form.partition(" ")
    for base in (first, *_bases(first)):
        before, between, last = f"{base}{blank}{rest}".rpartition(" ")
        yield from (f"{before}{between}{each}" for each in (last, *_bases(last)))


def _bases(word: str) -> Iterator[str]:
    """Yield what the word may be a form of: `stopped` of `stopp`, `stoppe` and `stop`."""
    if word in _IRREGULAR:
        yield _IRREGULAR[word]
    for ending, instead in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) > _SHORTEST:
            yield base + instead
            if len(base) > _SHORTEST + 1 and base[-1] == base[-2]:
                yield base[:-1] + instead


@functools.cache
def _index() -> dict[str, list[int]]:
    """Return the rows of each form. It takes some 10 ms, once two statements are compared."""
    rows: dict[str, list[int]] = {}
    for number, row in enumerate(sections("kin.txt")["kin"]):
        for form in row.split(", "):
            rows.setdefault(form, []).append(number)
    return rows
