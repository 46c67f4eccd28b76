"""What a person should know of a join or its end on this machine, in words."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from agent_soul.clone import clone_ids
from agent_soul.hub import Hub
from agent_soul.log import read_source_files
from agent_soul.runtimes.allowing import PERMISSIONS
from agent_soul.runtimes.commands import mcp_words
from agent_soul.runtimes.json_edits import Words
from agent_soul.runtimes.model import Options, Place, Placed, Runtime, Scene
from agent_soul.runtimes.plan import Plan, backup_of, decode, plan_join
from agent_soul.runtimes.sources import UNKNOWN_CLONE, used_by_others
from agent_soul.runtimes.standing import joined, marks_in, placed_by
from agent_soul.runtimes.writing import read, text_at


def notes_on_join(hub: Hub, runtime: Runtime, scene: Scene, placed: Sequence[Placed], plan: Plan) -> list[str]:
    """Return what stands in the way of a join, or is left to be done for it."""
    return [
        *_notes_on_files(runtime, scene, placed, plan),
        *_notes_on_options(runtime, scene, placed),
        *_notes_on_source(hub, runtime, scene, placed),
    ]


def notes_on_end(runtime: Runtime, plan: Plan, placed: Sequence[Placed], *, is_found: bool) -> list[str]:
    """Return what the end of a join leaves, and where else it may stand if it was not found."""
    return [*_notes_on_copies(plan, placed), *([] if is_found else _notes_on_nothing(runtime))]


def sources_elsewhere(hub: Hub) -> frozenset[str]:
    """Return the source ids under which another clone has written."""
    paths = (path.removeprefix("sources/") for path in read_source_files(hub.root).contents)
    return used_by_others(paths, clone_ids(hub))


def _notes_on_files(runtime: Runtime, scene: Scene, placed: Iterable[Placed], plan: Plan) -> Iterator[str]:
    if not scene.project and runtime.looks_installed:
        places = [place.on(scene.home) for place in runtime.looks_installed]
        if not any(place.is_dir() for place in places):
            yield f"{runtime.title} does not seem to be installed: there is no {places[0]}"
    if runtime.notes:
        yield from runtime.notes(scene, text_at)
    after = {change.path: change.after for change in plan.changes}
    for each in placed:
        content = after.get(each.path)
        if each.limit and content is not None and not each.limit.fits(decode(content)[1]):
            own = "what else stands there leaves no room: shorten it"
            yield f"{each.path} is longer than the {each.limit} that {runtime.title} reads of it; {own}"
    if runtime.mcp_command and scene.options.mcp:
        words = mcp_words(scene.program, scene.source, scene.hub)
        yield f"for the MCP server: {runtime.mcp_command(words)}"


def _notes_on_options(runtime: Runtime, scene: Scene, placed: Iterable[Placed]) -> Iterator[str]:
    """Yield what a person who asked for more has to know of it."""
    whats = {each.what for each in placed}
    if scene.options.allow and PERMISSIONS not in whats:
        yield f"{runtime.title} keeps no list of what needs no permission: --allow adds nothing"
    elif scene.options.allow and not any(_says_something(each) for each in placed if each.what == PERMISSIONS):
        why = f"{runtime.title} allows whole programs only, and all scripts of {scene.program[0]} are too many"
        yield f"--allow adds no rule: {why}; with an installed `soul` it does"


def _says_something(placed: Placed) -> bool:
    return not isinstance(placed.edit, Words) or bool(placed.edit.words)


def offer_to_allow(runtime: Runtime, scene: Scene) -> str:
    """Return how the agent may run our commands unasked, where the program has a list of that and it lacks them."""
    if scene.options.allow or scene.project:
        return ""
    placed = placed_by(runtime, replace(scene, options=Options(allow=True)))
    rules = [each for each in placed if each.what == PERMISSIONS]
    what = "if the agent is to read and record without asking each time"
    return f"`soul join {runtime.name} --allow`, {what}" if plan_join(rules, read).changes else ""


def _notes_on_source(hub: Hub, runtime: Runtime, scene: Scene, placed: Iterable[Placed]) -> Iterator[str]:
    """Yield who else writes under the id: then nobody can tell whose a line is."""
    if f"-{UNKNOWN_CLONE}-" in scene.source:
        what = f"many machines are called {platform.node()!r}, so part of this clone's own id comes into the source id"
        yield f"{what}, for {UNKNOWN_CLONE}; `--source ID` chooses another one"
    if scene.source in sources_elsewhere(hub):
        yield f"another clone has written under the source id {scene.source!r}; `--source ID` chooses another one"
    for each in joined(hub, home=scene.home):
        if each.source == scene.source and each.runtime is not runtime:
            yield f"{each.runtime.title} has the source id {scene.source!r} too; `--source ID` chooses another one"
    for one in placed:
        others = [name for mark in marks_in(one) if mark.source for name in mark.runtimes if name != runtime.name]
        if others:
            yield f"{one.path} is read by {', '.join(others)} too, and names one source id: {scene.source!r}"


def _notes_on_nothing(runtime: Runtime) -> Iterator[str]:
    """Yield where the program's files may be of which none, or the skill alone, was found."""
    variables = ", ".join(dict.fromkeys(root.partition("/")[0] for root in _roots(runtime) if root.startswith("$")))
    if variables:
        again = f"if it was joined with {variables} set otherwise, set that so and end the join again"
        yield f"nothing else of a join of {runtime.title} was found here; {again}"


def _roots(runtime: Runtime) -> Iterator[str]:
    for part in runtime.parts:
        place = getattr(part, "place", None)
        if isinstance(place, Place):
            yield from place.roots


def _notes_on_copies(plan: Plan, placed: Sequence[Placed]) -> Iterator[str]:
    """Yield the copies that stay, since their files were changed and are not what they were."""
    gone = {change.path for change in plan.changes if change.after is None}
    for change in plan.changes:
        copy = backup_of(change.path)
        text = decode(change.after or b"")[1]
        is_joined = any(each.edit.marks(text) for each in placed if each.path == change.path)
        if copy not in gone and not is_joined and read(copy) is not None:
            yield f"{copy} stays: it has the file as it was before the join, and that has changed since"
