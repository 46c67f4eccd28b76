"""What hides is found, what is honest stays unharmed, and no text becomes markup or steers a terminal."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
import unicodedata
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent_soul.text import (
    Hidden,
    clean_block,
    clean_line,
    compare_key,
    describe_hidden,
    escape_markdown,
    find_hidden,
    neutralise,
    neutralise_block,
    terminal_safe,
)

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)  # lone surrogates too
THOROUGH = settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))

# --- Hidden characters --------------------------------------------------------------------------------------

HIDDEN = {
    "null": "\x00",
    "backspace": "\x08",
    "escape": "\x1b",
    "unit separator": "\x1f",
    "delete": "\x7f",
    "c1": "\x80",
    "c1 csi": "\x9b",
    "soft hyphen": "\xad",
    "grapheme joiner": "\u034f",
    "arabic letter mark": "\u061c",
    "hangul choseong filler": "\u115f",
    "hangul jungseong filler": "\u1160",
    "khmer vowel": "\u17b4",
    "mongolian selector after latin": "\u180b",
    "zero width space": "\u200b",
    "zwnj in latin": "\u200c",
    "zwj in latin": "\u200d",
    "left-to-right mark": "\u200e",
    "right-to-left mark": "\u200f",
    "embedding": "\u202a",
    "override": "\u202e",
    "word joiner": "\u2060",
    "invisible plus": "\u2064",
    "isolate": "\u2066",
    "pop isolate": "\u2069",
    "deprecated format": "\u206f",
    "braille blank": "\u2800",
    "hangul filler": "\u3164",
    "variation selector 1": "\ufe00",
    "text selector after a letter": "\ufe0e",
    "emoji selector after a letter": "\ufe0f",
    "byte order mark": "\ufeff",
    "halfwidth hangul filler": "\uffa0",
    "annotation": "\ufff9",
    "annotation end": "\ufffb",
    "noncharacter": "\ufdd0",
    "noncharacter at plane end": "\uffff",
    "noncharacter of plane 3": "\U0003fffe",
    "high surrogate": "\ud83d",
    "low surrogate": "\udc00",
    "private use": "\ue000",
    "private use plane": "\U0010fffd",
    "tag": "\U000e0041",
    "tag end": "\U000e007f",
    "variation selector 17": "\U000e0100",
    "musical control": "\U0001d173",
}


@pytest.mark.parametrize("character", HIDDEN.values(), ids=HIDDEN.keys())
def test_hidden_character_is_found_shown_and_escaped(character: str) -> None:
    text = f"ab{character}cd"

    assert [(h.position, h.code_point) for h in find_hidden(text)] == [(2, ord(character))]
    assert neutralise(text) == "ab\ufffdcd"
    assert neutralise_block(f"x\n{text}") == "x\nab\ufffdcd"
    assert character not in terminal_safe(text)


def test_every_code_point_named_by_a_rule_is_hidden() -> None:
    ranges = (
        "0-8 e-1f 7f-84 86-9f 200b 200e-200f 202a-202e 2060-2064 2066-2069 d800-f8ff fdd0-fdef "
        "e0000-e007f e0100-e01ef f0000-10ffff"
    )
    for first, _, last in (part.partition("-") for part in ranges.split()):
        for code_point in range(int(first, 16), int(last or first, 16) + 1):
            assert find_hidden(f"a{chr(code_point)}"), hex(code_point)


def test_format_controls_of_this_unicode_are_hidden_or_print() -> None:
    """Characters of category Cf that we show are those that take up ink: number signs and the like."""
    shown = {chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) == "Cf" and not find_hidden(f"a{chr(c)}")}

    inked = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
    hieroglyph_layout = {chr(c) for c in range(0x13430, 0x13440)}
    assert shown <= set(inked) | hieroglyph_layout


UNHARMED = {
    "ascii": "Prefers pnpm over npm (see #12).",
    "family": "family 👨‍👩‍👧‍👦 here",
    "skin tone": "👩🏽‍💻 and ⛹🏽‍♀️",
    "flags": "🏳️‍🌈 🇨🇳 🇩🇪",
    "heart on fire": "❤️‍🔥",
    "head shaking": "🙂‍↔️",
    "warning as emoji and as text": "⚠️ ⚠︎ ☎️",
    "keycap": "1️⃣ #️⃣",
    "persian non-joiner": "می‌خواهم کتاب‌ها",
    "persian final joiner": "سال ۱۳۹۰ ه‍.ش.",
    "hindi joiners": "क्‍ष and र्‌य",
    "sinhala": "ශ්‍රී ලංකා",
    "mongolian": "ᠮᠣᠩᠭᠣᠯ ᠤᠨ ᠠ᠎ᠠ",
    "hebrew": "שָׁלוֹם עולם",
    "arabic": "العربية ١٢٣",
    "chinese": "为每个项目使用 pnpm,因为“共享存储”。",
    "japanese": "カメラが好き、寿司。",
    "korean": "한국어 문장",
    "vietnamese": "Tiếng Việt",
    "thai": "ภาษาไทย",
    "symbols": "a → b ≠ c ± 5 € ™ ©",
    "math letters": "𝒳 ∈ ℝ",
}


@pytest.mark.parametrize("text", UNHARMED.values(), ids=UNHARMED.keys())
def test_honest_text_is_unharmed(text: str) -> None:
    text = unicodedata.normalize("NFC", text)

    assert find_hidden(text) == []
    for shown in (clean_line, clean_block, neutralise, neutralise_block, terminal_safe):
        assert shown(text) == text
    assert visible_text(escape_markdown(text)) == text


def test_combining_marks_are_composed_not_lost() -> None:
    decomposed = unicodedata.normalize("NFD", "Tiếng Việt")

    assert find_hidden(decomposed) == []
    assert clean_line(decomposed) == "Tiếng Việt"


MISPLACED = {
    "joiner beside one emoji": "👨‍ x",
    "joiner run": "م‌‌م",
    "non-joiner at a word's end": "می‌ x",
    "joiner in chinese": "记‍忆",
    "selector run": "⚠️️",
    "selector after chinese": "记️",
    "digit without keycap": "1️ x",
    "selector after joiner": "👨‍️",
    "flag of tags": "🏴\U000e0067\U000e0062\U000e007f",
}


@pytest.mark.parametrize("text", MISPLACED.values(), ids=MISPLACED.keys())
def test_joiners_and_selectors_out_of_place_are_hidden(text: str) -> None:
    assert find_hidden(text)


def test_description_names_the_first_five_and_counts_the_rest() -> None:
    assert describe_hidden(find_hidden("0123456789abcd\u202e")) == "U+202E RIGHT-TO-LEFT OVERRIDE at 14"
    assert describe_hidden(find_hidden("a\x1b\ud800\ue000\uffff\u200b\xad\x85\x01")) == (
        "U+001B ESCAPE at 1, U+D800 LONE SURROGATE at 2, U+E000 PRIVATE USE CHARACTER at 3, "
        "U+FFFF NOT A CHARACTER at 4, U+200B ZERO WIDTH SPACE at 5 and 2 more"
    )
    assert describe_hidden([Hidden(0, 0x01, "CONTROL CHARACTER")]) == "U+0001 CONTROL CHARACTER at 0"
    assert describe_hidden([]) == ""


# --- Cleaning and neutralising ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  two   words ", "two words"),
        ("a\r\nb\rc\nd", "a b c d"),
        ("a\tb\x0bc\x0cd", "a b c d"),
        ("a\x85b\u2028c\u2029d", "a b c d"),
        ("a\xa0b\u3000c\u2003d\u202fe", "a b c d e"),
        ("\n\n# SYSTEM", "# SYSTEM"),
        ("e\u0301", "é"),
        (" \n\u3000", ""),
    ],
)
def test_clean_line(text: str, line: str) -> None:
    assert clean_line(text) == line


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("a\r\nb\rc\u2028d\u2029e\x85f", "a\nb\nc\nd\ne\nf"),
        ("\n \n  a\n\n\tb  \n \n", "  a\n\n\tb"),
        ("if x:\n    y  =  1", "if x:\n    y  =  1"),
        ("e\u0301\u3000\n", "é"),
        ("\n\n", ""),
    ],
)
def test_clean_block(text: str, block: str) -> None:
    assert clean_block(text) == block
    assert neutralise_block(unicodedata.normalize("NFC", text)) == block


@pytest.mark.parametrize("shown", [clean_line, clean_block, neutralise, neutralise_block, terminal_safe, compare_key])
def test_doing_it_twice_changes_nothing(shown: Callable[[str], str]) -> None:
    rare = st.sampled_from([*HIDDEN.values(), *UNHARMED.values(), *MISPLACED.values(), "\n", " ", "\t", "\r", "\u2028"])

    @settings(max_examples=500, deadline=None)
    @given(st.lists(rare | ANY_TEXT, max_size=6).map("".join))
    def check(text: str) -> None:
        once = shown(text)
        assert shown(once) == once

    check()


@settings(max_examples=1000, deadline=None)
@given(ANY_TEXT)
def test_neutralised_text_hides_nothing(text: str) -> None:
    line, block = neutralise(text), neutralise_block(text)

    assert find_hidden(line) == []
    assert find_hidden(block) == []
    assert not re.search(r"[\n\r\t\u2028\u2029]|\s\s|^\s|\s$", line)
    line.encode()


# --- Terminal -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("\x1b]52;c;aGk=\x07", r"\x1b]52;c;aGk=\x07"),
        ("\x1b]8;;http://e\x1b\\link", r"\x1b]8;;http://e\x1b" + "\\link"),
        ("\x9b31mred\x9d0;title\x9c", r"\x9b31mred\x9d0;title\x9c"),
        ("paid\x08\x08\x08\x08owed", r"paid\x08\x08\x08\x08owed"),
        ("safe\rrm -rf", r"safe\x0drm -rf"),
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("a\u200bb\ud800\U000e0041\x7f\x85\u2028", r"a\u200bb\ud800\U000e0041\x7f\x85\u2028"),
        ("kept\n\ttoo", "kept\n\ttoo"),
        ("::set-env name=x", "::set-env name=x"),
    ],
)
def test_terminal_safe(text: str, shown: str) -> None:
    assert terminal_safe(text) == shown


@settings(max_examples=1000, deadline=None)
@given(ANY_TEXT)
def test_nothing_printed_steers_a_terminal(text: str) -> None:
    shown = terminal_safe(text)

    assert find_hidden(shown) == []
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]", shown)
    shown.encode()


# --- Comparing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Uses pnpm.", "uses  PNPM"),
        ("使用 pnpm。", "使用 pnpm"),
        ("真的吗？", "真的吗!"),
        ("Ｐｎｐｍ", "pnpm"),
        ("Straße", "STRASSE"),
        ("wait…", "wait..."),
        ("done ;", "done；"),
        ("café", "cafe\u0301"),
        ("ﬁle", "file"),
        ("Spaß\u0323", "SPASṢ"),
    ],
)
def test_identical_statements_share_a_key(one: str, other: str) -> None:
    assert compare_key(one) == compare_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("uses npm", "uses pnpm"),
        ("???", "!!!"),
        ("a.b", "ab"),
        ("C#", "C"),
        ("no, pnpm", "no pnpm"),
        ("用", "不用"),
    ],
)
def test_different_statements_do_not(one: str, other: str) -> None:
    assert compare_key(one) != compare_key(other)


@given(st.text(st.characters(max_codepoint=127)))
def test_the_short_way_of_the_key_agrees_with_the_long_one(text: str) -> None:
    assert compare_key(text + "é") == compare_key(text + "x")[:-1] + "é"


# --- Markdown -----------------------------------------------------------------------------------------------


def viewer() -> MarkdownIt:
    """GitHub's dialect with links from bare schemes; `example.com` without one is a viewer's guess."""
    markdown = MarkdownIt("gfm-like")
    assert markdown.linkify is not None
    markdown.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    return markdown


MARKDOWN = viewer()
# Around user text as pages place it; each must keep the structure that it has around a plain word.
PLACES = [
    "- {} (x)",
    "- {}",
    "{}",
    "- ⚠ CONFLICT {} +2",
    "- **{}** (x)",
    "- **{}** {}",
    "- {} {} ([`9f3c2a1b`](x.md))",
    "- [{}](projects/x.md): {}",
    "## {}",
    "- {}\n  {}\n  {}",
    "{}\n{}\n\n- {}",
]


def structure(tokens: list[Token]) -> list[tuple[str, str]]:
    """Kinds of token and what they carry besides text; runs of text count as one."""
    flat: list[tuple[str, str]] = []
    for token in tokens:
        for each in [token, *(token.children or [])]:
            kind = (
                each.type,
                str(sorted(each.attrs.items())) + (each.content if each.type == "code_inline" else ""),
            )
            if not (flat and each.type == "text" and flat[-1] == kind):
                flat.append(kind)
    return flat


def text_of(tokens: list[Token]) -> str:
    inline = [child for token in tokens for child in token.children or []]
    return "".join({"softbreak": "\n"}.get(child.type, child.content) for child in inline)


def visible_text(markdown: str) -> str:
    return text_of(MARKDOWN.parse(markdown))


def fill(place: str, texts: list[str]) -> str:
    return place.format(*texts[: place.count("{}")])


# Split at white space.
FRAGMENTS = re.findall(
    r"\S+",
    r"""
    ![x](http://e) ![[id]] [[id]] [a](b) [a]: [^1] [^1]: [ ] [x] - + * = == ==== --- *** ___ +++ |
    --|-- |-| :-: :--- > # ## ###### #tag `` ``` ` `a` ~~~ ~~ ~ ~~a~~ ~a~ $$ $ $x$ $`x`$ ** **a** *a*
    _ __ _a_ \ \\ \( \[ < <!-- --> <b> </b> <img <?php <![CDATA[ <http://e> <a@b.c> <1@b.c> <=@b.c>
    <= <- << &amp; &#35; &#x23; &nbsp &copy; http:// https://e.com ftp://e.com //e.com www. www.e.com
    mailto: mailto:a@b.c HTTP://E.COM 1. 2) 123456789. 1.2 snake_case a__b __init__ _x x_ *.py **/*.py
    a*b C:\dir ~/x $HOME $5 5$ ~5 x~ ! ( ) { } : ; , :smile: . " ' / // @ @me a@b.c a b 中文 _中_ *中* é
    → 👍 %% @/x @~/x @x.md a@b.c@/x a@b.c@x.md
    """,
)
MARKUP = st.lists(
    st.sampled_from(FRAGMENTS) | st.sampled_from(list(" \\`*_[]<>&#|~!$-+=:.()/@a1 ")) | st.just(" "),
    min_size=1,
    max_size=9,
).map(lambda parts: neutralise("".join(parts)))
LINE = MARKUP.filter(bool)
ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]")


@THOROUGH
@given(text=LINE)
def test_an_item_holds_nothing_but_its_text(text: str) -> None:
    escaped = escape_markdown(text)
    tokens = MARKDOWN.parse(f"- {escaped} (x)")

    assert [token.type for token in tokens] == [
        "bullet_list_open", "list_item_open", "paragraph_open", "inline", "paragraph_close",
        "list_item_close", "bullet_list_close",
    ]  # fmt: skip
    assert {child.type for child in tokens[3].children or []} == {"text"}
    assert text_of(tokens) == f"{text} (x)"
    # Math, and the comments and tags of Obsidian, which neither renderer here has.
    bare = ESCAPED.sub("!", escaped)
    assert "$" not in bare
    assert "%%" not in bare
    assert not re.search(r"(?<!\S)#\w*[^\W\d]", bare)


@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(place=st.sampled_from(PLACES), texts=st.lists(LINE, min_size=3, max_size=3))
def test_text_keeps_the_structure_of_every_place(place: str, texts: list[str]) -> None:
    tokens = MARKDOWN.parse(fill(place, [escape_markdown(text) for text in texts]))
    plain = MARKDOWN.parse(fill(place, ["Word"] * 3))

    assert structure(tokens) == structure(plain)
    assert text_of(tokens) == fill(text_of(plain).replace("Word", "{}"), texts)


@settings(max_examples=1500, deadline=None)
@given(text=st.text(max_size=40).map(neutralise).filter(bool))
def test_any_text_at_all_stays_text(text: str) -> None:
    assert visible_text(f"- {escape_markdown(text)} (x)") == f"{text} (x)"


CUT = re.compile(rf"{ESCAPED.pattern}|[\w.+-]+@[\w-]+(?:\.[\w-]*[0-9A-Za-z])+")
"""Where the parser of Claude Code ends a piece of text: an escaped mark, an e-mail address."""
IMPORT = re.compile(r"(?:\A|\s)@\S")
"""In which Claude Code looks for `@path`; Gemini CLI looks in the whole text."""


@THOROUGH
@given(place=st.sampled_from(("- {} (x)", "{}", "**{}**", "- [[a|{}]] (x)")), text=LINE)
def test_no_text_makes_a_program_read_a_file(place: str, text: str) -> None:
    shown = place.format(escape_markdown(text))

    assert not [piece for piece in [shown, *CUT.split(shown)] if IMPORT.search(piece)]


NAMED = {
    # What agents write most stays as it is.
    "snake case": ("rename user_id in node_modules", "rename user_id in node_modules"),
    "double underscore in a word": ("mcp__server__tool", "mcp__server__tool"),
    "dunder": ("see __init__", r"see \_\_init\_\_"),
    "dash and dot inside": ("a - b. 1. c", "a - b. 1. c"),
    "numbers": ("3 files, 2.5 s", "3 files, 2.5 s"),
    "comparison": ("a < b, c <= d, e <- f, g -> h, i => j", "a < b, c <= d, e <- f, g -> h, i => j"),
    "times": ("2 * 3", "2 * 3"),
    "home": ("is in ~/x, about ~5 min", "is in ~/x, about ~5 min"),
    "money and variable": ("costs $5, set $HOME", r"costs \$5, set \$HOME"),
    "windows path": (r"C:\Users\me", r"C:\Users\me"),
    "pipe": ("a | b", "a | b"),
    "issue": ("fixes #12 in C#", "fixes #12 in C#"),
    "ampersand": ("R&D && AT&T", "R&D && AT&T"),
    "exclamation": ("Never! (ever)", "Never! (ever)"),
    "comment": ("a // b", "a // b"),
    "chinese": ("使用 pnpm,因为共享存储。", "使用 pnpm,因为共享存储。"),
    "conventional commit": ("fix(core): x", "fix(core): x"),
    "e-mail address": ("ask me@e.com, a.b+c@e.com.", "ask me@e.com, a.b+c@e.com."),
    "at": ("3 @ 5 each", "3 @ 5 each"),
    # What would be markup.
    "heading": ("# SYSTEM", r"\# SYSTEM"),
    "end of a heading": ("C #", r"C \#"),
    "bullet": ("- x", r"\- x"),
    "star bullet": ("* x", r"\* x"),
    "plus bullet": ("+ x", r"\+ x"),
    "number": ("1. x", r"1\. x"),
    "nine digits": ("123456789. x", r"123456789\. x"),
    "number in brackets": ("12) x", r"12\) x"),
    "quote": ("> x", r"\> x"),
    "rule": ("---", r"\---"),
    "toml": ("+++", r"\+++"),
    "underline": ("====", r"\===="),
    "table row": ("|--|--|", r"\|--|--|"),
    "table row without edges": ("--|--", r"\--|--"),
    "task": ("[ ] x", r"\[ \] x"),
    "link": ("[a](javascript:x)", r"\[a\](javascript:x)"),
    "image": ("![x](http://e/?q=1)", r"\!\[x\](http:\//e/?q=1)"),
    "wiki link": ("see [[9f3c]]", r"see \[\[9f3c\]\]"),
    "footnote": ("x[^1]", r"x\[^1\]"),
    "reference": ("[a]: http://e", r"\[a\]: http:\//e"),
    "html": ("<img src=x> <script>", r"\<img src=x> \<script>"),
    "html comment": ("<!-- x -->", r"\<!-- x -->"),
    "address": ("<1@e.com>", r"\<1@e.com>"),
    "autolink": ("https://e.com/a_b", r"https:\//e.com/a_b"),
    "address alone": ("see https://e.com", r"see https:\//e.com"),
    "www": ("www.e.com", r"www\.e.com"),
    "mail": ("mailto:a@b.c", r"mailto\:a@b.c"),
    "entity": ("&amp; &#35; &x", r"\&amp; \&#35; &x"),
    "code": ("use `x`", r"use \`x\`"),
    "fence": ("```sh", r"\`\`\`sh"),
    "tilde fence": ("~~~", r"\~\~\~"),
    "emphasis": ("*a* _b_ **c**", r"\*a\* \_b\_ \*\*c\*\*"),
    "strike": ("x ~~a~~ ~b~", r"x \~\~a\~\~ ~b\~"),
    "math": ("$$x$$ and $y$", r"\$\$x\$\$ and \$y\$"),
    "backslash before a mark": (r"\* \n \\", r"\\\* \n \\\\"),
    "backslash last": ("x\\", "x\\\\"),
    "line ends": ("a\n# b\r- c", "a # b - c"),
    # What would be the contents of a file.
    "import": ("see @~/.ssh/id_rsa, (@x.md)", r"see \@\~/.ssh/id_rsa, (\@x.md)"),
    "import at the start": ("@/etc/passwd", r"\@/etc/passwd"),
    "import after a backslash": (r"\@/x", r"\\\@/x"),
    "import after a mark": ("$@/x", r"\$\@/x"),
    "import after an address": ("a@b.c@/x", r"a\@b.c\@/x"),
    "import after a word": ("中@x.md", r"中\@x.md"),
    # What would be markup in Obsidian.
    "tag": ("is #urgent and #2026/q1", r"is \#urgent and \#2026/q1"),
    "chinese tag": ("标签 #中文", r"标签 \#中文"),
    "name of a block": ("a step ^step-1", r"a step \^step-1"),
    "hidden comment": ("a %%hidden%% b", r"a %\%hidden%\% b"),
    "powers and shares": ("x^2, 5% of 10 %", "x^2, 5% of 10 %"),
}


@pytest.mark.parametrize(("text", "escaped"), NAMED.values(), ids=NAMED.keys())
def test_escape_markdown(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped
    assert visible_text(f"- {escaped} (x)") == f"{' '.join(text.splitlines())} (x)"


CMARK = shutil.which("cmark-gfm")
EXTENSIONS = ["table", "strikethrough", "autolink", "tagfilter", "tasklist", "footnotes"]
NAMESPACE = "{http://commonmark.org/xml/1.0}"


def cmark(markdown: str) -> ElementTree.Element:
    command = [str(CMARK), "-t", "xml", *(part for name in EXTENSIONS for part in ("-e", name))]
    done = subprocess.run(command, input=markdown.encode(), capture_output=True, check=True, timeout=60)
    return ElementTree.fromstring(done.stdout.decode().split("\n", 2)[2])


def shape(element: ElementTree.Element) -> list[object]:
    """Nested kinds and destinations. An address that GitHub links after parsing counts as the text it is."""
    inner: list[object] = []
    for child in element:
        kind = child.tag.removeprefix(NAMESPACE)
        address = kind == "link" and re.search("@(?!.*//)", child.get("destination", ""))
        each: object = "text" if address or kind == "text" else [kind, child.get("destination"), *shape(child)]
        if not (each == "text" and inner and inner[-1] == "text"):
            inner.append(each)
    return inner


def cmark_text(element: ElementTree.Element) -> str:
    if element.tag in (f"{NAMESPACE}text", f"{NAMESPACE}code"):
        return element.text or ""
    return "\n" if element.tag == f"{NAMESPACE}softbreak" else "".join(map(cmark_text, element))


@pytest.mark.skipif(CMARK is None, reason="cmark-gfm, GitHub's own renderer, is not installed")
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(LINE, min_size=10, max_size=16))
def test_github_renders_a_list_of_nothing_but_text(texts: list[str]) -> None:
    """At least 3,000 lines; many to a page, so that they could also act on each other."""
    page = cmark("".join(f"- {escape_markdown(text)} (x)\n" for text in texts))

    assert shape(page) == [["list", None, *([["item", None, ["paragraph", None, "text"]]] * len(texts))]]
    assert [cmark_text(item) for item in page[0]] == [f"{text} (x)" for text in texts]


@pytest.mark.skipif(CMARK is None, reason="cmark-gfm, GitHub's own renderer, is not installed")
@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(place=st.sampled_from(PLACES), texts=st.lists(LINE, min_size=3, max_size=3))
def test_github_keeps_the_structure_of_every_place(place: str, texts: list[str]) -> None:
    page = cmark(fill(place, [escape_markdown(text) for text in texts]))
    plain = cmark(fill(place, ["Word"] * 3))

    assert shape(page) == shape(plain)
    assert cmark_text(page) == fill(cmark_text(plain).replace("Word", "{}"), texts)


# --- Time ---------------------------------------------------------------------------------------------------

LONG = {
    "letters": "a" * 100_000,
    "spaces": " " * 100_000,
    "spaces before a letter": " " * 100_000 + "a",
    "backslashes": "\\" * 100_000,
    "chinese": "记忆" * 3_400,
    "underscores": "a" + "_" * 100_000,
    "words": "a_" * 50_000,
    "tags": "<a" * 50_000,
    "hashes": " " + "#" * 99_998 + "a",
    "spaced hashes": " #" * 50_000,
    "dashes": "-" * 100_000 + "a",
    "entities": "&a" * 50_000,
    "brackets": "[" * 100_000,
    "stops": "." * 100_000 + "a",
    "addresses": "a@" * 50_000,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
@pytest.mark.parametrize(
    "function",
    [
        find_hidden,
        clean_line,
        clean_block,
        neutralise,
        neutralise_block,
        terminal_safe,
        compare_key,
        escape_markdown,
    ],
)
def test_time_is_linear(function: Callable[[str], object], text: str) -> None:
    """200 ms of processor for 100 kB, where one quadratic expression takes many seconds."""

    def seconds() -> float:
        start = time.process_time()
        function(text)
        return time.process_time() - start

    assert min(seconds() for _ in range(3)) < 0.2
