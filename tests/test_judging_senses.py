"""What a condition, an opinion, a rule or a measure does to the sense of a statement, in both languages."""

from __future__ import annotations

import pytest

from agent_soul.judging import Label, Statement, judge

DUPLICATE, CONFLICT, DISTINCT = Label.DUPLICATE, Label.CONFLICT, Label.DISTINCT


def judged(one: str, other: str) -> tuple[Label, str]:
    return judge(Statement(one, "rule"), Statement(other, "rule"))[:2]


@pytest.mark.parametrize(
    ("habit", "rule"),
    [
        ("User likes to deploy straight from a laptop.", "Nobody deploys from a laptop."),
        ("User likes singletons for caches, because they are at hand.", "Singletons are forbidden in the backend."),
        ("用户习惯用单例保存缓存，拿起来方便。", "后端禁止使用单例，依赖一律从外面传入。"),
        ("User would rather edit the production database by hand.", "Nobody edits the production database."),
    ],
)
def test_what_the_user_likes_to_do_and_a_rule_forbids_is_a_conflict(habit: str, rule: str) -> None:
    assert judged(habit, rule) == (CONFLICT, "forbidden habit")


@pytest.mark.parametrize(
    ("wish", "rule"),
    [
        ("User wants tests that never touch the network.", "Tests must not touch the network."),
        ("User prefers events over singletons.", "Singletons are forbidden in the backend."),
        ("User likes short functions.", "Long functions are forbidden in the backend."),
        ("User likes singletons in small scripts.", "User's friend does not like singletons."),
    ],
)
def test_a_wish_that_agrees_with_a_rule_is_no_conflict(wish: str, rule: str) -> None:
    assert judged(wish, rule)[0] is not CONFLICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("每次发布之前先跑冒烟测试，没过就立刻回退。", "发布前都要跑一遍冒烟测试，不通过就马上回退。"),
        ("Do not ship before legal has agreed.", "Nothing is shipped until legal agrees."),
        ("没有测试的改动，任何人不得合并。", "改动没有测试之前，谁都不许合并。"),
        ("未经主管同意，不得对外发送报价。", "对外发送报价之前，必须先征得主管同意。"),
        ("User can't bear needless meetings.", "User dislikes superfluous meetings."),
        ("以后不再寄纸质账单，改发邮件。", "今后账单改发邮件，纸质账单取消。"),
    ],
)
def test_what_is_supposed_awaited_or_ended_in_other_words_is_no_conflict(one: str, other: str) -> None:
    assert judged(one, other)[0] is not CONFLICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The agent may restart the worker without asking.", "Never restart the worker without asking first."),
        ("用户很喜欢助手顺手整理旁边的代码。", "助手顺手整理旁边的代码，用户非常反感。"),
        ("预约可以在网页上取消。", "预约不能在网页上取消，只能打电话。"),
        ("Agents may restart pods at will, no approval is required.", "No agent restarts a pod without an approval."),
        ("User is glad when the agent explains each step.", "User hates it when the agent explains each step."),
    ],
)
def test_a_permission_an_opinion_and_an_act_keep_their_sense(one: str, other: str) -> None:
    assert judged(one, other)[0] is CONFLICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("If the customer writes in French, answer in French.", "If the customer writes in Dutch, answer in Dutch."),
        ("Refunds above 200 euros wait for a manager.", "Refunds below 20 euros are paid without any check."),
        (
            "The parser tests run on each push and need no network.",
            "The exporter tests run on each push and need no network.",
        ),
        ("Host ares runs Debian 11.", "Host athena runs Debian 12."),
        ("4.x 分支上的修复要发布经理同意。", "5.x 分支上的修复不需要发布经理同意。"),
        ("摄影师从不参加周会。", "策展人每周都参加周会。"),
        ("The topic for returns has 6 partitions.", "The topic for refunds has 12 partitions."),
        ("6 月 11 日做了一次切换演练。", "A failover drill was run on 14 May."),
        ("Names of events are written in kebab-case.", "Names of classes are written in PascalCase."),
    ],
)
def test_another_condition_bound_series_or_role_is_distinct(one: str, other: str) -> None:
    assert judged(one, other)[0] is DISTINCT


