"""What is known of an agent program, as data: which files it reads, in which form, and how much of them.

A runtime consists of parts; each part says which edits of which files it takes to join a hub. Nothing here looks at
the machine: home, environment and system come with the `Scene`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from agent_soul.errors import RefusedError
from agent_soul.runtimes.blocks import NO_REVISION, Block
from agent_soul.runtimes.commands import HookCall, hook_command, mcp_words
from agent_soul.runtimes.edits import Edit
from agent_soul.runtimes.json_edits import Hooks, Member, Words
from agent_soul.runtimes.skill_edits import SkillFile
from agent_soul.runtimes.static_text import EVERYTHING, Body, Limit, copied_text, import_text

SERVER, SKILL = "MCP server", "skill"
"""What an edit is called that adds ours."""
System = Literal["linux", "mac", "windows"]


@dataclass(frozen=True, slots=True)
class Home:
    """A person's home on a machine, with the environment that moves parts of it."""

    folder: Path
    env: Mapping[str, str]
    system: System = "linux"


@dataclass(frozen=True, slots=True)
class Place:
    """A file below the first of `roots` that there is: `$NAME/…` where that variable is set, `~/…` always."""

    roots: tuple[str, ...]
    path: str
    windows: tuple[str, ...] = ()
    mac: tuple[str, ...] = ()

    def on(self, home: Home) -> Path:
        """Return the file's path. Raises `RefusedError` where a variable is needed and not set."""
        roots = {"windows": self.windows, "mac": self.mac}.get(home.system) or self.roots
        for root in roots:
            first, _, rest = root.partition("/")
            base = home.folder if first == "~" else _folder_named(home, first.removeprefix("$"))
            if base:
                return base / rest / self.path
        raise RefusedError(f"${roots[-1].partition('/')[0]} is not set", hint="set it, or name the folder")

    def __str__(self) -> str:
        """Return it as people write it: below the folder that holds where no variable is set."""
        return f"{self.roots[-1]}/{self.path}"


def _folder_named(home: Home, variable: str) -> Path | None:
    """Return the folder that a variable names; an empty or relative one counts as none, as XDG has it."""
    value = home.env.get(variable, "")
    if value == "~" or value.startswith("~/"):
        return home.folder / value[2:]
    folder = Path(value)
    return folder if value and folder.is_absolute() else None


@dataclass(frozen=True, slots=True)
class Options:
    """What a person asked for beyond the usual."""

    mcp: bool = False
    allow: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """Who joins what, on which machine. `typed` is what an agent types for `soul`; `body` what it should have read."""

    home: Home
    hub: str
    source: str
    program: tuple[str, ...]
    typed: str = "soul"
    body: Body = field(default_factory=Body)
    rev: str = NO_REVISION
    options: Options = field(default_factory=Options)
    skill: Mapping[str, str] = field(default_factory=dict)
    project: Path | None = None


class Placed(NamedTuple):
    """One edit of one file, and what a person calls it."""

    path: Path
    edit: Edit
    what: str
    limit: Limit | None = None
    """How much of the file the program reads."""


class Paste(NamedTuple):
    """Where a person pastes the text by hand, because no file of the program takes it."""

    where: str
    limit: Limit | None = None
    by_tools: bool = False
    """Whether the agent has our MCP server and no shell."""


class Part(Protocol):
    """Something that a runtime reads or runs."""

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the edits that it takes."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """One agent program."""

    name: str
    title: str
    short: str
    """What stands for it in a source id."""
    parts: tuple[Part, ...] = ()
    project_parts: tuple[Part, ...] = ()
    paste: Paste | None = None
    looks_installed: tuple[Place, ...] = ()
    """Folders that the program makes itself."""
    afterwards: tuple[str, ...] = ()
    """What is left to the person, in order."""
    mcp_command: Callable[[list[str]], str] | None = None
    """The program's own command that adds an MCP server, given the words of ours, where its file is not for us."""
    check: str = ""
    """How to see that it works."""
    notes: Callable[[Scene, Callable[[Path], str]], Sequence[str]] | None = None
    """What stands in the way on this machine, given a reader of text files."""
    untrusted: Callable[[Scene, Callable[[Path], str]], Sequence[str]] | None = None
    """The events of the hooks that the program skips until a person trusts them, given such a reader."""

    @property
    def has_hooks(self) -> bool:
        """Whether the program can tell its agent what is new by itself."""
        return any(isinstance(part, HookFile) for part in self.parts)

    @property
    def is_pasted(self) -> bool:
        """Whether a person brings in everything by hand."""
        return not self.parts

    def parts_in(self, project: Path | None) -> tuple[Part, ...]:
        """Return the parts of a join in a project, or in the home."""
        return self.project_parts if project else self.parts


