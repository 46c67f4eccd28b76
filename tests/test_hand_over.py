"""Two stories that the system is told by: a project goes on at another machine, and one library replaces another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import Soul, git

STACK = (
    "项目payment-service确定技术栈：Go 1.21, Gin web框架, GORM ORM, PostgreSQL 15。项目结构采用internal/pkg/分层架构。"
)
WHERE = (
    "已完成payment-service的API路由设计(/api/v1/payments)，正在编写第一个处理器CreatePayment，"
    "遇到了信用卡Token化存储的安全规范问题，待研究。"
)
ANSWER = "payment-service的信用卡只存Token，由支付网关保管，因为PCI DSS不许我们存卡号。"


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "agent_soul", *arguments],
        cwd=folder,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture
def machines(git_hub: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Make a remote and two clones of it: the office's and the one at home."""
    remote, office, home = tmp_path / "remote.git", tmp_path / "office", tmp_path / "home"
    git(tmp_path, "clone", "-q", "--bare", str(git_hub), str(remote))
    for folder in (office, home):
        git(tmp_path, "clone", "-q", str(remote), str(folder))
    return office, home


def test_a_project_goes_on_at_another_machine(machines: tuple[Path, Path]) -> None:
    office, home = machines
    where = ("--kind", "decision", "--scope", "project:payment-service")
    run(office, "add", "--source", "office-win-claude", *where, "--summary", STACK)
    assert run(office, "share", "--source", "office-win-claude", WHERE).startswith("shared")

    git(home, "pull", "-q", "--ff-only", "origin", "main")

    page = (home / "canonical" / "projects" / "payment-service.md").read_text(encoding="utf-8")
    assert "Go 1.21, Gin" in page
    assert "office-win-claude" in run(home, "why", "Gin")
    context = run(home, "context", "--project", "payment-service", "--task", "继续开发payment-service")
    assert "Go 1.21, Gin" in context
    assert "CreatePayment" in context

    shared = run(home, "share", "--source", "home-mac-cursor", "--scope", "project:payment-service", ANSWER)
    assert shared.startswith("shared")
    run(office, "sync")
    page = (office / "canonical" / "projects" / "payment-service.md").read_text(encoding="utf-8")
    assert "PCI DSS" in page
    assert "home-mac-cursor" in page
    assert git(office, "status", "--porcelain") == git(home, "status", "--porcelain") == ""


def test_one_library_replaces_another(inside: Soul, hub: Path) -> None:
    old = ("--event-id", "event_123", "--ts", "2026-01-10T09:00:00Z", "--source", "cloud-agent-01")
    inside("decision", "所有项目的图片上传使用Library-A。", *old)
    new = "由于安全漏洞和性能瓶颈，决定将所有项目的图片上传组件从Library-A迁移至Library-B。迁移工作需在下一季度完成。"
    given = ("--source", "cloud-agent-01", "--kind", "decision", "--scope", "stable", "--summary", new)

    assert "type two plain hyphens: --supersedes" in inside("add", *given, "—supersedes", "event_123", code=2).stderr
    kept = json.loads(inside("add", *given, "--supersedes", "event_123").stdout)["event_id"]

    inside("compile")
    page = (hub / "canonical" / "stable-memory.md").read_text(encoding="utf-8")
    assert page.count("Library-A") == 1  # in the words of the new decision alone
    assert "Library-B" in page
    shown = json.loads(inside("show", "event_123", "--json").stdout)
    assert (shown["status"], shown["by"], shown["replaced_by"]) == ("superseded", kept, [kept])
    assert [row["event_id"] for row in json.loads(inside("search", "图片上传", "--json").stdout)["results"]] == [kept]
    found = json.loads(inside("search", "图片上传", "--all", "--json").stdout)["results"]
    assert {row["event_id"]: row["status"] for row in found} == {kept: "active", "event_123": "superseded"}
    assert json.loads(inside("mem", "read", "event_123").stdout)["newest"] == kept
    (item,) = json.loads((hub / "canonical" / "memory.json").read_text(encoding="utf-8"))["decisions"]
    assert (item["id"], item["replaces"], item["status"]) == (kept, ["event_123"], "approved")
