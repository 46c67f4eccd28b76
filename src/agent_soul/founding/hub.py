"""`soul init DIR`: a hub from nothing, or from a hub of before, in a Git repository of its own.

What a new hub consists of is worked out first; only then is anything written. A folder that holds nothing else is
gone on with, so that an interrupted command is finished by running it again.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from agent_soul import gitio
from agent_soul.compiler import compile_locked
from agent_soul.config import parse_config
from agent_soul.errors import RefusedError, SoulError
from agent_soul.files import TEMPORARY_PATTERN, make_folder, read_regular, replace_files, sweep
from agent_soul.founding.answers import Answers, filled_in
from agent_soul.founding.asking import check_remote
from agent_soul.founding.running import running_toolkit, toolkit_lines, toolkit_named
from agent_soul.founding.shipped import is_program, shipped_files
from agent_soul.founding.taking import Taken, take
from agent_soul.hub import SOURCES, Hub, looks_like_hub, open_hub
from agent_soul.lock import exclusive
from agent_soul.sync import Kept, Reach, not_shared, sync

_AUTHOR = "soul-init"
_TEMPLATE_LINE = re.compile(r"^template:[ \t]*true\b", re.MULTILINE)
_TOOLKIT_LINES = re.compile(r"^toolkit:.*\n(?:[ \t]+\S.*\n)*", re.MULTILINE)
_NAMED = 3
_OF_GIT = ("HEAD", "objects", "refs")
"""What a repository has that lies about without a work tree, by gitrepository-layout(5)."""


class Wishes(NamedTuple):
    """What a person wants of a new hub; an empty text means what is usual."""

    answers: Answers = Answers()
    origin: str = ""
    """The hub of before, a folder or an address."""
    toolkit: str = ""
    remote: str = ""
    push: bool = False


class Founded(NamedTuple):
    """What was made. `kept` says how far it was pushed, where that was asked for."""

    hub: Path
    is_new: bool
    toolkit: Mapping[str, str]
    taken: Taken | None
    remote: str
    kept: Kept | None
    next_steps: tuple[str, ...]
    notes: tuple[str, ...] = ()


def found_hub(folder: Path, wishes: Wishes) -> Founded:
    """Make a hub in `folder`. A hub that is there already stays as it is.

    Raises `RefusedError` where the folder holds something else, and before anything is written where a wish cannot be
    fulfilled.
    """
    folder = _usable(folder, wishes.origin)
    if looks_like_hub(folder) and _is_committed(open_hub(folder)):
        return Founded(folder, False, {}, None, gitio.remote_url(open_hub(folder)), None, ())
    table = toolkit_named(wishes.toolkit, folder) if wishes.toolkit else running_toolkit(folder)
    taken = take(wishes.origin) if wishes.origin else None
    files = _files(wishes, table, taken)
    _refuse_strangers(folder, files)
    remote = _agreed_remote(folder, wishes.remote)
    unheard = check_remote(remote, folder) if remote else ""
    hub = _write(folder, files, remote)
    kept = _push(hub) if wishes.push and remote else None
    steps, notes = tuple(_next_steps(table, remote, kept)), tuple(_notes(hub, unheard, kept))
    return Founded(folder, True, table, taken, remote, kept, steps, notes)


def is_taken(folder: Path) -> bool:
    """Tell whether something lies in the folder besides `.git`: nobody need be asked for what cannot become a hub."""
    folder = folder.expanduser()
    return folder.is_file() or (folder.is_dir() and any(each.name != ".git" for each in folder.iterdir()))


def _usable(folder: Path, origin: str) -> Path:
    folder = folder.expanduser().resolve()
    if folder.exists() and not folder.is_dir():
        raise RefusedError(f"{folder} is a file", hint="name a folder that is not there yet, or an empty one")
    before = Path(origin).expanduser()
    if origin and before.is_dir() and folder.is_relative_to(before.resolve()):
        raise RefusedError(f"{folder} lies in the hub {origin!r}, which stays as it is", hint="name a folder beside it")
    _refuse_place(folder)
    return folder


def _refuse_place(folder: Path) -> None:
    """Raise `RefusedError` within another hub, whose Git would take it for its own, or within a folder of Git's."""
    for above in (folder, *folder.parents):
        if above.name.lower() == ".git" or all((above / name).exists() for name in _OF_GIT):
            raise RefusedError(f"{folder} lies in {above}, which is Git's own", hint="name a folder outside of it")
        if above != folder and looks_like_hub(above):
            raise RefusedError(f"{folder} lies in another hub, {above}", hint="name a folder beside it")


def _is_committed(hub: Hub) -> bool:
    """Tell whether the folder has a repository of its own with a commit in it."""
    return hub.git_root == hub.root and bool(gitio.head(hub))


def _files(wishes: Wishes, table: Mapping[str, str], taken: Taken | None) -> dict[str, bytes]:
    """Return every file of the hub by its path: what was shipped, with answers and settings, and what was taken."""
    shipped = shipped_files()
    files = {**shipped, **filled_in(shipped, wishes.answers), **(taken.files if taken else {})}
    files["soul.yaml"] = _settings(files["soul.yaml"], table)
    return files


