"""Consolidation: remarks worth keeping, merges, key facts that stay on their pages, and the page that tells of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_soul.compiler import compile_hub
from agent_soul.config import default_config
from agent_soul.draft import draft
from agent_soul.event import Event, build
from agent_soul.hub import find_hub
from agent_soul.resolve import resolve
from agent_soul.upkeep.consolidating import Consolidation, consolidate, lost_facts, oversize_pages
from agent_soul.upkeep.fragments import CORRECTION, CORROBORATED, DECISION, SAID, Fragment, find_fragments
from hubs import AS_OF, compiled, event, headings, items, log_of
from support import Run, Soul, log_text, write_log

WHO = ("--source", "nightly")


def note(number: int, summary: str, **fields: Any) -> dict[str, Any]:
    return event(number, summary, **{"kind": "note", "scope": "daily", **fields})


def fragments(*records: Mapping[str, Any]) -> list[Fragment]:
    return find_fragments(resolve(log_of(records).events, AS_OF, default_config()))


@pytest.mark.parametrize(
    ("summary", "reasons"),
    [
        ("The user wants reports as bullet points.", (SAID,)),
        ("用户要求周报不超过一页。", (SAID,)),
        ("We decided to ship on Mondays only.", (DECISION,)),
        ("Switched to FastAPI from Flask.", (DECISION,)),
        ("部署改用 GitHub Actions。", (DECISION,)),
        ("更正：预算是 1200 美元。", (CORRECTION,)),
        ("The user decided to keep PostgreSQL.", (SAID, DECISION)),
        ("Nothing was decided about the budget.", ()),
        ("预算尚未决定。", ()),
        ("Has anybody decided on the budget?", ()),
        ("Had a sync with the frontend team.", ()),
        ("和前端团队开了会。", ()),
        ("The superuser account is locked.", ()),
    ],
)
def test_the_words_that_make_a_remark_worth_keeping(summary: str, reasons: tuple[str, ...]) -> None:
    assert [each.reasons for each in fragments(note(1, summary))] == ([reasons] if reasons else [])


def test_what_another_source_says_too_is_worth_keeping() -> None:
    first, again = note(1, "The build server has 8 cores."), note(2, "The build server has eight cores", scope="fuzzy")

    assert fragments(first, again) == []
    (found,) = fragments(first, again | {"source": "desk"})
    assert (found.reasons, [each.id for each in found.said]) == ((CORROBORATED,), ["event-1", "event-2"])


@pytest.mark.parametrize("scope", ["profile", "stable", "project", "agent"])
def test_what_a_page_that_is_loaded_says_already_is_not(scope: str) -> None:
    names = {"project": "shop", "agent": "ocr"}
    there = event(
        1, "We decided to ship on Mondays only.", scope=scope, **{k: v for k, v in names.items() if k == scope}
    )

    assert len(fragments(there, note(2, "It was decided to ship only on Mondays."))) == (scope == "agent")


@pytest.mark.parametrize(
    "before",
    [
        {},
        {"proposed": True},
        {"event_id": "event-2", "scope": "stable", "derived_from": ["event-1"], "summary": "Something else."},
    ],
    ids=["kept", "proposed", "kept in other words"],
)
def test_what_was_made_of_a_remark_before_is_not_made_again(before: dict[str, Any]) -> None:
    remark = note(1, "We decided to ship on Mondays only.")
    made = event(2, "Ships on Mondays.", derived_from=["event-1"]) | before

    assert fragments(remark, made) == []
    assert fragments(remark, made, event(3, "No.", kind="retraction", supersedes=["event-2"])) == []


@pytest.mark.parametrize(
    "odd", [{"kind": "task"}, {"kind": "temporary"}, {"scope": "agent", "agent": "ocr"}, {"proposed": True}]
)
def test_only_passing_remarks_are_kept(odd: dict[str, Any]) -> None:
    assert fragments(note(1, "We decided to ship on Mondays only.") | odd) == []


def test_what_upkeep_says_of_itself_is_no_remark() -> None:
    origin = {"tool": "soul consolidate", "id": "1"}
    report = note(1, "Consolidated: 2 merges made.", kind="project-update")
    alike = report | {"event_id": "event-2", "source": "desk"}

    assert len(fragments(report, alike)) == 1
    assert fragments(report | {"origin": origin}, alike | {"origin": origin}) == []


@pytest.mark.parametrize(
    ("remark", "kept"),
    [
        (note(1, "We decided to ship on Mondays."), {"kind": "decision", "scope": "stable"}),
        (note(1, "The user said it rains."), {"kind": "fact", "scope": "stable"}),
        (note(1, "We decided it.", project="shop"), {"kind": "decision", "scope": "project", "project": "shop"}),
        (note(1, "User likes tea.", kind="preference"), {"kind": "preference", "scope": "profile"}),
        (note(1, "Call it tea.", kind="correction"), {"kind": "correction", "scope": "profile"}),
        (note(1, "更正：叫它茶。", scope="fuzzy"), {"kind": "correction", "scope": "profile"}),
        (note(1, "Correction: tea.", project="shop"), {"kind": "correction", "scope": "project", "project": "shop"}),
    ],
)
def test_where_and_as_what_a_remark_is_kept(remark: dict[str, Any], kept: dict[str, Any]) -> None:
    (found,) = fragments(remark)
    record = found.statement()
    assert {name: record.get(name) for name in kept} == kept
    assert (record["summary"], record["derived_from"]) == (remark["summary"], ["event-1"])


def drafted(records: Iterable[Mapping[str, Any]]) -> list[Event]:
    """Make events of records as `Run.draft` does, later than all others, but for clock and chance."""
    return [
        build(event(5_000) | record | {"event_id": f"made-{crc32(record['summary'].encode())}"}) for record in records
    ]


def consolidated(*records: Mapping[str, Any], propose: bool = False) -> Consolidation:
    before = compiled(records)
    return consolidate(log_of(records), default_config(), before, drafted, propose=propose)


SAME = (
    event(1, "User likes concise replies.", scope="profile", kind="preference", importance=0.9, source="desk"),
    event(2, "User prefers short answers.", scope="profile", kind="preference"),
)
NEARLY = (
    event(1, "User does not like when answers start with a summary of the question.", scope="profile", kind="rule"),
    event(2, "Do not repeat the question at the start of an answer to this user.", scope="profile", kind="rule"),
)


class TestKeyFacts:
    def test_what_replaces_a_key_fact_stands_for_it(self) -> None:
        found = consolidated(*SAME, event(3, importance=0.8), event(4, importance=0.79))
        assert [len(part) for part in (found.merges, found.key, found.lost)] == [1, 2, 0]

    def test_a_key_fact_without_room_is_found_where_its_page_says(self) -> None:
        many = [event(n, f"Fact {n} of many: {'x' * 200}", importance=0.9) for n in range(60)]
        found = consolidated(*many, *(each | {"event_id": f"p-{n}"} for n, each in enumerate(SAME)))
        assert len(found.key) == 61
        assert found.lost == ()
        assert list(found.oversize) == ["stable-memory.md"]

    def test_a_key_fact_that_no_page_shows_is_lost(self) -> None:
        records = [event(1, importance=0.9), event(2, importance=0.9)]
        whole = compiled(records)
        key = [verdict.event for verdict in whole.resolution.active]
        page = whole.texts["stable-memory.md"].replace("event-2", "event-22")

        assert lost_facts(key, whole) == []
        assert [e.id for e in lost_facts(key, whole._replace(texts={**whole.texts, "stable-memory.md": page}))] == [
            "event-2"
        ]
        archived = compiled(
            [*records, event(3, "x y", kind="mark", mark={"action": "archive", "targets": ["event-1"]})]
        )
        assert [e.id for e in lost_facts(key, archived)] == ["event-1"]


def test_pages_without_room_are_counted_with_the_pages_for_the_rest() -> None:
    texts = {"profile.md": "", "more/projects/shop/2026-03.md": "", "more/projects/shop/2026-03-part-2.md": ""}
    assert oversize_pages(texts) == {"projects/shop.md": 2}


def test_a_merge_that_was_answered_is_not_made_again() -> None:
    ids = ["event-1", "event-2"]
    waits = event(3, "Short.", scope="profile", supersedes=ids, derived_from=ids, proposed=True)
    assert consolidated(*SAME, waits).merges == ()
    done = event(3, "Short.", scope="profile", supersedes=ids, derived_from=ids)
    assert consolidated(*SAME, done, event(4, "No.", kind="retraction", supersedes=["event-3"])).merges == ()


def test_a_side_of_an_open_conflict_is_merged_by_nobody_but_a_person() -> None:
    against = event(3, "User dislikes short answers.", scope="profile", kind="preference")
    found, proposed = consolidated(*SAME, against), consolidated(*SAME, against, propose=True)
    assert found.merges == ()
    assert len(proposed.merges) == 1
    assert (dict(found.held), proposed.held) == (
        {proposed.merges[0].id: tuple(conflict.id for conflict in found.before.conflicts)},
        {},
    )


def test_what_is_only_nearly_the_same_is_counted_and_left_to_a_person() -> None:
    found, proposed = consolidated(*NEARLY), consolidated(*NEARLY, propose=True)
    assert (len(found.merges), found.nearly) == (0, 1)
    assert (len(proposed.merges), proposed.nearly) == (1, 0)


def test_what_may_not_be_written_again_costs_itself_alone() -> None:
    def checked(records: Iterable[Mapping[str, Any]]) -> list[Event]:
        return [draft({"source": "mac", **record}, datetime.now(UTC)) for record in records]

    records = [
        note(1, "We decided to ship on Mondays only.", detail="x" * 20_000),
        note(2, "We decided to paint it green."),
    ]
    found = consolidate(log_of(records), default_config(), compiled(records), checked, propose=False)

    assert [each.newest.id for each in found.fragments] == ["event-2"]
    assert len(found.kept) == 1
    assert "detail: has 20000 bytes" in found.unwritable[0]


STATEMENTS = st.builds(
    dict,
    summary=st.sampled_from(
        [
            "User likes concise replies.",
            "User prefers short answers.",
            "We decided to ship on Mondays only.",
            "It was decided to ship only on Mondays.",
            "部署改用 GitHub Actions。",
            "Never deploy on a Friday.",
            "Please never deploy on Fridays.",
            "The build server has 8 cores.",
        ]
    ),
    kind=st.sampled_from(["fact", "note", "preference", "correction"]),
    scope=st.sampled_from(["profile", "stable", "daily", "fuzzy"]),
    source=st.sampled_from(["mac", "desk"]),
    importance=st.sampled_from([0.5, 0.9]),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(STATEMENTS, max_size=7), st.booleans())
def test_no_key_fact_is_lost_and_a_second_run_finds_nothing(statements: list[dict[str, Any]], propose: bool) -> None:
    records = [event(number, **statement) for number, statement in enumerate(statements)]
    first = consolidated(*records, propose=propose)
    assert first.lost == ()

    written = [each.data for each in (*first.merged, *first.kept)]
    second = consolidated(*records, *written, propose=propose)
    assert (second.merges, second.fragments) == ((), ())


def test_a_remark_goes_to_its_project_under_the_name_of_today() -> None:
    mark = {"action": "alias", "targets": ["shop"], "to": "store"}
    named = event(4, "Names.", kind="mark", scope="project", project="store", mark=mark)
    found = consolidated(*SAME, note(3, "We decided to paint it green.", project="shop"), named)
    assert [each.project for each in found.kept] == ["store"]


def test_a_proposed_merge_replaces_nothing_yet() -> None:
    found = consolidated(*SAME, propose=True)
    assert found.merged[0].data["proposed"] is True
    assert "User likes concise replies" in found.after.texts["profile.md"]
    assert "User likes concise replies" not in consolidated(*SAME).after.texts["profile.md"]


# The command and its page


def write(hub: Path, *records: Mapping[str, Any]) -> None:
    yesterday = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    write_log(hub, *(record | {"ts": yesterday} for record in records))


class TestConsolidate:
    def test_lists_and_touches_nothing(self, hub: Path, run: Run) -> None:
        write(hub, *SAME, note(3, "We decided to ship on Mondays only."))
        before = log_text(hub)

        answer = run("consolidate")

        assert (len(answer["merges"]), answer["applied"]) == (1, 0)
        assert [(each["event_id"], each["reasons"]) for each in answer["fragments"]] == [("event-3", [DECISION])]
        assert answer["key_facts"] == {"checked": 1, "lost": []}
        assert log_text(hub) == before

    def test_what_it_leaves_out_is_said(self, hub: Path, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
        write(hub, *SAME, event(3, "User dislikes short answers.", scope="profile", kind="preference"))
        answer = run("consolidate", "--apply", *WHO)
        said = capsys.readouterr().out

        ((cluster, (conflict,)),) = answer["left_out"].items()
        assert (answer["merges"], answer["nearly"], answer["applied"]) == ([], 0, 0)
        assert f"{cluster} is left out: it holds a side of the open conflict {conflict}; `soul resolve" in said
        assert "1 left out" in said

    def test_only_adds_and_does_it_once(self, hub: Path, run: Run) -> None:
        write(hub, *SAME, note(3, "We decided to ship on Mondays only."))
        before = log_text(hub)

        assert run("consolidate", "--apply", *WHO)["applied"] == 2
        after = log_text(hub)
        assert before in after
        pages = compile_hub(find_hub(str(hub))).compiled.texts
        assert "We decided to ship on Mondays only" in pages["stable-memory.md"]
        assert "User likes concise" not in pages["profile.md"]

        assert run("consolidate", "--apply", *WHO)["applied"] == 0
        assert log_text(hub) == after

    def test_proposals_wait_for_a_review_and_are_made_once(self, hub: Path, run: Run) -> None:
        write(hub, *SAME)
        run("consolidate", "--apply", "--propose", *WHO)

        (waiting,) = run("review")["items"]
        assert run("consolidate", "--apply", "--propose", *WHO)["applied"] == 0
        run("review", "approve", waiting["event_id"], *WHO)
        pages = compile_hub(find_hub(str(hub))).compiled.texts
        assert "User likes concise" not in pages["profile.md"]

    def test_what_was_proposed_before_is_counted_as_left_out(self, hub: Path, inside: Soul) -> None:
        write(hub, *SAME)
        inside("consolidate", "--apply", "--propose", *WHO)
        assert (
            "0 to merge, 0 to keep; 1 left out, proposed or answered before (`soul dedup`)"
            in inside("consolidate").stderr
        )

    def test_what_is_proposed_is_not_called_merged(self, hub: Path, inside: Soul) -> None:
        write(hub, *NEARLY)
        said = inside("consolidate", "--apply", "--propose", *WHO).stderr
        assert "1 proposed, 0 kept; " in said
        assert "`soul review` lists what waits" in said
        assert "merged" not in said

    def test_a_review_says_what_a_proposal_would_replace_and_what_speaks_against_it(
        self, hub: Path, inside: Soul
    ) -> None:
        write(hub, *SAME, event(3, "User dislikes short answers.", scope="profile", kind="preference"))
        inside("consolidate", "--apply", "--propose", *WHO)
        shown = inside("review").stdout
        for id_ in ("event-1", "event-2"):
            assert f"  would replace  {id_}" in shown
        conflict = inside("conflicts").stdout.split()[0]
        assert f"a side of the open conflict {conflict}" in shown

    def test_a_review_says_what_is_only_nearly_the_same(self, hub: Path, inside: Soul) -> None:
        write(hub, *NEARLY)
        inside("consolidate", "--apply", "--propose", *WHO)
        assert "(says nearly the same" in inside("review").stdout

    def test_what_it_tells_of_itself_is_nothing_to_merge(self, hub: Path, run: Run) -> None:
        """Reports in equal words, of runs that each found something, would else be merged for ever."""
        for number in range(3):
            place = {"scope": "agent", "agent": f"a-{number}", "importance": 0.5}
            write(hub, *(each | place | {"event_id": f"pair-{number}-{n}"} for n, each in enumerate(SAME)))
            assert run("consolidate", "--apply", *WHO)["applied"] == 1
        assert run("consolidate", "--apply", *WHO)["applied"] == 0
        assert run("consolidate", "--apply", *WHO)["applied"] == 0

    def test_the_page_tells_what_was_done_from_the_log_alone(self, hub: Path, run: Run) -> None:
        write(hub, *SAME, note(3, "We decided to ship on Mondays only."))
        run("consolidate", "--apply", *WHO)

        page = compile_hub(find_hub(str(hub))).compiled.texts["upkeep.md"]

        today = datetime.now(UTC).date().isoformat()
        assert headings(page) == [f"{today} soul consolidate by nightly"]
        report, merged, kept = items(page)
        assert report.startswith("Consolidated: 1 merge made, 1 remark kept; 1 key fact checked, none off the pages. (")
        assert merged.startswith("merged: User prefers short answers. ×2 from 2 sources (")
        assert merged.endswith("from event-2, event-1")
        assert kept.startswith("kept: We decided to ship on Mondays only. (")
        assert "\n  profile.md: " in page
        assert " bytes\n" in page
        assert "- [[upkeep]]: " in compile_hub(find_hub(str(hub))).compiled.texts["pages.md"]
        (hub / "canonical" / "upkeep.md").unlink()
        assert compile_hub(find_hub(str(hub))).compiled.texts["upkeep.md"] == page


def test_a_long_history_keeps_within_its_page() -> None:
    origin = {"tool": "soul consolidate", "id": "1"}
    runs = [
        event(n, f"{'长' * 400} {n}", scope="daily", origin=origin | {"batch": f"b-{n}"}, kind="project-update")
        for n in range(60)
    ]
    page = compiled(runs).texts["upkeep.md"]
    assert headings(page)[0] == "2026-03-01 soul consolidate by mac"
    assert "Left out for room: " in page
    assert len(page.encode()) <= 12 << 10


def test_runs_stand_in_the_order_of_their_reports_though_a_merge_has_the_time_of_what_it_merged() -> None:
    def run(name: str, day: int, merged: int) -> list[dict[str, Any]]:
        origin = {"tool": "soul consolidate", "batch": name}
        members = [f"{name}-{n}" for n in range(2)]
        said = {"summary": f"{name} was said.", "ts": f"2026-01-{merged}T12:00:00Z"}
        report = {"kind": "project-update", "scope": "daily", "ts": f"2026-02-{day}T12:00:00Z"}
        replacing: dict[str, Any] = {"supersedes": members, "derived_from": members, "event_id": f"{name}-m"}
        return [
            *(event(0, **said, event_id=id_) for id_ in members),
            event(0, **said, **replacing, origin=origin | {"id": "1"}),
            event(0, f"Run {name}.", event_id=f"{name}-r", origin=origin | {"id": "2"}, **report),
        ]

    page = compiled([*run("first", 20, 15), *run("second", 21, 11)]).texts["upkeep.md"]

    assert headings(page) == ["2026-02-21 soul consolidate by mac", "2026-02-20 soul consolidate by mac"]


def test_without_upkeep_there_is_no_such_page() -> None:
    assert "upkeep.md" not in compiled([event(1, origin={"tool": "import", "id": "1"})]).texts
