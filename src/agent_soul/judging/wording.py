"""How a person is told why two statements cannot both hold: the rules' own names are for those who read the rules."""

from __future__ import annotations

_IN_WORDS = {
    "given up": "one gives up what the other has",
    "turned choice": "one prefers what the other likes less",
    "turned order": "one has the order of the other turned round",
    "denied kind": "one rules out what the other has",
    "forbidden habit": "one likes what the other forbids",
    "spared wait": "one waits for what the other does without",
    "opposite act": "one undoes or denies the other",
    "opposite sense": "one affirms what the other denies",
    "differing sense": "one affirms what the other denies",
    "differing number": "two numbers for one thing",
    "differing name": "two names for one thing",
    "differing value": "two values for one thing",
    "differing place": "two values for one thing",
    "differing owner": "two who are responsible for one thing",
    "differing doer": "two who do one thing",
}
_SETTING = "differing "


def in_words(rule: str) -> str:
    """Return what a rule found, before the values that differ; a rule for a setting names it (`differing theme`)."""
    if rule not in _IN_WORDS and rule.startswith(_SETTING):
        return f"two values for {rule.removeprefix(_SETTING)}"
    return _IN_WORDS.get(rule, rule)
