r"""What text may hold and how it is shown: cleaned to write, neutralised to read, literal on every page.

Text from an event is data. Nothing in it may hide from a person, become markup, or steer a terminal. The sets
of characters are spelled out instead of asked of `unicodedata`, whose answers change with the Python version,
and the same hub must compile to the same bytes everywhere. Only the standard library is imported.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_SHOWN_HIDDEN = 5

# What a reader cannot see, or what reorders the text that is seen: never part of honest text.
_NEVER_SEEN = "".join(
    (
        r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f",  # C0, DEL, C1, but for what Unicode calls white space
        r"\xad\u034f\u061c\u200b\u200e\u200f",  # soft hyphen, zero width space, direction marks
        r"\u202a-\u202e\u2060-\u206f\ufeff",  # bidi controls, invisible operators, byte order mark
        r"\u115f\u1160\u3164\uffa0\u17b4\u17b5\u2800",  # Hangul fillers, Khmer inherent vowels, blank Braille
        r"\ufe00-\ufe0d\ufff0-\ufffb",  # variation selectors 1 to 14, interlinear annotation
        r"\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a",  # shorthand and musical format controls
        r"\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff",  # lone surrogates, private use
        r"\U000e0000-\U000e0fff",  # tags, which can spell whole sentences, and variation selectors 17 to 256
        r"\ufdd0-\ufdef\ufffe\uffff",  # noncharacters, here and at the end of each further plane
        *(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 15)),
    )
)
# Invisible characters that real spelling needs, each in its place only.
_SEEN_IN_PLACE = r"\u180b-\u180f\u200c\u200d\ufe0e\ufe0f"
# Arabic to Sinhala, Myanmar, Khmer, Mongolian, Balinese and kin, Indic extensions, Arabic presentation forms.
_JOINING = (
    r"\u0620-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18aa\u1b00-\u1bff"
    r"\ua8e0-\ua8ff\ua980-\ua9ff\uaa60-\uaa7f\ufb50-\ufdcf\ufe70-\ufefc\U00011000-\U000114ff"
)
_EMOJI = (
    r"\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf"
    r"\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_IN_PLACE = "|".join(
    (
        rf"(?<=[{_JOINING}])\u200c(?=[{_JOINING}])",  # Persian and Indic non-joiner
        rf"(?<=[{_JOINING}])\u200d",  # joiner, which may also end a word: a final heh, a half consonant
        rf"(?<=[{_EMOJI}])\u200d(?=[{_EMOJI}])",
        rf"(?<=[{_EMOJI}]\ufe0f)\u200d(?=[{_EMOJI}])",
        rf"(?<=[{_EMOJI}])[\ufe0e\ufe0f]",
        r"(?<=[#*0-9])\ufe0f(?=\u20e3)",  # keycaps
        r"(?<=[\u1820-\u18aa])[\u180b-\u180f]",  # Mongolian letter forms
    )
)
# One character class alone is searched many times faster than the whole rule, and most texts hold none of it.
# It need not be exact: beyond the first plane every character counts as suspect, which makes it seven times faster.
_FIRST_PLANE = re.sub(r"\\U000\w{5}(-\\U00\w{6})?", "", _NEVER_SEEN + _SEEN_IN_PLACE)
_SUSPECT = f"[{_FIRST_PLANE}\U00010000-\U0010ffff]"
_HIDDEN = f"[{_NEVER_SEEN}]|(?!{_IN_PLACE})[{_SEEN_IN_PLACE}]"
_UNPRINTED = rf"[\x0b-\r\x85\u2028\u2029]|{_HIDDEN}"

_LINE_END = re.compile(r"\r\n|[\n-\r\x85\u2028\u2029]")

_NAMES = {
    0x00: "NULL",
    0x07: "BELL",
    0x08: "BACKSPACE",
    0x1B: "ESCAPE",
    0x7F: "DELETE",
    0x9B: "CONTROL SEQUENCE INTRODUCER",
}
_NAMES_BY_CATEGORY = {"Cc": "CONTROL CHARACTER", "Cs": "LONE SURROGATE", "Co": "PRIVATE USE CHARACTER"}


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a rule when a text first needs it: 1 to 6 ms each, and few texts do."""
    return re.compile(pattern)


