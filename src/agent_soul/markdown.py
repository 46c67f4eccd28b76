"""What all pages are made of: front matter, titles, links between pages, and texts that are cut to a width. Pure.

Pages are notes of an Obsidian vault, be it the hub or `canonical/` alone. Obsidian reads front matter at the very start
of a file only; what each page is stands there, and that a compile made it.
"""

from __future__ import annotations

import posixpath
import re

from agent_soul.text import escape_markdown, neutralise

GENERATED = "generated: by soul compile from sources/, do not edit"
"""The first key of every page."""
MORE = "…"
"""Stands after a statement that is cut, or whose event has more to say; `soul show ID` says it."""
TITLE_WIDTH = 80

_TYPES = {"projects": "project", "agents": "agent", "topics": "topic"}
_NOT_BARE = re.compile(r'\\([!-/:-@\[-`{-~])|["\\]')


def document(path: str, title: str, *blocks: str, name: str = "") -> str:
    """Return the generated page at `path`: front matter, its title, and the blocks that are not empty.

    `name` is what people call what the page is about, where the path does not say it.
    """
    aliases = [f"aliases: [{_quoted(shorten(neutralise(name), TITLE_WIDTH))}]"] if name else []
    front = "\n".join(["---", GENERATED, f"type: {_type(path)}", *aliases, "---"])
    return "\n\n".join([f"{front}\n# {title_text(title)}", *(block for block in blocks if block)]) + "\n"


def without_front_matter(page: str) -> str:
    """Return a generated page from its title on, whichever format it has."""
    if page.startswith(f"---\n{GENERATED}\n"):
        return page.partition("\n---\n")[2]
    first, _, rest = page.partition("\n")
    return rest if first.startswith("<!-- ") else page


def wikilink(target: str, page: str, text: str = "") -> str:
    """Return the link from `page` to the page `target`, both as paths from `canonical/`, shown as `text` or its path.

    Obsidian finds a path with a folder by its end, in whatever vault `canonical/` is. A page of `canonical/` itself is
    named from where the link stands, since a project may have its name.
    """
    path = target if "/" in target else posixpath.relpath(target, posixpath.dirname(page) or ".")
    return f"[[{path.removesuffix('.md')}{f'|{text}' if text else ''}]]"


def more_folder(path: str) -> str:
    """Return the folder, from `canonical/`, of what the page at `path` had no room for."""
    return f"more/{path.removesuffix('.md')}"


def title_text(name: str, width: int = TITLE_WIDTH) -> str:
    """Return free text for a heading or a name: literal, on one line, at most `width` code points before escaping."""
    return escape_markdown(shorten(neutralise(name), width))


def shorten(text: str, width: int) -> str:
    """Return `text` with at most `width` code points; a cut shows as an ellipsis."""
    # A joiner at the cut would have nothing left to join.
    return text if len(text) <= width else text[: width - 1].rstrip(" \u200d") + MORE


def _type(path: str) -> str:
    folder, slash, _ = path.partition("/")
    return _TYPES.get(folder, folder) if slash else path.removesuffix(".md")


def _quoted(line: str) -> str:
    r"""Return `line` as a double-quoted scalar of YAML (1.2, 7.3.1).

    What Markdown gives a meaning to is written by its number, as `\u005b`: a renderer that knows no front matter takes
    it for text like any other, and a backslash before the mark itself would be part of the value.
    """
    return f'"{_NOT_BARE.sub(_by_number, escape_markdown(line))}"'


def _by_number(found: re.Match[str]) -> str:
    return f"\\u{ord(found[1]):04x}" if found[1] else f"\\{found[0]}"