@pytest.mark.parametrize(
    ("one", "other", "evidence"),
    [
        ("单个模块不要超过三百行。", "模块长度上限是 500 行。", {"三百行", "500 行"}),
        ("监控看板用的 Grafana 是 11 版。", "监控看板跑在 Grafana 10 上。", {"11", "10"}),
        ("At most 20 jobs run in the worker pool.", "The worker pool is capped at 12 jobs.", {"20", "12"}),
        ("缓存保留 90 天。", "缓存保留 91 天。", {"90 天", "91 天"}),
        ("R 4.4 is what the image ships with.", "The image is built on R 4.1.", {"4.4", "4.1"}),
        ("The learning rate for training is 1e-4.", "Training starts from a learning rate of 3e-5.", {"1e-4", "3e-5"}),
        ("用户每天的步数目标是八千步。", "用户定的步数目标是每天一万两千步。", {"八千", "一万两千"}),
        (
            "Unless asked, an answer has no more than 150 words.",
            "The limit for an answer is 400 words.",
            {"150", "400"},
        ),
        ("The lookup cache is backed up every 6 hours.", "备份查询缓存的间隔是 12 小时。", {"6 hours", "12 小时"}),
    ],
)
def test_a_number_is_compared_whatever_its_measure_is_called(one: str, other: str, evidence: set[str]) -> None:
    found = judge(Statement(one), Statement(other))

    assert found.label is CONFLICT
    assert set(found.evidence) == evidence


def test_two_leads_are_told_apart_by_what_they_lead_as_the_statements_write_it() -> None:
    one, other = "扫码模块由物流组长负责。", "扫码模块的负责人是硬件组长。"

    found = judge(Statement(one), Statement(other))

    assert found.rule == "differing owner"
    assert set(found.evidence) == {"物流组长", "硬件组长"}


def test_what_a_thing_was_switched_from_is_given_up() -> None:
    assert judged("消息中间件已经由 RocketMQ 切换为 Pulsar。", "消息中间件用的是 RocketMQ。") == (CONFLICT, "given up")


def test_a_lead_may_be_one_whose_team_is_named() -> None:
    assert (
        judged("The tracker is owned by the team lead.", "The logistics team lead owns the tracker.")[0] is not CONFLICT
    )


def test_what_is_kept_in_a_cache_is_not_kept_in_a_database() -> None:
    one = "Basket contents are kept in Memcached and are lost on a restart."

    assert judged(one, "Contents of the basket live in DynamoDB, with an expiry on every item.")[1] == "differing value"
    assert judged("票务数据存放在 MySQL。", "票务前端的构建工具换成了 Vite。")[0] is DISTINCT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dave owns the billing service.", "Dave does not own the search service."),
        (
            "用户不喜欢接电话，有事请发微信文字，语音也尽量别发。",
            "用户讨厌通电话，有事找他就在微信上打字留言，语音条也是能免则免。",
        ),
        (
            "销售报表每天早上六点之前更新完毕，晚了会自动告警。",
            "销售报表的字段说明写在字典里，由分析师维护，每季度核对一次。",
        ),
    ],
)
def test_a_denial_or_a_setting_of_another_thing_contradicts_nothing(one: str, other: str) -> None:
    assert judged(one, other)[0] is not CONFLICT


def test_where_most_agrees_a_denial_tells_again_what_another_clause_does() -> None:
    one = "The importer keeps the newest row of each customer."
    other = "The importer keeps the newest row of each customer and never an older one of that customer."

    assert judged(one, other)[1] != "differing sense"


def test_what_stays_open_until_then_is_closed_after_it() -> None:
    one = "A ticket stays open until the customer says that it works."

    assert judged(one, "Do not close a ticket before the customer has confirmed it.")[1] != "turned order"
