"""What a clone has judged is remembered, changes no result, and is judged again under other rules."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_soul import judgements, judging
from agent_soul.conflicts import contradictions
from agent_soul.event import Event
from agent_soul.hub import Hub, find_hub
from agent_soul.judging import Judgement, Label, Statement
from hubs import event, log_of
from support import Soul, write_log

SAYINGS = [
    "The staging database listens on port 5432.",
    "The staging database listens on port 6543.",
    "Deploys happen on Friday afternoon.",
    "周报在星期一早上发布。",
    "周报在星期五下午发布。",
]
PAIRS = [(Statement(one), Statement(other)) for one in SAYINGS for other in SAYINGS if one != other]


@pytest.fixture
def here(git_hub: Path) -> Hub:
    found = find_hub(str(git_hub))
    found.state.mkdir(parents=True, exist_ok=True)
    return found


def judged(hub: Hub, pairs: list[tuple[Statement, Statement]], *, keep: bool = True) -> list[Judgement]:
    with judgements.remembered_contradictions(hub, keep=keep) as look:
        return [look.judge(*pair) for pair in pairs]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Statement, Statement]]:
    """Return the pairs that the judge himself was asked for."""
    seen: list[tuple[Statement, Statement]] = []
    judge = judging.contradiction

    def counting(one: Statement, other: Statement) -> Judgement:
        seen.append((one, other))
        return judge(one, other)

    monkeypatch.setattr(judging, "contradiction", counting)
    return seen


def test_what_is_remembered_is_what_the_judge_said(here: Hub, asked: list[tuple[Statement, Statement]]) -> None:
    expected = [judging.contradiction(*pair) for pair in PAIRS]
    asked.clear()
    assert judged(here, PAIRS) == expected
    assert len(asked) == len(PAIRS)
    asked.clear()
    assert judged(here, PAIRS) == expected
    assert not asked
    assert {judgement.label for judgement in expected} >= {Label.CONFLICT, Label.DISTINCT}


def test_what_there_is_no_time_for_is_counted_and_judged_later(
    here: Hub, asked: list[tuple[Statement, Statement]]
) -> None:
    expected = judged(here, PAIRS[:3])
    asked.clear()
    with judgements.remembered_contradictions(here, seconds=0) as look:
        found = [look.judge(*pair) for pair in PAIRS]

    assert found[:3] == expected
    assert {(judgement.label, judgement.rule) for judgement in found[3:]} == {(Label.DISTINCT, "not compared")}
    assert look.unjudged == len(PAIRS) - 3
    assert not asked
    judged(here, PAIRS)
    assert asked == PAIRS[3:], "nothing of it was kept as a judgement"


def test_only_what_is_new_is_judged(here: Hub, asked: list[tuple[Statement, Statement]]) -> None:
    judged(here, PAIRS[:5])
    asked.clear()
    judged(here, PAIRS)
    assert asked == PAIRS[5:]
    asked.clear()
    judged(here, [(Statement("Another one."), Statement("And one more."))])
    judged(here, PAIRS)
    assert len(asked) == 1, "what was not asked for this time is remembered all the same"
    other_kind = [(one._replace(kind="rule"), other._replace(reach=("project", "x"))) for one, other in PAIRS[:2]]
    asked.clear()
    judged(here, other_kind)
    assert asked == other_kind, "kind and reach belong to a statement too"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"rules":"x","pairs":{}}', '{"rules": 1}', "\x00"])
def test_a_file_that_cannot_be_used_is_made_anew(here: Hub, content: str) -> None:
    expected = judged(here, PAIRS)
    file = here.state / "judgements.json"
    good = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(content, encoding="utf-8")
    assert judged(here, PAIRS) == expected
    assert json.loads(file.read_text(encoding="utf-8")) == good


def test_a_broken_entry_is_judged_again(here: Hub) -> None:
    expected = judged(here, PAIRS)
    file = here.state / "judgements.json"
    noted = json.loads(file.read_text(encoding="utf-8"))
    for broken in (["perhaps", "no rule"], ["conflict"], [], "", 7, None):
        file.write_text(json.dumps({**noted, "pairs": dict.fromkeys(noted["pairs"], broken)}), encoding="utf-8")
        assert judged(here, PAIRS) == expected
    file.write_text("[" * 200_000, encoding="utf-8")
    assert judged(here, PAIRS) == expected


def test_other_rules_judge_again(
    here: Hub, asked: list[tuple[Statement, Statement]], monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(here, PAIRS)
    asked.clear()
    monkeypatch.setattr(judgements, "_state_of_the_rules", lambda: "others")
    judged(here, PAIRS)
    assert len(asked) == len(PAIRS)


def test_too_much_is_not_kept(here: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    judged(here, PAIRS[:8])
    monkeypatch.setattr(judgements, "_MOST_KEPT", 10)
    judged(here, PAIRS[8:14])
    assert len(json.loads((here.state / "judgements.json").read_text(encoding="utf-8"))["pairs"]) == 6


def test_who_promises_to_touch_nothing_keeps_nothing(here: Hub) -> None:
    judged(here, PAIRS, keep=False)
    assert not (here.state / "judgements.json").exists()


def found(hub: Hub, events: list[Event], *, keep: bool = True) -> list[tuple[str, str, Judgement]]:
    with judgements.remembered_contradictions(hub, keep=keep) as look:
        return [(one.id, other.id, judgement) for one, other, judgement in look(events)]


def events_of(*sayings: str, **fields: str) -> list[Event]:
    records = [event(number, said, **fields) for number, said in enumerate(sayings)]
    return log_of(records).events


def test_a_reach_that_did_not_change_is_not_looked_at(here: Hub, asked: list[tuple[Statement, Statement]]) -> None:
    events = events_of(*SAYINGS)
    expected = [(one.id, other.id, judgement) for one, other, judgement in contradictions(events)]
    assert expected
    assert found(here, events) == expected
    (here.state / "judgements.json").unlink()
    asked.clear()

    assert found(here, events) == expected
    assert asked == []
    assert not (here.state / "judgements.json").exists()


def test_a_reach_that_there_was_no_time_for_is_looked_at_again(here: Hub) -> None:
    events = events_of(*SAYINGS)
    with judgements.remembered_contradictions(here, seconds=0) as look:
        assert list(look(events)) == []
        assert look.unjudged > 0

    assert found(here, events) == [(one.id, other.id, judgement) for one, other, judgement in contradictions(events)]


@pytest.mark.parametrize(
    "changed",
    [
        events_of(*SAYINGS, "周报在星期四早上发布。"),
        events_of(*SAYINGS[:-1]),
        events_of(*SAYINGS[1:], SAYINGS[0]),
    ],
)
def test_a_reach_that_changed_is_looked_at_again(here: Hub, changed: list[Event]) -> None:
    found(here, events_of(*SAYINGS))

    expected = [(one.id, other.id, judgement) for one, other, judgement in contradictions(changed)]
    assert found(here, changed) == expected


@pytest.mark.parametrize(
    "field", [{"kind": "preference"}, {"scope": "agent", "agent": "x"}, {"valid_until": "2026-12-01"}]
)
def test_what_a_statement_is_besides_its_text_counts(
    field: dict[str, str], here: Hub, asked: list[tuple[Statement, Statement]]
) -> None:
    found(here, events_of(*SAYINGS))
    asked.clear()
    found(here, events_of(*SAYINGS, **field))
    assert asked


@pytest.mark.parametrize(
    "rows",
    [
        [["event-0", "event-1"]],
        [["event-1", "event-0", "rule"]],
        [["event-0", "event-99", "rule"]],
        [["event-0", "event-1", ""]],
        [[0, 1, "rule"]],
        [[["event-0"], "event-1", "rule"]],
        [7],
        7,
    ],
)
def test_a_reach_that_was_noted_wrongly_is_looked_at_again(here: Hub, rows: object) -> None:
    expected = found(here, events_of(*SAYINGS))
    file = here.state / "contradictions.json"
    noted = json.loads(file.read_text(encoding="utf-8"))
    for spoilt in ({**noted, "reaches": dict.fromkeys(noted["reaches"], rows)}, {**noted, "reaches": rows}, rows):
        file.write_text(json.dumps(spoilt), encoding="utf-8")
        assert set(judgements.noted_contradictions(here).ids) <= {"event-0", "event-1", "event-99"}
        assert found(here, events_of(*SAYINGS)) == expected


def test_what_was_found_before_is_known_without_judging(here: Hub, asked: list[tuple[Statement, Statement]]) -> None:
    expected = found(here, events_of(*SAYINGS))
    more = events_of(*SAYINGS, "周报在星期四早上发布。")
    with judgements.remembered_contradictions(here, seconds=0) as look:
        list(look(more))
        assert look.unjudged
        assert list(look(events_of("Sings.", "天气好。", scope="agent", agent="x"))) == []
    asked.clear()
    noted = judgements.noted_contradictions(here)

    assert [(one.id, other.id, judgement) for one, other, judgement in noted(more)] == expected
    assert list(noted(more[1:2])) == asked == []
    assert noted.ids == {id_ for one, other, _ in expected for id_ in (one, other)}


def test_other_rules_look_again(here: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = found(here, events_of(*SAYINGS))
    file = here.state / "contradictions.json"
    noted = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**noted, "reaches": {key: [] for key in noted["reaches"]}}), encoding="utf-8")
    assert found(here, events_of(*SAYINGS)) == []
    monkeypatch.setattr(judgements, "_state_of_the_rules", lambda: "others")
    assert found(here, events_of(*SAYINGS)) == expected


def test_only_reaches_that_there_still_are_stay_noted(here: Hub) -> None:
    for number in range(3):
        found(here, events_of(*SAYINGS[:number], *SAYINGS))
    assert len(json.loads((here.state / "contradictions.json").read_text(encoding="utf-8"))["reaches"]) == 1
    found(here, events_of("One alone."))
    found(here, events_of(*SAYINGS[:-1]), keep=False)
    assert len(json.loads((here.state / "contradictions.json").read_text(encoding="utf-8"))["reaches"]) == 1


def test_the_pages_are_the_same_with_and_without(soul: Soul, git_hub: Path) -> None:
    lines = [json.dumps({"kind": "fact", "scope": "stable", "summary": said}) for said in SAYINGS]
    soul("add", "--stdin", "--source", "s-one", stdin="\n".join(lines))
    soul("compile")
    before = {path.name: path.read_bytes() for path in (git_hub / "canonical").rglob("*.md")}
    assert (git_hub / ".git" / "agent-soul" / "judgements.json").is_file()
    assert b"CONFLICT" in before["stable-memory.md"]
    soul("compile", "--check")
    soul("compile", "--check")
    for name in ("judgements.json", "contradictions.json"):
        (git_hub / ".git" / "agent-soul" / name).unlink()
    soul("compile", "--check")


def test_what_is_remembered_needs_no_rule(git_hub: Path) -> None:
    """They are loaded for two statements that were not compared before, and for nothing else."""
    program = (
        "import sys; from agent_soul.cli import main; code = main(['compile', '--hub', sys.argv[1]]);"
        "print(code, 'agent_soul.judging.judge' in sys.modules, file=sys.stderr)"
    )

    def compiled(*records: dict[str, Any]) -> str:
        write_log(git_hub, *records)
        done = subprocess.run([sys.executable, "-c", program, str(git_hub)], capture_output=True, text=True, check=True)
        return done.stderr.strip().split("\n")[-1]

    assert compiled(event(1, SAYINGS[0]), event(2, SAYINGS[1])) == "0 True"
    assert compiled(event(3, "Anna likes tea.")) == "0 False", "the reach is another one, its pairs are the same"
    assert "CONFLICT" in (git_hub / "canonical" / "stable-memory.md").read_text(encoding="utf-8")
    assert compiled(event(4, "The staging database listens on port 7000.")) == "0 True"
