"""JSON with comments, edited in place: every byte that is not the edited member's own stays. Pure.

Settings of agent programs are often JSON with comments and trailing commas, which no library here writes back as they
were. So the text is read into spans, and a change is spliced in. Values are read and written by the standard library.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agent_soul.runtimes.edits import OddFileError, newline_of

DEEPEST = 64
_GAP = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE = re.compile(r"[ \t]*(?:/\*[^\r\n]*?\*/[ \t]*)*(?://[^\r\n]*)?(?=[\r\n])")
_INDENT = re.compile(r"(?:^|\n)([ \t]+)[\"{\[/]")
_DECODER = json.JSONDecoder()
_DEFAULT_INDENT = "  "


@dataclass(slots=True)
class Node:
    """A value in the text: `value` as Python has it, its span, and what it consists of.

    `key_start` is where the member begins whose value this is, or the value itself in a list.
    """

    start: int
    end: int = 0
    value: Any = None
    key_start: int = 0
    children: list[Node] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def member(self, key: str) -> Node | None:
        """Return the value of the member `key`, or None. Raises `OddFileError` where two have that name."""
        found = [child for name, child in zip(self.keys, self.children, strict=True) if name == key]
        if len(found) > 1:
            raise OddFileError(f"it has {key!r} twice, and programs differ on which of them counts")
        return found[0] if found else None


@functools.lru_cache(maxsize=4)
def parse(text: str) -> Node:
    """Return the document's value with spans; an empty one counts as an empty object. Raises `OddFileError`.

    One edit looks at a text several times, so the last ones are remembered; nobody changes what is returned.
    """
    start = _after_gap(text, 0)
    if start == len(text):
        return Node(start, start, {})
    node = _value(text, start, 0)
    rest = _after_gap(text, node.end)
    if rest != len(text):
        raise _unexpected(text, rest)
    return node


def put_member(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with the member at `path` holding `value`; objects on the way are made where they are missing."""
    node = _object(parse(text), path[:0])
    for depth, key in enumerate(path):
        child = node.member(key)
        if child is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return _insert(text, node, value, key)
        if depth + 1 < len(path):
            node = _object(child, path[: depth + 1])
            continue
        return text if child.value == value else _replace(text, child, value)
    return text


