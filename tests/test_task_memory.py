"""Task memory: written, found, read, replaced and deleted, as those who know it from GitMemo expect."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_soul.searching.document import sequence
from agent_soul.searching.keywords import matched_keywords, recency
from hubs import event
from support import Soul, git

FROM = ("--source", "a-b")
Mem = Callable[..., dict[str, Any]]


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the folder of a project without Git and go there."""
    folder = tmp_path / "payment-service"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def mem(inside: Soul, code: Path, hub: Path) -> Mem:
    def run(*arguments: str) -> dict[str, Any]:
        source = FROM if arguments[0] in ("write", "replace", "delete") else ()
        answer: dict[str, Any] = json.loads(inside("--hub", str(hub), "mem", *arguments, *source, cwd=code).stdout)
        assert answer.pop("ok") is True
        return answer

    return run


def write(mem: Mem, title: str, *options: str, keywords: tuple[str, ...] = ("auth", "登录")) -> str:
    words = [each for keyword in keywords for each in ("--keyword", keyword)]
    given = ("--title", title, "--summary", f"{title}, in one line.", "--content", f"All about {title}.")
    return str(mem("write", *given, *words, *options)["event_id"])


def keep(hub: Path, *records: dict[str, Any]) -> None:
    folder = hub / "sources" / "mac"
    folder.mkdir(exist_ok=True)
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
    (folder / "2026-03-01.0a1b2c3d.ndjson").write_text("".join(lines), encoding="utf-8")


class TestWrite:
    def test_an_entry_knows_the_project_and_the_code_that_it_comes_from(self, mem: Mem, code: Path) -> None:
        git(code, "init", "-q", "-b", "fix/login")
        git(code, "commit", "-q", "--allow-empty", "-m", "one")
        (code / "src").mkdir()
        given = ("--title", "Login", "--summary", "Sessions ended early.", "--content", "It was *UTC*.")

        written = mem("write", *given, "--keyword", "auth", "--keyword", "登录", "--related-path", "src/a.py")["event"]

        assert {name: written[name] for name in ("kind", "scope", "project", "branch", "paths", "detail")} == {
            "kind": "task",
            "scope": "project",
            "project": "payment-service",
            "branch": "fix/login",
            "paths": ["src/a.py"],
            "detail": "It was *UTC*.",
        }
        assert written["commit"] == git(code, "rev-parse", "HEAD").strip()

    def test_the_arguments_of_the_tool_are_read_from_stdin(self, inside: Soul, code: Path, hub: Path) -> None:
        arguments = {"title": "Login", "summary": "Sessions ended early.", "keywords": ["auth", "登录"]}
        arguments |= {"content": "It was UTC.", "related_branches": ["fix/a", "fix/b"], "related_paths": ["src/a.py"]}
        text = json.dumps(arguments, indent=1, ensure_ascii=False)

        written = json.loads(inside("mem", "write", "--stdin", "--hub", str(hub), *FROM, stdin=text, cwd=code).stdout)[
            "event"
        ]

        assert (written["branch"], written["paths"], written["detail"]) == ("fix/a, fix/b", ["src/a.py"], "It was UTC.")
        assert written["keywords"] == ["auth", "登录"]
        assert (
            "column"
            in inside("mem", "write", "--stdin", *FROM, "--hub", str(hub), stdin="[1]", cwd=code, code=2).stderr
        )

    def test_a_topic_is_one_and_is_shown_as_one(self, mem: Mem, inside: Soul, hub: Path) -> None:
        write(mem, "How we deploy", "--kind", "topic", "--topic", "deploy")
        inside("compile")

        assert "How we deploy, in one line." in (hub / "canonical" / "topics" / "deploy.md").read_text()

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (("--title", "t", "--keyword", "a", "--keyword", "b", "--content", "c"), "missing: --summary"),
            (("--title", "t", "--summary", "text", "--keyword", "a", "--content", "c"), "2 to 12 keywords"),
            (
                ("--title", "t", "--summary", "text", "--content", "c", *("--keyword", "a") * 13),
                "2 to 12 keywords, and there are 13",
            ),
            (("--summary", "text", "--keyword", "a", "--kind", "fact"), "--kind 'fact' is not one of: task, topic"),
        ],
    )
    def test_what_is_missing_is_named(
        self, inside: Soul, code: Path, hub: Path, options: tuple[str, ...], said: str
    ) -> None:
        assert said in inside("--hub", str(hub), "mem", "write", *options, *FROM, cwd=code, code=2).stderr
        assert list(hub.glob("sources/*")) == []

    def test_in_the_hub_itself_the_project_is_asked_for(self, inside: Soul, hub: Path) -> None:
        given = ("--title", "t", "--summary", "text", "--content", "c", "--keyword", "a", "--keyword", "b")

        assert "--project NAME" in inside("mem", "write", *given, *FROM, cwd=hub / "sources", code=2).stderr
        kept = json.loads(inside("mem", "write", *given, "--project", "shop", *FROM).stdout)["event"]
        assert (kept["scope"], kept["project"]) == ("project", "shop")


