"""A model on loopback: it speaks the interfaces that agent programs speak, and keeps all that it is sent.

What it is sent is what a model would have seen. It can do one thing of its own: run a command in the program's shell,
as a model does that follows what it has read.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from real_clients.dialects import Said, dialect_of

DONE = "MOCK-OK"
"""What the model says when it has nothing to run."""
Wish = Callable[[str], str]
"""From all that a request says to the command that the model wants to run, or nothing."""


def nothing(_: str) -> str:
    """Wish for no command."""
    return ""


class Seen(NamedTuple):
    """One request: where it went, all that it says, and the names of the tools that the program offers."""

    path: str
    text: str
    tools: tuple[str, ...] = ()


class Model:
    """Answers requests, each thread of the server by itself. `wish` says what it does next."""

    def __init__(self, wish: Wish = nothing) -> None:
        self.seen: list[Seen] = []
        self.port = 0
        self.wish = wish

    @property
    def text(self) -> str:
        """All that was said to the model where it was given tools: programs also ask it for titles and the like."""
        return "\n".join(each.text for each in self.seen if each.tools)

    @property
    def everything(self) -> str:
        """All that was said to it, in whatever request."""
        return "\n".join(each.text for each in self.seen)

    def answer(self, path: str, body: Any) -> tuple[str, bytes]:
        """Keep the request; return the type and the bytes of what it is answered."""
        dialect = dialect_of(path)
        if dialect is None:
            self.seen.append(Seen(path, _strings(body)))
            return "application/json", b"{}"
        seen = Seen(path, _strings(body), tuple(dialect.tools(body)))
        self.seen.append(seen)
        shell = next((name for name in seen.tools if name in SHELLS), "")
        command = self.wish(seen.text) if shell and not dialect.has_result(body) else ""
        said = Said("", shell, SHELLS[shell](command)) if command else Said(DONE)
        return dialect.written(said, path, body)


SHELLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "Bash": lambda command: {"command": command, "description": "use the memory"},
    "bash": lambda command: {"command": command, "description": "use the memory"},
    "run_shell_command": lambda command: {"command": command, "description": "use the memory"},
    "exec_command": lambda command: {"cmd": command},
    "shell_command": lambda command: {"command": command},
}
"""What the programs call the tool that runs a command, and what it takes."""


@contextlib.contextmanager
def serving(model: Model) -> Iterator[Model]:
    """Serve the model on a free port of the loopback interface."""

    class Handler(_Handler):
        of = model

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        model.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    of: Model

    def do_GET(self) -> None:
        self._send("application/json", b'{"data": [], "models": []}')

    do_HEAD = do_GET

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        self._send(*self.of.answer(self.path, json.loads(raw or b"{}")))

    def _send(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


def _strings(value: Any) -> str:
    """Return every string in a JSON value, keys too, one after the other."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(_strings(each) for pair in value.items() for each in pair)
    if isinstance(value, list):
        return "\n".join(map(_strings, value))
    return ""
