"""Two ways to talk to a server of ours: the SDK's own client, and the bare protocol on the pipes of a process."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from anyio.from_thread import start_blocking_portal
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from pydantic import AnyUrl

_IS_FIRST_LINE = metadata.version("mcp").startswith("1.")
SOURCE = "home-mac-claude"
INFO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Said(NamedTuple):
    """What a tool answered: whether that is an error, the text for models, and the fields for programs."""

    is_error: bool
    text: str
    fields: dict[str, Any]


def command_of(hub: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "agent_soul", "mcp", "--source", SOURCE, "--hub", str(hub), *options]


def surroundings(home: Path) -> dict[str, str]:
    """Return the environment of a program that starts the server: nothing of the user's but PATH and our own code."""
    home.mkdir(exist_ok=True)
    names = ("PATH", "PYTHONPATH", "SYSTEMROOT")
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "AGENT_SOUL_EMBEDDER": "off"}
    return {name: os.environ[name] for name in names if name in os.environ} | quiet | {"HOME": str(home)}


class Client:
    """The SDK's client in a conversation with one server process. Every method waits for the answer."""

    def __init__(self, portal: Any, session: ClientSession, started: Any) -> None:
        self._portal = portal
        self.session = session
        self.started = plain(started)

    def ask(self, method: str, *arguments: Any) -> dict[str, Any]:
        """Call a method of the session, and return its answer as it is on the wire."""
        return plain(self._portal.call(getattr(self.session, method), *arguments))

    def read(self, uri: str) -> dict[str, Any]:
        return self.ask("read_resource", AnyUrl(uri) if _IS_FIRST_LINE else uri)

    def call(self, tool: str, **arguments: Any) -> Said:
        return said(self.ask("call_tool", tool, arguments))

    def fields(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that has to succeed, and return the fields of its answer."""
        answer = self.call(tool, **arguments)
        assert not answer.is_error, answer.text
        return answer.fields


@contextlib.contextmanager
def client_of(hub: Path, *options: str, cwd: Path | None = None) -> Iterator[Client]:
    """Start a server for the hub, and the SDK's client for it."""
    program, *arguments = command_of(hub, *options)
    home = hub.parent / "home"
    server = StdioServerParameters(command=program, args=arguments, env=surroundings(home), cwd=cwd or home)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(_talking(server)) as (session, started):
        yield Client(portal, session, started)


@contextlib.asynccontextmanager
async def _talking(server: StdioServerParameters) -> Any:
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        yield session, await session.initialize()


def plain(answer: Any) -> dict[str, Any]:
    fields: dict[str, Any] = answer.model_dump(by_alias=True, mode="json")
    return fields


def said(result: dict[str, Any]) -> Said:
    return Said(bool(result.get("isError")), result["content"][0]["text"], result.get("structuredContent") or {})


class Wire:
    """A server process and its pipes, for what no client does: one line a message, as the protocol has it."""

    def __init__(self, hub: Path, *, command: Sequence[str] = ()) -> None:
        home = hub.parent / "home"
        self.process = subprocess.Popen(
            command or command_of(hub),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=surroundings(home),
            cwd=home,
        )
        self.lines: list[str] = []
        self._answers: dict[int | None, dict[str, Any]] = {}
        self.send("initialize", 0, **INFO)
        self.answer(0)
        self.send("notifications/initialized")

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        with self.process:
            self.process.kill()

    def send(self, method: str, number: int | None = None, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        self.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")

    def write(self, content: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(content)
        self.process.stdin.flush()

    def call(self, tool: str, number: int, **arguments: Any) -> None:
        self.send("tools/call", number, name=tool, arguments=arguments)

    def answer(self, number: int) -> dict[str, Any]:
        """Wait for the answer to a message; those to others may come before it."""
        while number not in self._answers:
            assert self.process.stdout
            line = self.process.stdout.readline().decode()
            assert line, f"the server ended: {self.process.stderr.read().decode() if self.process.stderr else ''}"
            self.lines.append(line)
            message = json.loads(line)
            self._answers[message.get("id")] = message
        return self._answers[number]

    def finish(self) -> str:
        """Close the server's stdin as a client does at the end, and return what it said on stderr."""
        out, told = self.process.communicate(timeout=30)
        self.lines += out.decode().split("\n")[:-1]
        return told.decode()