class TestSearch:
    def test_the_score_is_the_number_of_keywords_and_half_a_one_for_what_is_new(self, mem: Mem, hub: Path) -> None:
        keep(hub, event(1, "Login is by OAuth.", keywords=["登录"], ts="2020-01-01T09:00:00Z"))
        new = write(mem, "OAuth login")

        found = mem("search", "login", "登录", "oauth", "absent")

        assert [(row["event_id"], row["score"]) for row in found["results"]] == [(new, 3.5), ("event-1", 3)]
        assert found["results"][0]["matched_keywords"] == ["login", "登录", "oauth"]
        assert {name: found["results"][0][name] for name in ("kind", "title", "keywords", "project")} == {
            "kind": "task",
            "title": "OAuth login",
            "keywords": ["auth", "登录"],
            "project": "payment-service",
        }

    def test_two_old_keywords_come_before_one_new_one(self, mem: Mem, hub: Path) -> None:
        keep(hub, event(1, "Login is by OAuth.", ts="2020-01-01T09:00:00Z"))
        new = write(mem, "Login page")

        assert [row["event_id"] for row in mem("search", "login", "oauth")["results"]] == ["event-1", new]

    def test_the_content_is_not_searched(self, mem: Mem) -> None:
        write(mem, "Login page", "--detail", "Here stands zebra.")

        assert mem("search", "zebra", "login")["results"][0]["matched_keywords"] == ["login"]
        assert mem("search", "zebra")["total"] == 0

    def test_a_keyword_of_several_words_is_found_as_they_stand(self, mem: Mem) -> None:
        write(mem, "Login page of the shop")

        assert mem("search", "login page")["total"] == 1
        assert mem("search", "page login")["total"] == 0

    @pytest.mark.parametrize(
        ("words", "said"), [([], "1 to 12 keywords, not 0"), (["w"] * 13, "not 13"), (["!"], "'!'")]
    )
    def test_what_cannot_be_asked_is_refused(self, inside: Soul, words: list[str], said: str) -> None:
        assert said in inside("mem", "search", *words, code=2).stderr

    def test_pages_stay_while_others_write(self, mem: Mem, hub: Path) -> None:
        keep(hub, *(event(n, f"Login number {n}.") for n in range(45)))
        first = mem("search", "login")
        write(mem, "Newest login")
        second = mem("search", "--snapshot", first["snapshot"], "--skip", str(first["next_skip"]))
        third = mem("search", "login", "--snapshot", first["snapshot"], "--skip", str(second["next_skip"]))

        assert [len(page["results"]) for page in (first, second, third)] == [20, 20, 5]
        assert (first["total"], third["total"], third["next_skip"]) == (45, 45, None)
        seen = [row["event_id"] for page in (first, second, third) for row in page["results"]]
        assert seen == [f"event-{n}" for n in range(44, -1, -1)]
        assert second["results"][0]["matched_keywords"] == ["login"]
        assert mem("search", "login")["total"] == 46

    def test_a_snapshot_of_something_else_is_refused(self, mem: Mem, inside: Soul, hub: Path) -> None:
        keep(hub, *(event(n, f"Login number {n}.") for n in range(25)))
        name = mem("search", "login")["snapshot"]
        other = json.loads(inside("search", "login", "--json").stdout)["snapshot"]

        assert "another search" in inside("mem", "search", "logout", "--snapshot", name, code=2).stderr
        assert "another search" in inside("mem", "search", "--snapshot", other, code=2).stderr


