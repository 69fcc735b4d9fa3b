"""Classifies each line by its look: heading, caption, formula, code, footnote, contents entry, or text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from indexer.documents.parse.model import Line, RegionKind
from indexer.documents.parse.sections import NUMBERED_HEADING, SECTION_NAMES


@dataclass(frozen=True, slots=True)
class Measures:
    """In points. ``leading`` is the usual distance of two baselines of running text."""

    size: float
    leading: float


def measure(pages: Iterable[list[Line]]) -> Measures:
    """Measures the lines of all pages, in order; a document without text gets default values."""
    letters: Counter[float] = Counter()
    distances: list[float] = []
    for lines in pages:
        for line in lines:
            if line.share("mono") < 0.5:
                letters[round(line.size * 2.0) / 2.0] += len(line.text)
        distances += [
            later_line.baseline - earlier_line.baseline
            for earlier_line, later_line in pairwise(lines)
            if 0.0 < later_line.baseline - earlier_line.baseline < 3.5 * earlier_line.size
            and len(earlier_line.words) > 5
        ]
    size = letters.most_common(1)[0][0] if letters else 10.0
    return Measures(max(size, 1.0), median(distances) if distances else 1.2 * size)


CAPTION = re.compile(
    r"^(?P<what>fig(?:ure|\.)?|tab(?:le|\.|elle|leau)?|abb(?:ildung|\.)|scheme|plate)\s*(?P<number>[A-Z]?\d+(?:[.\-]\d+)*[a-z]?)\s*"
    r"(?P<mark>[.:|–—-])?",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"(?:\.\s?){4,}\s*\d{1,4}$")
_CONTENTS_END = 40  # characters: the dots and the number are at the end
_PROMPT = re.compile(r"^(?:R?>|\+|>>>|\$) \S")
_EQUATION_NUMBER = re.compile(r"\(\s?[A-Z]?\d{1,3}[a-z]?\s?\)$")
_FOOTNOTE_MARK = re.compile(r"^(?:\d{1,2}|[*†‡§¶])(?:\s|\D)")
_WORD = re.compile(r"(?!(?:sin|cos|tan|log|exp|max|min|lim|sup|inf)\b)[^\W\d_]{3,}")
_LARGER = 1.08
_TITLE = 1.35  # times the usual size: a title may begin with the small name of a program
_MOST_WORDS = 16


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Distances of baselines to the previous and next line, in points; None at the edge of a column."""

    gap_before: float | None
    gap_after: float | None


def kind_of(line: Line, line_neighbours: Neighbours, measures: Measures, *, is_scanned: bool = False) -> RegionKind:
    """The kind of the line alone; ``regions`` decides what depends on the neighbours' kinds."""
    text = line.text
    if _is_contents(line):
        return "contents"
    if is_caption_start(line):
        return "caption"
    if line.share("mono") >= 0.8 or _PROMPT.match(text):
        return "code"
    if is_symbols(line):
        return "figure"
    if is_formula(line):
        return "formula"
    if is_heading(line, line_neighbours, measures, is_scanned=is_scanned):
        return "heading"
    return "text"


def _is_contents(line: Line) -> bool:
    """Whether dots lead to a page number, or a numbered title has one far to its right."""
    if _CONTENTS.search(line.text[-_CONTENTS_END:]):
        return True
    if len(line.words) < 3 or not line.words[-1].text.isdigit() or NUMBERED_HEADING.match(line.text) is None:
        return False
    return line.words[-1].box.left - line.words[-2].box.right > 2.0 * line.size


def is_caption_start(line: Line) -> bool:
    """``Figure 3:`` or a bold ``Table 1``, but not "Figure 1 shows" in running text."""
    match = CAPTION.match(line.text)
    if match is None:
        return False
    return match["mark"] is not None or line.words[0].bold


def is_symbols(line: Line) -> bool:
    """Neither letters nor digits: points of a map, a row of dashes."""
    return not any(character.isalnum() for character in line.text)


def has_words(line: Line) -> bool:
    return _WORD.search(line.text) is not None


def is_formula(line: Line) -> bool:
    words = _WORD.findall(line.text)
    if line.share("maths") >= 0.3 and len(words) <= 3:
        return True
    return bool(_EQUATION_NUMBER.search(line.text)) and len(words) <= 3 and len(line.words) > 2


def is_heading(line: Line, line_neighbours: Neighbours, measures: Measures, *, is_scanned: bool) -> bool:
    """Large, bold, capital or known words, on a separate line with space around it, without the end of a sentence."""
    text = line.text.strip()
    if not _fits_a_heading(text):
        return False
    heading_text = text.rstrip(":. ").lower()
    number_match = NUMBERED_HEADING.match(text)
    title = number_match["title"] if number_match else text
    is_title_size = line.size >= _TITLE * measures.size
    if not title[:1].isupper() and not title[:1].isdigit() and not number_match and not is_title_size:
        return False
    if heading_text in SECTION_NAMES or (number_match is not None and title.lower().rstrip(":. ") in SECTION_NAMES):
        return True
    capital = title.isupper() and len(_WORD.findall(title)) >= 1 and len(title) >= 5
    is_apart = _is_apart(line_neighbours.gap_before, line, measures)
    if is_scanned:
        return is_apart and _is_apart(line_neighbours.gap_after, line, measures) and (capital or _short_title(title))
    is_large = line.size >= _LARGER * measures.size
    bold = line.share("bold") >= 0.9
    return (is_large or bold or capital) and is_apart


def _fits_a_heading(text: str) -> bool:
    if not text or len(text.split()) > _MOST_WORDS or len(_WORD.findall(text)) == 0:
        return False
    return not text.endswith((",", ";", "-")) and not (text.endswith(".") and len(text.split()) > 8)


def _short_title(title: str) -> bool:
    return len(title.split()) <= 7 and not title.endswith((".", ":", ")")) and title[:1].isupper()


def _is_apart(distance: float | None, line: Line, measures: Measures) -> bool:
    return distance is None or distance > 1.12 * max(measures.leading, line.size)


def is_footnote_start(line: Line, measures: Measures) -> bool:
    """Small, with a mark before it; ``regions`` checks whether it is at the foot of the page."""
    return line.size <= 0.9 * measures.size and _FOOTNOTE_MARK.match(line.text) is not None


def neighbours(lines: Sequence[Line], index: int) -> Neighbours:
    gap_before = lines[index].baseline - lines[index - 1].baseline if index > 0 else None
    gap_after = lines[index + 1].baseline - lines[index].baseline if index + 1 < len(lines) else None
    return Neighbours(gap_before, gap_after)
