"""The characters of Chinese, Japanese and Korean, found without a pattern that names them all.

Python takes 2 ms to compile a class of 40,000 characters, in every process and for every pattern that has it. A
pattern here names those that it means anything by, and two that stand in for all the others of a text.
"""

from __future__ import annotations

_BLOCKS = (
    ("\u3040", "\u30ff"),
    ("\u3400", "\u4dbf"),
    ("\u4e00", "\u9fff"),
    ("\uac00", "\ud7a3"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)
_LETTER, _MARK = "\u3400", "\u30fb"


def is_cjk(character: str) -> bool:
    """Tell whether it is a character of these scripts; the empty string is none."""
    return character >= "\u3040" and any(first <= character <= last for first, last in _BLOCKS)


class StandIns(dict[int, str]):
    """What `str.translate` puts for each character, so that `characters` are all of these scripts that a text has.

    Those that `pattern` names stay; for another one stands a letter, or a mark if it is none.
    """

    def __init__(self, pattern: str) -> None:
        super().__init__()
        self._named = frozenset(filter(is_cjk, pattern))
        self.characters = "".join(sorted(self._named | {_LETTER, _MARK}))

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        stays = character in self._named or not is_cjk(character)
        found = self[code_point] = character if stays else _LETTER if character.isalnum() else _MARK
        return found

    def put_into(self, text: str) -> str:
        """Return the text, as long as it is, with the stand-ins."""
        return text if text.isascii() else text.translate(self)
