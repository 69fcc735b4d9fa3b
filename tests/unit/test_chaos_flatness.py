"""What counts as flat in a soak."""

from __future__ import annotations

import pytest

from lab.cluster.trial import ResourceSample, trend


def _samples(memory: list[float], handles: list[int]) -> list[ResourceSample]:
    return [
        ResourceSample(10.0 * place, one, many) for place, (one, many) in enumerate(zip(memory, handles, strict=True))
    ]


def test_the_second_quarter_is_compared_with_the_last() -> None:
    # Eight samples: the second quarter is 300 and 320, the last 310 and 330; the warm-up counts for nothing.
    found = trend("api", _samples([100, 200, 300, 320, 900, 900, 310, 330], [5, 9, 20, 22, 50, 50, 24, 26]))
    assert (found.memory_before, found.memory_after) == (310.0, 320.0)
    assert (found.handles_before, found.handles_after) == (21.0, 25.0)
    assert found.flat  # 10 of 310 MiB are 3.2 %, and 4 handles more


def test_memory_that_grows_by_more_than_a_twentieth_is_not_flat() -> None:
    assert not trend("api", _samples([300.0 + 10 * place for place in range(8)], [20] * 8)).flat  # 325 to 365


def test_handles_that_pile_up_are_not_flat() -> None:
    assert not trend("api", _samples([300.0] * 8, [20 + 3 * place for place in range(8)])).flat  # 27.5 to 39.5


def test_what_shrinks_is_flat() -> None:
    assert trend("api", _samples([400.0 - 10 * place for place in range(8)], [40 - place for place in range(8)])).flat


def test_too_few_samples_say_nothing() -> None:
    with pytest.raises(ValueError, match="7 samples of api"):
        trend("api", _samples([300.0] * 7, [20] * 7))
