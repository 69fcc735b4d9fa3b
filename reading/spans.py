"""Ranges of characters in a text: what every reader here hands back beside its meaning."""

from __future__ import annotations

from collections.abc import Iterable

Range = tuple[int, int]  # start, end (exclusive), offsets into the text as it was given


def lowered(text: str) -> str:
    """The text in lower case with every offset unchanged; a letter whose lower case is longer stays as it is."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


def overlaps(one: Range, others: Iterable[Range]) -> bool:
    """Whether a range shares at least one character with any of the others."""
    start, end = one
    return any(start < other_end and other_start < end for other_start, other_end in others)
