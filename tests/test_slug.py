"""A slug is a safe file name, the same for one name and different for any other, on any file system."""

from __future__ import annotations

import re
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agent_soul.slug import MAX_BYTES, MAX_CODE_POINTS, slug
from agent_soul.text import find_hidden

PIECES = [
    *"aAbB01-._ /\\:~$%\x00\n", "..", "con", "NUL", "com1", "COM¹", "-deadbeef", "é", "e\u0301", "ß", "ss",
    "SS", "ς", "Σ", "İ", "支付", "服务", "Ａ", "ﬁ", "א", "ال", "हिन्दी", "\u0301", "\u200d", "\u202e",
    "\u3164", "\ufe0f", "👨‍👩‍👧", "\ud800", "\U000e0041", "𠀀", "Ꭰ", "ꭰ",
]  # fmt: skip
NAMES = st.lists(st.sampled_from(PIECES), max_size=8).map("".join) | st.text(st.characters(codec=None), max_size=80)
THOROUGH = settings(max_examples=1000, deadline=None)


def file_system_key(stem: str) -> str:
    """What a file system that ignores case and form compares: full case folding, canonical decomposition."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", stem).casefold())


@pytest.mark.parametrize(
    "name",
    [
        "my-app", "a", "7", "支付服务", "проект", "مشروع", "פרויקט", "プロジェクト", "한국어", "tiếng-việt",
        "हिन्दी", "ภาษาไทย", "app-2", "com10", "console", "x-dead", "𠀀𪜀", "deadbeef", "ΐ",
        "\U0002ebf0\U0003fff0",
    ],
)  # fmt: skip
def test_a_good_file_name_is_its_own_slug(name: str) -> None:
    assert slug(unicodedata.normalize("NFC", name)) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Alpha", "alpha"),
        ("my_app v2.0", "my-app-v2-0"),
        ("../../SOUL", "soul"),
        ("/etc/x", "etc-x"),
        ("a/b", "a-b"),
        ("a\\b", "a-b"),
        ("C:x", "c-x"),
        ("..", "unnamed"),
        (".", "unnamed"),
        ("", "unnamed"),
        ("~", "unnamed"),
        ("$HOME", "home"),
        ("%00", "00"),
        ("a\x00b", "a-b"),
        (".git", "git"),
        ("-rf", "rf"),
        ("--help", "help"),
        ("app.", "app"),
        ("app-", "app"),
        ("a--b", "a-b"),
        ("con", "con"),
        ("nul", "nul"),
        ("PRN", "prn"),
        ("com1", "com1"),
        ("lpt0", "lpt0"),
        ("com¹", "com¹"),
        ("支付 服务!", "支付-服务"),
        ("ＡＢ", "ａｂ"),
        ("Straße", "strasse"),
        ("🚀", "unnamed"),
        ("👨‍👩‍👧 app", "app"),
        ("\u0301\u0302", "unnamed"),
        ("a \u0301b", "a-b"),
        ("می‌خواهم", "می-خواهم"),
        ("abc\u202etxt", "abc-txt"),
        ("\u3164", "unnamed"),
        ("alpha-deadbeef", "alpha-deadbeef"),
        ("\ud800", "unnamed"),
    ],
)
def test_a_lossy_name_gets_eight_digits(name: str, stem: str) -> None:
    assert re.fullmatch(rf"{re.escape(stem)}-[0-9a-f]{{8}}", slug(name))


def test_the_digits_are_the_start_of_the_sha256_of_the_name() -> None:
    assert slug("") == "unnamed-e3b0c442"
    assert slug("Alpha") == "alpha-b1a96dd6"


@pytest.mark.parametrize(
    "name", ["a" * 10_000, "支" * 10_000, "👍" * 10_000, "a\u0301\u0302" * 3_000, "-" * 10_000, "𠀀" * 61]
)
def test_long_names_are_cut(name: str) -> None:
    assert len(slug(name)) <= MAX_CODE_POINTS
    assert len(slug(name).encode()) <= MAX_BYTES
    assert slug(name) != slug(name + name[0])


def test_limits_are_met_exactly() -> None:
    assert slug("a" * 60) == "a" * 60
    assert len(slug("a" * 61)) == 60
    assert slug("支" * 50) == "支" * 50
    assert len(slug("支" * 51).encode()) == 150


def test_a_cut_between_words_leaves_one_dash() -> None:
    assert re.fullmatch("a{50}-[0-9a-f]{8}", slug("a" * 50 + "-" + "b" * 50))


def test_broken_names_are_names_too() -> None:
    assert slug("\ud800") != slug("\ud801")


def test_one_name_in_two_forms_is_one_page() -> None:
    assert slug("cafe\u0301") == slug("café") == "café"


@THOROUGH
@given(NAMES)
def test_a_slug_is_a_safe_file_name(name: str) -> None:
    stem = slug(name)

    assert 0 < len(stem) <= MAX_CODE_POINTS
    assert len(stem.encode()) <= MAX_BYTES
    assert stem == unicodedata.normalize("NFC", stem)
    assert find_hidden(stem) == []
    assert "--" not in stem
    ideographic_planes = r"\U00020000-\U0003ffff"  # of which this Python may not know all
    unusual = re.sub(rf"[-{ideographic_planes}]", "", stem)
    assert {unicodedata.category(character)[0] for character in unusual} <= set("LNM")
    assert stem[0] != "-"
    assert unicodedata.category(stem[0])[0] != "M"
    assert not re.fullmatch("(?i)con|prn|aux|nul|(com|lpt)[0-9¹²³]", stem)


@THOROUGH
@given(NAMES)
def test_a_page_stays_in_its_folder(name: str) -> None:
    folder = Path("/hub/canonical/projects")

    assert (folder / f"{slug(name)}.md").resolve().parent == folder.resolve()


def test_the_file_system_takes_every_slug(tmp_path: Path) -> None:
    names = ["x" * 10_000, "支" * 99, "../../SOUL", "con", "\ud800", "مشروع", *PIECES]
    for name in names:
        (tmp_path / f"{slug(name)}.md").write_text(ascii(name), encoding="ascii")

    assert len(list(tmp_path.iterdir())) == len({unicodedata.normalize("NFC", name) for name in names})


@THOROUGH
@given(NAMES, NAMES)
def test_two_names_never_share_a_page(one: str, other: str) -> None:
    assume(unicodedata.normalize("NFC", one) != unicodedata.normalize("NFC", other))

    assert file_system_key(slug(one)) != file_system_key(slug(other))


VARIANTS = [
    str.upper, str.lower, str.title, str.swapcase, str.casefold, slug,
    lambda name: unicodedata.normalize("NFKC", name),
    lambda name: f"{name}.",
    lambda name: f"-{name}",
    lambda name: f"{name}\u200b",
    lambda name: name.replace("-", "_"),
    lambda name: name[:60],
]  # fmt: skip


@THOROUGH
@given(NAMES, st.sampled_from(VARIANTS))
def test_names_that_look_alike_never_share_a_page(name: str, variant: object) -> None:
    assert callable(variant)
    other = variant(name)
    assume(unicodedata.normalize("NFC", name) != unicodedata.normalize("NFC", other))

    assert file_system_key(slug(name)) != file_system_key(slug(other))


@THOROUGH
@given(NAMES)
def test_a_name_that_is_its_own_slug_stays_so(name: str) -> None:
    clean = re.sub(r"-[0-9a-f]{8}\Z", "", slug(name))
    assume(slug(clean) == clean)

    assert slug(slug(clean)) == clean
    assert slug(unicodedata.normalize("NFD", clean)) == clean


@pytest.mark.parametrize(
    "name",
    ["a" * 100_000, " " * 100_000, "\\" * 100_000, "-" * 99_999 + "a", "记忆" * 3_400, "a-" * 50_000],
    ids=["letters", "spaces", "backslashes", "dashes", "chinese", "words"],
)
def test_time_is_linear(name: str) -> None:
    def seconds(fresh: str) -> float:
        start = time.process_time()
        slug(fresh)
        return time.process_time() - start

    assert min(seconds(f"{name}{number}") for number in range(3)) < 0.2