@dataclass(frozen=True, slots=True)
class StaticText:
    """L0 and L1 in a file that the program reads by itself, as a copy, or as a list of files to import."""

    place: Place
    header: str = ""
    whole: bool = False
    imports: bool = False
    only: tuple[str, ...] = EVERYTHING
    limit: Limit | None = None
    """Of the whole file; None: none is known that L0 and L1 could reach."""

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the block; a path with blanks cannot be imported, so its text is copied."""
        imports = self.imports and not any(map(str.isspace, scene.hub))
        boots = scene.project is not None or not runtime.has_hooks

        def body(around: str) -> str:
            if imports:
                return import_text(scene)
            return copied_text(scene, self.limit, around, only=self.only, boots=boots)

        block = Block(body, scene.source, scene.hub, scene.program, runtime.name, scene.rev, self.header, self.whole)
        yield Placed(_at(self.place, scene), block, "what it reads at the start", self.limit)


class HookEvent(NamedTuple):
    """An event of the program that calls ours, and after how many seconds it gives up."""

    ours: str
    seconds: int


HookShape = Callable[[HookCall, HookEvent], Any]


@dataclass(frozen=True, slots=True)
class HookFile:
    """Hooks in a JSON file. `shape` makes an entry as the program wants it."""

    place: Place
    events: Mapping[str, HookEvent]
    shape: HookShape
    presets: tuple[Edit, ...] = ()

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the presets of the file, then the hooks."""
        path = _at(self.place, scene)
        for preset in self.presets:
            yield Placed(path, preset, "hooks")
        yield Placed(path, Hooks(self.entries(runtime, scene)), "hooks")

    def entries(self, runtime: Runtime, scene: Scene) -> dict[str, Any]:
        """Return for each event of the program what it should hold of ours."""
        return {
            name: self.shape(HookCall(scene.program, event.ours, runtime.name, scene.source, scene.hub), event)
            for name, event in self.events.items()
        }


@dataclass(frozen=True, slots=True)
class Server:
    """The MCP server in a JSON file; `always` where a program takes nothing else."""

    place: Place
    path: tuple[str, ...]
    shape: Callable[[list[str]], Any]
    always: bool = False

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the entry where it was asked for."""
        if self.always or scene.options.mcp:
            words = mcp_words(scene.program, scene.source, scene.hub)
            yield Placed(_at(self.place, scene), Member(self.path, self.shape(words)), SERVER)


@dataclass(frozen=True, slots=True)
class Listed:
    """The file at `named` in a list of files that the program reads."""

    place: Place
    path: tuple[str, ...]
    named: Place

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the word in the list."""
        word = self.named.on(scene.home).as_posix()
        yield Placed(_at(self.place, scene), Words(self.path, (word,)), "the list of what it reads")


@dataclass(frozen=True, slots=True)
class Skill:
    """The folder `agent-soul` with the skill, at `place`.

    Where the program follows links, and another part installs the skill at `shared`, a link to that is enough.
    """

    place: Place
    shared: Place | None = None

    def placed(self, runtime: Runtime, scene: Scene) -> Iterator[Placed]:
        """Yield the files of the skill."""
        shared = self.shared.on(scene.home) if self.shared else None
        for name, text in scene.skill.items():
            yield Placed(_at(self.place, scene) / name, SkillFile(text, scene.hub, runtime.name, shared), SKILL)


def _at(place: Place, scene: Scene) -> Path:
    """Return the file: in the project where one is joined, else in the home."""
    return scene.project / place.path if scene.project else place.on(scene.home)


def flat_hook(call: HookCall, event: HookEvent) -> dict[str, Any]:
    """Return a handler by itself."""
    return {"command": hook_command(call), "timeout": event.seconds}


def command_and_args(words: list[str]) -> dict[str, Any]:
    """Return an MCP server in the most common form."""
    return {"command": words[0], "args": words[1:]}
