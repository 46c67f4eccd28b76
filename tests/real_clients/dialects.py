"""The three interfaces of models that agent programs speak, as far as a conversation of two turns needs them. Pure.

Sources: the published references of Anthropic's Messages, OpenAI's Responses and Gemini's generateContent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

Written = tuple[str, bytes]
"""The type and the bytes of an answer."""
_CALL = "call_1"


class Said(NamedTuple):
    """What the model says: words, or a call of a tool."""

    words: str
    tool: str = ""
    given: Mapping[str, Any] = {}


class Dialect(NamedTuple):
    """How one interface lists tools, marks the result of a call, and writes what the model says."""

    tools: Callable[[Any], Iterable[str]]
    has_result: Callable[[Any], bool]
    written: Callable[[Said, str, Any], Written]


def dialect_of(path: str) -> Dialect | None:
    """Return the interface that a path belongs to; None where it asks for no answer of a model."""
    path = path.partition("?")[0]
    if path.endswith("/messages"):
        return _MESSAGES
    if path.endswith("/responses"):
        return _RESPONSES
    if path.endswith("enerateContent"):
        return _GEMINI
    return None


def _messages(said: Said, path: str, body: Any) -> Written:
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "mock"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 1},
    }
    block: dict[str, Any]
    if said.tool:
        block = {"type": "tool_use", "id": _CALL, "name": said.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(said.given)}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": said.words}
    reason = "tool_use" if said.tool else "end_turn"
    if not body.get("stream"):
        content = [{**block, "input": said.given} if said.tool else {**block, "text": said.words}]
        return _json({**message, "content": content, "stop_reason": reason})
    return _events(
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": message["usage"]},
        {"type": "message_stop"},
    )


def _responses(said: Said, path: str, body: Any) -> Written:
    item: dict[str, Any]
    if said.tool:
        arguments = json.dumps(said.given)
        item = {"type": "function_call", "call_id": _CALL, "name": said.tool, "arguments": arguments}
    else:
        content = [{"type": "output_text", "text": said.words, "annotations": []}]
        item = {"type": "message", "id": "item_1", "role": "assistant", "status": "completed", "content": content}
    usage = {
        "input_tokens": 1,
        "input_tokens_details": None,
        "output_tokens": 1,
        "output_tokens_details": None,
        "total_tokens": 2,
    }
    return _events(
        {"type": "response.created", "response": {"id": "response_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "response_1", "output": [item], "usage": usage}},
    )


def _gemini(said: Said, path: str, body: Any) -> Written:
    part = {"functionCall": {"name": said.tool, "args": said.given}} if said.tool else {"text": said.words}
    answer = {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "mock",
    }
    return _events(answer) if "stream" in path else _json(answer)


def _json(value: Any) -> Written:
    return "application/json", json.dumps(value).encode()


def _events(*values: Mapping[str, Any]) -> Written:
    """Return the values as server-sent events; one that has a type is named by it."""
    named = ((f"event: {value['type']}\n" if "type" in value else "", json.dumps(value)) for value in values)
    return "text/event-stream", "".join(f"{name}data: {data}\n\n" for name, data in named).encode()


def _names(tools: Any) -> Iterable[str]:
    return [str(tool.get("name", "")) for tool in tools or ()]


def _declared(tools: Any) -> Iterable[str]:
    return [name for tool in tools or () for name in _names(tool.get("functionDeclarations"))]


def _has(body: Any, *marks: str) -> bool:
    return any(mark in json.dumps(body) for mark in marks)


_MESSAGES = Dialect(lambda body: _names(body.get("tools")), lambda body: _has(body, '"tool_result"'), _messages)
_RESPONSES = Dialect(
    lambda body: _names(body.get("tools")), lambda body: _has(body, '"function_call_output"'), _responses
)
_GEMINI = Dialect(lambda body: _declared(body.get("tools")), lambda body: _has(body, '"functionResponse"'), _gemini)
