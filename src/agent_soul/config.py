"""soul.yaml: text in, settings out. Every setting, its default and its reason stand in `schemas/config.json`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from agent_soul import schemas
from agent_soul.errors import RefusedError

CONFIG_NAME = "soul.yaml"
MAX_CONFIG_BYTES = 64 << 10
_LINE_NEEDS = ("summary", "marks", "id")
_LINE_MAY_HAVE = ("date", "source")


class Threshold(NamedTuple):
    """What a metric must keep to. Without a project or agent it is about everybody's metric of that name."""

    metric: str
    minimum: float | None = None
    maximum: float | None = None
    project: str = ""
    agent: str = ""
    reason: str = ""

    def is_crossed_by(self, value: float) -> bool:
        too_low = self.minimum is not None and value < self.minimum
        return too_low or (self.maximum is not None and value > self.maximum)


class Upkeep(NamedTuple):
    """The figures of upkeep: days without use, repetitions, and the importance from which a fact is a key fact."""

    unused_days: int
    archive_days: int
    confirming_corrections: int
    key_importance: float


class Config(NamedTuple):
    """The settings of a hub. Everything that the compiler may depend on besides events and a date is here."""

    template: bool
    fuzzy_days: int
    headings: Mapping[str, str]
    """Kind to heading, in the order of the page."""
    ranking: tuple[str, ...]
    line: str
    summary_width: int
    session_minutes: int
    session_bytes: int
    quiet_days: int
    upkeep: Upkeep
    thresholds: tuple[Threshold, ...] = ()


