"""Ranges of characters in a text, which every reader here returns with the meaning."""

from __future__ import annotations

Range = tuple[int, int]  # start, end (exclusive), offsets into the original text


def lowered(text: str) -> str:
    """The text in lower case with unchanged offsets; a letter with a longer lower case form is unchanged."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


class Claims:
    """The characters of a text that already have a meaning; the first reading of a range wins.

    One byte per character, so that a long text with thousands of numbers costs no more per number than a short one.
    """

    def __init__(self, length: int) -> None:
        self._taken = bytearray(length)

    def claim(self, place: Range) -> bool:
        """Claims the range if all of it is free; otherwise returns False and changes nothing."""
        if not self.is_free(place):
            return False
        self.block(place)
        return True

    def is_free(self, place: Range) -> bool:
        """Whether no character of the range is claimed."""
        return self._taken.find(1, *place) < 0

    def block(self, place: Range) -> None:
        """Claims the range, free or not."""
        start, end = place
        self._taken[start:end] = b"\x01" * (end - start)
