"""Inputs that cannot lie in Git as they are: odd bytes, very long lines, links, pipes, names that no checkout keeps.

A case names its builder in `expected.json`: `builder` makes the bytes of the lines under test, `tree` changes the
hub before the commands run. `after` undoes what a plain removal of the folder could not.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

MIB = 1 << 20
FILE = "2025-03-02.0badf00d.ndjson"


def line(**fields: object) -> bytes:
    """Return one good event as bytes, without a newline; `fields` replace its own."""
    event = {
        "event_id": "bad-line-1",
        "ts": "2025-03-02T10:00:00Z",
        "source": "bad-source",
        "kind": "fact",
        "scope": "stable",
        "summary": "MARKER of the line under test.",
        **fields,
    }
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def _with_bytes(odd: bytes) -> Callable[[], list[bytes]]:
    return lambda: [line().replace(b"MARKER", odd + b"MARKER")]


def _lines_at_the_limit() -> list[bytes]:
    room = MIB - len(line(detail=""))
    return [line(detail="x" * room), line(event_id="bad-line-2", detail="x" * (room + 1))]


def _supersedes_10000() -> list[bytes]:
    ids = [f"gone-{number}" for number in range(10_001)]
    return [line(supersedes=ids[:-1]), line(event_id="bad-line-2", supersedes=ids)]


LINES: dict[str, Callable[[], list[bytes]]] = {
    "nested_100000_deep": lambda: [line(own="HERE").replace(b'"HERE"', b"[" * 100_000 + b"]" * 100_000)],
    "line_of_10_mb": lambda: [line(detail="x" * (10_000_000 - len(line(detail=""))))],
    "lines_at_the_limit": _lines_at_the_limit,
    "not_utf8_lone_byte": _with_bytes(b"\xff"),
    "not_utf8_overlong": _with_bytes(b"\xc0\xaf"),
    "not_utf8_surrogates_as_bytes": _with_bytes(b"\xed\xa0\xbd\xed\xb8\x80"),
    "not_utf8_beyond_unicode": _with_bytes(b"\xf5\x80\x80\x80"),
    "not_utf8_cut_character": _with_bytes(b"\xe6\xb1"),
    "not_utf8_latin_1": _with_bytes("été ".encode("latin-1")),
    "not_utf8_gbk": _with_bytes("你好".encode("gbk")),
    "utf16_line": lambda: [line().decode().encode("utf-16")],
    "raw_controls": lambda: [
        line().replace(b"MARKER", odd + b"MARKER") for odd in (b"\0", b"\x01", b"\x1b[2J", b"\x08")
    ],
    "raw_delete_and_c1": lambda: [
        line(event_id=f"bad-line-{code}", summary=f"MARKER{chr(code)} number {code}.") for code in (0x7F, 0x9B)
    ],
    "supersedes_10000": _supersedes_10000,
}


def source_file(hub: Path) -> Path:
    """Return the path of the file under test, its folder made."""
    folder = hub / "sources" / "bad-source"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / FILE


def _write(hub: Path, content: bytes) -> None:
    source_file(hub).write_bytes(content)


def _outside(hub: Path) -> Path:
    """Return a folder beside the hub that holds a file of somebody else, which looks like a log."""
    folder = hub.parent / "outside"
    folder.mkdir(exist_ok=True)
    (folder / FILE).write_bytes(line(summary="MARKER of somebody else's file.") + b"\n")
    return folder


def _link(place: Path, target: Path | str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


def _unix_socket(hub: Path) -> None:
    file = source_file(hub)
    here = Path.cwd()
    os.chdir(file.parent)  # the name of a socket has a short limit
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(file.name)
    finally:
        os.chdir(here)


def _other_endings(hub: Path) -> None:
    for name in ("a.jsonl", "b.json", "c.ndjson.txt", "d.ndjson~", ".hidden"):
        source_file(hub).with_name(name).write_bytes(line() + b"\n")


def _loose(hub: Path) -> None:
    (hub / "sources" / "loose.ndjson").write_bytes(line() + b"\n")


def _sparse(hub: Path) -> None:
    with source_file(hub).open("wb") as file:
        file.truncate((64 << 20) + 1)


def _odd_file_names(hub: Path) -> None:
    for number, name in enumerate(("a b.ndjson", "记忆.ndjson", "-rf.ndjson", "x" * 240 + ".ndjson")):
        content = line(event_id=f"bad-line-{number}", summary=f"MARKER {number} of the names.") + b"\n"
        source_file(hub).with_name(name).write_bytes(content)


def _file_name_not_utf8(hub: Path) -> None:
    name = os.fsencode(source_file(hub).parent) + b"/\xe9t\xe9.ndjson"
    Path(os.fsdecode(name)).write_bytes(line() + b"\n")


def _odd_folder_names(hub: Path) -> None:
    for number, name in enumerate(("Bad Source", "bad_source", "坏源", "-rf")):
        folder = hub / "sources" / name
        folder.mkdir()
        (folder / FILE).write_bytes(line(event_id=f"bad-line-{number}") + b"\n")


def _nested_folders(hub: Path, name: str, depth: int) -> None:
    """Make folders in folders by handles, because no path is long enough to name the last."""
    here = os.open(source_file(hub).parent, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def _sources_is_a_file(hub: Path) -> None:
    _move_away(hub).touch()


def _sources_is_a_link(hub: Path) -> None:
    _link(_move_away(hub), hub.parent / "moved")


def _move_away(hub: Path) -> Path:
    return Path((hub / "sources").rename(hub.parent / "moved") and hub / "sources")


def _canonical_folder_is_a_link(hub: Path) -> None:
    _link(hub / "canonical", _outside(hub))


def _page_is_a_folder(hub: Path) -> None:
    (hub / "canonical" / "profile.md" / "mine").mkdir(parents=True)


def _file_at(hub: Path, path: str) -> None:
    (hub / path).parent.mkdir(parents=True, exist_ok=True)
    (hub / path).write_text("somebody's file\n", encoding="utf-8")


def _projects_is_a_file(hub: Path) -> None:
    _write(hub, line(scope="project", project="alpha") + b"\n")
    _file_at(hub, "canonical/projects")


TREES: dict[str, Callable[[Path], object]] = {
    "file_link": lambda hub: _link(source_file(hub), _outside(hub) / FILE),
    "file_link_dangling": lambda hub: _link(source_file(hub), "/no/such/file"),
    "file_link_loop": lambda hub: _link(source_file(hub), FILE),
    "folder_link": lambda hub: _link(hub / "sources" / "bad-source", _outside(hub)),
    "folder_link_neighbour": lambda hub: _link(hub / "sources" / "bad-source", "good-source"),
    "pipe": lambda hub: os.mkfifo(source_file(hub)),
    "unix_socket": _unix_socket,
    "hard_link": lambda hub: os.link(_outside(hub) / FILE, source_file(hub)),
    "folder_named_ndjson": lambda hub: source_file(hub).mkdir(),
    "file_outside_a_source": _loose,
    "other_endings": _other_endings,
    "file_of_65_mib": _sparse,
    "utf16_file": lambda hub: _write(
        hub, (line() + b"\n" + line(event_id="bad-line-2")).decode().encode("utf-16") + b"\n\0"
    ),
    "bom_file": lambda hub: _write(hub, b"\xef\xbb\xbf" + line() + b"\n"),
    "only_bom": lambda hub: _write(hub, b"\xef\xbb\xbf"),
    "empty_file": lambda hub: _write(hub, b""),
    "blank_lines": lambda hub: _write(hub, b"\n\n  \n\t\n\r\n"),
    "crlf_file": lambda hub: _write(hub, line() + b"\r\n"),
    "no_last_newline": lambda hub: _write(hub, line()),
    "torn_file": lambda hub: _write(hub, line(event_id="bad-line-0", scope="fuzzy") + b"\n" + line()[:90]),
    "odd_file_names": _odd_file_names,
    "file_name_not_utf8": _file_name_not_utf8,
    "odd_folder_names": _odd_folder_names,
    "folders_1200_deep": lambda hub: _nested_folders(hub, "d", 1200),
    "folders_beyond_path_max": lambda hub: _nested_folders(hub, "d" * 250, 20),
    "sources_is_a_file": _sources_is_a_file,
    "sources_is_a_link": _sources_is_a_link,
    "canonical_link": _canonical_folder_is_a_link,
    "canonical_link_dangling": lambda hub: _link(hub / "canonical", "/no/such/folder"),
    "projects_link": lambda hub: _link(hub / "canonical" / "projects", _outside(hub)),
    "page_link": lambda hub: _link(hub / "canonical" / "profile.md", _outside(hub) / FILE),
    "deep_page_link": lambda hub: _link(hub / "canonical" / "more" / "profile" / "2025-01.md", _outside(hub) / FILE),
    "canonical_is_a_file": lambda hub: _file_at(hub, "canonical"),
    "page_is_a_folder": _page_is_a_folder,
    "projects_is_a_file": _projects_is_a_file,
}


def remove_deep_folders(hub: Path) -> None:
    """Remove what pytest's own recursive removal cannot."""
    subprocess.run(["rm", "-rf", "--", str(hub)], check=True)
