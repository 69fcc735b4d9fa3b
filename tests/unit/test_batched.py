"""Things taken a few at a time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.batched import batched


@given(st.lists(st.integers()), st.integers(1, 9))
def test_nothing_is_lost_and_every_batch_but_the_last_is_full(items: list[int], size: int) -> None:
    found = list(batched(iter(items), size))
    assert [item for batch in found for item in batch] == items
    assert all(len(batch) == size for batch in found[:-1])
    assert all(found)
