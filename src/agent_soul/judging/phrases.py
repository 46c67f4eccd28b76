"""Words of English joined to the phrases that the tables know, and looked up."""

from __future__ import annotations

import functools

from agent_soul.judging.lexicon import entry, find, listed, longest_phrase
from agent_soul.judging.pieces import NAME_WEIGHT, Token, parts
from agent_soul.judging.stems import stem

_LEAST_INFLECTED = 6
"""Letters of a name from which it may be an inflected word: Sam is not `same`."""


def joined(tokens: list[Token]) -> list[Token]:
    """Join words into the longest phrases that the tables know, and look the other words up."""
    words: list[Token] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.word or token.quantity or token.ends_clause or not token.surface[0].isascii():
            words.append(token)
            position += 1
            continue
        following = tokens[position + 1].surface if position + 1 < len(tokens) else ""
        most = longest_phrase(token.surface.lower().removesuffix("'s"), following.lower())
        length = _phrase_length(tokens[position : position + most]) if most > 1 else 1
        phrase = " ".join(word.surface for word in tokens[position : position + length])
        found = known(phrase, token.concept, _is_named(tokens, position))
        if "-" in found.surface and not found.word and (whole := find(found.surface.lower().replace("-", " "))):
            words.append(Token(found.surface, whole.concept, whole.weight, whole))
        elif "-" in found.surface and not found.word and not found.is_name:
            words += [known(part, stem(part.lower()), False) for part in found.surface.split("-") if part]
        else:
            words += parts(found)
        position += length
    return words


def _is_named(tokens: list[Token], at: int) -> bool:
    """Tell whether a word is a name: by its capital, or at the start of a sentence by its version: Go 1.22."""
    following = tokens[at + 1].quantity if at + 1 < len(tokens) else None
    is_of_a_version = following is not None and following.is_version and tokens[at].surface.istitle()
    is_letter = len(tokens[at].surface) == 1 and tokens[at].surface != "I"  # R 4.4
    return tokens[at].is_name or (is_of_a_version and (is_letter or listed(tokens[at].surface) is not None))


def _phrase_length(tokens: list[Token]) -> int:
    surfaces = [token.surface.lower() for token in tokens]
    for length in range(len(surfaces), 1, -1):
        phrase = " ".join(surfaces[:length])
        if find(_plain(phrase)):
            return length
    return 1


def _plain(phrase: str) -> str:
    """Return a phrase without the endings of possession."""
    return " ".join(word.removesuffix("'s") for word in phrase.split(" ")) if "'" in phrase else phrase


@functools.lru_cache(maxsize=50_000)
def known(surface: str, concept: str, is_name: bool) -> Token:
    """Return the token of a word or phrase of letters."""
    surface = surface.removesuffix("'s")
    if len(surface) == 1 and surface.isupper() and surface != "I" and is_name:
        return Token(surface, surface, NAME_WEIGHT, is_name=True)  # plan B, room C
    form = _plain(surface.lower())
    is_short_name = is_name and surface.istitle() and len(form) < _LEAST_INFLECTED
    word = (is_name and listed(surface)) or (
        (entry(form) or entry(form.removesuffix("s"))) if is_short_name else find(form)
    )
    if not word and surface.lower().endswith("n't"):
        word = listed("not")
    if word:
        return Token(surface, word.concept, word.weight, word)
    return Token(surface, concept, NAME_WEIGHT if is_name else 1.0, is_name=is_name)
