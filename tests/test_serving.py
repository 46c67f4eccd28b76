"""`soul mcp` as programs meet it: a real server process, and the SDK's own client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="needs the extra [mcp]")
from mcp_client import Client, client_of


@pytest.fixture(scope="module")
def shared_hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serving") / "hub"
    (folder / "sources").mkdir(parents=True)
    (folder / "soul.yaml").write_text("template: false\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def client(shared_hub: Path) -> Iterator[Client]:
    with client_of(shared_hub) as client:
        yield client


def test_what_is_added_is_found_and_read(client: Client, shared_hub: Path) -> None:
    added = client.fields(
        "add_event", kind="preference", scope="stable", summary="用户喜欢 pnpm，不用 npm。", detail="因为共享存储。"
    )
    found = client.fields("search_events", query="喜欢什么包管理器 pnpm")

    assert (shared_hub / added["path"]).read_text(encoding="utf-8").count("用户喜欢 pnpm，不用 npm。") == 1
    assert [row["event_id"] for row in found["results"]] == [added["event_id"]]
    assert "因为共享存储。" in client.fields("mem_read", id=added["event_id"])["markdown"]
