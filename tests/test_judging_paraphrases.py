"""Statements that say a thing in other words, or another thing in nearly the same: the thesaurus, names, cases."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent_soul.judging import judge, tables, thesaurus
from agent_soul.judging.lexicon import sections
from agent_soul.judging.pairs import Judgement, Label, Statement
from agent_soul.judging.reading import read
from agent_soul.judging.same import NEARLY_THE_SAME

CONFLICT, DISTINCT, DUPLICATE = Label.CONFLICT, Label.DISTINCT, Label.DUPLICATE


def judged(one: str, other: str) -> Judgement:
    """The judgement of two facts; it has to be the same in both orders."""
    found, turned = judge(Statement(one), Statement(other)), judge(Statement(other), Statement(one))
    assert found.label is turned.label
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Invoices are dispatched on the first working day.", "Invoices are sent out on the first working day."),
        ("Expired coupons get thrown away every night.", "Expired coupons are discarded every night."),
        ("Visitors have to register at reception beforehand.", "访客必须事先在前台登记。"),
        ("The user purchased a second-hand piano in 2021.", "User bought a used piano in 2021."),
    ],
)
def test_words_of_one_row_of_the_thesaurus_say_the_same(one: str, other: str) -> None:
    assert judged(one, other).label is DUPLICATE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("机器人的操作系统是 Fedora。", "机器人的操作系统是 Ubuntu。"),
        ("The exports are opened by default.", "The exports are never opened by default."),
    ],
)
def test_the_thesaurus_joins_neither_names_nor_what_turns_a_sense(one: str, other: str) -> None:
    assert judged(one, other).label is CONFLICT


def test_what_is_done_to_other_things_is_not_one_for_a_word_in_common() -> None:
    assert judged("安装软件前要问用户。", "改系统设置前要问用户。").label is DISTINCT


@pytest.mark.parametrize(
    ("form", "listed"),
    [
        ("reserve", "reserve"),
        ("reserved", "reserve"),
        ("Stopping", "stop"),
        ("bought", "buy"),
        ("companies", "company"),
        ("takes care of", "take care of"),
        ("推迟", "推迟"),
    ],
)
def test_a_form_is_found_as_it_stands_or_inflected(form: str, listed: str) -> None:
    assert thesaurus.rows_of(form) & thesaurus.rows_of(listed)


def test_a_form_that_is_nowhere_has_no_rows() -> None:
    assert thesaurus.rows_of("xylograffity") == frozenset()


def test_the_thesaurus_is_well_formed_and_its_index_finds_every_row() -> None:
    rows = [row.split(", ") for part in sections(thesaurus.TEXT.name).values() for row in part]

    assert all(len(row) == len({*row}) > 1 and all(form and form == form.strip() for form in row) for row in rows)
    assert [row for row in rows[::50] if not frozenset.intersection(*map(thesaurus.rows_of, row))] == []


def test_an_index_names_the_lines_of_each_form() -> None:
    assert thesaurus.index("# a\n\n[x]\nbig, large\nlarge, 大\n") == "big\t3\n\nlarge\t3 4\n\n大\t4"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Nobody may enter the cold room before the alarm has been switched off.",
            "The cold room may only be entered after the alarm has been switched off.",
        ),
        ("只有财务确认到账之后，仓库才能发货。", "财务确认到账之前，仓库不得发货。"),
    ],
)
def test_only_after_a_thing_is_never_before_it(one: str, other: str) -> None:
    assert judged(one, other).label is DUPLICATE


def test_before_it_has_happened_is_before_it_happens() -> None:
    assert [token.surface for token in read("没有签字之前") if token.word and token.word.sign < 0] == ["没有"]
    assert judged("没有导师签字之前，论文不能提交。", "导师签字之前，论文不能提交。").label is DUPLICATE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Shotcut is what we cut the trailers with; the raw clips sit on the NAS.",
            "Trailers are cut in Kdenlive, and the raw clips are kept on the NAS.",
        ),
        ("Ines took over the timetable from Marek.", "Marek is in charge of the timetable."),
        ("Error tracking went from Rollbar to Sentry.", "Errors are tracked in Rollbar."),
        ("Opening day: 3 May 2027.", "The opening is on 10 May 2027, the hall is booked."),
        ("The theme is built on Tailwind CSS 4.", "The theme is pinned to Tailwind CSS 3."),
        (
            "Readings that lie above 80 percent trigger an alarm.",
            "Readings that lie above 60 percent trigger an alarm.",
        ),
    ],
)
def test_another_name_owner_date_or_version_is_a_conflict(one: str, other: str) -> None:
    assert judged(one, other).label is CONFLICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "While the battery is charging, the sensor sends every minute.",
            "While the battery is not charging, the sensor sends every ten minutes.",
        ),
        ("大厅里有人的时候，灯光保持全亮。", "大厅里没有人的时候，灯光自动关闭。"),
        ("Shotcut is what we cut the trailers with.", "Shotcut also exports the subtitles for the trailers."),
    ],
)
def test_another_case_is_no_conflict(one: str, other: str) -> None:
    assert judged(one, other).label is DISTINCT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The trial period lasts six months.", "The trial period lasts half a year."),
        ("试用期为半年。", "试用期为六个月。"),
        ("Each speaker gets a voucher for lunch.", "Each speaker gets one voucher for lunch."),
        ("开场前三十分钟停止检票。", "开场前半小时停止检票。"),
    ],
)
def test_an_amount_is_the_same_in_another_unit_or_left_unsaid(one: str, other: str) -> None:
    assert judged(one, other).label is DUPLICATE


@pytest.mark.parametrize(
    "word",
    [
        "级别",
        "区别",
        "性别",
        "分别",
        "别墅",
        "未来",
        "未成年",
        "不锈钢",
        "不断",
        "无限",
        "非洲",
        "非法",
        "免疫",
        "缺失",
        "没收",
    ],
)
def test_a_word_that_holds_a_denial_denies_nothing(word: str) -> None:
    assert [token.surface for token in read(f"用户的{word}") if token.word and token.word.sign < 0] == []


_FRAGMENTS = [
    *(
        "第 10 版",
        "第十版",
        "一份",
        "half a year",
        "没有",
        "之前",
        "only after",
        "from X to Y",
        "Ines took over",
        "；",
        ", ",
    ),
    *("的时候", "while it is not", "半年", "CSS 4", "1.2.3", "3 May 2027", "每分钟", "by the desk", "由前台", "不锈钢"),
]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(_FRAGMENTS), max_size=8), st.lists(st.sampled_from(_FRAGMENTS), max_size=8))
@example(["第 10 版"], ["CSS 4", "第 10 版"])
def test_no_words_however_odd_stop_the_judge(one: list[str], other: list[str]) -> None:
    assert judged(" ".join(one), "".join(other)).label in Label


def test_every_listed_word_can_be_judged() -> None:
    forms = [*tables.read().concepts][::60]
    for one, other in zip(forms, reversed(forms), strict=True):
        judge(Statement(f"The {one} is {other}."), Statement(f"{other}是{one}。"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Documentation changes need one approval before merging.", "合并之前，代码评审只需要一个人批准。"),
        ("He cannot eat peanuts.", "他的儿子不能吃花生。"),
        ("Only admins may delete users.", "只有管理员可以删除项目。"),
        ("Prices include tax.", "运费含税。"),
        ("Expired coupons get thrown away every night.", "Expired coupons are discarded every night."),
    ],
)
def test_what_another_language_or_the_thesaurus_joins_is_a_suggestion_only(one: str, other: str) -> None:
    assert judged(one, other).rule in (NEARLY_THE_SAME, "unlike")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Prefers pnpm over npm.", "优先用 pnpm，不用 npm。"),
        ("Prefers pnpm over npm in every project.", "Do not use npm, use pnpm."),
        ("We chose Vite over webpack.", "构建用 Vite，不用 webpack。"),
        ("Prefers tabs to spaces.", "用制表符，不用空格。"),
        ("Billing is owned by Li Na.", "账单系统的负责人是李娜。"),
        ("The old server handles 1,200 rows per second.", "The new server handles 4,800 rows per second."),
        ("五月构建要 12 分钟。", "十月构建要 4 分钟。"),
    ],
)
def test_what_is_passed_over_or_is_of_another_time_contradicts_nothing(one: str, other: str) -> None:
    assert judged(one, other).label is not CONFLICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("He lives in Shenzhen.", "He lives in Hangzhou."),
        ("He lives in Shenzhen.", "他住在广州。"),
        (
            "The lantern API listens on port 8080 in every environment.",
            "lantern 的 API 在所有环境都监听 9090 端口。",
        ),
        (
            "Do not add a dependency without the user's explicit approval.",
            "The assistant may add dependencies on its own, no need to ask first.",
        ),
    ],
)
def test_another_home_port_or_permission_is_a_conflict(one: str, other: str) -> None:
    assert judged(one, other).label is CONFLICT
