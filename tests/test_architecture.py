"""The shape of the code: imports point one way, click stays in `cli`, git in `gitio`, and pieces stay small."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "agent_soul"
MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(SOURCE.rglob("*.py"))
}
# From the bottom up; a module imports from its own layer and those before it.
LAYERS = (
    (
        "__init__",
        "errors",
        "interrupts",
        "strict_json",
        "hub",
        "lock",
        "files",
        "opening",
        "text",
        "tokens",
        "schemas",
        "graph",
        "digests",
    ),
    (
        "judging",
        "instants",
        "cleaning",
        "clone",
        "markdown",
        "telling",
        "bugs",
        "toolkit",
        "skill",
        "credentials",
        "pending",
        "two_cores",
    ),
    ("slug", "event", "config"),
    ("details", "day_files"),
    ("naming", "references", "acts", "settings"),
    ("log", "resolve", "draft", "projects"),
    ("conflicts", "metrics", "outbox", "gitio", "bulk", "missed", "repeating"),
    ("judgements",),
    ("disuse",),
    ("pages",),
    ("render", "adding", "identity", "evidence"),
    ("overview", "reports", "memory_json", "upkeep_page"),
    ("canonical", "edited"),
    ("compiler",),
    ("outgoing",),
    ("exchange",),
    ("settling",),
    ("dedup",),
    ("upkeep",),
    ("keeping", "sessions", "runtimes"),
    ("sync", "searching", "provenance", "growth", "recording"),
    ("topics", "task_memory", "contexts", "founding"),
    ("task_search", "boot", "doctor", "suggesting"),
    ("hooking", "serving"),
    ("cli", "requirements", "environment", "start", "bootstrap"),
    ("__main__",),
)
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
PURE = (
    "pending",
    "event",
    "config",
    "resolve",
    "conflicts",
    "settling",
    "dedup",
    "projects",
    "repeating",
    "disuse",
    "upkeep_page",
    "upkeep.confirming",
    "upkeep.consolidating",
    "upkeep.fragments",
    "upkeep.heartbeat",
    "upkeep.marks",
    "upkeep.records",
    "upkeep.projects",
    "upkeep.pruning",
    "upkeep.reviewing",
    "upkeep.weekly",
    "judging.judge",
    "judging.pairs",
    "judging.apart",
    "judging.against",
    "judging.same",
    "judging.values",
    "judging.frames",
    "judging.pieces",
    "judging.chinese",
    "judging.reading",
    "judging.quantities",
    "judging.candidates",
    "judging.statements",
    "pages",
    "markdown",
    "render",
    "overview",
    "reports",
    "memory_json",
    "metrics",
    "recording",
    "evidence",
    "identity",
    "runtimes.blocks",
    "runtimes.commands",
    "runtimes.edits",
    "runtimes.json_edits",
    "runtimes.json_text",
    "runtimes.sources",
    "runtimes.static_text",
    "runtimes.toml_edits",
    "runtimes.whole",
    "missed",
    "founding.answers",
    "contexts.asking",
    "contexts.candidates",
    "contexts.layout",
    "contexts.choosing",
    "graph",
    "references",
    "instants",
    "cleaning",
    "searching.stemming",
    "searching.words",
    "searching.dates",
    "searching.document",
    "searching.question",
    "searching.ranking",
    "searching.filters",
    "searching.keywords",
    "hooking.call",
    "hooking.delta",
    "hooking.envelope",
)


@functools.cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


@functools.cache
def imports_of(name: str) -> Sequence[str]:
    """Return every module that `name` imports, also inside functions."""
    return tuple(_imports(tree_of(name)))


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "agent_soul":
                yield from (f"agent_soul.{alias.name}" for alias in node.names if alias.name != "__version__")


def layer_of(name: str) -> int:
    return RANK[name.partition(".")[0]]


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_down(name: str) -> None:
    own = [module.removeprefix("agent_soul.") for module in imports_of(name) if module.startswith("agent_soul.")]

    upwards = [module for module in own if layer_of(module) > layer_of(name)]

    assert upwards == []


@pytest.mark.parametrize(
    ("package", "home"),
    [("click", "cli"), ("git", "gitio"), ("jsonschema", "schemas"), ("mcp", "serving"), ("pydantic", "serving")],
)
def test_a_package_has_one_home(package: str, home: str) -> None:
    users = {
        name.partition(".")[0] for name in MODULES for module in imports_of(name) if module.partition(".")[0] == package
    }

    assert users == {home}


@pytest.mark.parametrize("name", PURE)
def test_the_middle_is_pure(name: str) -> None:
    """No clock, no file, no process in the modules that decide what a page says."""
    impure = {"os", "pathlib", "subprocess", "time", "shutil", "tempfile", "locale", "random", "socket"}
    used = {module.partition(".")[0] for module in imports_of(name)}
    calls = {
        node.func.attr
        for node in ast.walk(tree_of(name))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }

    assert not used & impure
    assert not calls & {"now", "today", "utcnow", "read_text", "read_bytes", "write_text", "write_bytes"}


@pytest.mark.parametrize("name", MODULES)
def test_pieces_stay_small(name: str) -> None:
    long = [
        f"{node.name}: {(node.end_lineno or 0) - node.lineno + 1} lines"
        for node in ast.walk(tree_of(name))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.end_lineno or 0) - node.lineno >= 50
    ]

    assert long == []
    assert MODULES[name].read_text(encoding="utf-8").count("\n") <= 330


@pytest.mark.parametrize("name", MODULES)
def test_dangerous_shortcuts_are_absent(name: str) -> None:
    """`shell=True`, opening a source file for rewriting, and lines that split on more than a newline."""
    text = MODULES[name].read_text(encoding="utf-8")

    assert "shell=True" not in text
    assert ".splitlines()" not in text
    assert "clone_from" not in text
    assert "index.commit" not in text


@pytest.mark.parametrize(
    "command", [("add", "--help"), ("share", "--help"), ("search", "--help"), ("--help",), ("mcp", "--help")]
)
def test_hot_commands_do_not_import_the_slow_packages(command: tuple[str, ...]) -> None:
    program = (
        "import sys; from agent_soul.cli import main; main(sys.argv[1:]);"
        "print(*sorted(m for m in ('git', 'jsonschema', 'mcp', 'pydantic') if m in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=True)

    assert done.stderr.strip() == ""


def test_the_hot_commands_run_without_the_slow_packages(hub: Path) -> None:
    """The same while they work, where a lazy import would show."""
    program = (
        "import sys; from agent_soul.cli import main;"
        "event = ['--source', 'a-b', '--kind', 'fact', '--scope', 'stable', '--summary', 'text'];"
        "code = main(['--hub', sys.argv[1], 'add', *event])"
        " or main(['--hub', sys.argv[1], 'share', '--source', 'a-b', 'more text'])"
        " or main(['--hub', sys.argv[1], 'search', 'text']);"
        "print(code, *sorted(m for m in ('git', 'jsonschema') if m in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(hub)], capture_output=True, text=True, check=True)

    assert done.stderr.strip().split("\n")[-1] == "0"
