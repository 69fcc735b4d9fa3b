"""What was not read of a document, page by page: measured, kept as plain text, and named in warnings.

A word counts as kept if it is in a passage or a table, or marked as furniture (heads, feet, page and line numbers,
watermarks), contents, a reference or a note. The rest are labels of drawings, or text mistaken for such labels.
Separate letters and words without spaces between them count as lost: no search finds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from indexer.documents.parse.model import Line, Page, Region, Word, bounding_box
from indexer.documents.parse.pdf.reading_order import rows
from indexer.documents.parse.pdf.regions import PageLayout

_HIDDEN_WARNING = (
    "{count} words that nobody sees (white, without ink, tiny or outside the page) were left out: "
    "they are not searched and not quoted"
)
_UNKNOWN = "{count} characters are shown as \ufffd, because the file does not say what its symbols mean"


def page_warnings(pages: Sequence[Page]) -> tuple[str, ...]:
    """One sentence for each thing, with all its pages, in the order of the first page."""
    return tuple(_sentences(pages))


def _sentences(pages: Sequence[Page]) -> Iterator[str]:
    by_note: dict[str, list[int]] = {}
    for page in pages:
        for note in page.notes:
            by_note.setdefault(note, []).append(page.number)
    for note, numbers in by_note.items():
        yield f"{_page_names(numbers)}: {note}."
    for text, counts in (
        (_HIDDEN_WARNING, {page.number: page.hidden for page in pages if page.hidden}),
        (_UNKNOWN, {page.number: page.unknown for page in pages if page.unknown}),
    ):
        if counts:
            yield f"{_page_names(list(counts))}: {text.format(count=sum(counts.values()))}."


def _page_names(numbers: Sequence[int]) -> str:
    """``Page 3``, or ``Pages 1-4, 7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    page_names = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return f"Page {page_names}" if len(numbers) == 1 else f"Pages {page_names}"


LEAST_COVERAGE = 0.98
_WORD = re.compile(r"[^\W\d_]{3,}")  # axis numbers are not words
_LETTERS = re.compile(r"[^\W\d_]+")
_GLUED_WORD = re.compile(r"^\W*([A-Za-z\u00c0-\u024f\u0370-\u052f]{26,})\W*$")  # of scripts that part words by spaces
_FEWEST_GLUED = 3  # of a page: a language may have a longer word
_USUAL_LETTERS = 6  # of a word
_FEWEST_LETTERS = 40
_SHATTERED_SHARE = 0.5  # of the letters are in words of one or two


@dataclass(frozen=True, slots=True)
class Coverage:
    """For one page: its number of words, and how many of them the layout kept.

    ``glued_count`` words have no space between them, ``shattered_count`` are single letters; neither is kept.
    """

    page: int
    words: int
    kept_count: int
    glued_count: int = 0
    shattered_count: int = 0

    def __add__(self, addend: Coverage) -> Coverage:
        """Both parts of a page together."""
        return Coverage(
            self.page,
            self.words + addend.words,
            self.kept_count + addend.kept_count,
            self.glued_count + addend.glued_count,
            self.shattered_count + addend.shattered_count,
        )

    @property
    def share(self) -> float:
        """0..1; 1 for a page without words."""
        return self.kept_count / self.words if self.words else 1.0

    @property
    def is_low(self) -> bool:
        return self.share < LEAST_COVERAGE

    @property
    def warning(self) -> str:
        reasons = [
            f"about {self.glued_count} have no space between them" if self.glued_count else "",
            f"{self.shattered_count} are letters that stand apart" if self.shattered_count else "",
        ]
        lost_count = self.words - self.kept_count - self.glued_count - self.shattered_count
        if lost_count > 0:
            reasons.append(
                f"{lost_count} of {self.words} words could not be placed (in drawings, or not in lines); they are "
                "kept as plain text"
            )
        text = "; ".join(reason for reason in reasons if reason)
        return f"Page {self.page}: {text}."


def add_lost_words(layout: PageLayout) -> tuple[PageLayout, Coverage]:
    """The page; if too few of its words were kept, the others are appended as plain text."""
    lost_words = _lost_words(layout)
    coverage = _measure(layout, lost_words)
    if not coverage.is_low or not lost_words:
        return layout, coverage
    lines = _plain_lines(lost_words)
    plain_region = Region("caption", tuple(lines), bounding_box(line.box for line in lines), layout.page.number)
    return replace(layout, regions=(*layout.regions, plain_region)), coverage


def _measure(layout: PageLayout, lost_words: Sequence[Word]) -> Coverage:
    number, words = layout.page.number, layout.page.words
    glued_count = sum(map(_glued_words, words)) if sum(_glued_words(word) > 0 for word in words) >= _FEWEST_GLUED else 0
    pieces = [piece for word in words for piece in _LETTERS.findall(word.text)]
    letters = sum(map(len, pieces))
    small_pieces = [piece for piece in pieces if len(piece) < 3]
    is_shattered = letters >= _FEWEST_LETTERS and sum(map(len, small_pieces)) > _SHATTERED_SHARE * letters
    shattered_count = len(small_pieces) if is_shattered else 0
    word_count = sum(map(_is_word, words))
    if glued_count:
        word_count -= sum(_glued_words(word) > 0 for word in words)
    kept_count = word_count - sum(_is_word(word) and not (glued_count and _glued_words(word)) for word in lost_words)
    return Coverage(number, word_count + glued_count + shattered_count, kept_count, glued_count, shattered_count)


def _glued_words(word: Word) -> int:
    """About how many words were written as one; 0 if it is one."""
    match = None if word.mono else _GLUED_WORD.match(word.text)
    return len(match[1]) // _USUAL_LETTERS if match is not None else 0


def document_share(pages: Sequence[Coverage]) -> float:
    words = sum(page.words for page in pages)
    return sum(page.kept_count for page in pages) / words if words else 1.0


def _is_word(word: Word) -> bool:
    return _WORD.search(word.text) is not None


def _lost_words(layout: PageLayout) -> list[Word]:
    placed_ids = {
        id(w) for region in layout.regions if region.kind != "figure" for line in region.lines for w in line.words
    }
    placed_ids |= {id(word) for table in layout.tables.values() for word in table.words}
    return [word for word in layout.page.words if id(word) not in placed_ids]


def _plain_lines(words: Sequence[Word]) -> list[Line]:
    """From the top; then text written sideways, each line read upwards."""
    turned_words = sorted((w for w in words if w.turned), key=lambda w: (round(w.box.middle_x / 4.0), -w.box.top))
    upright = rows(words)
    aside_groups = [tuple(group) for _, group in groupby(turned_words, key=lambda w: round(w.box.middle_x / 4.0))]
    return [*upright, *(Line(group, bounding_box(word.box for word in group)) for group in aside_groups)]
