"""What `sonde doctor` says of a version of Elasticsearch."""

from __future__ import annotations

import pytest

from local_stack.distribution import DISTRIBUTIONS
from sonde.ops.doctor.elasticsearch import lacks, too_old


@pytest.mark.parametrize(
    ("number", "old", "twice"),
    [
        ("7.17.29", True, True),
        ("8.18.9", True, True),
        ("8.19.13", False, True),
        ("9.1.0", False, True),
        ("9.2.0", False, False),
        ("9.4.3", False, False),
        ("10.0.0-SNAPSHOT", False, False),
    ],
)
def test_it_says_what_is_too_old_and_what_a_version_lacks(number: str, old: bool, twice: bool) -> None:
    assert (too_old(number) is not None, lacks(number) != "") == (old, twice)


def test_every_version_that_sonde_starts_is_new_enough() -> None:
    assert [too_old(number) for number in DISTRIBUTIONS] == [None] * len(DISTRIBUTIONS)
