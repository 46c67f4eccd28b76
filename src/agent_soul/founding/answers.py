"""What a person says of themselves when a hub begins, and where in the identity files it goes. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from agent_soul.errors import RefusedError
from agent_soul.identity import EXAMPLE, UNFILLED
from agent_soul.text import describe_hidden, find_hidden

_LONGEST = 120
"""Code points of an answer; more belongs into the files themselves."""


class Answers(NamedTuple):
    """Each is empty where nobody said it; its place in the files is left to be filled in then."""

    name: str = ""
    agent: str = ""
    language: str = ""
    time_zone: str = ""


class _Place(NamedTuple):
    """The line of a template that an answer replaces, and what it says from then on."""

    file: str
    line: str
    says: tuple[str, ...]


_PLACES: Mapping[str, _Place] = {
    "name": _Place(
        "USER.md",
        "- [fill in: name, form of address, profession 称呼、职业]",
        ("- Name 称呼: {}", "- [fill in: profession 职业]"),
    ),
    "agent": _Place(
        "IDENTITY.md",
        "- [fill in: one name, the same in every program 统一的名字]",
        ("- {}, in every program 各程序同名",),
    ),
    "language": _Place(
        "VOICE.md",
        "- [fill in: language to answer in; language of code and commits 用什么语言回答]",
        ("- Answer in 回答用: {}", "- [fill in: language of code and commits 代码与提交用什么语言]"),
    ),
    "time_zone": _Place(
        "USER.md",
        "- [fill in: IANA time zone, working hours, rhythm 时区、作息]",
        ("- Time zone 时区: {}", "- [fill in: working hours, rhythm 作息]"),
    ),
}


def check_answer(option: str, text: str) -> str:
    """Return an answer with its white space tidied; raises `RefusedError` for what is no single visible line."""
    hidden = find_hidden(text)
    tidy = " ".join(text.split())
    fault = (
        f"holds {describe_hidden(hidden)}"
        if hidden
        else f"is longer than {_LONGEST} characters"
        if len(tidy) > _LONGEST
        else ""
    )
    if fault:
        raise RefusedError(f"{option} {text[:_LONGEST]!r} {fault}", hint="nothing was made; give one short line")
    return tidy


def filled_in(files: Mapping[str, bytes], answers: Answers) -> dict[str, bytes]:
    """Return the identity files among `files` that the answers change, filled in.

    The examples of a point go with its last open place.
    """
    changed: dict[str, bytes] = {}
    for name, answer in answers._asdict().items():
        place = _PLACES[name]
        if answer and place.file in files:
            text = changed.get(place.file, files[place.file]).decode("utf-8")
            says = "\n".join(place.says).replace("{}", answer)
            changed[place.file] = _without_examples(text.replace(place.line, says), says).encode("utf-8")
    return changed


def _without_examples(text: str, says: str) -> str:
    """Return the text without the example lines that follow `says`, unless something there is still open."""
    if UNFILLED.search(says):
        return text
    before, said, after = text.partition(says)
    lines = after.split("\n")
    number = next((number for number, line in enumerate(lines[1:], 1) if not EXAMPLE.match(line)), len(lines))
    return f"{before}{said}" + "\n".join(["", *lines[number:]])


def looks_like_address(remote: str) -> bool:
    """Tell whether a text has the form of an address that Git takes: a URL, `host:path`, or a folder's path."""
    if remote.startswith("-") or any(map(str.isspace, remote)):
        return False
    return re.match(r"[a-z][a-z+]*://.|[\w.@-]+:.|\.{0,2}/", remote) is not None


def looks_like_time_zone(name: str) -> bool:
    """Tell whether a text has the form of an IANA time zone, such as `Asia/Shanghai` or `UTC`."""
    return re.fullmatch(r"[A-Za-z]+(?:[/_+-][A-Za-z0-9]+)*", name) is not None
