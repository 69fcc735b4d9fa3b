"""Things taken a few at a time (``itertools.batched`` of Python 3.12, as lists)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Neighbours together, ``size`` (at least 1) at a time; the last batch may be smaller. None for no items."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
