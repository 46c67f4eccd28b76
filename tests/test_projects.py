"""Projects: several names of one, a slip in a name, and what stays of a project that is closed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_soul.compiler import compile_hub
from agent_soul.config import default_config
from agent_soul.errors import RefusedError
from agent_soul.hub import find_hub
from agent_soul.projects import Aliases, folded, names_in, nearest_name
from agent_soul.resolve import resolve
from agent_soul.upkeep.projects import Project, closing, find_project, list_projects
from hubs import AS_OF, compiled, event, items, log_of
from support import Run, write_log

WHO = ("--source", "desk")


def of(number: int, project: str, summary: str = "", **fields: Any) -> dict[str, Any]:
    return event(number, summary, scope="project", project=project, **fields)


def alias(number: int, called: str, *names: str) -> dict[str, Any]:
    mark = {"action": "alias", "targets": names, "to": called}
    return event(number, "Names.", kind="mark", scope="project", project=called, mark=mark)


def projects(*records: Mapping[str, Any]) -> list[Project]:
    return list_projects(folded(resolve(log_of(records).events, AS_OF, default_config())))


YESTERDAY = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()


def ids_in(context: Mapping[str, Any]) -> list[str]:
    return [line["event_id"] for section in context["sections"] for line in section["lines"]]


def write(hub: Path, *records: Mapping[str, Any]) -> None:
    yesterday = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    write_log(hub, *(record | {"ts": yesterday} for record in records))


class TestAliases:
    @pytest.mark.parametrize(
        ("marks", "name", "called"),
        [
            ([(["shop"], "Store")], "shop", "Store"),
            ([(["shop"], "Store")], "SHOP ", "Store"),
            ([(["shop"], "Store"), (["store"], "Market")], "shop", "Market"),
            ([(["shop"], "store"), (["store"], "shop")], "store", "shop"),
            ([(["shop"], "store"), (["shop"], "market")], "shop", "market"),
            ([(["shop"], "Shop")], "shop", "Shop"),
            ([(["a", "b"], "c")], "d", "d"),
            ([(["商店"], "商城")], "商店", "商城"),
        ],
    )
    def test_the_newest_mark_says_what_a_project_is_called(
        self, marks: list[tuple[list[str], str]], name: str, called: str
    ) -> None:
        assert Aliases(marks).name_for(name) == called

    def test_a_circle_ends(self) -> None:
        assert Aliases([(["a"], "b"), (["b"], "c"), (["c"], "a")]).name_for("c") == "a"

    def test_all_names_of_a_project_are_known(self) -> None:
        assert Aliases([(["shop", "kiosk"], "store"), (["store"], "market")]).names_for("kiosk") == [
            "market",
            "shop",
            "kiosk",
            "store",
        ]

    def test_a_name_that_is_its_own_alias_is_named_once(self) -> None:
        assert Aliases([(["a", "b"], "a")]).names_for("b") == ["a", "b"]

    def test_pages_and_json_have_one_project(self) -> None:
        records = [of(1, "shop", "Opens at nine."), of(2, "store", "Closes at six."), alias(3, "store", "shop")]
        texts = compiled(records).texts

        assert [path for path in texts if path.startswith("projects/")] == ["projects/store.md"]
        assert len(items(texts["projects/store.md"])) == 2
        assert {fact["project"] for fact in json.loads(texts["memory.json"])["facts"]} == {"store"}
        assert "projects/shop.md" in compiled(records[:2]).texts

    def test_a_mark_that_was_taken_back_names_nothing(self) -> None:
        records = [of(1, "shop"), alias(2, "store", "shop"), event(3, "No.", kind="retraction", supersedes=["event-2"])]
        assert [each.name for each in projects(*records)] == ["shop"]
        assert [each.name for each in projects(*records[:2])] == ["store"]


class TestNames:
    @pytest.mark.parametrize(
        ("name", "known", "near"),
        [
            ("payment-servce", ["payment-service", "shop"], "payment-service"),
            ("Payment-Service", ["payment-service"], ""),
            ("支付服务端", ["支付服务"], "支付服务"),
            ("web2", ["web1"], ""),
            ("shop", ["store"], ""),
            ("shop", [], ""),
        ],
    )
    def test_a_slip_is_near_what_is_known(self, name: str, known: list[str], near: str) -> None:
        assert nearest_name(name, known) == near

    def test_names_are_found_in_bytes(self) -> None:
        lines = b'{"project": "a \\"b\\""}\n{"scope":"project:\xe5\x95\x86"}\n{"scope":"stable","project":"x\\'
        assert names_in([lines]) >= {'a "b"', "商"}

    def test_an_unknown_project_is_refused_with_the_one_that_may_be_meant(self) -> None:
        known = projects(of(1, "shop"), of(2, "Shop"), alias(3, "shop", "kiosk"))

        assert find_project(known, "kiosk").name == "shop"
        assert find_project(known, "Shop").name == "Shop"
        with pytest.raises(RefusedError, match="may be any of 'Shop', 'shop'"):
            find_project(known, "SHOP")
        with pytest.raises(RefusedError) as refused:
            find_project(known, "kioks")
        assert refused.value.hint == "did you mean 'kiosk'?"

    def test_add_warns_of_a_slip_and_writes_all_the_same(self, hub: Path, run: Run) -> None:
        options = ("--kind", "fact", *WHO, "--summary", "It is so.", "--project")
        assert run("add", *options, "payment-service")["warnings"] == []

        (warning,) = run("add", *options, "payment-servce")["warnings"]

        assert "there is a project 'payment-service'" in warning
        assert run("add", *options, "payment-servce")["warnings"] == []
        assert run("project", "list")["total"] == 2

    def test_a_renamed_project_is_one_for_every_reader(self, hub: Path, run: Run) -> None:
        (hub / "soul.yaml").write_text("thresholds: [{metric: speed, max: 5, project: shop}]\n", encoding="utf-8")
        measured = {"kind": "metric", "metric": {"name": "speed", "value": 9}}
        write(hub, of(1, "shop", "Uses Go."), of(2, "store", "Uses Rust."), of(3, "shop", "speed is 9", **measured))
        run("project", "rename", "shop", "store", *WHO)
        for name in ("shop", "store"):
            assert {"event-1", "event-2"} <= set(ids_in(run("context", "--project", name)))
            assert len(run("metric", "speed", "--project", name)["metrics"]) == 1
            assert run("metric", "speed", "--project", name, "--check", code=1)["crossed"] == [
                f"speed of store is 9, above 5 since {YESTERDAY}"
            ]

    def test_renaming_onto_another_project_says_that_both_are_one(self, hub: Path) -> None:
        write(hub, of(1, "shop"), of(2, "store"))
        done = subprocess.run(
            [sys.executable, "-m", "agent_soul", "project", "rename", "shop", "store", *WHO],
            cwd=hub,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "there was a project 'store' before; from now on both are one" in done.stderr


class TestClosing:
    RECORDS = (
        of(1, "shop", "Uses PostgreSQL.", kind="decision", importance=0.6),
        of(2, "shop", "Ships on Mondays.", kind="decision", importance=0.9),
        of(3, "shop", "Uses Flask.", kind="decision", decision={"status": "deprecated"}),
        of(4, "shop", "The door is green."),
        of(5, "other", "Another one."),
    )

    def test_what_was_decided_stays_as_one_statement_with_links(self) -> None:
        statement, mark = closing(find_project(projects(*self.RECORDS), "shop"))

        assert statement == {
            "kind": "fact",
            "scope": "stable",
            "project": "shop",
            "summary": "Project shop is closed. Decided: Ships on Mondays; Uses PostgreSQL.",
            "importance": 0.9,
            "detail": "[[event-2]] 2026-03-01 Ships on Mondays.\n[[event-1]] 2026-03-01 Uses PostgreSQL.",
            "derived_from": ["event-2", "event-1"],
        }
        assert mark["mark"] == {"action": "archive", "targets": ["event-1", "event-2", "event-3", "event-4"]}

    def test_in_the_language_of_the_decisions(self) -> None:
        (statement, _) = closing(find_project(projects(of(1, "商城", "采用 PostgreSQL。", kind="decision")), "商城"))
        assert statement["summary"] == "项目 商城 已结束。决定：采用 PostgreSQL。"
        (statement, _) = closing(find_project(projects(of(1, "shop")), "shop"))
        assert statement["summary"] == "Project shop is closed; it left no decision."
        assert "derived_from" not in statement

    def test_what_was_left_undecided_is_not_told_as_decided(self) -> None:
        pending = of(6, "shop", "Move to Bun?", kind="decision", decision={"status": "pending"})
        (statement, _) = closing(find_project(projects(*self.RECORDS, pending), "shop"))
        assert statement["summary"] == (
            "Project shop is closed. Decided: Ships on Mondays; Uses PostgreSQL. Left undecided: Move to Bun?."
        )
        assert statement["derived_from"] == ["event-2", "event-1", "event-6"]
        (statement, _) = closing(find_project(projects(pending), "shop"))
        assert statement["summary"] == "Project shop is closed; it left no decision. Left undecided: Move to Bun?."

    def test_many_decisions_keep_within_what_may_be_written(self) -> None:
        many = [of(n, "shop", f"Decision {n}: {'长' * 300}", kind="decision") for n in range(200)]
        statement, _ = closing(find_project(projects(*many), "shop"))
        assert len(statement["summary"]) == 500
        assert 15_000 < len(statement["detail"].encode()) <= 16 << 10

    def test_the_command_archives_the_project_and_does_it_once(self, hub: Path, run: Run) -> None:
        write(hub, *self.RECORDS)

        assert run("project", "close", "shop", *WHO)["archived"] == 4

        texts = compile_hub(find_hub(str(hub))).compiled.texts
        assert [path for path in texts if path.startswith("projects/")] == ["projects/other.md"]
        assert "Decided: Ships on Mondays; Uses PostgreSQL" in texts["stable-memory.md"]
        listed = {each["name"]: each["state"] for each in run("project", "list")["projects"]}
        assert listed == {"shop": "closed", "other": "open"}
        again = run("project", "close", "shop", *WHO, code=2)["error"]["message"]
        assert again == "nothing of the project 'shop' is active"

    def test_a_new_event_opens_it_again(self, hub: Path, run: Run) -> None:
        write(hub, *self.RECORDS)
        run("project", "close", "shop", *WHO)
        run("add", *WHO, "--kind", "fact", "--project", "shop", "--summary", "It is back.")
        listed = {each["name"]: each["state"] for each in run("project", "list")["projects"]}
        assert listed["shop"] == "open"

    def test_closed_again_it_is_still_one_statement_with_all_that_was_decided(self, hub: Path, run: Run) -> None:
        write(hub, *self.RECORDS)
        run("project", "close", "shop", *WHO)
        run("add", *WHO, "--kind", "decision", "--project", "shop", "--summary", "Sells abroad.")

        run("project", "close", "shop", *WHO)

        stable = compile_hub(find_hub(str(hub))).compiled.texts["stable-memory.md"]
        assert re.findall("Project shop is closed[^(]*", stable) == [
            "Project shop is closed. Decided: Ships on Mondays; Uses PostgreSQL; Sells abroad. … "
        ]


class TestRenaming:
    def test_search_finds_a_project_by_each_of_its_names(self, hub: Path, run: Run) -> None:
        write(hub, of(1, "shop", "Opens at nine."), of(2, "store", "Opens at ten."), of(3, "bank", "Opens at noon."))
        assert run("search", "opens", "--project", "store")["total"] == 1

        run("project", "rename", "shop", "store", *WHO)

        for options in (("--project", "store"), ("--project", "shop"), ("--scope", "project:shop")):
            assert run("search", "opens", *options)["total"] == 2

    def test_an_alias_keeps_the_name(self, hub: Path, run: Run) -> None:
        write(hub, of(1, "shop"), of(2, "kiosk"))
        run("project", "alias", "shop", "kiosk", "bazaar", *WHO)

        (found,) = run("project", "list")["projects"]
        assert (found["name"], found["aliases"], found["active"]) == ("shop", ["kiosk", "bazaar"], 2)

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("rename", "shop"), "rename takes other names"),
            (("rename", "shop", "shop"), "'shop' is its name already"),
            (("rename", "shpo", "store"), "there is no project 'shpo'"),
            (("close",), "close takes other names"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, hub: Path, run: Run, arguments: tuple[str, ...], said: str) -> None:
        write(hub, of(1, "shop"))
        assert said in run("project", *arguments, *WHO, code=2)["error"]["message"]
