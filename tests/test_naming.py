"""Short ids stay unique."""

from __future__ import annotations

import uuid

from hypothesis import given
from hypothesis import strategies as st

from agent_soul.event import short_id
from agent_soul.naming import long_names


def test_ids_are_shown_with_as_many_characters_as_it_takes() -> None:
    ids = [
        "9f3c2a1b-0000-4000-8000-000000000000",
        "9f3c2a1b-0001-4000-8000-000000000000",
        "9f3c2a1b-7777-4000-8000-000000000000",
        "aaaaaaaa-0000-4000-8000-000000000000",
        "plain-id",
        "plain-id-2",
    ]
    names = long_names(ids)

    assert [names.get(id_) for id_ in ids] == [
        "9f3c2a1b-0000",
        "9f3c2a1b-0001",
        "9f3c2a1b-7",
        None,
        "plain-id",
        "plain-id-2",
    ]


@given(st.lists(st.integers(min_value=0, max_value=2**20), min_size=1, max_size=40))
def test_no_two_events_look_alike(numbers: list[int]) -> None:
    """Ids that differ in their last 20 bits alone, the hardest case."""
    ids = {str(uuid.UUID(int=number, version=4)) for number in numbers}
    shown = long_names(ids)
    forms = [shown.get(id_, short_id(id_)) for id_ in ids]

    assert len(set(forms)) == len(ids)
    assert all(sum(id_.startswith(form) for id_ in ids) == 1 for form in forms)