class TestReplace:
    def test_kind_place_title_and_keywords_are_inherited(self, mem: Mem, inside: Soul) -> None:
        old = write(mem, "How we deploy", "--kind", "topic", "--topic", "deploy", "--project", "shop")
        new = mem("replace", old[:8], "--summary", "By pipeline now.", "--content", "See CI.")["event"]

        assert {name: new[name] for name in ("kind", "topic", "project", "title", "keywords", "supersedes")} == {
            "kind": "topic",
            "topic": "deploy",
            "project": "shop",
            "title": "How we deploy",
            "keywords": ["auth", "登录"],
            "supersedes": [old],
        }
        assert [row["event_id"] for row in mem("search", "auth")["results"]] == [new["event_id"]]
        given = ("--summary", "text", "--content", "c", *FROM)
        assert f"what holds now is {new['event_id']}" in inside("mem", "replace", old, *given, code=2).stderr

    def test_an_old_id_is_still_readable_and_names_what_holds_now(self, mem: Mem) -> None:
        old = write(mem, "Login")
        middle = mem("replace", old, "--summary", "Second.", "--content", "c2")["event_id"]
        new = mem("replace", middle, "--summary", "Third.", "--content", "c3")["event_id"]

        read = mem("read", old)

        assert (read["status"], read["newest"], read["kind"]) == ("superseded", new, "task")
        assert read["markdown"] == "# Login\n\nLogin, in one line.\n\nAll about Login.\n"

    def test_what_is_deleted_brings_nothing_back_and_can_be_read(self, mem: Mem, inside: Soul) -> None:
        old = write(mem, "Login")
        new = mem("replace", old, "--summary", "Second.", "--content", "c2")["event_id"]
        assert "replaced already" in inside("mem", "delete", old, "--reason", "Wrong.", *FROM, code=2).stderr

        mem("delete", new[:8], "--reason", "The login is gone.")

        assert mem("search", "auth")["total"] == 0
        assert [mem("read", id_)["status"] for id_ in (old, new)] == ["retracted", "retracted"]
        assert mem("read", new)["reason"] == "The login is gone."
        assert "taken back already" in inside("mem", "delete", new, "--reason", "Again.", *FROM, code=2).stderr


class TestExpand:
    def test_links_are_followed_one_step_and_to_what_replaced_them(self, mem: Mem) -> None:
        far = write(mem, "Far")
        proof = write(mem, "Proof", "--detail", f"From [[{far}]].")
        better = mem("replace", proof, "--summary", "Better.", "--content", "c")["event_id"]
        topic = write(
            mem, "Topic", "--kind", "topic", "--derived-from", far, "--detail", f"[[{proof[:8]}]], [[gone-1]]"
        )

        links = mem("read", topic, "--expand")["links"]

        assert [link["link"] for link in links] == [proof[:8], "gone-1", far]
        assert (links[0]["event_id"], links[0]["status"], links[0]["replaced_by"]["event_id"]) == (
            proof,
            "superseded",
            better,
        )
        assert "links" not in links[0]
        assert links[1] == {"link": "gone-1", "error": "no event has the id 'gone-1', or several begin so"}
        assert (links[2]["status"], "replaced_by" in links[2]) == ("active", False)
        assert "links" not in mem("read", topic)

    def test_an_id_that_is_nobodys_is_said(self, inside: Soul) -> None:
        assert "no event has the id 'gone-1'" in inside("mem", "read", "gone-1", code=2).stderr


@pytest.mark.parametrize(
    ("day", "worth"), [("2026-03-10", 0.5), ("2025-12-10", 0.25), ("2025-09-11", 0.0), ("2020-01-01", 0.0)]
)
def test_recency_falls_to_nothing_in_180_days(day: str, worth: float) -> None:
    assert recency(day, "2026-03-10") == worth


@given(st.dates(), st.dates())
def test_recency_is_never_worth_more_than_half_a_keyword(day: Any, today: Any) -> None:
    assert 0 <= recency(day.isoformat(), today.isoformat()) <= 0.5


def test_a_keyword_is_found_in_title_summary_keywords_tags_and_topic() -> None:
    record = {"title": "One", "summary": "Two running", "keywords": ["三号"], "tags": ["four"], "topic": "five"}
    wanted = {word: sequence(word) for word in ("one", "ru", "run", "三号", "号三", "FOUR", "five", "six")}

    assert matched_keywords(record | {"detail": "six"}, wanted) == ("one", "run", "三号", "FOUR", "five")
