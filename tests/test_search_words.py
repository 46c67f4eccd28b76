"""From texts to terms: both languages, and what must not matter between a question and a text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_soul.searching.dates import phrases, terms_in, terms_of_day
from agent_soul.searching.document import sequence, weigh
from agent_soul.searching.question import ask
from agent_soul.searching.stemming import stem
from agent_soul.searching.words import asked, fold, inner_terms, terms

TODAY = "2026-03-11"  # a Wednesday


@pytest.mark.parametrize(
    ("word", "expected"),
    # The examples of the paper, whose stems are published, and words that a memory is full of.
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("ties", "ti"),
        ("cats", "cat"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("motoring", "motor"),
        ("sing", "sing"),
        ("conflated", "conflat"),
        ("troubled", "troubl"),
        ("sized", "size"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("hissing", "hiss"),
        ("failing", "fail"),
        ("filing", "file"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("conditional", "condit"),
        ("digitizer", "digit"),
        ("operator", "oper"),
        ("feudalism", "feudal"),
        ("decisiveness", "decis"),
        ("hopefulness", "hope"),
        ("formaliti", "formal"),
        ("triplicate", "triplic"),
        ("formative", "form"),
        ("electrical", "electr"),
        ("goodness", "good"),
        ("revival", "reviv"),
        ("allowance", "allow"),
        ("inference", "infer"),
        ("adjustable", "adjust"),
        ("replacement", "replac"),
        ("adoption", "adopt"),
        ("communism", "commun"),
        ("effective", "effect"),
        ("probate", "probat"),
        ("rate", "rate"),
        ("cease", "ceas"),
        ("controll", "control"),
        ("roll", "roll"),
    ],
)
def test_stems_are_those_of_the_paper(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    "forms",
    [
        "deploy deploys deployed deploying deployment",
        "go goes went gone going",
        "choose chose chosen chooses choosing",
        "write wrote written writes writing",
        "child children",
        "run ran runs running",
        "bug bugs",
    ],
)
def test_forms_of_a_word_are_one_term(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getCallers", "get caller"),
        ("HTTPServer", "http server"),
        ("PowerMetricsV0.1 在 iOS 上", "power metric os"),
        ("URLs, a Hello, an HELLO and snake_case", ""),
    ],
)
def test_a_name_of_code_is_found_by_the_words_it_is_made_of(text: str, words: str) -> None:
    assert list(inner_terms(text)) == words.split()
    assert {*words.split(), *terms(fold(text))} <= weigh({"summary": text, "source": "mac"}, (TODAY,)).keys()


@pytest.mark.parametrize("text", ["A" * 1_000_000, "a" * 1_000_000, "A" * 500_000 + "a" * 500_000])
def test_a_megabyte_of_letters_takes_no_time(text: str) -> None:
    started = time.process_time()
    assert len(list(inner_terms(text))) in (0, 2)
    assert time.process_time() - started < 5, "the square of its length would take hours"


def test_a_stem_is_never_empty_and_other_scripts_stay() -> None:
    assert [stem(word) for word in ("s", "as", "8080s", "naïve", "部署", "ing", "eed")] == [
        "s",
        "as",
        "8080s",
        "naïve",
        "部署",
        "ing",
        "eed",
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＤＯＣＫＥＲ", "docker"),
        ("Café", "cafe"),
        ("STRASSE", "straße"),
        ("ﾃﾞﾌﾟﾛｲ", "デプロイ"),
        ("Ünïcödé", "unicode"),
        ("Caroline's", "Caroline"),
        ("한국어", "한국어"),
    ],
)
def test_width_case_and_accents_do_not_matter(one: str, other: str) -> None:
    assert list(terms(fold(one))) == list(terms(fold(other)))


def test_kana_with_voice_marks_are_other_kana() -> None:
    assert fold("が") != fold("か")


def test_chinese_is_characters_and_pairs() -> None:
    assert " ".join(terms(fold("部署到nginx端口8080"))) == "部 署 到 部署 署到 nginx 端 口 端口 8080"


def test_stop_words_are_not_asked_for_in_either_language() -> None:
    assert list(asked(fold("What is the port of the gateway?"))) == ["port", "gateway"]
    assert list(asked(fold("网关的端口是多少？"))) == ["网", "关", "网关", "关的", "端", "的端", "口", "端口", "口是"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, []) for text in ("the of", "the who", "The", "Am I", "will", "的", "这是什么", "什么时候", "は", "…")),
        *((text, [text.lower()]) for text in ("IT", "WILL", "ＩＴ")),
        ("The Who", ["who"]),
        ("the port of IT", ["port"]),
        ("什么", ["什么"]),
        ("过得", ["过得"]),
    ],
)
def test_stop_words_alone_are_no_question_but_for_names(text: str, expected: list[str]) -> None:
    assert [unit.text for unit in ask(text, (), TODAY).units] == [fold(text) for text in expected]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("生", "生"),
        ("花生", "花生"),
        ("花生的", "花生"),
        ("医生 生", "医生 生"),
        ("目的", "目的"),
        ("目的地", "目的"),
        ("对象", "对象"),
        ("有效期", "有效 效期"),
        ("我的猫叫什么", "猫 猫叫 叫什"),
        ("网关的端口是多少？", "网关 端口"),
    ],
)
def test_a_word_of_several_characters_is_found_by_two_neighbours_of_it(text: str, finding: str) -> None:
    assert set(ask(text, (), TODAY).finding_terms) == set(finding.split())


CJK = st.text(st.sampled_from("部署端口缓存的是什么吗配置カタひらデプ한국어검색"), min_size=2, max_size=20)


@given(CJK, st.data())
def test_every_two_characters_of_a_text_are_among_its_terms_and_asked_for(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 2))
    word = text[start : start + 2]

    assert set(ask(word, (), TODAY).finding_terms) & set(terms(fold(text)))


@given(st.text(max_size=60))
def test_any_text_has_terms_that_can_be_stored(text: str) -> None:
    for term in terms(fold(text)):
        assert term
        assert term.encode("utf-8")


def test_a_phrase_is_found_word_after_word() -> None:
    text = sequence("Installs with pnpm install, never npm; 支付服务的端口")

    assert sequence("PNPM installs") in text
    assert sequence("付服务") in text
    assert sequence("install pnpm") not in text
    assert sequence("服端口") not in text
    assert sequence("…") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 8 May, 2023", ["@2023-05-08"]),
        ("May 8th 2023", ["@2023-05-08"]),
        ("may 8", ["@-05-08"]),
        ("the 8th of May", ["@-05-08"]),
        ("in May", ["@-05"]),
        ("since sept 2024", ["@2024-09"]),
        ("in 2022", ["@2022"]),
        ("2026-03-05", ["@2026-03-05"]),
        ("2026/3/5", ["@2026-03-05"]),
        ("2026-03", ["@2026-03"]),
        ("2026年3月5日", ["@2026-03-05"]),
        ("2026年3月", ["@2026-03"]),
        ("2026年", ["@2026"]),
        ("3月5号", ["@-03-05"]),
        ("三月五日", ["@-03-05"]),
        ("十二月三十一日", ["@-12-31"]),
        ("二十一", []),
        ("五月份", ["@-05"]),
        ("yesterday", ["@2026-03-10"]),
        ("昨天", ["@2026-03-10"]),
        ("去年", ["@2025"]),
        ("last month", ["@2026-02"]),
        ("上个月", ["@2026-02"]),
        ("last week", [f"@2026-03-{day:02}" for day in range(2, 9)]),
        ("上周", [f"@2026-03-{day:02}" for day in range(2, 9)]),
        ("may I march on", []),
        ("port 8080", []),
        ("version 2.3.1", []),
        ("13月", []),
        ("2026-13-01", []),
    ],
)
def test_dates_are_read_in_both_languages(text: str, expected: list[str]) -> None:
    assert [term for phrase in phrases(fold(text), TODAY) for term in phrase.terms] == expected


def test_a_date_in_a_text_is_found_by_its_month_and_year_too() -> None:
    assert set(terms_in("frozen until 2026-05-01", TODAY)) == set(terms_of_day("2026-05-01"))


@given(st.text(max_size=40), st.dates())
def test_reading_dates_harms_nothing(text: str, day: object) -> None:
    list(phrases(fold(text), str(day)))


def test_a_date_is_one_unit_and_no_word() -> None:
    question = ask("ports since May 2023", (), TODAY)

    assert [unit.text for unit in question.units] == ["since may 2023", "port"]


def test_what_matched_is_said_in_the_words_of_the_question() -> None:
    question = ask("Deployed 支付服务 May 2023", ("Nginx",), TODAY)

    assert question.matched({"deploy", "支", "付", "支付", "务", "@2023-05", "nginx"}) == [
        "Nginx",
        "may 2023",
        "deployed",
        "支付",
        "务",
    ]
