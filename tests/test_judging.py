"""The judge of texts: what two statements are to each other, in both languages, and what it must never do."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_soul.judging import Judgement, Label, Statement, contradiction, judge, may_be_duplicates, tables
from agent_soul.judging.frames import frame
from agent_soul.judging.lexicon import entry, find, load, longest_phrase, sections, word
from agent_soul.judging.reading import read
from agent_soul.judging.stems import stem
from conftest import ROOT, SHARED

DUPLICATE, CONFLICT, DISTINCT = Label.DUPLICATE, Label.CONFLICT, Label.DISTINCT


def judged(one: str, other: str, **fields: Any) -> Judgement:
    return judge(Statement(one, **fields), Statement(other, **fields))


@pytest.mark.parametrize(
    ("one", "other", "rule", "evidence"),
    [
        ("Uploads may have 20 MB.", "Uploads may have 5 MB.", "differing number", ("20 MB", "5 MB")),
        ("上传的文件最大 20MB。", "上传的文件最大 5 MB。", "differing number", ("20MB", "5 MB")),
        ("会话三十分钟后过期。", "会话一小时后过期。", "differing number", ("三十分钟", "一小时")),
        ("The service runs on Node 20.", "Node 22 runs the service.", "differing number", ("20", "22")),
        ("Release day is 15 May.", "The release day is May 29.", "differing number", ("15 May", "May 29")),
        ("例会在周三下午三点。", "例会在周五下午三点。", "differing number", ("周三", "周五")),
        ("Indent with tabs.", "Use two spaces for indentation.", "differing indentation", ("tab", "space")),
        ("编辑器用深色主题。", "编辑器使用浅色主题。", "differing theme", ("dark", "light")),
        (
            "The shop keeps its data in MySQL.",
            "商店的数据存在 PostgreSQL。",
            "differing database",
            ("mysql", "postgresql"),
        ),
        ("The game is built with Lumio.", "We build the game on Arcana.", "differing value", ("Lumio", "Arcana")),
        ("Search is looked after by Ann.", "Search is looked after by Bob.", "differing owner", ("ann", "bob")),
        ("支付模块由张伟负责。", "支付模块由李娜负责。", "differing owner", ("张伟", "李娜")),
        ("Mail was moved from Fastmail to Proton.", "Company mail is on Fastmail.", "given up", ("Fastmail",)),
        ("打包工具从 Gulp 换成了 Vite。", "打包工具是 Gulp。", "given up", ("Gulp",)),
        ("We left Heroku for Fly.io.", "The shop is hosted on Heroku.", "given up", ("Heroku",)),
        (
            "Spare parts are kept in Halle.",
            "Our spare parts are stored in Zwickau.",
            "differing value",
            ("Halle", "Zwickau"),
        ),
        ("用户的猫叫团子。", "用户家的猫名叫芝麻。", "differing value", ("团子", "芝麻")),
        ("Hannah reviews the leases.", "Leases are reviewed by Stefan.", "differing owner", ("hannah", "stefan")),
        ("仓库钥匙由小孟保管，小孟负责。", "仓库钥匙归老雷负责。", "differing owner", ("小孟", "老雷")),
        ("班费由陈老师保管。", "班费现在由家委会的刘女士保管。", "differing owner", ("陈老师", "刘女士")),
        ("展品由保卫科看管。", "展品由设备科看管。", "differing owner", ("保, 卫", "device")),
        ("文物修复日志由老韩填写。", "修复日志现在都是小邱在写。", "differing owner", ("老韩", "小邱")),
        ("招聘流程已经从邮箱搬到了 Moka。", "招聘简历都放在公共邮箱里。", "given up", ("邮箱",)),
        (
            "退房时间最晚是中午十二点。",
            "客人必须在上午 11 点之前退房。",
            "differing number",
            ("中午十二点", "上午 11 点"),
        ),
        (
            "登录连续失败 5 次就锁定账号。",
            "An account is locked after 3 failed logins in a row.",
            "differing number",
            ("5 次", "3"),
        ),
        (
            "The user is left-handed.",
            "The user is right-handed.",
            "differing left and right",
            ("left-hand", "right-hand"),
        ),
        (
            "The deposit is due on the 3rd of the month.",
            "The deposit is due on the 9th of each month.",
            "differing number",
            ("3rd", "9th"),
        ),
        (
            "The lease ends on 31 March 2027.",
            "The lease ends on March 31, 2028.",
            "differing number",
            ("31 March", "March 31"),
        ),
        (
            "User prefers tea over coffee.",
            "User likes coffee more than tea.",
            "turned choice",
            ("User prefers tea over coffee.", "User likes coffee more than tea."),
        ),
    ],
)
def test_a_conflict_names_its_rule_and_what_differs(one: str, other: str, rule: str, evidence: tuple[str, ...]) -> None:
    assert judged(one, other) == (CONFLICT, rule, evidence)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Agents may restart the build server.", "Agents must not restart the build server."),
        ("Generated files are checked in.", "Generated files are never checked in."),
        ("User loves long explanations.", "User can't stand long explanations."),
        ("The wiki requires a login.", "No login is required for the wiki."),
        ("允许在测试里访问网络。", "禁止在测试里访问网络。"),
        ("用户喜欢早上开会。", "用户讨厌早上开会。"),
        ("内部文档需要登录才能查看。", "内部文档无需登录即可查看。"),
        ("Do not use emoji in documentation.", "文档里可以使用 emoji。"),
        ("The assistant may restart services on its own at night.", "夜里未经许可不得重启任何服务。"),
    ],
)
def test_what_one_affirms_and_the_other_denies_is_a_conflict(one: str, other: str) -> None:
    assert judged(one, other)[:2] == (CONFLICT, "opposite sense")


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("In Python, indent with four spaces.", "In Go, indent with tabs.", "other language"),
        ("生产环境禁止使用模拟数据。", "测试环境可以使用模拟数据。", "other environment"),
        ("The laptop has 16 GB of memory.", "The desktop has 64 GB of memory.", "other machine"),
        ("The orders table has 40 million rows.", "The invoices table has 9 million rows.", "other subject"),
        ("座位图接口的超时时间是 3 秒。", "退款接口的超时时间是 10 秒。", "other subject"),
        ("第一轮压测用了 3 小时。", "第二轮压测用了 5 小时。", "other occasion"),
        (
            "On 3 March the import failed after 20 minutes.",
            "On 9 March the import failed after 5 minutes.",
            "other occasion",
        ),
        ("Service 17 has 4 replicas.", "Service 18 has 6 replicas.", "other occasion"),
        ("User asked whether Rust is hard.", "The runtime is written in Rust.", "mention only"),
        ("周五不允许发布。", "本周五例外，补丁可以发布。", "exception"),
        ("3 号泵的流量是 20 升。", "5 号泵的流量是 35 升。", "other occasion"),
        ("Orders above 50 euros need a signature.", "Orders below 50 euros need no signature.", "other bound"),
        ("单价低于五十元的商品不支持退货。", "单价高于五百元的商品可以免费退货。", "other bound"),
        ("体重不到五公斤的猫术前禁食六小时。", "体重超过二十公斤的犬术前禁食十二小时。", "other bound"),
        ("入职满一年的员工有十天年假。", "入职满五年的员工有十五天年假。", "other bound"),
        (
            "When it is above 30 °C, practice ends.",
            "When it is below 10 °C, practice is held in the hall.",
            "other bound",
        ),
        ("小郭写病历喜欢用语音输入。", "小崔写病历坚持手写。", "other subject"),
        ("The Suzhou office closes at 17:00.", "无锡的办公室下午四点半关门。", "other city"),
        ("订单由用户创建。", "订单由仓库发货。", "unlike"),
        ("用户妻子的血型是 B 型。", "用户的血型是 A 型。", "other subject"),
        ("The build machine gamma has 64 GB.", "The build machine delta has 128 GB.", "other subject"),
        ("The Graz office has 12 desks.", "The Linz office has 30 desks.", "other subject"),
    ],
)
def test_what_is_said_of_something_else_is_distinct(one: str, other: str, rule: str) -> None:
    assert judged(one, other)[:2] == (DISTINCT, rule)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Never log access tokens!", "never log access tokens"),
        ("前端仓库统一使用 pnpm 安装依赖，", "前端仓库统一使用pnpm安装依赖"),
        ("Sessions expire after an hour.", "A session expires after 60 minutes."),
        ("User likes concise replies.", "User prefers short answers."),
        ("No release without a changelog entry.", "Every release needs a changelog entry."),
        ("Don't merge until the build passes.", "Merge only after the build has passed."),
        ("Use absolute imports.", "Use absolute imports, because relative ones broke."),
        ("用户偏好用表格展示对比结果。", "用户喜欢用表格呈现比较结果。"),
        ("没有跑过测试的代码不要提交。", "提交代码之前必须先跑一遍测试。"),
        ("Logs are deleted automatically after 30 days.", "日志保留 30 天后自动删除。"),
        ("密码绝不能明文存储。", "Never store passwords in plain text."),
        ("報表服務部署在新加坡節點。", "报表服务部署在新加坡节点上。"),
        ("The café’s Wi‑Fi code is on the fridge.", "The cafe's Wi-Fi code is on the fridge."),
        ("Requests give up after 1.5 seconds.", "A request gives up after 1500 ms."),
        ("Due to the weak uplink, raw files are not sent.", "Raw files are not sent because the uplink is weak."),
        ("除了值班人员，任何人不得重启线上服务。", "线上服务只有值班人员可以重启。"),
        ("任何人不得重启线上服务，值班人员除外。", "线上服务只有值班人员可以重启。"),
        ("下单后半小时没付钱，订单会自动作废。", "订单若三十分钟内未支付，系统将自动取消。"),
        ("周末请不要给用户发提醒消息。", "用户不希望助手在周末推送提醒。"),
        ("每天 7:10，校车从学校南门出发。", "校车早上七点十分从南门发车。"),
        ("上线之前，必须由测试、产品和安全三方签字。", "必须由安全、测试和产品三方签字之后才能上线。"),
        ("服务器在法兰克福机房。", "The server is in the Frankfurt data centre."),
    ],
)
def test_other_words_for_the_same_are_a_duplicate(one: str, other: str) -> None:
    assert judged(one, other).label is DUPLICATE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The shop sends 3 mails to each customer.", "The shop sends mails to each customer."),
        (
            "Error reports from the web client carry locale and zone.",
            "Error reports from the web client are in Sentry and Grafana.",
        ),
        ("Pull requests need a description.", "Pull requests need a link to the ticket."),
        ("写接口文档时要注明错误码。", "写接口文档时要给出请求示例。"),
        ("Backups are encrypted at 2 am.", "Backups are verified at 2 am."),
        ("用户会说德语。", "用户会说法语。"),
        ("接口文档要写示例。", "写接口文档时要注明错误码。"),
        ("Code reviews check naming.", "代码评审还要检查性能影响。"),
    ],
)
def test_what_one_says_beyond_the_other_keeps_them_apart(one: str, other: str) -> None:
    assert judged(one, other).label is DISTINCT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("用户喜欢把调试日志留在代码里一起提交。", "提交之前必须删除调试日志，禁止把它们留在代码里。"),
        ("The back office can refund several orders at once.", "There is no way to refund several orders at once."),
    ],
)
def test_where_the_whole_affirms_and_the_whole_denies_there_is_a_conflict(one: str, other: str) -> None:
    assert judged(one, other).label is CONFLICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Change the database before the code.", "Change the code first, then the database."),
        ("先写测试再写代码。", "写完代码之后才写测试。"),
    ],
)
def test_two_orders_of_two_things_contradict_each_other(one: str, other: str) -> None:
    assert judged(one, other)[:2] == (CONFLICT, "turned order")


def test_not_before_is_after() -> None:
    texts = (
        "Do not close a ticket before the customer has confirmed it.",
        "Close it after the customer confirmed.",
    )

    assert judged(*texts).label is not CONFLICT


def test_a_clause_is_compared_with_the_one_that_is_closest_to_it() -> None:
    texts = (
        "Simple functions are enough; do not add design patterns.",
        "Do not add design patterns to simple functions.",
    )

    assert judged(*texts).label is not CONFLICT


def test_two_projects_say_nothing_about_each_other() -> None:
    one, other = Statement("The branch is main.", reach=("project", "a")), Statement("x", reach=("project", "b"))

    assert judge(one, other._replace(text=one.text)).rule == "other reach"
    assert judge(one, other._replace(text="The branch is develop.")).label is DISTINCT


def test_what_holds_for_a_time_leaves_the_rule_standing() -> None:
    rule = Statement("Every change needs two approvals.", "rule")
    exception = Statement("Every change needs one approval.", "rule", is_temporary=True)

    assert judge(rule, exception)[:2] == (DISTINCT, "exception")
    assert judge(rule, exception._replace(is_temporary=False)).label is CONFLICT


def test_reports_of_two_moments_do_not_contradict_each_other() -> None:
    texts = ("Raised the upload limit to 20 MB.", "Raised the upload limit to 50 MB.")

    assert judged(*texts, kind="project-update").rule == "two reports"
    assert judged("Fixed the import of json.", "Fixed the import of csv.").label is DISTINCT
    assert judged(*texts, kind="rule").label is CONFLICT


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("after 30 minutes", "time", 1800),
        ("满半小时", "time", 1800),
        ("within an hour", "time", 3600),
        ("两周之内", "time", 14 * 86400),
        ("缓存一个小时", "time", 3600),
        ("有效期是十分钟", "time", 600),
        ("早上七点十分发车", "clock", 430),
        ("九点一刻", "clock", 555),
        ("下午三点零五", "clock", 905),
        ("八点二十", "clock", 500),
        ("夜里十一点", "clock", 1380),
        ("夜里两点", "clock", 120),
        ("at 3 pm", "clock", 900),
        ("at 15:00", "clock", 900),
        ("下午三点", "clock", 900),
        ("on 2026-05-15", "date", (5, 15)),
        ("by May 15", "date", (5, 15)),
        ("5 月 15 日", "date", (5, 15)),
        ("every Thursday", "weekday", 3),
        ("每周四", "weekday", 3),
        ("about 512MB", "size", 512e6),
        ("90 percent", "share", 90),
        ("九十%", "share", 90),
        ("needs Python 3.11", "version of python", (3, 11)),
        ("最多二十条", "count", 20),
        ("第二轮", "ordinal", 2),
        ("4 号泵", "ordinal", 4),
        ("on 14 October 2026", "date", (10, 14)),
        ("2026 年 11 月 4 日", "date", (11, 4)),
        ("on the 5th of each month", "date", (0, 5)),
        ("每月15号", "date", (0, 15)),
        ("until 2031", "year", 2031),
        ("2031 年", "year", 2031),
        ("at midnight", "clock", 0),
        ("晚上 22:00", "clock", 1320),
        ("8 点 15 分", "clock", 495),
        ("within 1.5 seconds", "time", 1.5),
        ("every minute", "time", 60),
        ("每分钟", "time", 60),
        ("two terabytes", "size", 2e12),
        ("27 寸", "length", 0.6858),
    ],
)
def test_numbers_are_measured(text: str, kind: str, value: object) -> None:
    assert [(token.quantity.kind, token.quantity.value) for token in read(text) if token.quantity] == [(kind, value)]


@pytest.mark.parametrize("text", ["一律统一", "see #4711", "make it work", "一点都不辣", "十分喜欢"])
def test_what_is_no_number_is_not_measured(text: str) -> None:
    assert [token for token in read(text) if token.quantity] == []


def test_stems_join_the_forms_of_a_word_and_keep_short_ones_apart() -> None:
    assert len({stem(word) for word in ("cache", "caches", "cached", "caching")}) == 1
    assert stem("directly") == stem("direct")
    assert stem("service-988") != stem("service-98")
    assert len({stem(word) for word in ("need", "new", "not", "bus")}) == 4
    assert [clause.sign for clause in frame("User edits notes; nothing else.").clauses] == [1, -1]


def test_a_denial_reaches_to_the_end_of_its_clause() -> None:
    clauses = frame("Merge with squash, but never rebase; do not push without review.").clauses

    assert [clause.sign for clause in clauses] == [1, -1, 1]


def test_no_word_is_in_two_values_of_one_setting() -> None:
    values = [value for row in sections("oppositions.txt")["sets"] for value in row.partition(": ")[2].split(" | ")]
    forms = Counter(form for value in values for form in value.split(", "))

    assert len(values) > 200
    assert [form for form, number in forms.items() if number > 1] == []
    for form, (row, value) in tables.read().settings.items():
        known = entry(form)
        assert known
        assert known.concept == f"{row}={value}", form


def test_a_compound_is_read_as_the_words_it_stands_for() -> None:
    assert [token.concept for token in read("他上夜班")][-2:] == [token.concept for token in read("night shift")]
    assert judged("保安上夜班。", "The security guard is on the night shift.").label is not CONFLICT


SOME_WORDS = (
    "cache timeout of the orders service is at most 30 20 seconds MB not never User likes uses pnpm npm in production "
    "测试 生产环境 用户 喜欢 不 必须 缓存 三十分钟 两次 ， 。 ; , v2.1 React 18 from to 负责 张 伟"
)
WORDS = st.sampled_from(SOME_WORDS.split())
TEXTS = st.lists(WORDS, min_size=1, max_size=14).map(" ".join) | st.text(max_size=40)


@given(TEXTS, TEXTS)
@example("export orders the never runs production orders", "most runs cache orders at")
def test_the_order_of_the_two_does_not_matter(one: str, other: str) -> None:
    forth, back = judged(one, other), judged(other, one)

    assert (forth.label, forth.rule) == (back.label, back.rule)
    if one != other:
        assert sorted(forth.evidence) == sorted(back.evidence)


@given(TEXTS)
def test_a_statement_is_a_duplicate_of_itself(text: str) -> None:
    assert judged(text, text).label is DUPLICATE


@given(TEXTS, TEXTS)
def test_what_is_left_unjudged_would_be_no_duplicate(one: str, other: str) -> None:
    if not may_be_duplicates(Statement(one), Statement(other)):
        assert judged(one, other).label is not DUPLICATE


@given(TEXTS, TEXTS)
def test_what_is_left_unjudged_would_be_no_contradiction(one: str, other: str) -> None:
    assert (contradiction(Statement(one), Statement(other)).label is CONFLICT) == (judged(one, other).label is CONFLICT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("用户喜欢回答用中文，代码注释用英文。", "用户喜欢回答用中文，代码注释用中文。"),
        ("部署用 Docker，本地开发用 Podman。", "部署用 Podman，本地开发用 Podman。"),
        ("会议放在上午，写代码放在晚上。", "会议放在晚上，写代码放在晚上。"),
        ("早上开会，晚上写代码。", "晚上开会，早上写代码。"),
        ("回答用中文，代码注释用英文。", "回答用英文，代码注释用中文。"),
        ("前端在北京，后端在上海。", "前端在上海，后端在北京。"),
        (
            "Meetings are in the morning, coding is in the evening.",
            "Meetings are in the evening, coding is in the evening.",
        ),
        (
            "Replies are in Chinese, code comments are in English.",
            "Replies are in Chinese, code comments are in Chinese.",
        ),
        ("Replies in Chinese and comments in English.", "Replies in English and comments in Chinese."),
        ("Backups go to S3, logs go to GCS.", "Backups go to GCS, logs go to S3."),
        ("Frontend in Berlin, backend in Munich.", "Frontend in Munich, backend in Berlin."),
        ("Anna reviews Ben's code.", "Ben reviews Anna's code."),
        ("用户要求代码注释用英文，提交说明用中文，因为团队在上海。", "代码注释用中文，因为团队在上海。"),
        ("Answers are to be written in Chinese, because the team is in London.", "周报用中文写。"),
    ],
)
def test_the_same_words_said_of_other_things_are_no_duplicate(one: str, other: str) -> None:
    assert judged(one, other, kind="preference").label is not DUPLICATE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Backups go to S3, logs go to GCS.", "Logs go to GCS, backups go to S3."),
        ("回答用中文，代码注释用英文。", "代码注释用英文，回答用中文。"),
        (
            "Meetings are in the morning, coding is in the evening.",
            "Coding happens in the evening, meetings happen in the morning.",
        ),
        ("The API runs on port 8080 behind nginx.", "Behind nginx, the API runs on port 8080."),
        ("Prefers pnpm over npm.", "Likes pnpm more than npm."),
    ],
)
def test_what_only_stands_in_another_order_is_a_duplicate(one: str, other: str) -> None:
    assert judged(one, other, kind="preference").label is DUPLICATE


def test_the_tables_are_well_formed() -> None:
    for name in ("concepts.txt", "oppositions.txt"):
        for section, rows in sections(name).items():
            for row in rows if section not in ("surnames", "simplified") else ():
                forms = [form for side in (row.partition(": ")[2] or row).split(" | ") for form in side.split(", ")]
                assert all(form and form == form.strip() and "," not in form for form in forms), (name, row)
    capitals = [form for rows in sections("concepts.txt").values() for row in rows for form in row.split(", ")]
    assert [form for form in capitals if form.isascii() and form != form.lower()] == []


def test_the_index_says_of_each_form_what_the_tables_say() -> None:
    made = tables.read()

    assert [form for form in made.concepts if word(form) != made.word(form)] == []
    assert [form for form in made.listed if not load().holds(form) or entry(form) is None] == []
    inflected = [form for form in made.concepts if form.isascii() and "being" not in made.word(form).roles]
    assert [form for form in inflected if find(f"{form}s") is None] == []
    assert not load().holds("")


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("video", "cards", 2),
        ("videos", "card", 2),
        ("video", "", 0),
        ("built-in", "x", 0),
        ("电", "池", 0),
        ("", "", 0),
    ],
)
def test_the_longest_phrase_is_told_by_its_first_two_words(first: str, second: str, words: int) -> None:
    assert longest_phrase(first, second) == words


def test_a_word_that_is_listed_is_no_other_ones_stem() -> None:
    words = [find(form) for form in ("taxi", "tax", "wifi", "wife", "employees", "employed")]

    assert len({word.concept for word in words if word}) == 6


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("half an hour", "30 minutes"),
        ("three quarters of an hour", "45 minutes"),
        ("an hour and a half", "90 minutes"),
        ("one and a half hours", "90 minutes"),
        ("一个半小时", "90 分钟"),
        ("一刻钟", "15 minutes"),
        ("at half past eleven at night", "at 23:30"),
        ("at nine o'clock", "at 9:00"),
        ("1.5 million rows", "1,500,000 rows"),
        ("3 万 行", "30000 行"),
        ("€20", "20 euros"),
        ("百分之二十", "20%"),
        ("two working days", "两个工作日"),
        ("半个钟头", "30 minutes"),
        ("50 times per second", "50 Hz"),
    ],
)
def test_an_amount_is_the_same_in_words_and_in_digits(one: str, other: str) -> None:
    said, meant = ([(q.kind, q.value) for q in frame(text).quantities] for text in (one, other))

    assert said == meant
    assert len(said) == 1


def test_a_hundred_euros_are_no_hundred_dollars() -> None:
    assert judged("A seat costs 100 euros.", "A seat costs 100 dollars.").label is not DUPLICATE


def test_a_resolution_is_no_amount() -> None:
    assert [q.value for q in frame("The monitor shows 4k.").quantities] != [4000.0]
    assert [q.value for q in frame("The queue holds 10k jobs.").quantities] == [10_000.0]


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        (
            "Access to the vault is granted by the duty officer.",
            "The deputy grants access to the vault.",
            "differing doer",
        ),
        ("Recordings are stored in the attic.", "We keep the recordings in the cellar.", "differing place"),
        ("Backups are checked on the first Monday.", "Backups are checked on the last Monday.", "differing number"),
        ("We dropped Cypress in spring.", "Tests of the shop are written in Cypress.", "given up"),
        ("客户端用 Unity 2021 打包。", "客户端用 Unity 2022 打包。", "differing number"),
    ],
)
def test_who_where_and_which_one_may_differ(one: str, other: str, rule: str) -> None:
    assert judged(one, other)[:2] == (CONFLICT, rule)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The failing test is quarantined.", "The test is quarantined."),
        ("没有测试的改动，一律不得合并。", "改动必须有测试才能合并。"),
        ("Nobody except the owner may restart it.", "Only the owner may restart it."),
    ],
)
def test_what_denies_nothing_is_no_denial(one: str, other: str) -> None:
    assert judged(one, other).label is not CONFLICT


NUMBERS = st.integers(2, 900)
TEMPLATES = st.sampled_from(
    [
        "The cache of the shop is kept for {} minutes.",
        "Failed requests are retried {} times.",
        "The shop listens on port {}.",
        "缓存保留 {} 天。",
        "失败的请求会重试 {} 次。",
        "上传的文件最大 {} MB，超过之后会报错。",
    ]
)


@given(TEMPLATES, NUMBERS, NUMBERS)
def test_a_differing_number_is_never_a_duplicate(template: str, one: int, other: int) -> None:
    label = judged(template.format(one), template.format(other)).label

    assert (label is DUPLICATE) == (one == other)


DENIALS = st.sampled_from(
    [
        ("Generated files are checked in", "Generated files are not checked in"),
        ("Agents may deploy to production", "Agents may never deploy to production"),
        ("The importer is in use", "The importer is no longer in use"),
        ("助手可以直接合并代码", "助手不可以直接合并代码"),
        ("发布之前需要评审", "发布之前不需要评审"),
        ("日志里允许出现邮箱", "日志里禁止出现邮箱"),
    ]
)
ASIDES = st.sampled_from(["", ", because it was agreed", ", as agreed", "，因为大家同意了", "."])


@given(DENIALS, ASIDES, ASIDES)
def test_a_differing_denial_is_never_a_duplicate(pair: tuple[str, str], one: str, other: str) -> None:
    assert judged(pair[0] + one, pair[1] + other).label is not DUPLICATE


NAMES = st.sampled_from(["Anna", "Marek", "Priya", "Fly.io", "Heroku", "Kafka", "NATS", "auth.py", "mail.py"])


@given(NAMES, NAMES, st.sampled_from(["The queue is run by {}.", "Logs are written to {}.", "队列由 {} 负责。"]))
def test_a_differing_name_is_never_a_duplicate(one: str, other: str, template: str) -> None:
    label = judged(template.format(one), template.format(other)).label

    assert (label is DUPLICATE) == (one == other)


def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pairs", ROOT / "benchmarks" / "pairs.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["pairs"] = module
    spec.loader.exec_module(module)
    return module


DATA = ROOT / "benchmarks" / "data"


@pytest.mark.parametrize(
    ("file", "conflicts", "duplicates", "wrongly_suggested"),
    [
        (DATA / "pairs.jsonl", 0.99, 0.99, 0),
        (DATA / "pairs-other-topics.jsonl", 0.97, 0.97, 0),
        (DATA / "pairs-unseen-a.jsonl", 0.97, 0.93, 0),
        (DATA / "pairs-dev-c.jsonl", 0.97, 0.97, 0),
        (DATA / "pairs-dev-d.jsonl", 0.92, 0.93, 0),
        (DATA / "pairs-dev-f.jsonl", 0.87, 0.87, 0),
        (DATA / "pairs-dev-g-en.jsonl", 0.89, 0.89, 1),
        (DATA / "pairs-dev-g-zh.jsonl", 0.82, 0.92, 1),
        (DATA / "pairs-dev-i.jsonl", 0.84, 0.88, 3),
        (DATA / "pairs-unseen-b.jsonl", 0.87, 0.85, 1),
        (DATA / "pairs-unseen-e.jsonl", 0.89, 0.94, 1),
        (DATA / "pairs-dev-p.jsonl", 0.88, 0.87, 6),
        (DATA / "pairs-unseen-k.jsonl", 0.77, 0.79, 10),
        (DATA / "pairs-unseen-t.jsonl", 0.76, 0.77, 4),
        pytest.param(SHARED / "bench" / "pairs-visible.jsonl", 0.96, 0.97, 0, marks=pytest.mark.shared),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_labelled_pairs_are_judged_as_well_as_promised(
    file: Path, conflicts: float, duplicates: float, wrongly_suggested: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """What docs/judging.md says of each set; `unseen-k` and `unseen-t`, whose errors nobody read, are the forecast."""
    benchmark().main([str(file), "--json"])
    result = json.loads(capsys.readouterr().out)

    assert result["conflict F1"] >= conflicts
    assert result["duplicate F1"] >= duplicates
    assert result["wrongly suggested for merging"] <= wrongly_suggested
    assert result["merged by themselves"] == 0


@pytest.mark.parametrize("file", sorted(DATA.glob("pairs*.jsonl")), ids=lambda file: file.name)
def test_every_duplicate_that_the_judge_finds_is_looked_at(file: Path) -> None:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    pairs = [(_statement(row["a"]), _statement(row["b"])) for row in rows]

    assert [pair for pair in pairs if judge(*pair).label is DUPLICATE and not may_be_duplicates(*pair)] == []


@pytest.mark.parametrize("file", sorted(DATA.glob("pairs*.jsonl")), ids=lambda file: file.name)
def test_every_contradiction_that_the_judge_finds_is_found_at_a_part_of_the_cost(file: Path) -> None:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    pairs = [(_statement(row["a"]), _statement(row["b"])) for row in rows]
    judgements = [(contradiction(*pair), judge(*pair)) for pair in pairs]

    assert all(quick == whole for quick, whole in judgements if whole.label is CONFLICT)
    assert all(quick.label is not CONFLICT for quick, whole in judgements if whole.label is not CONFLICT)
    assert sum(quick.rule == "nothing to contradict" for quick, _ in judgements) > len(rows) / 20


def _statement(record: Mapping[str, Any]) -> Statement:
    return Statement(record["summary"], record["kind"])


def test_the_judgement_is_the_same_in_every_process(tmp_path: Path) -> None:
    program = (
        "from agent_soul.judging import Statement, judge;"
        "t = ['Use npm and pip in dark mode at home for small files.', 'Use pnpm and uv in light mode at work.',"
        " '生产环境用 MySQL，浅色主题。', '测试环境用 Redis，深色主题，负责人是张伟。'];"
        "print([judge(Statement(a), Statement(b)) for a in t for b in t])"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(4)
    }

    assert len(answers) == 1