def parse_config(text: str | bytes, load: Callable[[Any], Any] | None = None) -> tuple[Config, list[str]]:
    """Return the settings of a soul.yaml and warnings about keys that mean nothing.

    `load` does what `load_yaml` does, where the caller knows a faster way. Raises `RefusedError` where the text is not
    YAML of the plain kind, or a value is not allowed.
    """
    size = len(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    if size > MAX_CONFIG_BYTES:
        raise RefusedError(f"{CONFIG_NAME} has {size} bytes, at most {MAX_CONFIG_BYTES} are read", hint="shorten it")
    loaded = (load or load_yaml)(text)
    raw = {} if loaded is None else loaded
    faults = [] if schemas.accepts("config", raw) else schemas.explain("config", raw)
    if faults:
        said = "; ".join(f"{'.'.join(map(str, path)) or 'the file'}: {message}" for path, message in faults)
        raise RefusedError(f"{CONFIG_NAME}: {said}", hint=f"mend {CONFIG_NAME}; its settings are explained there")
    filled = _with_defaults(schemas.load("config"), raw)
    if filled["pages"]["line"] != schemas.load("config")["properties"]["pages"]["properties"]["line"]["default"]:
        _check_line(filled["pages"]["line"])
    warnings = [*_unknown_keys(schemas.load("config"), raw, ""), *_odd_kinds(filled["pages"]["kinds"])]
    return _config(filled), warnings


def default_config() -> Config:
    """Return the settings of a hub that has no soul.yaml."""
    return parse_config("")[0]


def _config(filled: Mapping[str, Any]) -> Config:
    pages = filled["pages"]
    return Config(
        template=filled["template"],
        fuzzy_days=int(filled["fuzzy_days"]),
        headings={row["kind"]: row["heading"] for row in pages["kinds"]},
        ranking=tuple(pages["ranking"]),
        line=pages["line"],
        summary_width=pages["summary_width"],
        thresholds=tuple(map(_threshold, filled["thresholds"])),
        **filled["writes"],
        upkeep=Upkeep(**filled["upkeep"]),
    )


def _threshold(given: Mapping[str, Any]) -> Threshold:
    named = {name: given[name] for name in ("metric", "project", "agent", "reason") if name in given}
    return Threshold(minimum=given.get("min"), maximum=given.get("max"), **named)


def load_yaml(text: str | bytes) -> Any:
    """Load plain YAML: no anchors, aliases or tags, and no key twice, since each hides what the file says.

    Keys and dates come as text: JSON, whose schema checks the file, has no others.
    """
    if not text.strip():
        return None  # a hub without settings need not pay for reading YAML

    import yaml  # 20 ms that a command seldom pays

    class PlainLoader(yaml.SafeLoader):
        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            event = self.peek_event()  # type: ignore[no-untyped-call]
            if getattr(event, "anchor", None) or isinstance(event, yaml.AliasEvent):
                raise yaml.composer.ComposerError(None, None, "anchors and aliases are not read", event.start_mark)
            if getattr(event, "tag", None):
                raise yaml.composer.ComposerError(None, None, "tags are not read", event.start_mark)
            node: yaml.Node | None = super().compose_node(parent, index)
            return node

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
            keys = [key.value for key, _ in node.value]
            repeated = next((key for key in keys if keys.count(key) > 1), None)
            if repeated is not None:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {repeated!r} stands there twice", node.start_mark
                )
            return {str(key): value for key, value in super().construct_mapping(node, deep).items()}

    # A copy of the table without the dates: that of the base class belongs to all who use the library.
    PlainLoader.yaml_implicit_resolvers = {
        start: [(tag, pattern) for tag, pattern in rules if tag != "tag:yaml.org,2002:timestamp"]
        for start, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    try:
        return yaml.load(text, PlainLoader)  # noqa: S506 - a subclass of SafeLoader
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        said = " ".join(str(error).split()) or "nested too deeply"
        raise RefusedError(f"{CONFIG_NAME} is not plain YAML: {said}", hint=f"mend {CONFIG_NAME}") from error


def _with_defaults(schema: Mapping[str, Any], given: Any) -> Any:
    if "properties" not in schema:
        return given
    return {
        name: _with_defaults(part, given.get(name, part.get("default")))
        for name, part in schema["properties"].items()
        if name in given or "default" in part
    }


def _unknown_keys(schema: Mapping[str, Any], given: Mapping[str, Any], prefix: str) -> Iterator[str]:
    known = schema["properties"]
    for name, value in given.items():
        if name in known:
            if "properties" in known[name]:
                yield from _unknown_keys(known[name], value, f"{prefix}{name}.")
            continue
        import difflib  # 4 ms that only a mistake pays

        close = difflib.get_close_matches(str(name), known, n=1)
        advice = f"did you mean {prefix + close[0]!r}?" if close else f"known here: {', '.join(known)}"
        yield f"{CONFIG_NAME}: unknown key {prefix + str(name)!r}; {advice}"


def _odd_kinds(rows: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """Yield a warning for each row of `pages.kinds` that changes nothing."""
    known = schemas.load("event")["properties"]["kind"]["enum"]
    seen: set[str] = set()
    for kind in (row["kind"] for row in rows):
        if kind in seen:
            yield f"{CONFIG_NAME}: pages.kinds names {kind!r} twice; the last heading counts"
        elif kind not in known:
            import difflib

            close = difflib.get_close_matches(kind, known, n=1)
            advice = f"did you mean {close[0]!r}?" if close else f"kinds are: {', '.join(known)}"
            yield f"{CONFIG_NAME}: pages.kinds names {kind!r}, which is no kind of event; {advice}"
        seen.add(kind)


def _check_line(line: str) -> None:
    """Refuse a form of lines that would lose what every line must say, or say it twice."""
    import string  # a hub with the usual form need not pay for it

    try:
        parts = list(string.Formatter().parse(line))
    except ValueError as error:
        raise RefusedError(f"{CONFIG_NAME}: pages.line {line!r}: {error}", hint="write {{ for a brace") from error
    fields = [field for _, field, _, _ in parts if field is not None]
    allowed = (*_LINE_NEEDS, *_LINE_MAY_HAVE)
    plain = not any(spec or conversion for _, _, spec, conversion in parts)
    if not plain or sorted({*fields, *_LINE_NEEDS}) != sorted(fields) or not set(fields) <= set(allowed):
        raise RefusedError(
            f"{CONFIG_NAME}: pages.line {line!r} must hold each of {_braced(_LINE_NEEDS)} once"
            f" and may hold {_braced(_LINE_MAY_HAVE)}",
            hint="see the default in the comment beside it",
        )


def _braced(fields: Iterable[str]) -> str:
    return ", ".join(f"{{{field}}}" for field in fields)
