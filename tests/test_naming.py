"""Short ids stay unique."""

from __future__ import annotations

import uuid

from hypothesis import given
from hypothesis import strategies as st

from agent_soul.event import short_id
from agent_soul.naming import shown_ids


def test_only_shared_short_forms_grow() -> None:
    first, second, third = (
        "4c5a9e0e-6a53-4d0f-8f0b-0c7b0f6f3a01",
        "4c5a9e0e-6a53-4d0f-8f0b-0c7b0f6f3a02",
        "4c5a9e0e-7a53-4d0f-8f0b-0c7b0f6f3a02",
    )
    other = "9f3c2a1b-5d0e-4c1f-9a53-0e6d3f1c7b42"

    assert shown_ids([first, second, third, other, "event_123"]) == {
        first: first,
        second: second,
        third: "4c5a9e0e-7",
    }


@given(st.lists(st.integers(min_value=0, max_value=2**20), min_size=1, max_size=40))
def test_no_two_events_look_alike(numbers: list[int]) -> None:
    """Ids that differ in their last 20 bits alone, the hardest case."""
    ids = {str(uuid.UUID(int=number, version=4)) for number in numbers}
    shown = shown_ids(ids)
    forms = [shown.get(id_, short_id(id_)) for id_ in ids]

    assert len(set(forms)) == len(ids)
    assert all(sum(id_.startswith(form) for id_ in ids) == 1 for form in forms)
