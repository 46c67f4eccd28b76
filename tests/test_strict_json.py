"""Strict JSON: never more than the standard library takes, and one kind of refusal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_soul import strict_json
from agent_soul.strict_json import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_LINE_BYTES,
    RejectedError,
    column_of_key,
    load_object,
)


def refusal(raw: bytes) -> RejectedError:
    with pytest.raises(RejectedError) as caught:
        load_object(raw)
    return caught.value


# After the idea of JSONTestSuite: y must be read, n must be refused. Values are tried as a field and within a list.
VALUES_READ = [
    *("0", "1", "-1", "12", "1.5", "-1.5", "0.0", "-0.0", "1e1", "1E1", "1e+1", "1e-1", "1.5e300", "0e1", "1e-400"),
    *("9" * MAX_DIGITS, "-" + "9" * (MAX_DIGITS - 1), "true", "false", "null", "{}", "[]", "[[]]", '{"":0}', '""'),
    *('"a"', '"\\""', r'"\\"', r'"\/"', r'"\b\f\n\r\t"', r'"\u0041"', r'"\u00e9"', r'"\ud83d\ude00"', r'"\u0000"'),
    *('"\u2028"', '"\u00e9"', '"\U0001f600"', '"\x7f"', '"é́"', "[1,2]", "[ 1 , 2 ]", '{"a":{"b":{}}}', "[null]"),
    *(r'"\uD83D\uDE00"', r'"\\ud800"', r'"\\u"', '"{"', '"["', '"//"', '" "', '"\uffff"', '{"a":1,"A":1}', "0.1e-7"),
    *('{"k":[{"k":1},{"k":2}]}', '"\ufeff"', "-0.5E-3", "123456789012345678", "[[[[[[[[[[]]]]]]]]]]", '"\\u00FF"'),
]
VALUES_REFUSED = [
    *("", "+1", "01", "-01", "00", "1.", ".5", "-.5", "1e", "1e+", "1.e1", "0x1", "1_000", "--1", "- 1", "-"),
    *("NaN", "-NaN", "Infinity", "-Infinity", "+Infinity", "nan", "inf", "1e999", "-1e999", "9" * (MAX_DIGITS + 1)),
    *("1" * 5000, "-0", "True", "False", "None", "TRUE", "nul", "undefined", "tru", "'a'", "`a`", '"', '"a', 'a"'),
    *(r'"\x41"', r'"\u12"', r'"\u12G4"', r'"\a"', r'"\'"', r'"\0"', '"\\', r'"\ud800"', r'"\udc00"', r'"\udc00\ud800"'),
    *(r'"\ud800a"', '"\x00"', '"\x1f"', '"\t"', '"\r"', "[1,]", "[,1]", "[1 2]", "[", "]", "[1", "[1}", '["a" "b"]'),
    *(
        "{",
        "}",
        '{"a"}',
        '{"a":}',
        "{:1}",
        '{"a":1,}',
        "{1:1}",
        "{a:1}",
        "{'a':1}",
        '{"a":1 "b":2}',
        '{"a" 1}',
        '{"a"::1}',
    ),
    *(
        '{"a":1,"a":1}',
        '{"a":1,"\\u0061":2}',
        '[{"b":1,"b":1}]',
        "/**/1",
        "1//",
        "#1",
        "1;",
        "١",
        "１",
        "½",
        "\u00a0" + "1",
    ),
    *(
        "\ufeff1",
        "\x0b1",
        "\x0c1",
        "[" * 20 + "]" * 20,
        "[" * 100_000,
        '{"a":' * 17 + "1" + "}" * 17,
        "@",
        "*",
        "&1",
        "<a>",
    ),
]
DOCUMENTS_REFUSED = [
    *(b"", b" ", b"[]", b'"a"', b"1", b"null", b"true", b"{}{}", b"{},", b"{}x", b"x{}", b"{}]", b"\xef\xbb\xbf{}"),
    *(
        b"\xff",
        b'{"a":"\xff"}',
        b'{"a":"\xc0\xaf"}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\xf4\x90\x80\x80"}',
        b'{"a":"\xe4"}',
    ),
    *('{"a":1}'.encode("utf-16"), '{"a":1}'.encode("utf-16-le"), '{"a":1}'.encode("utf-32"), b"\x00", b"{}\x00"),
]


def test_there_are_many_cases() -> None:
    assert 2 * (len(VALUES_READ) + len(VALUES_REFUSED)) + len(DOCUMENTS_REFUSED) >= 120


@pytest.mark.parametrize("value", VALUES_READ)
@pytest.mark.parametrize("frame", ['{"a":%s}', ' { "a" : [ %s ] } '])
def test_json_is_read_as_the_standard_library_reads_it(value: str, frame: str) -> None:
    text = frame % value

    assert load_object(text.encode()) == json.loads(text)


@pytest.mark.parametrize("value", VALUES_REFUSED)
@pytest.mark.parametrize("frame", ['{"a":%s}', '{"a":[%s,0]}'])
def test_what_is_not_json_is_refused(value: str, frame: str) -> None:
    refusal((frame % value).encode())


@pytest.mark.parametrize("raw", DOCUMENTS_REFUSED)
def test_what_is_not_one_object_in_utf_8_is_refused(raw: bytes) -> None:
    refusal(raw)


@given(
    st.binary(max_size=80) | st.text(alphabet='{}[]":,\\u0123456789aeE+-.dnul \t\u00e9', max_size=60).map(str.encode)
)
@example(b'{"a":"\\ud800"}')
def test_any_bytes_are_read_or_refused_and_never_more_than_the_standard_library_reads(raw: bytes) -> None:
    outcome = attempt(raw)

    if isinstance(outcome, RejectedError):
        assert outcome.message
        assert 1 <= outcome.column <= len(raw) + 1
    else:
        assert outcome == json.loads(raw)


def attempt(raw: bytes) -> dict[str, Any] | RejectedError:
    try:
        return load_object(raw)
    except RejectedError as rejected:
        return rejected


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


separators = st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")])


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=5), st.booleans(), separators)
def test_what_json_writes_is_read_back(record: dict[str, Any], ascii_only: bool, separators: tuple[str, str]) -> None:
    written = json.dumps(record, ensure_ascii=ascii_only, separators=separators)
    assert load_object(written.encode("utf-8", "surrogatepass")) == record


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=5), st.booleans(), separators)
def test_a_few_lines_are_read_as_many_are(
    record: dict[str, Any], ascii_only: bool, separators: tuple[str, str]
) -> None:
    raw = json.dumps(record, ensure_ascii=ascii_only, separators=separators).encode("utf-8", "surrogatepass")
    as_many = strict_json._load_canonical(raw)

    assert as_many is None or repr(as_many) == repr(strict_json._load_strictly(raw))


@given(st.lists(st.tuples(st.sampled_from('abé",: '), json_values), max_size=4), separators)
def test_a_key_that_stands_twice_is_refused_however_it_is_written(
    pairs: list[tuple[str, Any]], separators: tuple[str, str]
) -> None:
    comma, colon = separators
    written = "{" + comma.join(f"{json.dumps(name)}{colon}{json.dumps(value)}" for name, value in pairs) + "}"
    outcome = attempt(written.encode())
    if len(dict(pairs)) == len(pairs):
        assert outcome == dict(pairs)
    else:
        assert isinstance(outcome, RejectedError)
        assert outcome.code == "duplicate-key"


@pytest.mark.parametrize(
    ("raw", "code", "column"),
    [
        ('{"a":1,"b":2,"a":3}', "duplicate-key", 14),
        ('{"é":1,"é":3}', "duplicate-key", 8),
        ('{"x":[{"a":1},{"a":2}],"y":1,"y":2}', "duplicate-key", 30),
        ('{"a":"\\"a\\":1","b":1,"a":2}', "duplicate-key", 22),
        ('{"s":"NaN","n":NaN}', "number", 16),
        ('{"s":"1e999","n":[1e999]}', "number", 19),
        ('{"é":-0}', "number", 6),
        ('{"a":1,}', "json", 8),
        ("{'a':1}", "json", 2),
        ('{"é":tru}', "json", 6),
        ('{"a":1', "cut-off", 7),
        ('{"a":"it bre', "cut-off", 6),
        ("[1]", "json", 1),
    ],
)
def test_the_column_is_where_the_fault_stands(raw: str, code: str, column: int) -> None:
    rejected = refusal(raw.encode())

    assert (rejected.code, rejected.column) == (code, column)


def test_the_column_of_a_bad_byte_counts_characters() -> None:
    assert refusal('{"é":"é'.encode() + b'\xff"}').column == 8


def test_a_line_that_ends_within_a_character_breaks_off() -> None:
    assert refusal('{"summary":"雨'.encode()[:-1]).code == "cut-off"


def test_size_and_depth_are_bounded() -> None:
    at_limit = b'{"a":"' + b"x" * (MAX_LINE_BYTES - 8) + b'"}'
    deepest = b'{"a":' + b"[" * (MAX_DEPTH - 1) + b"]" * (MAX_DEPTH - 1) + b"}"

    assert load_object(at_limit)
    assert refusal(at_limit + b" ").code == "size"
    assert load_object(deepest)
    assert refusal(deepest.replace(b"[]", b"[[]]")).code == "depth"
    assert refusal(b'{"a":' * 100_000).code == "depth"


def test_the_place_of_a_key_is_looked_for_in_the_object_itself() -> None:
    text = '{"x":{"tags":1},"y":["tags"],"tags":2}'

    assert text[column_of_key(text, "tags") - 1 :] == '"tags":2}'
    assert column_of_key(text, "absent") == 1