class Hidden(NamedTuple):
    """One hidden character; `position` counts code points from 0."""

    position: int
    code_point: int
    name: str


def find_hidden(text: str) -> list[Hidden]:
    """Find every character of `text` that its readers cannot see or that shows them something else, in order.

    Joiners and variation selectors are left alone where spelling needs them: in an emoji, between Persian or
    Indic letters. White space is never hidden: `clean_line` and `clean_block` tidy it. Unicode's own advice
    is in UTS 39 and UTR 36; more is refused here, because language models read what people do not see.
    """
    if _is_plain(text) or not _compiled(_SUSPECT).search(text):
        return []
    return [Hidden(m.start(), ord(m[0]), _name(m[0])) for m in _compiled(_HIDDEN).finditer(text)]


def describe_hidden(hidden: Sequence[Hidden]) -> str:
    """Word it for a message: `U+202E RIGHT-TO-LEFT OVERRIDE at 14`, the first five, then `and N more`."""
    shown = [f"U+{each.code_point:04X} {each.name} at {each.position}" for each in hidden[:_SHOWN_HIDDEN]]
    more = len(hidden) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def clean_line(text: str) -> str:
    """Make the one line to store: NFC, each run of white space or line ends one space, none at the ends."""
    if _is_plain(text):
        return _one_line(text)
    return _one_line(unicodedata.normalize("NFC", text))


def clean_block(text: str) -> str:
    r"""Make the lines to store: NFC, line ends `\n`, no blanks at line ends, no blank line first or last."""
    return _tidy_lines(unicodedata.normalize("NFC", text))


def neutralise(text: str) -> str:
    """Make one line to show, whoever wrote it: hidden characters are U+FFFD, spaces as in `clean_line`."""
    return _one_line(_replace_hidden(text))


def neutralise_block(text: str) -> str:
    """Make lines to show, whoever wrote them: hidden characters are U+FFFD, line ends as in `clean_block`."""
    return _tidy_lines(_replace_hidden(text))


def terminal_safe(text: str) -> str:
    r"""Make what a command may print: all that could steer a terminal or hide is a visible escape (`\x1b`).

    Newline and tab stay. The result always encodes as UTF-8.
    """
    if _is_plain(text.replace("\n", "").replace("\t", "")):
        return text
    return _compiled(_UNPRINTED).sub(lambda m: _visible_escape(ord(m[0])), text)


def compare_key(text: str) -> str:
    """Make the key by which identical statements are recognised: NFKC, no case, no end punctuation."""
    if text.isascii():
        folded = text.lower()
    else:
        # Folding can leave a form that is not normal, so NFKC comes before and after it (Unicode 3.13, D146).
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    line = _one_line(folded)
    return line.rstrip(" .!?;。") or line


def _is_plain(text: str) -> bool:
    """Printable ASCII alone, as most lines are: nothing in it can hide."""
    return text.isascii() and text.isprintable()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _tidy_lines(text: str) -> str:
    lines = [line.rstrip() for line in _LINE_END.sub("\n", text).split("\n")]
    return "\n".join(lines).strip("\n")


def _replace_hidden(text: str) -> str:
    if _is_plain(text) or not _compiled(_SUSPECT).search(text):
        return text
    return _compiled(_HIDDEN).sub(REPLACEMENT, text)


def _visible_escape(code_point: int) -> str:
    if code_point <= 0xFF:
        return f"\\x{code_point:02x}"
    return f"\\u{code_point:04x}" if code_point <= 0xFFFF else f"\\U{code_point:08x}"


@functools.lru_cache(maxsize=256)
def _name(character: str) -> str:
    known = _NAMES.get(ord(character)) or unicodedata.name(character, "")
    return known or _NAMES_BY_CATEGORY.get(unicodedata.category(character), "NOT A CHARACTER")


