"""What Obsidian makes of a folder of pages: the properties of each, and where its links lead."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from agent_soul.markdown import GENERATED

LINK = re.compile(r"(?<!\\)(?:\\\\)*\[\[([^\[\]|]+)(?:\|([^\[\]|]+))?\]\]")
KEYS = (["generated", "type"], ["generated", "type", "aliases"])
TYPES = {"index", "pages", "profile", "stable-memory", "fuzzy-memory", "metrics", "conflicts", "upkeep"}
TYPES |= {"project", "agent", "topic", "daily", "more"}
OF_THE_HUB = ("SOUL.md", "IDENTITY.md", "USER.md", "VOICE.md", "README.md", "SCHEMA.md")


def parts(page: str) -> tuple[dict[str, Any], str]:
    """Return the properties of a page, read as YAML, and the text below them."""
    start, front, body = page.split("---\n", 2)
    assert start == ""
    assert front.startswith(GENERATED + "\n")
    return yaml.safe_load(front), body


def check_properties(path: str, page: str) -> None:
    """Check that a page has nothing but our keys, with a text or a list of texts for each."""
    properties, body = parts(page)
    assert body.startswith("# ")
    assert list(properties) in KEYS, path
    assert properties["type"] in TYPES, path
    assert f"generated: {properties['generated']}" == GENERATED
    aliases = properties.get("aliases", ["x"])
    assert isinstance(aliases, list)
    assert aliases
    assert all(isinstance(alias, str) and alias for alias in aliases), path


def links_of(path: str, page: str) -> Iterator[tuple[str, str]]:
    """Yield each link as it is written, and the page that it means."""
    for found in LINK.finditer(page):
        written = found[1]
        here = "" if "/" in written and not written.startswith(".") else posixpath.dirname(path)
        yield written, posixpath.normpath(posixpath.join(here, written)) + ".md"


def by_name(notes: Iterable[str]) -> Mapping[str, list[str]]:
    """Return the paths of the notes of a vault by the name of the file."""
    found: dict[str, list[str]] = defaultdict(list)
    for note in notes:
        found[posixpath.basename(note)].append(note)
    return found


def opened(link: str, source: str, vault: Mapping[str, list[str]]) -> str | None:
    """Return the note that a link in the note `source` opens, None where Obsidian would make a new one.

    As `app.metadataCache.getFirstLinkpathDest` of Obsidian 1.13 was seen to do it: with dots that path alone; else the
    note at that very path, else of those whose paths end so one in the folder of `source`, else the shortest.
    """
    folder = posixpath.dirname(source)
    notes = vault.get(f"{posixpath.basename(link)}.md", [])
    if link.startswith(("./", "../")):
        path = posixpath.normpath(posixpath.join(folder, link)) + ".md"
        return path if path in notes else None
    if f"{link}.md" in notes:
        return f"{link}.md"
    ending = [note for note in notes if note.endswith(f"/{link}.md")]
    beside = [note for note in ending if posixpath.dirname(note) == folder]
    return min(beside or ending, key=lambda note: (len(note), note), default=None)


def check_vault(texts: Mapping[str, str]) -> int:
    """Check every page as a note, with `canonical/` and with the hub as the vault; return how many links there are."""
    pages = {path: text for path, text in texts.items() if path.endswith(".md")}
    alone, in_hub = by_name(pages), by_name([*OF_THE_HUB, *(f"canonical/{path}" for path in pages)])
    number = 0
    for path, text in pages.items():
        check_properties(path, text)
        for written, meant in links_of(path, text):
            number += 1
            assert opened(written, path, alone) == meant, (path, written)
            assert opened(written, f"canonical/{path}", in_hub) == f"canonical/{meant}", (path, written)
    return number
