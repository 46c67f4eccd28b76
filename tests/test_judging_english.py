"""Rules of the judge that English sentences need most: amounts in words, denials by other means, kinds, attributes."""

from __future__ import annotations

import pytest

from agent_soul.judging import Label, Statement, judge
from agent_soul.judging.reading import read

DUPLICATE, CONFLICT, DISTINCT = Label.DUPLICATE, Label.CONFLICT, Label.DISTINCT


def judged(one: str, other: str) -> tuple[Label, str]:
    return judge(Statement(one, "preference"), Statement(other, "preference"))[:2]


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("open from 7:30 pm to 9 pm", "clock", [1170, 1260]),
        ("open from 7 to 9 p.m.", "clock", [1140, 1260]),
        ("open 11 to 2 pm", "clock", [660, 840]),
        ("served from noon to two", "clock", [720, 840]),
        ("starts at nine on weekdays", "clock", [540]),
        ("it took 1 h 52 min", "time", [6720]),
        ("within half a day", "time", [43200]),
        ("a couple of days", "time", [172800]),
        ("twenty-four files", "count", [24]),
        ("two hundred and fifty guests", "count", [250]),
        ("thirteen pages", "pages", [13]),
        ("a single letter", "count", [1]),
        ("120 square metres", "area", [120]),
        ("120 m²", "area", [120]),
        ("a width of 320 pixels", "pixels", [320]),
        ("Tue and Thurs", "weekday", [1, 3]),
        ("the sun and the sea", "weekday", []),
        ("a speed of 50 km/h", "speed", [50]),
        ("it weighs 2500 g", "weight", [2.5]),
        ("at half price", "share", [50]),
        ("Go 1.22 is enough", "version of golang", [(1, 22)]),
    ],
)
def test_amounts_of_everyday_english_are_measured(text: str, kind: str, values: list[object]) -> None:
    assert [token.quantity.value for token in read(text) if token.quantity and token.quantity.kind == kind] == values


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("Keep passwords out of the logs.", "Passwords are kept in the logs.", "opposite sense"),
        ("The editor works offline.", "The editor does not work without an internet connection.", "opposite sense"),
        ("User considers stand-ups tiring and distracting.", "User thinks stand-ups are useful.", "opposite sense"),
        ("User has no children.", "User has a daughter.", "denied kind"),
        ("User is a vegan.", "User starts the day with cheese.", "denied kind"),
        ("The user has no pets.", "The user has a cat named Tofu.", "denied kind"),
        ("User prefers large fonts.", "User likes small fonts.", "differing size"),
        ("User wants to be addressed formally.", "User prefers to be addressed informally.", "differing register"),
        ("Prints are made in house.", "Prints are outsourced to a lab.", "differing who makes it"),
        ("The newsletter is Paul's job.", "Marta takes care of the newsletter.", "differing owner"),
        (
            "Zenwatch stores the readings of the panels.",
            "Readings of the panels are stored in Metrix.",
            "differing value",
        ),
        ("Tickets are tracked in Plano.", "We log tickets to Fieldnote.", "differing value"),
        ("Feature branches are deleted after the merge.", "Feature branches are kept after merging.", "opposite act"),
        ("Backups are encrypted.", "Backups are stored unencrypted.", "opposite act"),
        ("Birthdays are celebrated in Hamburg.", "The family celebrates birthdays in Aarhus.", "differing name"),
        (
            "User wants code first and explanations afterwards.",
            "User reads explanations before the code.",
            "turned order",
        ),
        ("User works from home all week.", "User goes to the office every day.", "differing place of work"),
        ("Errors went from Rollbar to Sentry in spring.", "All errors are reported to Rollbar.", "given up"),
        ("The CCD camera has been replaced by a CMOS camera.", "Pictures are taken with the CCD camera.", "given up"),
        ("User's taxes are done by an accountant.", "User does his taxes himself.", "differing owner"),
        ("Visitors use the paper guest book.", "The paper guest book was abolished.", "opposite sense"),
        ("We formerly used Jenkins; builds run on Drone CI now.", "Builds run on Jenkins.", "given up"),
        (
            "Branches are named after the ticket number.",
            "Branch names consist of the author's initials and a keyword.",
            "differing place",
        ),
    ],
)
def test_what_contradicts_by_other_means_is_a_conflict(one: str, other: str, rule: str) -> None:
    assert judged(one, other) == (CONFLICT, rule)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User's wife speaks Portuguese.", "User does not speak Portuguese."),
        ("User's sister is a vegetarian.", "User eats meat at weekends."),
        ("User's sister has no pets.", "User has a cat."),
        ("User's uncle has a boat.", "User has no boat."),
        ("User plays the piano on Sundays.", "User plays chess on Thursdays."),
        ("User likes long walks.", "User likes short meetings."),
        ("User's office is in Aarhus.", "User lives in Silkeborg."),
        ("The kitchen closes at 22:00.", "On New Year's Eve the kitchen stays open until 2:00."),
        ("User went to Rome in April.", "User went to Madrid in September."),
        ("On premiere days the box office closes at 20:00.", "The box office closes at 18:00."),
        ("For documentation changes no tests have to be run.", "Run all tests before merging."),
        ("Emergency stop must be tested each morning.", "Every morning the emergency stop has to be checked."),
        ("If a request fails with 400, do not retry it.", "Retry failed requests."),
        ("Blood samples are kept in the fridge.", "Blood samples are sent to the laboratory."),
        ("Trips to Poland need a vignette.", "Trips to Austria need a vignette."),
        ("Small orders ship for 5 euros.", "Large orders ship for 9 euros."),
        ("Apps come from the App Store.", "Apps come from the AppStore."),
    ],
)
def test_what_is_said_of_another_thing_or_time_is_no_conflict(one: str, other: str) -> None:
    assert judged(one, other)[0] is not CONFLICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("No episode is published without a transcript.", "Every episode needs a transcript before it goes online."),
        ("API keys must never be checked in.", "Keep API keys out of the repository."),
        (
            "The staging database is refreshed from production every Sunday.",
            "Every Sunday staging gets a fresh copy of the production database.",
        ),
        (
            "Nobody can reach the staging environment from outside the office network.",
            "Staging is reachable from the office network only.",
        ),
        (
            "Do not close a ticket before the customer has confirmed the fix.",
            "A ticket is closed once the customer has confirmed the fix.",
        ),
        ("The choir rehearses from 7:30 pm to 9 pm.", "Choir rehearsals are from 19:30 to 21:00."),
        ("Since 2020 the user has been living in Utrecht.", "The user has been living in Utrecht since 2020."),
        ("The user is on holiday from 3 to 17 August.", "The user has a holiday from August 3 to August 17."),
        ("The API allows 60 requests/min.", "The API allows 60 requests per minute."),
        ("Lunch is served from noon to two.", "Lunch is available between 12:00 and 14:00."),
    ],
)
def test_what_is_denied_twice_or_told_by_another_clock_is_a_duplicate(one: str, other: str) -> None:
    assert judged(one, other)[0] is DUPLICATE


def test_what_comes_on_top_is_something_else() -> None:
    assert judged("The library lends board games.", "The library also lends tools.")[0] is DISTINCT