def append(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with `value` at the end of the list at `path`, which is made where it is missing."""
    found = look(text, path)
    if found is None:
        return put_member(text, path, [value])
    if not isinstance(found.value, list):
        raise OddFileError(f"{'.'.join(path)!r} is no list")
    return _insert(text, found, value)


def look(text: str, path: Sequence[str]) -> Node | None:
    """Return the value at `path`, or None where there is none. Raises `OddFileError`."""
    node: Node | None = parse(text)
    for depth, key in enumerate(path):
        if node is not None:
            node = _object(node, path[:depth]).member(key)
    return node


def replace_item(text: str, path: Sequence[str], number: int, value: Any) -> str:
    """Return the text with the item `number` of the list at `path` replaced."""
    found = look(text, path)
    return _replace(text, found.children[number], value) if found else text


def remove(text: str, path: Sequence[str | int]) -> str:
    """Return the text without the member or item at `path`, and without what is left empty above it.

    What holds a comment is not empty.
    """
    chain = [parse(text)]
    for step in path:
        child = chain[-1].children[step] if isinstance(step, int) else chain[-1].member(step)
        if child is None:
            return text
        chain.append(child)
    while len(chain) > 2 and len(chain[-2].children) == 1 and not _around(text, chain[-2], chain[-1]):
        chain.pop()
    return _cut(text, chain[-2], chain[-1]) if len(chain) > 1 else text


def _object(node: Node, path: Sequence[str]) -> Node:
    if not isinstance(node.value, dict):
        raise OddFileError(f"{'.'.join(path)!r} is no object" if path else "it holds no JSON object")
    return node


def _value(text: str, start: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise OddFileError("it is nested too deeply")
    if text[start : start + 1] in ("{", "["):
        return _container(text, start, depth)
    try:
        value, end = _DECODER.raw_decode(text, start)
    except ValueError as error:
        raise _unexpected(text, start) from error
    return Node(start, end, value, start)


def _container(text: str, start: int, depth: int) -> Node:
    is_object = text[start] == "{"
    node = Node(start, key_start=start)
    at = _after_gap(text, start + 1)
    while text[at : at + 1] != ("}" if is_object else "]"):
        key_start = at
        if is_object:
            key = _value(text, at, depth) if text[at : at + 1] == '"' else None
            at = _after_gap(text, key.end) if key else at
            if key is None or text[at : at + 1] != ":":
                raise _unexpected(text, at)
            node.keys.append(key.value)
            at = _after_gap(text, at + 1)
        child = _value(text, at, depth + 1)
        child.key_start = key_start
        node.children.append(child)
        at = _after_gap(text, child.end)
        if text[at : at + 1] == ",":
            at = _after_gap(text, at + 1)
        elif text[at : at + 1] not in ("}", "]"):
            raise _unexpected(text, at)
    values = [child.value for child in node.children]
    node.value = dict(zip(node.keys, values, strict=True)) if is_object else values
    node.end = at + 1
    return node


def _after_gap(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    return found.end() if found else at


def _unexpected(text: str, at: int) -> OddFileError:
    line = text.count("\n", 0, at) + 1
    found = repr(text[at : at + 12]) if at < len(text) else "its end"
    return OddFileError(f"it is no JSON: line {line} has {found} where something else was expected")


def _insert(text: str, parent: Node, value: Any, key: str | None = None) -> str:
    """Put one more child at the end of `parent`, in the way in which its other children stand."""
    if parent.end == parent.start:  # an empty document
        return text + _rendered({key: value}, "", text) + newline_of(text)
    start = f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else ""
    unit = _unit(text)
    if not parent.children:
        return _insert_first(text, parent, start, value, unit)
    last = parent.children[-1]
    if "\n" not in text[parent.start : last.key_start]:
        return f"{text[: last.end]}, {start}{json.dumps(value, ensure_ascii=False)}{text[last.end :]}"
    indent = _line_indent(text, parent.children[0].key_start)
    own = newline_of(text) + indent + start + _rendered(value, indent, text, unit)
    comma = _after_gap(text, last.end)
    if text[comma] == ",":  # a trailing one: ours gets one too
        place = _end_of_line(text, comma + 1)
        return f"{text[:place]}{own},{text[place:]}"
    place = _end_of_line(text, last.end)
    return f"{text[: last.end]},{text[last.end : place]}{own}{text[place:]}"


def _insert_first(text: str, parent: Node, start: str, value: Any, unit: str) -> str:
    outer = _line_indent(text, parent.start)
    newline, indent = newline_of(text), outer + unit
    before = text[: parent.end - 1].rstrip(" \t\r\n")
    own = newline + indent + start + _rendered(value, indent, text, unit)
    return f"{before}{own}{newline}{outer}{text[parent.end - 1 :]}"


def _replace(text: str, node: Node, value: Any) -> str:
    is_inline = "\n" not in text[node.start : node.end] and isinstance(node.value, dict | list) and node.value
    indent = _line_indent(text, node.start)
    shown = json.dumps(value, ensure_ascii=False) if is_inline else _rendered(value, indent, text, _unit(text))
    return text[: node.start] + shown + text[node.end :]


def _cut(text: str, parent: Node, child: Node) -> str:
    number = next(i for i, each in enumerate(parent.children) if each is child)
    if len(parent.children) == 1 and not _around(text, parent, child):
        return f"{text[: parent.start + 1]}{text[parent.end - 1 :]}"
    start = len(text[: child.key_start].rstrip(" \t\r\n"))
    end = _comma_after(text, child)
    if end > child.end or not number:
        return text[:start] + text[end:]
    comma = _after_gap(text, parent.children[number - 1].end)
    return text[:comma] + text[comma + 1 : start] + text[child.end :]


def _around(text: str, parent: Node, child: Node) -> str:
    """Return what an only child has beside it: comments."""
    between = text[parent.start + 1 : child.key_start] + text[_comma_after(text, child) : parent.end - 1]
    return between.strip()


def _comma_after(text: str, child: Node) -> int:
    """Return where the child ends with its comma, or without where none follows."""
    at = _after_gap(text, child.end)
    return at + 1 if text[at : at + 1] == "," else child.end


def _end_of_line(text: str, at: int) -> int:
    """Return where the comments that follow on the same line end, else `at`."""
    found = _REST_OF_LINE.match(text, at)
    return found.end() if found else at


def _rendered(value: Any, indent: str, text: str, unit: str = _DEFAULT_INDENT) -> str:
    shown = json.dumps(value, ensure_ascii=False, indent=unit)
    return shown.replace("\n", newline_of(text) + indent)


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else _DEFAULT_INDENT


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
