"""The MCP SDK, in both of its lines: 1.x calls `FastMCP` what 2.x calls `MCPServer`.

What is imported here takes half a second to a second, so only `soul mcp` does it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import anyio.lowlevel
import anyio.to_thread
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import ValidationError

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ResourceError, ToolError

    IS_FIRST_LINE = False
except ImportError:
    from mcp.server.fastmcp import FastMCP as MCPServer
    from mcp.server.fastmcp.exceptions import ResourceError, ToolError

    IS_FIRST_LINE = True

from agent_soul import __version__
from agent_soul.serving.answers import failure, safe, unknown_arguments, wrong_arguments


class Server(MCPServer):
    """A server whose tools may block, and whose refusals are told in our own words."""

    def __init__(self, name: str, instructions: str) -> None:
        # Whatever goes wrong is told to the client; the SDK's log would add a traceback to the client's own.
        version = {} if IS_FIRST_LINE else {"version": __version__}
        super().__init__(name, instructions=instructions, log_level="CRITICAL", **version)
        self._arguments: dict[str, tuple[str, ...]] = {}

    def offer(self, tool: Callable[..., Any], title: str, hints: ToolAnnotations) -> None:
        """Offer a function as a tool: its name, docstring and typed parameters describe it."""
        self._arguments[tool.__name__] = tuple(inspect.signature(tool).parameters)
        self.add_tool(in_thread(tool), title=title, description=inspect.getdoc(tool), annotations=hints)

    async def call_tool(self, name: str, arguments: dict[str, Any], *rest: Any) -> Any:
        """Call a tool; what it refuses is an answer. Raises nothing that the SDK would have to word."""
        known = self._arguments.get(name, ())
        unknown = [each for each in arguments if each not in known]
        if known and unknown:  # some clients must give an argument even where there is none to give
            return _refusal(unknown_arguments(unknown, known))
        try:
            return await super().call_tool(name, arguments, *rest)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                return _refusal(wrong_arguments((_place_of(each), _what_of(each)) for each in cause.errors()))
            if cause is None:
                offered = ", ".join(self._arguments)
                return _refusal(wrong_arguments([("", f"there is no tool {name!r}; there are: {offered}")]))
            return _refusal(failure(cause, name))

    async def read_resource(self, *values: Any) -> Any:
        """Read a resource; an error is told in our words alone, without what the SDK puts around them."""
        try:
            return await super().read_resource(*values)
        except Exception as error:
            raise next(filter(_is_told, _causes(error)), error) from None


class ToldError(ResourceError):
    """An error that is worded for the client."""


def in_thread(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function as one that can be awaited while it blocks; its answer has nothing hidden in it.

    What was begun is finished, also where the client takes its call back: an event is kept whole or not at all.
    """

    @functools.wraps(function)
    async def run(*values: Any, **named: Any) -> Any:
        answer = safe(await anyio.to_thread.run_sync(functools.partial(function, *values, **named)))
        await anyio.lowlevel.checkpoint_if_cancelled()  # an answer to a call taken back ends the SDK's first line
        return answer

    return run


def resource(function: Callable[..., str]) -> Callable[..., Any]:
    """Do what `in_thread` does for what is read as a resource; an error is told as a tool's is."""
    blocking = in_thread(function)

    @functools.wraps(function)
    async def run(*values: Any, **named: Any) -> Any:
        try:
            return await blocking(*values, **named)
        except Exception as error:
            raise ToldError(failure(error, function.__name__)) from None

    return run


def unquoted(name: str) -> str:
    """Return a part of a resource's address as people write it; the SDK's second line has done that already."""
    return unquote(name) if IS_FIRST_LINE else name


def shown(text: str, fields: dict[str, Any]) -> Any:
    """Return an answer that people and models read as `text` and programs as `fields`."""
    return CallToolResult(content=[TextContent(type="text", text=safe(text))], structuredContent=safe(fields))


@contextlib.contextmanager
def claimed_stdio() -> Iterator[None]:
    """Keep stdin and stdout for the protocol: what else reads or prints meets nothing and stderr in here.

    The SDK's second line does so itself; with the first a stray word of a library or a child would go to the client.
    """
    streams, wires = (sys.stdin, sys.stdout), (os.dup(0), os.dup(1))
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    # The SDK may close these, and its reader may still wait for a line at the end: the descriptors stay ours.
    sys.stdin = io.TextIOWrapper(os.fdopen(wires[0], "rb", closefd=False), encoding="utf-8", errors="replace")
    sys.stdout = _Divided(os.fdopen(wires[1], "wb", closefd=False))
    try:
        yield
    finally:
        sys.stdin, sys.stdout = streams


class _Divided(io.TextIOWrapper):
    """A stdout whose bytes are the protocol's, and whose text goes to stderr."""

    def __init__(self, wire: io.BufferedWriter) -> None:
        super().__init__(wire, encoding="utf-8")

    def write(self, text: str) -> int:
        return sys.stderr.write(text)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_told(error: BaseException) -> bool:
    return isinstance(error, ToldError)


def _refusal(text: str) -> Any:
    return CallToolResult(content=[TextContent(type="text", text=text)], isError=True)


def _place_of(fault: Any) -> str:
    return ".".join(map(str, fault["loc"]))


def _what_of(fault: Any) -> str:
    given = "" if fault["type"] == "missing" else f", not {fault['input']!r}"
    return f"{fault['msg']}{given}"