def _settings(text: bytes, table: Mapping[str, str]) -> bytes:
    """Return a soul.yaml that is its owner's own and names the toolkit; every other byte stays."""
    lines = f"{toolkit_lines(table)}\n"
    own = _TEMPLATE_LINE.sub("template: false", text.decode("utf-8", "surrogateescape"))
    own += "" if own.endswith("\n") else "\n"
    changed, number = _TOOLKIT_LINES.subn(lambda _: lines, own, count=1)
    settings = (changed if number else f"{own}\n{lines}").encode("utf-8", "surrogateescape")
    if parse_config(settings)[0].template:
        what = "the soul.yaml of that hub says `template` in a form that is not understood"
        raise RefusedError(what, hint="write `template: false` there")
    return settings


def _refuse_strangers(folder: Path, files: Mapping[str, bytes]) -> None:
    strangers = list(_strangers(folder, files))
    if not strangers:
        return
    more = f" and {len(strangers) - _NAMED} more" if len(strangers) > _NAMED else ""
    hint = "name a new folder; a hub of before is taken over with `soul init NEW --from OLD`"
    if (folder / "soul.yaml").is_file():
        hint = "`soul init --here` makes a copy of the template your own; a hub is left alone"
    raise RefusedError(f"{folder} is not empty: {', '.join(strangers[:_NAMED])}{more}", hint=hint)


def _strangers(folder: Path, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield what lies in the folder that the hub would not hold: nothing of it may be mixed with a person's files."""
    if not folder.is_dir():
        return
    left = {file for place in _places(folder, files) for file in place.glob(TEMPORARY_PATTERN)}  # by a killed `init`
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder).as_posix()
        is_folder = file.is_dir() and not file.is_symlink()
        if is_folder or path.split("/")[0] in (".git", "canonical") or file in left:
            continue
        if file.is_symlink() or path not in files or read_regular(file) != files[path]:
            yield path
    if (folder / ".git").exists() and open_hub(folder).git_root == folder and gitio.head(open_hub(folder)):
        yield "commits in .git"


def _agreed_remote(folder: Path, wished: str) -> str:
    """Return the address of the remote that the hub is to have; raises `RefusedError` where it has another one."""
    known = gitio.remote_url(open_hub(folder)) if (folder / ".git").exists() else ""
    if wished and known not in ("", wished):
        hint = "leave --remote out, or change it with `git remote set-url origin URL`"
        raise RefusedError(f"{folder} has the remote {known!r}, not {wished!r}", hint=hint)
    return known or wished


def _write(folder: Path, files: Mapping[str, bytes], remote: str) -> Hub:
    """Write the hub and its first pages, and commit them.

    The repository comes first, for it holds the lock, under which no file of a living `init` is taken for a dead one's.
    """
    make_folder(folder)
    if open_hub(folder).git_root != folder:
        gitio.make_repository(open_hub(folder))
    hub = open_hub(folder)
    with exclusive(hub.lock_file, purpose="init"):
        _refuse_strangers(folder, files)  # another `init` may have ended meanwhile
        for place in _places(folder, files):
            sweep(place)
        settings_last = sorted(files, key=lambda path: (path == "soul.yaml", path))
        replace_files({folder / path: files[path] for path in settings_last})
        for path in filter(is_program, files):
            (folder / path).chmod(0o755)
        if remote and not gitio.remote_url(hub):
            gitio.add_remote(hub, remote)
        compile_locked(hub)
        log_files = {path: content for path, content in files.items() if path.startswith(f"{SOURCES}/")}
        gitio.commit_all(hub, "A hub of agent-soul\n", author=_AUTHOR, holding=log_files)
    return hub


def _places(folder: Path, files: Iterable[str]) -> set[Path]:
    """Return the folders in which the files of the hub are written."""
    return {(folder / path).parent for path in files}


def _push(hub: Hub) -> Kept:
    try:
        return sync(hub, author=_AUTHOR)
    except SoulError as error:
        return not_shared(error)


def _notes(hub: Hub, unheard: str, kept: Kept | None) -> Iterator[str]:
    """Yield what a person should know of the remote: that it does not answer, or what a clone of it would get."""
    if unheard and kept is None:
        yield f"{unheard}; `soul sync` sends the hub there once it answers"
    if kept and kept.reach is Reach.SHARED:
        with contextlib.suppress(gitio.GitError):
            missed = gitio.heads_of(hub, "origin").missed(gitio.branch(hub))
            yield from [": ".join(missed)] if missed else []


def _next_steps(table: Mapping[str, str], remote: str, kept: Kept | None) -> Iterator[str]:
    yield "fill in SOUL.md, IDENTITY.md, USER.md and VOICE.md; `soul doctor` names what is left"
    if not remote:
        yield "make an empty private repository, then `git remote add origin URL` and `soul sync`"
    elif kept is None:
        yield "`soul sync` sends it to the remote"
    if "path" in table:
        yield (
            "other machines and the workflows on GitHub do not see this toolkit's folder: before they need it, let"
            " `toolkit:` in soul.yaml name a version, or a URL and a commit"
        )
    yield "`soul join RUNTIME` lets an agent in, such as `soul join claude-code`"
