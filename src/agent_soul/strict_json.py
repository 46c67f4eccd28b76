"""Strict JSON: one object from untrusted bytes, or a `RejectedError` that says what is wrong and where.

The standard library's parser accepts repeated keys, NaN, infinity and half surrogates. `orjson` is several times as
fast but accepts repeated keys too and cannot be told otherwise; so it reads only lines that it writes back the same.
It brings a good part of the standard library along, so a command with few lines does without it.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from math import isinf
from typing import Any, NoReturn

from agent_soul.interrupts import load_native

MAX_LINE_BYTES = 1 << 20
MAX_DEPTH = 16
MAX_DIGITS = 20
_FEW = 500
"""Lines after which loading `orjson`, 25 ms, is made up for by its speed."""
_lines = itertools.count(1)
_CONFLICT_MARKS = ("<<<<<<< ", "=======", ">>>>>>> ", "||||||| ")


class RejectedError(Exception):
    """Why a line is not taken; `column` counts from 1."""

    def __init__(self, code: str, message: str, column: int = 1) -> None:
        super().__init__(message)
        self.code, self.message, self.column = code, message, column


def load_object(raw: bytes) -> dict[str, Any]:
    """Parse one JSON object strictly: UTF-8, no repeated key, no NaN or infinity, bounded size, depth and digits."""
    if len(raw) > MAX_LINE_BYTES:
        raise RejectedError("size", f"the line has {len(raw)} bytes, at most {MAX_LINE_BYTES} are read")
    record = _load_canonical(raw) if is_bulk() else None
    if record is None:
        record = _load_strictly(raw)
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and _is_deep(record):
        raise _too_deep()
    return record


def expect_many() -> None:
    """Load `orjson` at the next line: many will come."""
    while next(_lines) <= _FEW:
        pass


def is_bulk() -> bool:
    """Tell whether this line comes after so many others, read or written, that `orjson` is worth loading."""
    return next(_lines) > _FEW


def _load_canonical(raw: bytes) -> dict[str, Any] | None:
    """Parse an object that is written without blanks or as `json.dumps` writes it; None where that is not certain.

    A line that comes back the same bytes from its values has no repeated key, no NaN, no half surrogate and no number
    that was rounded: each of them would be missing or other. Blanks that are taken out first change no value, or else
    the value differs.
    """
    orjson = load_native("orjson")
    try:
        record = orjson.loads(raw)
        written = orjson.dumps(record)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None
    if len(written) != len(raw):
        raw = raw.replace(b'": ', b'":').replace(b', "', b',"')
    return record if written == raw and isinstance(record, dict) else None


def _load_strictly(raw: bytes) -> dict[str, Any]:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(raw, error) from error
    record = _decode(text)
    if not isinstance(record, dict):
        raise RejectedError("json", f"not an object but {_json_type(record)}")
    if b"\\u" in raw:
        _refuse_lone_surrogates(record)
    return record


def column_of_key(text: str, key: str) -> int:
    """Return the column, counted from 1, at which `key` stands in the object `text` itself; 1 where it does not."""
    return next((start + 1 for number, name, start in _keys(text) if number == 0 and name == key), 1)


def _decode(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except _RepeatedKeyError as error:
        column = _column_of_repeated(text, error.key)
        raise RejectedError("duplicate-key", f"the key {error.key[:60]!r} stands there twice", column) from error
    except _NumberError as error:
        raise RejectedError("number", error.message, _column_of_literal(text, error.literal)) from error
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
            raise RejectedError("cut-off", f"not JSON: the line breaks off ({error.msg})", error.colno) from error
        if text.startswith(_CONFLICT_MARKS):
            said = "a mark that a Git merge with conflicts left: take it out, and keep the lines on both sides of it"
            raise RejectedError("json", said) from error
        raise RejectedError("json", f"not JSON: {error.msg}", error.colno) from error
    except RecursionError as error:
        raise _too_deep() from error


class _RepeatedKeyError(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class _NumberError(Exception):
    def __init__(self, literal: str, message: str) -> None:
        super().__init__(message)
        self.literal, self.message = literal, message


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        raise _RepeatedKeyError(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return result


def _bounded_int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _NumberError(digits, f"a number of {len(digits)} digits; at most {MAX_DIGITS} are read")
    if digits == "-0":
        raise _NumberError(digits, "-0 is no whole number; write 0")
    return int(digits)


def _finite_float(digits: str) -> float:
    value = float(digits)
    if isinf(value):
        raise _NumberError(digits, f"the number {digits[:30]} is too large")
    return value


def _no_constant(name: str) -> NoReturn:
    raise _NumberError(name, f"{name} is not a number of JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_keys, parse_int=_bounded_int, parse_float=_finite_float, parse_constant=_no_constant
)


def _too_deep() -> RejectedError:
    return RejectedError("depth", f"nested deeper than {MAX_DEPTH} levels")


def _not_utf8(raw: bytes, error: UnicodeDecodeError) -> RejectedError:
    column = len(raw[: error.start].decode("utf-8")) + 1
    if error.reason == "unexpected end of data":
        return RejectedError("cut-off", "not UTF-8: the line breaks off within a character", column)
    return RejectedError("utf-8", f"not UTF-8: byte 0x{raw[error.start]:02x}", column)


def _is_deep(record: Any) -> bool:
    """Level by level, because a recursive look would itself fail on what it is to find."""
    level = [record]
    for _ in range(MAX_DEPTH):
        parts = [part for node in level for part in (node.values() if isinstance(node, dict) else node)]
        level = [part for part in parts if isinstance(part, (dict, list))]
    return bool(level)


def _refuse_lone_surrogates(record: Mapping[str, Any]) -> None:
    try:
        json.dumps(record, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise RejectedError("utf-8", "half of a surrogate pair (\\ud800 to \\udfff) stands alone") from error


def _json_type(value: Any) -> str:
    names = {list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


# Looking for the place of a fault, in a text that the parser has read that far. Only faulty lines pay for it.
_PIECE = r"""(?P<string>"(?:[^"\\]|\\.)*+")(?P<key>\s*:)?|(?P<open>\{)|(?P<close>\})|[^\s"{}\[\]:,]+"""


def _keys(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield each key: the number of its object in order of opening from 0, the name, and the offset."""
    opened = 0
    inside: list[int] = []
    for token in re.finditer(_PIECE, text):
        if token["open"]:
            inside.append(opened)
            opened += 1
        elif token["close"]:
            inside.pop()
        elif token["key"]:
            yield inside[-1], json.loads(token["string"]), token.start()


def _column_of_repeated(text: str, key: str) -> int:
    seen: set[int] = set()
    for number, name, start in _keys(text):
        if name == key:
            if number in seen:
                return start + 1
            seen.add(number)
    return 1


def _column_of_literal(text: str, literal: str) -> int:
    return next((token.start() + 1 for token in re.finditer(_PIECE, text) if token[0] == literal), 1)
