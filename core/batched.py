"""Splits items into batches (``itertools.batched`` of Python 3.12, as lists)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Consecutive items, ``size`` (at least 1) at a time; the last batch may be smaller. No batch for no items."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
