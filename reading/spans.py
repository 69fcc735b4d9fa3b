"""Ranges of characters in a text: what every reader here hands back beside its meaning."""

from __future__ import annotations

Range = tuple[int, int]  # start, end (exclusive), offsets into the text as it was given


def lowered(text: str) -> str:
    """The text in lower case with every offset unchanged; a letter whose lower case is longer stays as it is."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


class Claims:
    """Which characters of a text already mean something; the first reading of a stretch wins.

    One byte a character, so that a long text with thousands of numbers costs no more per number than a short one.
    """

    def __init__(self, length: int) -> None:
        self._taken = bytearray(length)

    def claim(self, place: Range) -> bool:
        """Takes the range where all of it is free; False, and nothing changes, where it is not."""
        if not self.is_free(place):
            return False
        self.block(place)
        return True

    def is_free(self, place: Range) -> bool:
        """Whether no character of the range is taken."""
        return self._taken.find(1, *place) < 0

    def block(self, place: Range) -> None:
        """Takes the range, free or not."""
        start, end = place
        self._taken[start:end] = b"\x01" * (end - start)
