"""The rules of events and settings as JSON Schema, and one way to ask them.

The compiled validator answers yes or no at the speed of bulk writing; `jsonschema` is imported only to explain
what it refused. Both read the same file.
"""

from __future__ import annotations

import functools
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema_rs

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

# The schema `written` is a part of the event schema; naming it by its address keeps one file the only source.
_WRITTEN = "urn:agent-soul:event:1#/$defs/written"
_MAX_SHOWN = 60


@functools.cache
def load(name: str) -> dict[str, Any]:
    """Return the shipped schema `event` or `config` as parsed JSON."""
    schema: dict[str, Any] = json.loads(files(__package__).joinpath(f"{name}.json").read_bytes())
    return schema


def _document(name: str) -> dict[str, Any]:
    if name == "written":
        event = load("event")
        return {"$schema": event["$schema"], "$ref": _WRITTEN, "$defs": {"event": event}}
    return load(name)


@functools.cache
def validator(name: str) -> jsonschema_rs.Draft202012Validator:
    """Return the compiled validator of `event` (reading), `written` (writing) or `config`."""
    return jsonschema_rs.Draft202012Validator(_document(name))


def explain(name: str, record: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """Return `(path of the field, what is wrong with it)` for all that the schema refuses, in the order of fields."""
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(_document(name)).iter_errors(record)
    leaves = {(tuple(leaf.absolute_path), _say(leaf)): None for error in errors for leaf in _leaves(error)}
    return sorted(leaves, key=lambda item: tuple(map(str, item[0])))


def _leaves(error: ValidationError) -> list[ValidationError]:
    """Return the innermost causes; for a choice, those of the branch that fits the value's type."""
    if not error.context:
        return [error]
    fitting = [cause for cause in error.context if cause.validator != "type"] or error.context
    return [leaf for cause in fitting for leaf in _leaves(cause)]


def _say(error: ValidationError) -> str:
    """Put a schema error into the words of somebody who never read a schema."""
    value = json.dumps(error.instance, ensure_ascii=False)
    shown = value if len(value) <= _MAX_SHOWN else value[: _MAX_SHOWN - 1] + "…"
    limit: Any = error.validator_value
    match error.validator:
        case "required":
            missing = [name for name in limit if name not in error.instance]
            return f"{', '.join(map(repr, missing))} is missing"
        case "enum":
            return f"{shown} is not one of: {', '.join(map(str, limit))}"
        case "type":
            wanted = limit if isinstance(limit, str) else " or ".join(limit)
            return f"{shown} is not of type {wanted}"
        case "minLength" | "maxLength":
            side = "at least" if error.validator == "minLength" else "at most"
            return f"has {len(error.instance)} code points, {side} {limit} are allowed: {shown}"
        case "minItems" | "maxItems":
            side = "at least" if error.validator == "minItems" else "at most"
            return f"has {len(error.instance)} items, {side} {limit} are allowed"
        case "minimum" | "maximum":
            side = "at least" if error.validator == "minimum" else "at most"
            return f"{shown} must be {side} {limit}"
        case "const":
            return f"{shown} must be {limit!r}"
        case "pattern":
            return f"{shown} has not the form {limit.removesuffix(END)}"
        case "not":
            return f"{shown} is a name that some systems reserve"
    return error.message


END = "(?![\\s\\S])"
"""How the patterns say "end": unlike `$` it does not match before a last newline in Python's regular expressions."""
