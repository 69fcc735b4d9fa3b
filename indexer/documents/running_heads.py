"""Heads and feet that change with the section: "Introduction 1", "2 Design Concepts", "Input Instructions 41".

At the same height and size, pages show a name and their number. The numbers follow the pages and the names repeat.
Rows that differ on each page are text, and captions ("Figure 3") have their own count.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexer.documents.kinds import CAPTION
from indexer.documents.page import Line, RegionKind

_NUMBER = re.compile(r"^(?P<front>\d{1,4}|[ivxl]{1,7})\s+|\s+(?P<back>\d{1,4}|[ivxl]{1,7})$")
_HEIGHT = 3.0  # points
_FEWEST_PAGES = 3
_MOST_WORDS = 14
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}


@dataclass(frozen=True, slots=True)
class AtTheEdge:
    """An outermost row of a page."""

    page: int
    kind: RegionKind
    line: Line


def running_heads(found: Sequence[AtTheEdge]) -> Iterator[AtTheEdge]:
    """The rows that show a section's name beside the page number."""
    for place in _places(found):
        numbered = [(one, parted) for one in place if (parted := _name_and_number(one.line)) is not None]
        runs = Counter(number - one.page for one, (_, number) in numbered)
        fitting = [(one, name) for one, (name, number) in numbered if runs[number - one.page] >= _FEWEST_PAGES]
        names = {name for _, name in fitting}
        if 2 * len(names) <= len(fitting):
            yield from (one for one, _ in fitting)


def _places(found: Sequence[AtTheEdge]) -> Iterator[list[AtTheEdge]]:
    """Groups rows of one kind and size at the same height of their page."""
    places: dict[tuple[RegionKind, float], list[AtTheEdge]] = defaultdict(list)
    for one in sorted(found, key=lambda row: row.line.baseline):
        key = (one.kind, round(one.line.size))
        if places[key] and one.line.baseline - places[key][-1].line.baseline > _HEIGHT:
            yield places.pop(key)
        places[key].append(one)
    yield from places.values()


def _name_and_number(line: Line) -> tuple[str, int] | None:
    """``("introduction", 1)``; None for a row without a number at an end, and for captions."""
    text = line.text.strip()
    match = _NUMBER.search(text)
    if match is None or CAPTION.match(text) or len(line.words) > _MOST_WORDS:
        return None
    number = match["front"] or match["back"]
    return (text[: match.start()] + text[match.end() :]).lower(), int(number) if number.isdigit() else _value(number)


def _value(roman: str) -> int:
    values = [_ROMAN[letter] for letter in roman]
    return sum(-v if v < max(values[place:]) else v for place, v in enumerate(values))
