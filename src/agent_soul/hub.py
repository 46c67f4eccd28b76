"""Where everything lives: finding the hub, and the state that a clone keeps for itself.

Git's folder is found by reading `.git`, not by running git: `add` starts in a tenth of the time, and works where git
is not installed. Only the standard library is imported, because the set-up of the private environment needs the
same places.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from agent_soul.errors import RefusedError

HOME_VARIABLE = "AGENT_SOUL_HOME"
# Set by a script of a hub for itself: the last place to look, so that it works from any folder.
SCRIPT_HUB_VARIABLE = "AGENT_SOUL_SCRIPT_HUB"

JOINED = "joined.json"
"""In the state: there where an agent program is joined to this clone."""
SOURCES = "sources"
EDITED = "edited"
"""Folder of the state for copies of pages that a person had changed."""
SUFFIX = ".ndjson"
MAX_FILE_BYTES = 64 << 20
"""No larger file of the log is read or written."""


class Hub(NamedTuple):
    """A hub on this machine: `root` holds `sources/`, `state` is this clone's own folder."""

    root: Path
    state: Path
    git_root: Path | None
    """Top of the Git work tree that holds the hub, or None where there is no Git."""

    @property
    def sources(self) -> Path:
        return self.root / "sources"

    @property
    def canonical(self) -> Path:
        return self.root / "canonical"

    @property
    def config_file(self) -> Path:
        return self.root / "soul.yaml"

    @property
    def lock_file(self) -> Path:
        return self.state / "lock"

    @property
    def outbox(self) -> Path:
        return self.state / "outbox"

    @property
    def contradictions(self) -> Path:
        """Which statements were found to contradict each other, when they were last compared here."""
        return self.state / "contradictions.json"


def find_hub(explicit: str | Path | None = None, *, start: Path | None = None) -> Hub:
    """Return the hub named by `explicit`, else by $AGENT_SOUL_HOME, else the nearest one at or above `start`.

    `explicit` needs only a `sources` folder or a `soul.yaml`. Raises `RefusedError` where there is none.
    """
    for named, origin in ((explicit, "--hub"), (os.environ.get(HOME_VARIABLE), HOME_VARIABLE)):
        if named:
            return _named_hub(named, origin)
    here = _folder_of_process() if start is None else start.resolve()
    for folder in (here, *here.parents):
        if looks_like_hub(folder):
            return open_hub(folder)
    script_hub = os.environ.get(SCRIPT_HUB_VARIABLE)
    if script_hub and looks_like_hub(Path(script_hub)):
        return open_hub(Path(script_hub))
    raise RefusedError(
        f"no hub at or above {here}",
        hint=f"name it with --hub FOLDER or {HOME_VARIABLE}, or go to the folder that holds soul.yaml",
    )


def looks_like_hub(folder: Path) -> bool:
    """Tell whether `folder` is a hub of ours, or one of the public format (`soul.json` beside `sources/`)."""
    return (folder / "soul.yaml").is_file() or ((folder / "soul.json").is_file() and (folder / "sources").is_dir())


def open_hub(root: Path) -> Hub:
    """Return the hub whose data lies in `root`, without looking further."""
    root = root.resolve()
    for folder in (root, *root.parents):
        git_dirs = find_git_dirs(folder / ".git")
        if git_dirs:
            # Two hubs in one repository keep apart; the usual case, the hub at the top, gets the plain name.
            inside = root.relative_to(folder).parts
            state = git_dirs[1].joinpath("agent-soul", *(("at", *inside) if inside else ()))
            return Hub(root, state, folder)
    return Hub(root, _state_home() / "agent-soul" / _short_hash(str(root)), None)


def _folder_of_process() -> Path:
    try:
        return Path.cwd().resolve()
    except OSError as error:
        hint = f"go to the hub, or name it with --hub or {HOME_VARIABLE}"
        raise RefusedError("the current folder is gone", hint=hint) from error


def _named_hub(name: str | Path, origin: str) -> Hub:
    folder = Path(name)
    try:
        folder = folder.expanduser()
        is_folder = folder.is_dir()
    except (OSError, RuntimeError, ValueError):  # a name too long, or a home that nobody has
        is_folder = False
    if not is_folder:
        raise RefusedError(f"{origin} names {str(folder)!r}, which is not a folder", hint="name the hub's own folder")
    try:
        is_hub = (folder / "sources").is_dir() or looks_like_hub(folder)
    except OSError as error:
        raise RefusedError(
            f"{origin} names {str(folder)!r}, which cannot be read: {error.strerror}",
            hint="let this user read and enter that folder, then try again",
        ) from error
    if not is_hub:
        raise RefusedError(
            f"{origin} names {str(folder)!r}, which holds neither sources/ nor soul.yaml",
            hint="name the hub's own folder, or make a hub there by creating the folder 'sources'",
        )
    return open_hub(folder)


def find_git_dirs(dot_git: Path) -> tuple[Path, Path] | None:
    """Return the folder of one work tree, with its HEAD and index, and the one that all work trees of a clone share.

    None where `dot_git` is no Git folder. Both files that are read are described in `gitrepository-layout(5)`.
    """
    try:
        if dot_git.is_file():
            text = dot_git.read_text(encoding="utf-8", errors="surrogateescape").strip()
            if not text.startswith("gitdir: "):
                return None
            git_dir = (dot_git.parent / text.removeprefix("gitdir: ")).resolve()
        elif (dot_git / "HEAD").is_file():
            git_dir = dot_git.resolve()
        else:
            return None
        shared = git_dir / "commondir"
        if not shared.is_file():
            return git_dir, git_dir
        common = shared.read_text(encoding="utf-8", errors="surrogateescape").strip()
        return git_dir, (git_dir / common).resolve()
    except OSError:
        return None


def is_being_rebased(hub: Hub) -> bool:
    """Tell whether a person's rebase is under way in this work tree."""
    found = find_git_dirs(hub.git_root / ".git") if hub.git_root else None
    return found is not None and any((found[0] / name).exists() for name in ("rebase-merge", "rebase-apply"))


def _state_home() -> Path:
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")


def _short_hash(text: str) -> str:
    import hashlib  # 5 ms that a hub in Git does not need

    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
