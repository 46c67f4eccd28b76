"""A JSON Schema as a plain function, for the few records of one command.

The library that checks thousands takes longer to load than everything else in `add` together, so for the first records
its work is done here. Only the keywords of our own two schemas are known; a schema with another one is refused, not
half understood.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Check = Callable[[Any], bool]
_Schema = Mapping[str, Any]


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


_TYPES: Mapping[str, Check] = {
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "boolean": lambda value: isinstance(value, bool),
    "number": _is_number,
    "integer": lambda value: _is_number(value) and value == value // 1,
}
# What a schema says to people, and `then`, which is read together with its `if`.
_NO_RULES = frozenset({"title", "description", "default", "examples", "x-form", "then", "$defs", "$id", "$schema"})


def compile_check(schema: _Schema, root: _Schema) -> Check:
    """Return the function that tells whether a JSON value fits `schema`, whose `$ref`s name parts of `root`.

    Raises `ValueError` for a keyword that is not known here.
    """
    unknown = schema.keys() - _RULES.keys() - _NO_RULES
    if unknown:
        raise ValueError(f"no rule for {sorted(unknown)}")
    checks = tuple(_RULES[keyword](schema, root) for keyword in schema if keyword in _RULES)
    return checks[0] if len(checks) == 1 else lambda value: all(check(value) for check in checks)


def refuse_no_json(value: Any) -> None:
    """Raise `ValueError` for what JSON cannot hold: a date, NaN, a name that is no text, half a surrogate pair."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, dict):
        for name, part in value.items():
            if not isinstance(name, str):
                raise ValueError(f"{name!r} is no name")  # noqa: TRY004 - as the library does
            refuse_no_json(part)
    elif isinstance(value, list):
        for part in value:
            refuse_no_json(part)
    elif not (value is None or isinstance(value, int) or _is_number(value)):
        raise ValueError(f"{value!r} is no JSON")


def _later(schema: _Schema, root: _Schema) -> Check:
    """Return the check of a part of a schema that is compiled when it is first needed: most fields are seldom there."""
    made: list[Check] = []

    def check(value: Any) -> bool:
        if not made:
            made.append(compile_check(schema, root))
        return made[0](value)

    return check


def _reference(schema: _Schema, root: _Schema) -> Check:
    part: Any = root
    for name in filter(None, schema["$ref"].removeprefix("#").split("/")):
        part = part[name]
    return _later(part, root)


def _type(schema: _Schema, _: _Schema) -> Check:
    named = schema["type"]
    checks = [_TYPES[name] for name in ([named] if isinstance(named, str) else named)]
    return checks[0] if len(checks) == 1 else lambda value: any(check(value) for check in checks)


def _one_of_texts(texts: Sequence[str]) -> Check:
    assert all(isinstance(text, str) for text in texts)
    allowed = frozenset(texts)
    return lambda value: isinstance(value, str) and value in allowed


def _pattern(schema: _Schema, _: _Schema) -> Check:
    # The `$` of JSON Schema stands for the end alone, Python's also for a newline before it.
    search = re.compile(schema["pattern"].replace("$", r"\Z")).search
    return lambda value: not isinstance(value, str) or search(value) is not None


def _properties(schema: _Schema, root: _Schema) -> Check:
    checks = {name: _later(part, root) for name, part in schema["properties"].items()}

    def check(value: Any) -> bool:
        return not isinstance(value, dict) or all(checks[name](part) for name, part in value.items() if name in checks)

    return check


def _no_others(schema: _Schema, _: _Schema) -> Check:
    assert schema["additionalProperties"] is False
    known = schema["properties"].keys()
    return lambda value: not isinstance(value, dict) or value.keys() <= known


def _items(schema: _Schema, root: _Schema) -> Check:
    check = _later(schema["items"], root)
    return lambda value: not isinstance(value, list) or all(map(check, value))


def _if_then(schema: _Schema, root: _Schema) -> Check:
    condition, then = compile_check(schema["if"], root), _later(schema["then"], root)
    return lambda value: not condition(value) or then(value)


def _all(schema: _Schema, root: _Schema) -> Check:
    checks = [compile_check(part, root) for part in schema["allOf"]]
    return lambda value: all(check(value) for check in checks)


def _any(schema: _Schema, root: _Schema) -> Check:
    checks = [compile_check(part, root) for part in schema["anyOf"]]
    return lambda value: any(check(value) for check in checks)


def _one(schema: _Schema, root: _Schema) -> Check:
    checks = [compile_check(part, root) for part in schema["oneOf"]]
    return lambda value: sum(check(value) for check in checks) == 1


def _not(schema: _Schema, root: _Schema) -> Check:
    check = compile_check(schema["not"], root)
    return lambda value: not check(value)


def _bound(keyword: str, kind: Check, measure: Callable[[Any], Any], sign: int) -> Callable[[_Schema, _Schema], Check]:
    """Return the rule of a keyword that bounds the `measure` of values of one kind, from below with `sign` 1."""

    def rule(schema: _Schema, _: _Schema) -> Check:
        limit = schema[keyword]
        return lambda value: not kind(value) or sign * measure(value) >= sign * limit

    return rule


def _identity(value: Any) -> Any:
    """Return what is equal for equal JSON values: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, dict):
        return frozenset((name, _identity(part)) for name, part in value.items())
    return tuple(map(_identity, value)) if isinstance(value, list) else (isinstance(value, bool), value)


_RULES: Mapping[str, Callable[[_Schema, _Schema], Check]] = {
    "$ref": _reference,
    "type": _type,
    "enum": lambda schema, _: _one_of_texts(schema["enum"]),
    "const": lambda schema, _: _one_of_texts([schema["const"]]),
    "pattern": _pattern,
    "required": lambda schema, _: lambda value: not isinstance(value, dict) or value.keys() >= set(schema["required"]),
    "properties": _properties,
    "additionalProperties": _no_others,
    "items": _items,
    "uniqueItems": lambda *_: (
        lambda value: not isinstance(value, list) or len(set(map(_identity, value))) == len(value)
    ),
    "if": _if_then,
    "allOf": _all,
    "anyOf": _any,
    "oneOf": _one,
    "not": _not,
    "minLength": _bound("minLength", _TYPES["string"], len, 1),
    "maxLength": _bound("maxLength", _TYPES["string"], len, -1),
    "minItems": _bound("minItems", _TYPES["array"], len, 1),
    "maxItems": _bound("maxItems", _TYPES["array"], len, -1),
    "minimum": _bound("minimum", _is_number, lambda value: value, 1),
    "maximum": _bound("maximum", _is_number, lambda value: value, -1),
}
