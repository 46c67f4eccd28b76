"""The commands as a person or an agent types them: what they print, where they print it, and their exit codes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hubs import event
from support import Soul, git, write_log

FACT = ("--kind", "fact", "--scope", "stable")
PROFILE = ("--kind", "preference", "--scope", "profile")


@pytest.fixture
def soul(inside: Soul) -> Soul:
    return inside


def add(soul: Soul, summary: str, *options: str, source: str = "my-laptop") -> dict[str, Any]:
    options = options if "--kind" in options else (*FACT, *options)
    answer: dict[str, Any] = json.loads(soul("add", "--source", source, "--summary", summary, *options).stdout)
    return answer


def page(hub: Path, name: str) -> str:
    return (hub / "canonical" / name).read_text(encoding="utf-8")


def append(file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8") as opened:
        opened.write(text)


class TestAdd:
    def test_prints_what_was_kept(self, soul: Soul, hub: Path) -> None:
        answer = add(soul, "Uses PostgreSQL 15 for every service.", "--keyword", "database", "--importance", "0.8")

        assert list(answer) == ["ok", "event_id", "path", "event", "warnings"]
        assert answer["event"] == {
            "event_id": answer["event_id"],
            "ts": answer["event"]["ts"],
            "source": "my-laptop",
            "kind": "fact",
            "scope": "stable",
            "summary": "Uses PostgreSQL 15 for every service.",
            "keywords": ["database"],
            "importance": 0.8,
        }
        assert json.loads((hub / answer["path"]).read_text(encoding="utf-8")) == answer["event"]

    @pytest.mark.parametrize(
        ("options", "fields"),
        [
            (("--scope", "project:my app"), {"scope": "project", "project": "my app"}),
            (("--scope", "project", "--project", "my app"), {"scope": "project", "project": "my app"}),
            (("--project", "my app"), {"scope": "project", "project": "my app"}),
            (("--scope", "agent:ocr"), {"scope": "agent", "agent": "ocr"}),
        ],
    )
    def test_takes_both_vocabularies(self, soul: Soul, options: tuple[str, ...], fields: dict[str, str]) -> None:
        answer = json.loads(soul("add", "--source", "a-b", "--kind", "fact", "--summary", "text", *options).stdout)

        assert {name: answer["event"].get(name) for name in fields} == fields

    @pytest.mark.parametrize(
        ("kind", "options", "field", "value"),
        [
            (
                "decision",
                ("--rationale", "Joins.", "--decided-by", "Ann", "--decision-status", "pending"),
                "decision",
                {"rationale": "Joins.", "by": "Ann", "status": "pending"},
            ),
            ("lesson", ("--context", "A night.", "--applies-to", "x", "--applies-to", "y"), "lesson",
             {"context": "A night.", "applies_to": ["x", "y"]}),
            ("metric", ("--metric", "ocr", "--value", "0.87", "--target", "0.95", "--unit", "ratio"), "metric",
             {"name": "ocr", "value": 0.87, "target": 0.95, "unit": "ratio"}),
            ("fact", ("--entity", "db", "--attribute", "port", "--value", "5432"), "claim",
             {"entity": "db", "attribute": "port", "value": "5432"}),
        ],
    )  # fmt: skip
    def test_fields_of_several_parts(
        self, soul: Soul, kind: str, options: tuple[str, ...], field: str, value: dict[str, Any]
    ) -> None:
        reach = ("--source", "a-b", "--scope", "stable", "--summary", "text")
        assert json.loads(soul("add", *reach, "--kind", kind, *options).stdout)["event"][field] == value

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (("--metric", "ocr", "--value", "much"), "--value 'much' is not a number"),
            (("--metric", "ocr"), "--value None is not a number"),
            (("--target", "3"), "missing: --metric"),
            (("--value", "3"), "missing: --entity, --attribute"),
            (("--kind", "facts"), "did you mean 'fact'?"),
            (("--scope", "project:one", "--project", "two"), "'two' is another name than in scope 'project:one'"),
            (("--ts", "yesterday"), "'yesterday' is not a time with its offset, such as 2026-"),
        ],
    )
    def test_what_does_not_fit_is_named(self, soul: Soul, options: tuple[str, ...], said: str) -> None:
        kind = () if "--kind" in options else ("--kind", "fact")
        scope = () if "--scope" in options else ("--scope", "stable")
        done = soul("add", "--source", "a-b", "--summary", "text", *kind, *scope, *options, code=2)
        assert said in done.stderr

    def test_supersedes_by_the_first_characters(self, soul: Soul) -> None:
        old = add(soul, "Deploys by hand.")
        new = add(soul, "Deploys from the pipeline.", "--supersedes", old["event_id"][:8])

        assert new["event"]["supersedes"] == [old["event_id"]]
        assert new["warnings"] == []

    def test_warns_about_an_id_that_is_not_here(self, soul: Soul) -> None:
        answer = add(soul, "Deploys from the pipeline.", "--supersedes", "event_123")

        assert answer["event"]["supersedes"] == ["event_123"]
        assert "event_123" in answer["warnings"][0]

    def test_names_all_that_is_missing(self, soul: Soul, hub: Path) -> None:
        done = soul("add", "--summary", "text", code=2)

        assert "--source, --kind, --scope" in done.stderr
        assert done.stdout == ""
        assert not list((hub / "sources").iterdir())

    @pytest.mark.parametrize("dash", ["\u2014", "\u2013", "\u2212", "\u2014\u2014"])
    def test_explains_a_typographic_dash(self, soul: Soul, dash: str) -> None:
        done = soul("add", "--source", "a-b", *FACT, "--summary", "text", f"{dash}supersedes", "event_123", code=2)

        assert "--supersedes" in done.stderr
        assert f"U+{ord(dash[0]):04X}" in done.stderr

    def test_an_error_is_json_where_json_was_asked_for(self, soul: Soul) -> None:
        done = soul("add", "--source", "A_B", *FACT, "--summary", "text", "--json", code=2)

        answer = json.loads(done.stdout)
        assert answer["ok"] is False
        assert answer["error"]["code"] == "usage"
        assert "A_B" in answer["error"]["message"]

    def test_a_claim_is_given_whole(self, soul: Soul) -> None:
        done = soul("add", "--source", "a-b", *FACT, "--summary", "text", "--entity", "db", code=2)

        assert "--attribute, --value" in done.stderr


class TestBulk:
    def test_keeps_the_good_lines_and_numbers_the_others(self, soul: Soul, hub: Path) -> None:
        good = {"kind": "fact", "scope": "stable", "summary": "one"}
        lines = [
            json.dumps(good),
            "not json",
            "",
            json.dumps({**good, "kind": "rumour"}),
            json.dumps({**good, "summary": "二"}),
        ]
        done = soul("add", "--stdin", "--source", "a-b", stdin="\n".join(lines), code=1)

        answer = json.loads(done.stdout)
        assert answer["added"] == 1
        assert [row["line"] for row in answer["refused"]] == [2, 4, 5]
        assert "line 2 was refused: column 1: not JSON" in done.stderr

    def test_is_one_outbox_file(self, soul: Soul, git_hub: Path) -> None:
        lines = [json.dumps({"kind": "fact", "scope": "stable", "summary": f"fact {n}"}) for n in range(50)]
        soul("add", "--stdin", "--source", "a-b", stdin="\n".join(lines))

        assert len(list((git_hub / ".git" / "agent-soul" / "outbox").iterdir())) == 1


class TestShare:
    def test_without_a_remote_is_kept_here_and_committed(self, soul: Soul, git_hub: Path) -> None:
        done = soul("share", "--source", "my-laptop", "用户习惯在晚上写代码，白天开会。")

        assert done.stdout.startswith("kept here: this repository has no remote (")
        assert "用户习惯在晚上写代码" in page(git_hub, "fuzzy-memory.md")
        assert git(git_hub, "status", "--porcelain") == ""
        assert not list((git_hub / ".git" / "agent-soul" / "outbox").iterdir())
        assert "memory: 1 event of my-laptop, " in git(git_hub, "log", "-1", "--format=%s")

    def test_says_how_long_a_line_without_a_scope_is_shown(self, soul: Soul, git_hub: Path) -> None:
        (git_hub / "soul.yaml").write_text("fuzzy_days: 3\n", encoding="utf-8")

        done = soul("share", "--source", "my-laptop", "Prefers pnpm over npm.", "--json")
        note = next(line for line in done.stderr.split("\n") if line.startswith("note: shown for 3 days"))
        again = soul("share", "--source", "my-laptop", "Prefers pnpm over npm.", *note.split()[-4:])

        assert json.loads(done.stdout)["ok"] is True
        assert "shown for" not in again.stderr
        assert "Prefers pnpm over npm" in page(git_hub, "profile.md")

    def test_names_the_template(self, soul: Soul, git_hub: Path) -> None:
        (git_hub / "soul.yaml").write_text("template: true\n", encoding="utf-8")
        git(git_hub, "commit", "-q", "-a", "-m", "template")
        git(git_hub, "remote", "add", "origin", "https://example.invalid/template.git")

        done = soul("share", "--source", "my-laptop", "A passing remark.")

        assert "kept here" in done.stdout
        assert "template: true" in done.stdout
        assert "soul init --here" in done.stdout

    def test_touches_nothing_of_a_person(self, soul: Soul, git_hub: Path) -> None:
        (git_hub / "notes.txt").write_text("staged\n", encoding="utf-8")
        git(git_hub, "add", "notes.txt")
        (git_hub / "notes.txt").write_text("changed again\n", encoding="utf-8")
        (git_hub / "sources" / "draft.txt").write_text("mine\n", encoding="utf-8")
        before = git(git_hub, "status", "--porcelain", "-uall")

        soul("share", "--source", "my-laptop", "A passing remark.")

        assert git(git_hub, "status", "--porcelain", "-uall") == before
        assert git(git_hub, "show", ":notes.txt") == "staged\n"
        changed = git(git_hub, "show", "--name-only", "--format=", "HEAD").split()
        assert all(path.startswith(("sources/my-laptop/", "canonical/")) for path in changed)

    @pytest.mark.parametrize("operation", ["rebase", "detached"])
    def test_keeps_out_of_a_persons_way(self, soul: Soul, git_hub: Path, operation: str) -> None:
        if operation == "rebase":
            (git_hub / ".git" / "rebase-merge").mkdir()
        else:
            git(git_hub, "checkout", "-q", "--detach")
        head = git(git_hub, "rev-parse", "HEAD")

        done = soul("share", "--source", "my-laptop", "A passing remark.", code=4)

        assert done.stdout.startswith("safe here, not shared yet: ")
        assert git(git_hub, "rev-parse", "HEAD") == head
        assert len(list((git_hub / ".git" / "agent-soul" / "outbox").iterdir())) == 1

    def test_takes_the_text_from_stdin(self, soul: Soul, hub: Path) -> None:
        soul("share", "--source", "my-laptop", stdin="From a pipe,\nin two lines.\n")

        assert "From a pipe, in two lines." in page(hub, "fuzzy-memory.md")

    def test_without_git_is_kept_here(self, soul: Soul, hub: Path) -> None:
        assert "no Git repository" in soul("share", "--source", "my-laptop", "A remark.").stdout

    def test_json_is_one_object(self, soul: Soul, git_hub: Path) -> None:
        answer = json.loads(soul("share", "--source", "my-laptop", "A remark.", "--json").stdout)

        assert answer["ok"] is True
        assert answer["outcome"] == "kept here"
        assert answer["commit"] == git(git_hub, "rev-parse", "HEAD").strip()

    def test_works_before_the_first_commit_and_without_an_identity(self, soul: Soul, hub: Path) -> None:
        git(hub, "init", "-q", "-b", "main")
        nobody = {name: "" for name in os.environ if name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))}
        for name in nobody:
            del os.environ[name]
        soul("share", "--source", "my-laptop", "A remark.", env={"EMAIL": ""})

        assert git(hub, "log", "-1", "--format=%an").strip() in (
            "my-laptop",
            git(hub, "log", "-1", "--format=%cn").strip(),
        )


class TestCompile:
    def test_dry_run_prints_a_diff_and_touches_nothing(self, soul: Soul, git_hub: Path) -> None:
        add(soul, "Uses PostgreSQL 15 for every service.")
        before = {path: path.read_bytes() for path in git_hub.rglob("*") if path.is_file()}

        done = soul("compile", "--dry-run")

        assert "+++ b/canonical/stable-memory.md\n" in done.stdout
        assert "+- Uses PostgreSQL 15 for every service." in done.stdout
        assert {path: path.read_bytes() for path in git_hub.rglob("*") if path.is_file()} == before

    def test_check_tells_whether_the_pages_are_stale(self, soul: Soul, hub: Path) -> None:
        add(soul, "Uses PostgreSQL 15 for every service.")
        soul("compile", "--check", code=1)
        soul("compile")
        soul("compile", "--check")
        (hub / "canonical" / "profile.md").write_text("edited by hand\n", encoding="utf-8")
        soul("compile", "--check", code=1)

    def test_check_honours_what_the_index_records(self, soul: Soul, hub: Path) -> None:
        add(
            soul,
            "Uses PostgreSQL 15 for every service.",
            "--ts",
            "2024-03-01T10:00:00+00:00",
            "--valid-until",
            "2024-05-01",
        )
        soul("compile", "--as-of", "2024-04-01")
        assert "PostgreSQL" in page(hub, "stable-memory.md")

        soul("compile", "--check")
        soul("compile")

        assert "PostgreSQL" not in page(hub, "stable-memory.md")
        soul("compile", "--as-of", "2024-02-01", "--check", code=1)

    def test_since_and_fuzzy_days_filter_and_are_recorded(self, soul: Soul, hub: Path) -> None:
        add(soul, "Old fact.", "--ts", "2020-01-01T00:00:00Z")
        add(soul, "New fact.", "--ts", "2024-01-01T00:00:00Z")
        soul("compile", "--since", "2023-01-01", "--fuzzy-days", "3")

        assert "Old fact" not in page(hub, "stable-memory.md")
        assert "New fact" in page(hub, "stable-memory.md")
        assert ", since 2023-01-01, fuzzy days 3\n" in page(hub, "index.md")
        soul("compile", "--check")

    def test_a_new_day_alone_writes_nothing(self, soul: Soul, hub: Path) -> None:
        add(soul, "Old fact.", "--ts", "2020-01-01T00:00:00Z")
        soul("compile", "--as-of", "2024-01-01")
        before = page(hub, "index.md")

        done = soul("compile", "--as-of", "2024-01-02")

        assert "up to date" in done.stderr
        assert page(hub, "index.md") == before

    def test_strict_ends_with_1_on_a_bad_line(self, soul: Soul, hub: Path) -> None:
        add(soul, "Good fact.")
        append(next((hub / "sources" / "my-laptop").iterdir()), "{broken\n")

        soul("compile")
        done = soul("compile", "--strict", code=1)

        assert "Good fact" in page(hub, "stable-memory.md")
        assert "left out: sources/my-laptop/" in done.stderr
        assert "bad lines 1" in page(hub, "index.md")

    def test_apply_commits_only_ours_and_says_what(self, soul: Soul, git_hub: Path) -> None:
        add(soul, "Uses PostgreSQL 15 for every service.")
        (git_hub / "notes.txt").write_text("mine\n", encoding="utf-8")
        soul("compile", "--apply")

        assert git(git_hub, "status", "--porcelain") == "?? notes.txt\n"
        message = git(git_hub, "log", "-1", "--format=%B")
        assert message.startswith("memory: 1 event of my-laptop, ")
        assert "canonical/stable-memory.md" in message
        soul("compile", "--apply")
        assert git(git_hub, "rev-list", "--count", "HEAD").strip() == "2"

    @pytest.mark.parametrize("view", [("--since", "2026-01-01"), ("--as-of", "2026-01-01"), ("--fuzzy-days", "3")])
    def test_a_view_is_never_committed(self, soul: Soul, git_hub: Path, view: tuple[str, str]) -> None:
        add(soul, "Uses PostgreSQL 15 for every service.")

        assert "--apply would commit it" in soul("compile", "--apply", *view, code=2).stderr
        assert git(git_hub, "rev-list", "--count", "HEAD").strip() == "1"

    def test_json_says_ok_exactly_when_the_exit_code_does(self, soul: Soul) -> None:
        add(soul, "Uses PostgreSQL 15 for every service.")
        stale = json.loads(soul("compile", "--check", "--json", code=1).stdout)
        assert (stale["ok"], "index.md" in stale["would_write"], "written" in stale) == (False, True, False)
        written = json.loads(soul("compile", "--json").stdout)
        assert (written["ok"], "index.md" in written["written"]) == (True, True)
        assert json.loads(soul("compile", "--check", "--json").stdout)["ok"] is True

    def test_a_date_that_no_calendar_has_is_no_record(self, soul: Soul, hub: Path) -> None:
        add(soul, "Uses PostgreSQL 15 for every service.")
        soul("compile")
        good = page(hub, "index.md")
        for wrong in ("9999-99-99", "2026-13-45"):
            (hub / "canonical" / "index.md").write_text(
                re.sub(r"As of \S+,", f"As of {wrong},", good), encoding="utf-8"
            )
            soul("compile", "--check", code=1)
            soul("compile")
            assert page(hub, "index.md") == good

    def test_never_writes_over_pages_of_a_newer_toolkit(self, soul: Soul, git_hub: Path) -> None:
        add(soul, "Uses PostgreSQL 15 for every service.")
        soul("compile")
        newer = page(git_hub, "index.md").replace("page format 2", "page format 3")
        (git_hub / "canonical" / "index.md").write_text(newer, encoding="utf-8")

        assert "newer agent-soul" in soul("compile", code=5).stderr
        assert "events only" in soul("share", "--source", "my-laptop", "A remark.").stdout
        assert page(git_hub, "index.md") == newer

    def test_removes_only_pages_that_it_made(self, soul: Soul, hub: Path) -> None:
        answer = add(soul, "In a project.", "--scope", "project:gone", "--kind", "fact")
        soul("compile")
        (hub / "canonical" / "mine.md").write_text("# Mine\n", encoding="utf-8")
        soul("retract", answer["event_id"], "--reason", "wrong", "--source", "a-b")
        soul("compile")

        assert not (hub / "canonical" / "projects").exists()
        assert page(hub, "mine.md") == "# Mine\n"

    def test_puts_back_what_a_person_reset(self, soul: Soul, git_hub: Path) -> None:
        add(soul, "Uses PostgreSQL 15 for every service.")
        git(git_hub, "clean", "-fdxq")

        done = soul("compile")

        assert "1 events that the source files had lost were put back" in done.stderr
        assert "PostgreSQL" in page(git_hub, "stable-memory.md")

    @pytest.mark.parametrize("flag", ["--check", "--dry-run"])
    def test_says_what_would_be_put_back_where_it_writes_nothing(self, soul: Soul, git_hub: Path, flag: str) -> None:
        add(soul, "Uses PostgreSQL 15 for every service.")
        soul("compile")
        shutil.rmtree(git_hub / "sources")

        done = soul("compile", flag)

        assert "would be put back" in done.stderr
        assert not (git_hub / "sources").exists()

    def test_flags_exclude_each_other(self, soul: Soul) -> None:
        soul("compile", "--check", "--dry-run", code=2)

    def test_json_counts_add_up(self, soul: Soul) -> None:
        for number in range(3):
            add(soul, f"Fact {number}.")
        answer = json.loads(soul("compile", "--json").stdout)

        assert sum(answer["counts"].values()) == 3
        assert answer["counts"]["active"] == 3


class TestFinding:
    def test_search_finds_both_languages_and_filters(self, soul: Soul) -> None:
        add(soul, "Deploys with Docker Compose in every environment.", "--project", "shop", "--kind", "decision")
        add(soul, "用户习惯在晚上写代码，白天开会。")
        add(soul, "Docker is installed on the laptop.")

        def found(*options: str) -> list[str]:
            return [row["event"]["summary"] for row in json.loads(soul("search", *options, "--json").stdout)["results"]]

        assert found("晚上") == ["用户习惯在晚上写代码，白天开会。"]
        assert found("docker compose")[0].startswith("Deploys with Docker Compose")
        assert len(found("--keyword", "docker")) == 2
        assert found("--keyword", "docker", "--keyword", "installed") == ["Docker is installed on the laptop."]
        assert found("--scope", "project:shop", "--kind", "decision") == found("--project", "shop")
        assert found("--query", "ＤＯＣＫＥＲ installed")[0] == "Docker is installed on the laptop."
        assert found("--source", "other") == []

    def test_search_without_a_word_is_an_error_and_not_the_newest(self, soul: Soul) -> None:
        add(soul, "Fact.")

        assert "no searchable words" in soul("search", "…!?", code=2).stderr

    def test_search_marks_what_is_not_active(self, soul: Soul) -> None:
        old = add(soul, "Deploys by hand.")
        add(soul, "Deploys from the pipeline.", "--supersedes", old["event_id"])

        assert "by hand" not in soul("search", "deploys").stdout
        assert "[superseded: superseded by " in soul("search", "deploys", "--all").stdout

    def test_show_tells_the_chain(self, soul: Soul) -> None:
        old = add(soul, "Deploys by hand.", "--detail", "From the laptop,\nwith rsync.")
        new = add(soul, "Deploys from the pipeline.", "--supersedes", old["event_id"])

        shown = soul("show", old["event_id"][:8]).stdout
        assert "status     superseded" in shown
        assert "with rsync." in shown
        assert f"replaced by   {new['event_id'][:8]}" in shown
        assert json.loads(soul("show", new["event_id"], "--json").stdout)["replaced"] == [old["event_id"]]

    def test_why_goes_from_the_page_to_the_commit(self, soul: Soul, git_hub: Path) -> None:
        soul("share", "--source", "my-laptop", "Prefers pnpm over npm.")
        shown = soul("why", "pnpm").stdout

        assert "page    canonical/fuzzy-memory.md:8: - Prefers pnpm over npm. (" in shown
        assert "source  sources/my-laptop/" in shown
        assert f"commit  {git(git_hub, 'rev-parse', 'HEAD')[:12]}" in shown

    def test_why_before_any_commit(self, soul: Soul, git_hub: Path) -> None:
        answer = add(soul, "Prefers pnpm over npm.")

        assert "none yet" in soul("why", answer["event_id"]).stdout

    def test_an_unknown_id_is_named(self, soul: Soul) -> None:
        assert "'nothing-like-it'" in soul("show", "nothing-like-it", code=2).stderr
        assert "'nothing-like-it'" in soul("why", "nothing-like-it", code=2).stderr


def command_of(hub: Path, way: str) -> str:
    """Return the arguments of the first command on the conflict page that goes this way."""
    command = next(line for line in page(hub, "conflicts.md").split("\n") if way in line and "soul resolve" in line)
    return command.split("`")[1].removeprefix("soul ").replace("YOUR-ID", "a-b")


class TestDeciding:
    def test_retract_takes_a_line_off_its_page(self, soul: Soul, hub: Path) -> None:
        answer = add(soul, "Wrong fact.")
        soul("retract", answer["event_id"][:8], "--reason", "It was a guess.", "--source", "a-b")
        soul("compile")

        assert "Wrong fact" not in page(hub, "stable-memory.md")
        assert "retracted: It was a guess." in soul("show", answer["event_id"]).stdout

    def test_the_commands_on_the_conflict_page_settle_it(self, soul: Soul, hub: Path) -> None:
        claim = ("--entity", "editor", "--attribute", "indent", "--value")
        tabs = add(soul, "Likes tabs.", *claim, "tabs")
        spaces = add(soul, "Likes spaces.", *claim, "spaces", source="other-box")
        soul("compile")

        stable = page(hub, "stable-memory.md")
        shown = soul("show", tabs["event_id"]).stdout
        assert re.search(f"⚠ CONFLICT with {spaces['event_id'][:8]}.*Likes spaces", shown)
        assert json.loads(soul("show", spaces["event_id"], "--json").stdout)["conflicts_with"] == [tabs["event_id"]]
        assert f"Likes tabs. ⚠ CONFLICT with {spaces['event_id'][:8]}" in stable
        assert f"Likes spaces. ⚠ CONFLICT with {tabs['event_id'][:8]}" in stable
        assert "conflicts 1" in page(hub, "index.md")
        done = soul(*command_of(hub, "--both").replace('"why"', "both").split())
        mark = json.loads(done.stdout)["event_id"][:8]
        assert f"not asked again; `soul retract {mark} --reason WHY --source YOUR-ID` takes that back" in done.stderr
        soul("compile")

        assert "CONFLICT" not in page(hub, "stable-memory.md") + soul("show", tabs["event_id"]).stdout
        assert not (hub / "canonical" / "conflicts.md").exists()

    def test_keeping_one_decides_a_conflict(self, soul: Soul, hub: Path) -> None:
        claim = ("--entity", "editor", "--attribute", "indent", "--value")
        add(soul, "Likes tabs.", *claim, "tabs")
        add(soul, "Likes spaces.", *claim, "spaces")
        soul("compile")
        soul(*command_of(hub, "--keep").split())
        soul("compile")

        assert page(hub, "stable-memory.md").count("Likes") == 1


class TestJudging:
    """`conflicts`, the three ways of `resolve`, and `dedup`, as a person runs them."""

    @pytest.fixture
    def ports(self, soul: Soul) -> list[str]:
        texts = ("The shop listens on port 8081.", "The shop listens on port 8085.")
        return [add(soul, text, source=source)["event_id"] for text, source in zip(texts, ("desk", "mac"), strict=True)]

    def conflicts(self, soul: Soul) -> list[dict[str, Any]]:
        answer = json.loads(soul("conflicts", "--json").stdout)
        assert (answer["ok"], answer["total"]) == (True, len(answer["conflicts"]))
        return list(answer["conflicts"])

    def test_conflicts_are_listed_with_their_evidence_and_ways_out(self, soul: Soul, ports: list[str]) -> None:
        (conflict,) = self.conflicts(soul)
        shown = soul("conflicts").stdout

        assert (conflict["certain"], conflict["evidence"]) == (False, ["8085", "8081"])
        assert [member["event_id"] for member in conflict["members"]] == ports[::-1]
        assert f"{conflict['id']}  two numbers for one thing: 8085 / 8081 (suspected, by text)" in shown
        assert all(command in shown for command in conflict["commands"].values())

    def test_the_pages_mark_both_sides(self, soul: Soul, hub: Path, ports: list[str]) -> None:
        soul("compile")

        assert page(hub, "stable-memory.md").count("⚠ CONFLICT with") == 2
        assert "conflicts 1" in page(hub, "index.md")

    @pytest.mark.parametrize("kept", [0, 1])
    def test_one_is_kept(self, soul: Soul, hub: Path, ports: list[str], kept: int) -> None:
        (conflict,) = self.conflicts(soul)
        soul("resolve", conflict["id"][:6], "--keep", ports[kept][:8], "--source", "a-b")
        soul("compile")

        assert self.conflicts(soul) == []
        assert [text in page(hub, "stable-memory.md") for text in ("8081", "8085")] == [kept == 0, kept == 1]

    def test_both_hold_and_it_is_not_asked_again(self, soul: Soul, ports: list[str]) -> None:
        soul("resolve", ports[0][:8], "--both", "Two instances.", "--source", "a-b")
        add(soul, "the shop listens on port 8081", source="other-box")

        assert self.conflicts(soul) == []

    def test_a_new_statement_takes_the_place_of_all(self, soul: Soul, hub: Path, ports: list[str]) -> None:
        (conflict,) = self.conflicts(soul)
        done = soul("resolve", conflict["id"], "--write", "The shop listens on 8081 and 8085.", "--source", "a-b")
        soul("compile")

        assert json.loads(done.stdout)["event"]["supersedes"] == ports[::-1]
        assert page(hub, "stable-memory.md").count("The shop listens") == 1

    def test_what_is_wrong_with_a_decision_is_said(self, soul: Soul, ports: list[str]) -> None:
        lone = add(soul, "Coffee is in the kitchen.")["event_id"]

        assert "in one way" in soul("resolve", ports[0], "--source", "a-b", code=2).stderr
        assert (
            "no open conflict has the id 'c-zzz'"
            in soul("resolve", "c-zzz", "--both", "x", "--source", "a-b", code=2).stderr
        )
        assert "is in no open conflict" in soul("resolve", lone, "--both", "x", "--source", "a-b", code=2).stderr
        assert "no event has the id" in soul("resolve", ports[0], "--keep", "zz", "--source", "a-b", code=2).stderr
        (conflict,) = self.conflicts(soul)
        other = soul("resolve", conflict["id"], "--keep", lone[:8], "--source", "a-b", code=2).stderr
        assert f"{lone[:8]} is not in the conflict {conflict['id']}" in other
        assert f"--keep one of: {ports[1][:8]}, {ports[0][:8]}" in other
        among = soul("resolve", *ports, "--keep", lone, "--source", "a-b", code=2).stderr
        assert f"{lone[:8]} is not among the events named" in among
        for way, step in (("--both", '--both "why both hold"'), ("--write", '--write "what holds"')):
            said = soul("resolve", ports[0], way, " ", "--source", "a-b", code=2).stderr
            assert f"{way} says nothing; nothing was written" in said
            assert f"say it: {step}" in said

    def test_what_does_not_contradict_the_kept_one_stays_and_is_named(self, soul: Soul) -> None:
        texts = ("Deploys happen on Friday.", "Deploys never happen on Friday.", "Deploys happen on Friday afternoon.")
        one, against, beside = (add(soul, text)["event_id"] for text in texts)
        (conflict,) = self.conflicts(soul)
        assert len(conflict["members"]) == 3

        said = soul("resolve", conflict["id"], "--keep", one, "--source", "a-b").stderr

        assert f"taken back: {against[:8]}" in said
        assert f"stays: {beside[:8]}" in said
        assert f"it was not found to contradict {one[:8]}" in said
        assert f"`soul retract {beside[:8]} --reason WHY --source YOUR-ID`" in said
        assert self.conflicts(soul) == []

    def test_what_stays_in_conflict_is_asked_again_and_so_it_is_said(self, inside: Soul, hub: Path) -> None:
        values = ("vim", "emacs", "nano", "joe")
        claims = ({"entity": "user", "attribute": "editor", "value": value} for value in values)
        write_log(hub, *(event(n, f"Uses {each['value']}.", claim=each) for n, each in enumerate(claims)))
        for other in ("event-2", "event-3"):
            inside("resolve", "event-0", other, "--both", "On two machines.", "--source", "a-b")
        listed = inside("conflicts").stdout
        (conflict,) = self.conflicts(inside)
        said = inside("resolve", conflict["id"], "--keep", "event-0", "--source", "a-b").stderr

        assert "Uses vim. (against event-1)" in listed
        assert "Uses emacs. (against event-3 +2)" in listed
        assert "stays: event-3" in said
        assert "still in conflict with event-2; `soul conflicts` asks again" in said
        assert "soul retract event-3" not in said
        assert len(self.conflicts(inside)[0]["members"]) == 2

    def test_several_events_that_no_rule_sees_are_settled_by_name(self, soul: Soul) -> None:
        one, other = (add(soul, text)["event_id"] for text in ("Ann decides.", "The council decides."))
        soul("resolve", one, other, "--keep", other, "--reason", "New statutes.", "--source", "a-b")

        assert "retracted: New statutes." in soul("show", one).stdout

    def test_duplicates_are_suggested_merged_and_then_gone(self, soul: Soul, hub: Path) -> None:
        older = add(soul, "User likes concise replies.", *PROFILE, source="desk")["event_id"]
        newer = add(soul, "用户喜欢简短的回答。", *PROFILE)["event_id"]
        add(soul, "User likes 3 concise replies.", *PROFILE)
        (cluster,) = json.loads(soul("dedup", "--json").stdout)["clusters"]

        assert [member["event_id"] for member in cluster["members"]] == [newer, older]
        assert cluster["kept"]["summary"] == "用户喜欢简短的回答。"
        assert json.loads(soul("dedup", "--scope", "stable", "--json").stdout)["clusters"] == []
        assert "needs --source" in soul("dedup", "--apply", code=2).stderr
        assert "'d-zzz' names 0 groups" in soul("dedup", "d-zzz", code=2).stderr

        soul("dedup", cluster["id"][:6], "--apply", "--source", "a-b")
        soul("compile")

        assert json.loads(soul("dedup", "--json").stdout)["clusters"] == []
        assert "concise replies. (" in page(hub, "profile.md")
        assert "User likes concise" not in page(hub, "profile.md")

    def test_a_side_of_an_open_conflict_is_merged_by_name_alone(self, soul: Soul) -> None:
        texts = ("User likes concise replies.", "User prefers short answers.", "User dislikes short answers.")
        for text in texts:
            add(soul, text, *PROFILE)
        (cluster,) = json.loads(soul("dedup", "--json").stdout)["clusters"]
        (conflict,) = self.conflicts(soul)
        assert cluster["conflicts"] == [conflict["id"]]

        said = soul("dedup", "--apply", "--source", "a-b").stderr
        assert f"{cluster['id']} is left out: it holds a side of the open conflict {conflict['id']}" in said
        assert f"`soul resolve {conflict['id']} --keep EVENT --source YOUR-ID`" in said
        assert f"`soul dedup {cluster['id']} --apply --source YOUR-ID`" in said
        assert "0 merged; the pages" in said
        said = soul("dedup", cluster["id"], "--apply", "--source", "a-b").stderr
        assert "1 merged" in said
        assert "left out" not in said

    def test_a_merge_stands_on_the_day_of_what_it_merged_and_is_undone_by_taking_it_back(
        self, soul: Soul, git_hub: Path
    ) -> None:
        place = ("--scope", "daily", "--kind", "preference")
        for n, text in enumerate(("User likes concise replies.", "User prefers short answers.")):
            add(soul, text, *place, "--ts", f"2026-03-01T23:30:0{n}-08:00")
        soul("compile")
        git(git_hub, "add", "--all")
        git(git_hub, "commit", "-m", "Notes.")
        before = git(git_hub, "rev-parse", "HEAD").strip()
        assert "short answers" in page(git_hub, "daily/2026-03-01.md")

        (cluster,) = json.loads(soul("dedup", "--apply", "--source", "a-b", "--json").stdout)["clusters"]

        (file,) = (git_hub / "sources" / "a-b").iterdir()
        assert file.name.startswith("2026-03-02.")
        soul("validate")
        soul("validate", "--since", before)
        soul("compile")
        daily = page(git_hub, "daily/2026-03-01.md")
        assert ("short answers" in daily, "concise" in daily) == (True, False)
        said = soul("retract", cluster["event_id"], "--reason", "They differ.", "--source", "a-b").stderr
        assert sum("holds again" in line for line in said.split("\n")) == 2
        soul("compile")
        daily = page(git_hub, "daily/2026-03-01.md")
        assert ("short answers" in daily, "concise" in daily) == (True, True)

    def test_what_is_only_nearly_the_same_is_merged_by_name_alone(self, soul: Soul) -> None:
        for text in (
            "User does not like when answers start with a summary of the question.",
            "Do not repeat the question at the start of an answer to this user.",
        ):
            add(soul, text, *PROFILE)
        (cluster,) = json.loads(soul("dedup", "--json").stdout)["clusters"]
        assert cluster["members"][1]["evidence"].startswith("says nearly the same")

        said = soul("dedup", "--apply", "--source", "a-b").stderr
        assert "0 merged; 1 nearly the same: look, then name each with --apply" in said
        assert json.loads(soul("consolidate", "--json").stdout)["merges"] == []
        assert "1 merged" in soul("dedup", cluster["id"], "--apply", "--source", "a-b").stderr

    def test_the_script_looks_at_the_profile(self, soul: Soul, hub: Path) -> None:
        for text in ("User likes concise replies.", "User prefers short answers."):
            add(soul, text, *PROFILE)
        script = [sys.executable, str(Path(__file__).parents[1] / "scripts" / "dedup_profile.py"), "--hub", str(hub)]
        profile, stable = (
            subprocess.run([*script, "--json", *more], capture_output=True, text=True, check=True, env=os.environ)
            for more in ((), ("--scope", "stable"))
        )

        assert json.loads(profile.stdout)["total"] == 1
        assert json.loads(stable.stdout)["total"] == 0


class TestCaring:
    def test_validate_names_every_problem_in_one_run(self, soul: Soul, hub: Path) -> None:
        add(soul, "Good fact.")
        file = next((hub / "sources" / "my-laptop").iterdir())
        append(file, '{broken\n[]\n{"kind":"prophecy","event_id":"x-1"}\n')
        done = soul("validate", code=1)

        path = file.relative_to(hub).as_posix()
        assert f"{path}:2:2: not JSON" in done.stdout
        assert f"{path}:3:1: not an object but a list" in done.stdout
        assert f"{path}:4: set aside, made by a newer version: kind 'prophecy'" in done.stdout
        assert "1 events, 2 bad lines, 1 from a newer version" in done.stderr

    def test_doctor_finds_unfilled_places_and_fat_files(self, soul: Soul, hub: Path) -> None:
        (hub / "SOUL.md").write_text("# Soul\n- [fill in: purpose]\n- [填写：使命]\n", encoding="utf-8")
        (hub / "USER.md").write_text("word " * 2000, encoding="utf-8")
        done = soul("doctor", code=1)

        assert "SOUL.md:2: is still to be filled in: [fill in: purpose]" in done.stdout
        assert "SOUL.md:3: is still to be filled in: [填写：使命]" in done.stdout
        assert "IDENTITY.md: is not there" in done.stdout
        assert "the limit is 1500 tokens" in done.stdout

    def test_doctor_is_content_with_a_healthy_hub(self, soul: Soul, hub: Path) -> None:
        for name in ("SOUL", "IDENTITY", "USER", "VOICE"):
            (hub / f"{name}.md").write_text(f"# {name}\nShort.\n", encoding="utf-8")

        assert "nothing to mend" in soul("doctor").stderr
        assert json.loads(soul("doctor", "--json").stdout) == {"ok": True, "findings": []}

    def test_init_makes_a_copy_ones_own(self, soul: Soul, git_hub: Path) -> None:
        config = "# kept comment\ntemplate: true # yes\nfuzzy_days: 9\n"
        (git_hub / "soul.yaml").write_text(config, encoding="utf-8")
        add(soul, "An example.", source="agent-soul")
        add(soul, "A fact of mine.")
        done = soul("init", "--here")

        assert (git_hub / "soul.yaml").read_text(encoding="utf-8") == config.replace("true", "false", 1)
        assert "archived the template's 1 example events" in done.stdout
        steps = ("git remote add origin URL", "git config user.name NAME", "`soul sync`", "`soul join`")
        assert [step for step in steps if step not in done.stdout] == []
        soul("compile")
        assert "An example." not in page(git_hub, "stable-memory.md")
        assert "A fact of mine." in page(git_hub, "stable-memory.md")
        assert "hub of its own already" in soul("init", "--here").stdout


class TestSurroundings:
    def test_the_hub_is_found_from_below_and_by_name(self, soul: Soul, hub: Path, tmp_path: Path) -> None:
        below = hub / "sources" / "deep"
        below.mkdir()
        arguments = ("add", "--source", "a-b", *FACT, "--summary", "text")
        soul(*arguments, cwd=below)
        soul(*arguments, "--hub", str(hub), cwd=tmp_path)
        soul("--hub", str(hub), *arguments, cwd=tmp_path)
        soul(*arguments, cwd=tmp_path, env={"AGENT_SOUL_HOME": str(hub)})
        done = soul(*arguments, cwd=tmp_path, code=2)

        assert "no hub at or above" in done.stderr
        assert len(next((hub / "sources" / "a-b").iterdir()).read_text(encoding="utf-8").split("\n")) == 5

    def test_help_of_every_command(self, soul: Soul) -> None:
        from agent_soul.cli import COMMANDS

        for name in COMMANDS:
            assert "--help" in soul(name, "--help").stdout

    def test_a_misspelt_command_is_answered(self, soul: Soul) -> None:
        assert "Did you mean 'search'?" in soul("serch", code=2).stderr

    def test_a_bug_writes_a_report_and_no_traceback(self, soul: Soul, hub: Path) -> None:
        program = (
            "import sys, agent_soul.cli.single as s;"
            "s.to_record = lambda fields: 1 / 0;"
            "from agent_soul.cli import main; sys.exit(main(['add', '--source', 'a-b']))"
        )
        done = subprocess.run([sys.executable, "-c", program], cwd=hub, capture_output=True, text=True, check=False)

        assert done.returncode == 3
        assert "Traceback" not in done.stderr
        report = Path(done.stderr.split("the report is in ")[1].split(";")[0])
        assert "ZeroDivisionError" in report.read_text(encoding="utf-8")

    @pytest.mark.parametrize("encoding", ["ascii", "gbk", "cp1252"])
    def test_a_narrow_console_does_not_fail_after_the_event_is_kept(
        self, process: Soul, hub: Path, encoding: str
    ) -> None:
        process(
            "add",
            "--source",
            "a-b",
            *FACT,
            "--summary",
            "用户喜欢茶 ☕",
            env={"PYTHONIOENCODING": encoding, "LC_ALL": "C"},
        )

        assert "用户喜欢茶 ☕" in next((hub / "sources" / "a-b").iterdir()).read_text(encoding="utf-8")

    def test_a_reader_that_stops_reading_is_no_failure(self, hub: Path, soul: Soul) -> None:
        lines = [json.dumps({"kind": "fact", "scope": "stable", "summary": f"fact number {n}"}) for n in range(3000)]
        soul("add", "--stdin", "--source", "a-b", stdin="\n".join(lines))
        shell = f"{sys.executable} -m agent_soul search fact --limit 0 | head -1; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", shell], cwd=hub, capture_output=True, text=True, check=False)

        assert done.stdout.strip().split("\n")[-1] == "0"
        assert "Traceback" not in done.stderr
        assert "Broken" not in done.stderr


def test_the_documents_are_what_the_code_says() -> None:
    """Regenerate with `python3 scripts/soul.py docs`."""
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "agent_soul", "docs", "--check", "--hub", str(root)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout


def test_the_page_of_commands_names_every_one_and_the_readmes_name_the_page() -> None:
    from agent_soul.cli import COMMANDS

    root = Path(__file__).parents[1]
    page = (root / "docs" / "commands.md").read_text(encoding="utf-8")
    assert [command for command in COMMANDS if command != "docs" and f"## soul {command}\n" not in page] == []
    assert all(
        "(docs/commands.md)" in (root / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh-CN.md")
    )


def test_the_pages_of_this_repository_are_up_to_date() -> None:
    """What a stranger sees first is what the compiler makes. Regenerate with `python3 scripts/soul.py compile`."""
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "agent_soul", "compile", "--check", "--hub", str(root)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


class TestTwoContentsOfOneId:
    @pytest.fixture
    def clash(self, soul: Soul, hub: Path) -> str:
        line = {"event_id": "g-1", "source": "a-b", "kind": "fact", "scope": "stable", "ts": "2026-11-01T10:00:00Z"}
        folder = hub / "sources" / "a-b"
        folder.mkdir(parents=True)
        texts = [json.dumps({**line, "summary": text}) for text in ("Port 80.", "Port 81.")]
        (folder / "log.ndjson").write_text("\n".join(texts) + "\n", encoding="utf-8")
        return "g-1"

    def test_show_tells_all_of_them_and_the_command_that_decides(self, soul: Soul, clash: str) -> None:
        shown = soul("show", clash).stdout
        assert "Port 80." in shown
        assert "Port 81." in shown
        assert shown.count("`soul resolve g-1 --keep ") == 2

    def test_the_command_that_is_named_decides(self, soul: Soul, hub: Path, clash: str) -> None:
        said = soul("validate").stdout
        digest = {row.partition(":")[0]: re.findall(r"--keep (\w+)", row)[0] for row in said.split("\n") if row}
        assert len(digest) == 1, "both lines stand in one file"
        [second] = [re.findall(r"--keep (\w+)", row)[0] for row in said.split("\n") if ":2:" in row]
        assert "stands for 2 contents" in soul("resolve", clash, "--both", "x", "--source", "a-b", code=2).stderr
        soul("resolve", clash, "--keep", second[:6], "--source", "a-b")
        soul("compile")

        assert "Port 81." in page(hub, "stable-memory.md")
        assert "Port 80." not in page(hub, "stable-memory.md")
        assert "id-clash" not in soul("doctor", "--json", code=1).stdout


def test_why_leaves_out_lines_that_only_name_the_event(soul: Soul, hub: Path) -> None:
    claim = ("--entity", "db", "--attribute", "port")
    one = add(soul, "The port is 80.", *claim, "--value", "80")["event_id"]
    add(soul, "The port is 81.", *claim, "--value", "81")
    add(soul, f"See [[{one}]] for the port.")
    soul("compile")

    lines = json.loads(soul("why", one, "--json").stdout)["results"][0]["lines"]
    on_page = [line["text"] for line in lines if line["path"] == "canonical/stable-memory.md"]
    assert len(on_page) == 1
    assert on_page[0].startswith("- The port is 80.")


def test_the_chain_is_readable(soul: Soul) -> None:
    one = add(soul, "The port is 80.")["event_id"]
    soul("retract", one[:8], "--reason", "no longer", "--source", "a-b")
    shown = soul("show", one[:8]).stdout
    assert re.search(r"taken back by [0-9a-f]{8}  ", shown)
    two = add(soul, "The port is 82.")["event_id"]
    add(soul, "The port is 83.", "--supersedes", two)
    assert "superseded: superseded" not in soul("show", two).stdout


def test_what_the_outbox_alone_holds_can_be_decided_on(soul: Soul, git_hub: Path) -> None:
    one = add(soul, "Acknowledged, then cleaned away.")["event_id"]
    shutil.rmtree(git_hub / "sources")

    soul("retract", one[:8], "--reason", "no longer", "--source", "a-b")
    assert json.loads(soul("show", one, "--json").stdout)["status"] == "retracted"


def test_apply_says_what_the_work_tree_lacks(soul: Soul, git_hub: Path) -> None:
    add(soul, "To be committed.")
    soul("compile", "--apply")
    shutil.rmtree(git_hub / "sources")
    add(soul, "Another one.", source="other-pc")

    assert "the work tree lacks 1 line that the last commit has" in soul("compile", "--apply").stderr