# Markdown. The rules are CommonMark 0.31 and GFM 0.29, with GitHub's math and footnotes, and Obsidian's tags, names of
# blocks and comments. Its `==marked==` is left: it hides nothing, and `x==1` is common. The backslash goes before the
# last character of what an expression matches.
_MAY_BE_MARKUP = re.compile(r"[\\`*_\[\]<&~$@\r\n]|\A[-+=:|#>0-9^]|//|www\.|%%| [#^]|[Oo]:")
_START = r"""(?x)
      (?= [-+=:|\s]+ \Z ) [-+=:|]  # rule, underline of a heading, second row of a table, front matter
    | [-+:] (?= \s )               # list, definition
    | [#>]                         # heading, quote
    | [0-9]{1,9} [.)] (?= \s | \Z )
    """
_ANYWHERE = r"""(?x)
      (?P<literal>
        (?<= [^\W_] ) _++ (?= [^\W_] )               # snake_case: within a word it marks nothing
      | (?<= [0-9A-Za-z] ) @ (?= [0-9A-Za-z] ) (?! [^\s@]*+ @ )  # me@e.com: the last of its word, as below
      )
    | @ (?! [ ] )                                    # import of a file: @~/x, @x.md
    | [`\[\]$]
    | (?<! [ ] ) [*_] | [*_] (?! [ ] )               # alone between spaces it marks nothing
    | (?<! [ ] ) ~ | ~ (?! [\w/] )                   # after a space it may open, and nothing closes it
    | \\ (?= [!-/:-@\[-`{-~] | \Z )
    | < (?! [\s<=0-9-] ) | < (?= [^\s<>]* @ )        # tag, comment, address; not `a < b`, `<=`, `<-`
    | & (?= \#? [0-9A-Za-z]{1,32} ; )
    | ! (?= \[ )                                     # `![[id]]` stays no image when `[[id]]` becomes a link
    | (?<! [^\W_] ) / (?= / [^\s/] )                 # https://, //host
    | www\. | (?i: mailto: )
    | (?<= [ ] ) \#+ \Z                              # at the end of a heading it would vanish
    | (?<! \S ) \# (?= [0-9]*+ [^\s\x00-,.:-@\[-^`{-~] )  # Obsidian's tag; `#12` is none
    | (?<! \S ) \^ (?= [0-9A-Za-z-]+ \Z )           # its name of a block
    | (?<= % ) %                                     # its comments, which hide what stands between them
    """


def escape_markdown(text: str) -> str:
    r"""Make `text` nothing but text in Obsidian and any CommonMark or GFM renderer, with few backslashes.

    In: one line as `neutralise` makes it (a line end inside becomes a space). Out: text to put anywhere in a
    line, beside other escaped text, after `- `, in a heading, in `**` or as the name of a link; leave a space
    or one of our marks around it. A link is made from `[[id]]` by replacing `\[\[id\]\]` in the result.

    Agents read pages raw, so what a renderer takes literally stays bare: `snake_case`, `2 * 3`, `~/x`, `me@e.com`.
    Their programs read a file where `@path` begins a word, or a piece of text as their parser cuts it: Claude Code's
    cuts after what a backslash escapes and after an e-mail address, Gemini CLI's nowhere. So only an `@` between
    letters stays bare, and in `a@b.c@d` only the last. A backslash before the sign stops both.
    One thing no backslash prevents: GitHub links bare e-mail addresses after it has parsed the rest.
    """
    if not _MAY_BE_MARKUP.search(text):
        return text
    line = text.replace("\r", " ").replace("\n", " ")
    start, anywhere = _compiled(_START).match(line), _compiled(_ANYWHERE)
    if start is None:
        return anywhere.sub(_escaped, line)
    return _escaped(start) + anywhere.sub(_escaped, line[start.end() :])


def _escaped(match: re.Match[str]) -> str:
    found = match[0]
    return found if match.lastgroup else found[:-1] + "\\" + found[-1]
