"""How each agent program is driven without an account: its settings, its environment, its command.

Each sends what it says to a model on loopback, tells nobody else that it runs, and does not update itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

Settings = Mapping[str, str]


class Program(NamedTuple):
    """`name` is what `soul join` calls it, `command` what its package installs.

    `settings` returns its files by their paths in the home, `environment` its variables, both for a port; `arguments`
    what runs one prompt.
    """

    name: str
    command: str
    settings: Callable[[int], Settings]
    environment: Callable[[int], Mapping[str, str]]
    arguments: Callable[[str], list[str]]


def _claude_environment(port: int) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": "sk-ant-dummy-loopback",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
    }


CLAUDE_CODE = Program(
    "claude-code",
    "claude",
    lambda port: {},
    _claude_environment,
    lambda prompt: ["-p", prompt],
)


def _codex_settings(port: int) -> Settings:
    text = f"""\
model = "gpt-5"
model_provider = "mock"

[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "MOCK_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
"""
    return {".codex/config.toml": text}


CODEX = Program(
    "codex",
    "codex",
    _codex_settings,
    lambda port: {"MOCK_KEY": "dummy"},
    # Nobody is there to trust the hooks with `/hooks`.
    lambda prompt: ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt],
)

CODEX_WITH_TRUST = CODEX._replace(arguments=lambda prompt: ["exec", "--skip-git-repo-check", prompt])
"""Codex that runs the hooks which somebody has trusted, and no others."""

# It asks how to sign in unless that is settled; with another address in its environment it guesses wrong.
_GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
}

GEMINI = Program(
    "gemini",
    "gemini",
    lambda port: {".gemini/settings.json": json.dumps(_GEMINI_SETTINGS, indent=2) + "\n"},
    lambda port: {
        "GEMINI_API_KEY": "dummy",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}",
        "NO_BROWSER": "1",
    },
    # Without a model's name it asks a model first which one to ask.
    lambda prompt: ["-m", "gemini-2.5-pro", "-p", prompt],
)


def _opencode_settings(port: int) -> Settings:
    options = {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "dummy"}
    settings = {
        "provider": {"anthropic": {"options": options}},
        "model": "anthropic/claude-sonnet-4-5",
        "autoupdate": False,
        "share": "disabled",
        # By default its agents run everything; others ask, and nobody is there to answer.
        "permission": {"bash": {"*": "deny"}},
    }
    return {".config/opencode/opencode.json": json.dumps(settings, indent=2) + "\n"}


OPENCODE = Program(
    "opencode",
    "opencode",
    _opencode_settings,
    lambda port: {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
    lambda prompt: ["run", prompt],
)

PROGRAMS = (CLAUDE_CODE, CODEX, GEMINI, OPENCODE)
