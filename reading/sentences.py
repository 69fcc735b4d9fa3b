"""Sentences of a text, and ranges of its characters, which every reader here returns with a meaning."""

from __future__ import annotations

import re

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


_END = re.compile(r"(?<=[.!?…])[\"”’»)\]]*\s+(?=[\"“‘«(\[]*[^\W_a-zäöüéèàçß])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|et al|fig|figs|eq|eqs|tab|sec|ch|no|nos|vol|pp?|approx|ca|resp|dr|prof|mr|mrs|st|mt|"
    r"inc|corp|co|ltd|dept|univ|ed|eds|vs|etc|z\.b|d\.h|u\.a|bzw|nr|abb|vgl|u\.s|jan|feb|mar|apr|jun|jul|aug|sept?|"
    r"oct|nov|dec|proc|int|conf|ref|refs|spp?|subsp|var|max|min|avg|temp|lat|lon|long|elev|op|cit)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_LONGEST_END = 40  # characters: no more of a sentence is needed to see whether it ends
_ENUMERATION = re.compile(r"(?:^|\s)\(?(?:\d{1,2}|[a-z])[.)]$")


def sentences(text: str) -> list[str]:
    """In order; joined by single spaces they give the text again (with normalised white space)."""
    out: list[str] = []
    start = 0
    for match in _END.finditer(text):
        head = text[max(start, match.start() - _LONGEST_END) : match.start()].rstrip()
        if _goes_on(head, text[match.end() : match.end() + 1]):
            continue
        out.append(text[start : match.start()].rstrip() + match[0].rstrip())
        start = match.end()
    rest = text[start:].strip()
    return [*out, rest] if rest else out


def _goes_on(head: str, behind: str) -> bool:
    """Whether the full stop belongs to an abbreviation, an initial or a number before a name."""
    if not head.endswith("."):
        return False
    if len(head) < 6 and _ENUMERATION.search(head):
        return True
    if head.lower().endswith("etc.") or head.lower().endswith("al."):
        return not behind.isupper() or head.lower().endswith("et al.")
    return _ABBREVIATION.search(head) is not None and not _is_word_end(head)


def _is_word_end(head: str) -> bool:
    """Whether the letter is a unit after a number or a slash, and can end a sentence: ``a depth of 12 m.``, ``3
    mg/l.``
    """
    return re.search(r"(?:\d\s?|/)[A-Za-z]\.$", head) is not None
