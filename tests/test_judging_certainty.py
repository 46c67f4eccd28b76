"""What may be merged before anybody looks: nothing that could be meant otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_soul.judging import NEARLY_THE_SAME, Label, Statement, judge

MERGED = "says the same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Oslo", "My parents live in Oslo"),
        ("我对牛奶过敏", "我女儿对牛奶过敏"),
        ("I water the plants", "My husband waters the plants"),
        ("The agent writes the changelog", "The user writes the changelog"),
        ("The customer pays the fee", "We pay the fee"),
        ("When the gateway is down, the shop shows a banner", "When the shop is down, the gateway shows a banner"),
        ("老王欠我 200 元", "我欠老王 200 元"),
        ("Reports depend on invoices", "Invoices depend on reports"),
        ("前端比后端慢", "后端比前端慢"),
        ("The scan is run before the upload", "The scan is run after the upload"),
        ("会议前一天提醒我", "会议后一天提醒我"),
        ("I have been at Acme since 2019", "I was at Acme until 2019"),
        ("All guests see the notice", "Some guests see the notice"),
        ("Keep at least four copies", "Keep at most four copies"),
        ("Review is every Tuesday", "Review is every other Tuesday"),
        ("We plan to move to Nomad", "We moved to Nomad"),
        ("差点丢了钥匙", "丢了钥匙"),
        ("Maybe we will buy a printer", "We bought a printer"),
        ("Ask before removing files", "Don't ask before removing temp files"),
        ("Lock the branch during a freeze", "Unlock the branch during a freeze"),
        ("Will approves budgets", "Mark approves budgets"),
        ("The default branch is main", "We still use master as the default branch"),
        ("Digests are sent immediately", "Digests are sent in a nightly batch"),
        ("Never deploy without a backup.", "Deploy with a backup."),
        ("没有备份不得部署。", "有备份可以部署。"),
        ("I like long walks", "Long walks tire me, so I skip them"),
    ],
)
def test_what_could_be_meant_otherwise_is_never_merged_unasked(one: str, other: str) -> None:
    assert judge(Statement(one), Statement(other)).rule != MERGED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Logs are deleted after 30 days.", "Logs are removed after thirty days."),
        ("用户喜欢深色主题。", "用户偏好暗色主题。"),
        ("Backups are stored on the NAS.", "Backups are stored on the NAS in the cellar."),
        ("The build machine is in the cellar.", "Build machine is in the cellar"),
    ],
)
def test_what_agrees_in_order_and_in_every_word_that_tells_is_a_duplicate(one: str, other: str) -> None:
    assert judge(Statement(one), Statement(other)).rule in (MERGED, "same words")


@given(st.permutations(["invoices", "reports", "users", "orders"]))
def test_who_depends_on_whom_is_never_merged_the_other_way_round(things: list[str]) -> None:
    one, other = f"{things[0]} depend on {things[1]}", f"{things[1]} depend on {things[0]}"

    found = judge(Statement(one.capitalize()), Statement(other.capitalize()))

    assert found.label is not Label.DUPLICATE or found.rule == NEARLY_THE_SAME
