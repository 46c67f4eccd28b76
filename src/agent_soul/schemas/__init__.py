"""The rules of events and settings as JSON Schema, and one way to ask them.

The first records are checked here (`checking`), the thousands of a bulk command or a large log by the compiled
validator, and `jsonschema` is imported only to explain what was refused. All three read the same file.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent_soul.interrupts import load_native
from agent_soul.schemas.checking import Check, compile_check, refuse_no_json

if TYPE_CHECKING:
    import jsonschema_rs
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

# The schema `written` is a part of the event schema; naming it by its address keeps one file the only source.
_WRITTEN = "urn:agent-soul:event:1#/$defs/written"
_FEW = 500
"""Records after which loading the compiled validator, some 25 ms, is made up for by its speed."""
_MAX_SHOWN = 60
_NO_JSON = "holds something that JSON cannot: NaN, an infinity, a date or a name without quotes"


@functools.cache
def load(name: str) -> dict[str, Any]:
    """Return the shipped schema `event`, `config` or `memory` as parsed JSON."""
    # `importlib.resources` would take 7 ms of every command; a wheel is unpacked, so the file lies beside this one.
    schema: dict[str, Any] = json.loads(Path(__file__).with_name(f"{name}.json").read_bytes())
    return schema


def _document(name: str) -> dict[str, Any]:
    # Without `$schema`: by it `jsonschema` would choose its own class again, and not `_explainer`.
    document = {key: value for key, value in load("event" if name == "written" else name).items() if key != "$schema"}
    return {"$ref": _WRITTEN, "$defs": {"event": document}} if name == "written" else document


@functools.cache
def validator(name: str) -> Checker:
    """Return the validator of `event` (reading), `written` (writing) or `config`."""
    return Checker(name)


class Checker:
    """Tells of one record after the other whether a schema accepts it."""

    def __init__(self, name: str) -> None:
        self._name, self._asked = name, 0

    def expect_many(self) -> None:
        """Load the library's validator at the next record: many will come."""
        self._asked = max(self._asked, _FEW)

    def is_valid(self, record: Any) -> bool:
        """Raises `ValueError` for what is no JSON."""
        self._asked += 1
        if self._asked > _FEW:
            return compiled_validator(self._name).is_valid(record)
        refuse_no_json(record)
        return quick_check(self._name)(record)


@functools.cache
def quick_check(name: str) -> Check:
    """Return the check of the schema that costs nothing to load, and 20 times as much as the library for a record."""
    root = load("event" if name == "written" else name)
    return compile_check(root["$defs"][name] if name == "written" else root, root)


@functools.cache
def compiled_validator(name: str) -> jsonschema_rs.Draft202012Validator:
    """Return the library's validator of any shipped schema, for many records and for what is wrong in its own words."""
    # it brings half of the standard library's e-mail along
    made: jsonschema_rs.Draft202012Validator = load_native("jsonschema_rs").Draft202012Validator(_document(name))
    return made


def accepts(name: str, record: Any) -> bool:
    """Tell whether the schema accepts the record; what is no JSON, such as a date out of YAML, it does not."""
    try:
        return validator(name).is_valid(record)
    except ValueError:
        return False


def explain(name: str, record: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """Return `(path of the field, what is wrong with it)` for all that the schema refuses, in the order of fields.

    Call it for a record that was refused: it never returns an empty list.
    """
    errors = _explainer()(_document(name)).iter_errors(record)
    leaves = {(tuple(leaf.absolute_path), _say(leaf)): None for error in errors for leaf in _leaves(error)}
    return sorted(leaves, key=lambda item: tuple(map(str, item[0]))) or [((), _NO_JSON)]


@functools.cache
def _explainer() -> type[Validator]:
    """Return the class of `jsonschema`, but with the `$` of JSON Schema: Python's own also matches before a newline."""
    load_native("jsonschema")  # `rpds` comes with it
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    def pattern(_: object, rule: str, value: object, __: object) -> Iterator[ValidationError]:
        if isinstance(value, str) and not re.search(rule.replace("$", r"\Z"), value):
            yield ValidationError(f"{value!r} does not match {rule!r}")

    explainer: type[Validator] = extend(Draft202012Validator, {"pattern": pattern})  # type: ignore[no-untyped-call]
    return explainer


def _leaves(error: ValidationError) -> list[ValidationError]:
    """Return the innermost causes; for a choice, those of the branch that fits the value's type."""
    if not error.context:
        return [error]
    fitting = [cause for cause in error.context if cause.validator != "type" or cause.relative_path] or error.context
    return [leaf for cause in fitting for leaf in _leaves(cause)]


def _say(error: ValidationError) -> str:
    """Put a schema error into the words of somebody who never read a schema."""
    value: Any = error.instance
    text = json.dumps(value, ensure_ascii=False, default=str)
    shown = text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
    limit: Any = error.validator_value
    match error.validator:
        case "required":
            return f"{', '.join(repr(name) for name in limit if name not in value)} is missing"
        case "enum":
            return f"{shown} is not one of: {', '.join(map(str, limit))}{_advice(value, limit)}"
        case "type":
            return f"{shown} is not of type {limit if isinstance(limit, str) else ' or '.join(limit)}"
        case "minLength" if not value.strip():
            return "says nothing"
        case "const":
            return f"{shown} must be {limit!r}"
        case "pattern":
            form = error.schema.get("x-form") if isinstance(error.schema, dict) else None
            return f"{shown} is not {form}" if form else f"{shown} has not the form {limit}"
        case "not":
            return f"{shown} is a name that some systems reserve"
        case "oneOf":
            return f"{shown} fits none of the forms that are allowed, or several"
    return _say_bound(str(error.validator), limit, value, shown) or error.message


def _advice(value: Any, known: list[str]) -> str:
    from difflib import get_close_matches

    is_scope = "project" in known  # where other words than a slip of the pen name a project
    close = get_close_matches(str(value), known, n=1, cutoff=0.75 if is_scope else 0.6)
    if is_scope and not close and isinstance(value, str) and len(value) < _MAX_SHOWN:
        return f"; a project is meant as {f'project:{value}'!r}"
    return f"; did you mean {close[0]!r}?" if close else ""


def _say_bound(rule: str, limit: Any, value: Any, shown: str) -> str:
    """Put a rule such as `maxLength` into words; an empty string for any other rule."""
    side = {"min": "at least", "max": "at most"}.get(rule[:3], "")
    if not side:
        return ""
    unit = {"Length": "code points", "Items": "items"}.get(rule[3:])
    if unit is None:
        return f"{shown} must be {side} {limit}"
    return f"has {len(value)} {unit}, {side} {limit} are allowed" + (f": {shown}" if rule.endswith("Length") else "")
