"""Joins the characters of a page into words, and leaves out the words that no reader of the page sees.

A gap between characters separates two words by its share of the type's real size. Text can be put into a file for
machines alone: white or transparent, without ink, tiny, or outside the page. A white word is seen on a dark ground,
and a word without ink (as OCR puts it under the picture of a page) repeats what the picture shows. So the rendered page
decides: where it is empty, the word is invisible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

import pypdfium2 as pdfium
from PIL import Image

from indexer.documents.parse.model import Box, Word, bounding_box
from indexer.documents.parse.pdf.glyphs import Frame, Glyph, Ink, Style

_SPACE = 0.16  # of the size: a wider gap separates two words
_MONO_SPACE = 0.3
_BASELINE = 0.6  # of the size: a character farther away is on another line
_FEWEST_SPACED = 4  # letters of a word that is set with spaces between its letters
_FEWEST_SMALL = 6  # of small letters: fewer may be variables
_MARK = 0.85  # of the size: marks behind a name are smaller,
_RAISED = 0.12  # and higher
_LETTER_GAP = 1.0  # of the size: letters farther apart are the heads of columns
_EVEN = 1.45  # times the usual gap: a wider one separates two words set with spaces between their letters
_LIGATURES = frozenset(("fi", "fl", "ff", "ffi", "ffl", "ﬁ", "ﬂ", "ﬀ", "ﬃ", "ﬄ"))
_LIGATURE_GAP = 0.5  # of the size
_SAME_GAP = 1.5  # times the narrower gap beside a ligature: a wider one is a real space


@dataclass(slots=True)
class _WordBuilder:
    """A word to which characters are added."""

    style: Style
    baseline: float
    glyphs: list[Glyph] = field(default_factory=list)

    def takes(self, glyph: Glyph) -> bool:
        """Characters with the same box as the last one belong to the same glyph: pdfium reports a font's ffi as three
        letters that all have its full width, with no gap between them.
        """
        last_box, style = self.glyphs[-1].box, self.style
        if glyph.box == last_box:
            return True
        size = style.size if glyph.style is style else max(style.size, glyph.style.size)
        size = max(size, 1.0)
        gap = glyph.box.left - last_box.right
        if not -0.8 * size < gap < min(glyph.gap, _MONO_SPACE if style.mono else _SPACE) * size:
            return False
        return abs(glyph.baseline - self.baseline) < _BASELINE * size and glyph.style.ink == style.ink

    def word(self) -> InkedWord:
        style = self.style
        word = Word(
            "".join(glyph.character for glyph in self.glyphs),
            bounding_box(glyph.box for glyph in self.glyphs),
            style.size,
            self.baseline,
            style.bold,
            style.mono,
            style.maths,
            not style.is_upright,
            self._without_marks(),
        )
        return InkedWord(word, style.ink)

    def _without_marks(self) -> str:
        """Empty if no character is smaller and higher than the letters."""
        if all(glyph.style is self.style for glyph in self.glyphs):
            return ""
        size = max(glyph.style.size for glyph in self.glyphs)
        if size <= 0.0 or all(glyph.style.size > _MARK * size for glyph in self.glyphs):
            return ""
        foot = max(glyph.baseline for glyph in self.glyphs if glyph.style.size > _MARK * size)
        is_mark = [g.style.size <= _MARK * size and foot - g.baseline > _RAISED * size for g in self.glyphs]
        characters = [", " if mark else glyph.character for glyph, mark in zip(self.glyphs, is_mark, strict=True)]
        return "".join(characters) if any(is_mark) else ""


@dataclass(frozen=True, slots=True)
class InkedWord:
    """A word, and how it is inked."""

    word: Word
    ink: Ink


def join_glyphs(glyphs: Iterable[Glyph]) -> list[InkedWord]:
    """The words in the order of the file."""
    builders: list[_WordBuilder] = []
    last: _WordBuilder | None = None
    for glyph in glyphs:
        if last is None or not last.takes(glyph):
            last = _WordBuilder(glyph.style, glyph.baseline)
            builders.append(last)
        last.glyphs.append(glyph)
    return [builder.word() for builder in builders]


def repair_spacing(words: Sequence[Word]) -> list[Word]:
    """Joins words that were set apart letter by letter (``R E S U L T S``) or at a ligature (``veri fi cation``)."""
    return _join_ligatures(list(_join_letterspaced(words)))


def _join_letterspaced(words: Sequence[Word]) -> Iterator[Word]:
    run: list[Word] = []
    for word in words:
        if run and not _continues(run[-1], word):
            yield from _join_run(run)
            run = []
        run.append(word)
    if run:
        yield from _join_run(run)


def _continues(word_before: Word, word: Word) -> bool:
    gap = word.box.left - word_before.box.right
    return (
        len(word_before.text) == len(word.text) == 1
        and word_before.text.isalpha()
        and word.text.isalpha()
        and not (word_before.maths or word.maths or word.turned)
        and word_before.size == word.size
        and abs(word_before.baseline - word.baseline) < 0.1 * word.size
        and 0.0 < gap <= 2.5 * _LETTER_GAP * word.size
    )


def _join_run(run: Sequence[Word]) -> Iterator[Word]:
    """Words of a run of single letters; the run as it is if it is too short, uneven, or made of variables."""
    gaps = [right.box.left - left.box.right for left, right in pairwise(run)]
    usual_gap = median(gaps) if gaps else 0.0
    letters = "".join(word.text for word in run)
    fewest = _FEWEST_SPACED if letters[:_FEWEST_SPACED].isupper() else _FEWEST_SMALL
    if len(run) < fewest or usual_gap > _LETTER_GAP * run[0].size or len(set(letters)) < 3:
        yield from run
        return
    run_words = [run[0]]
    for gap, word in zip(gaps, run[1:], strict=True):
        if gap > _EVEN * usual_gap:
            yield _merge(run_words)
            run_words = []
        run_words.append(word)
    yield _merge(run_words)


def _join_ligatures(words: list[Word]) -> list[Word]:
    joined_words: list[Word] = []
    place = 0
    while place < len(words):
        word = words[place]
        word_before = joined_words[-1] if joined_words else None
        next_word = words[place + 1] if place + 1 < len(words) else None
        place += 1
        left, right = _gap(word_before, word), _gap(word, next_word)
        narrower_gap = min(left, right)
        if word.text not in _LIGATURES or narrower_gap > _LIGATURE_GAP * word.size:
            joined_words.append(word)
            continue
        parts = [word]
        if word_before is not None and left <= _SAME_GAP * narrower_gap and word_before.text[-1:].isalpha():
            parts.insert(0, joined_words.pop())
        if next_word is not None and right <= _SAME_GAP * narrower_gap and next_word.text[:1].islower():
            parts.append(next_word)
            place += 1
        joined_words.append(_merge(parts))
    return joined_words


def _gap(left: Word | None, right: Word | None) -> float:
    """Between two words of one line; infinite otherwise."""
    if left is None or right is None or abs(left.baseline - right.baseline) > 0.1 * max(left.size, right.size):
        return float("inf")
    gap = right.box.left - left.box.right
    return gap if gap >= -0.1 * right.size else float("inf")


def _merge(parts: Sequence[Word]) -> Word:
    return replace(parts[0], text="".join(part.text for part in parts), box=bounding_box(part.box for part in parts))


_SMALLEST = 1.5  # points
_SCALE = 1.5  # pixels a point
_MOST_PIXELS = 4_000_000
_MOST_PICTURES = 100  # of a page that are looked at: more are a pattern of tiles
_CONTRAST = 24  # of 255: less is the grain of paper
_AROUND = 1.0  # points


def visible_words(
    page: pdfium.PdfPage, words: Sequence[InkedWord], frame: Frame, pictures: Sequence[Box]
) -> tuple[list[Word], int]:
    """The words that can be seen, and how many cannot. What OCR wrote over ``pictures`` counts as seen: it may be a
    little beside its letters.
    """
    words_inside = [
        inked_word for inked_word in words if _is_inside(inked_word.word.box, frame) and not _is_tiny(inked_word.word)
    ]
    uncertain_words = [inked_word for inked_word in words_inside if not _is_certain(inked_word, pictures)]
    image = _PageImage(page, frame) if uncertain_words else None
    hidden_ids = {
        id(inked_word) for inked_word in uncertain_words if image is not None and not image.shows(inked_word.word.box)
    }
    visible = [inked_word.word for inked_word in words_inside if id(inked_word) not in hidden_ids]
    return visible, len(words) - len(visible)


def _is_certain(inked_word: InkedWord, pictures: Sequence[Box]) -> bool:
    return inked_word.ink == "seen" or (inked_word.ink == "none" and _is_in_pictures(inked_word.word.box, pictures))


def _is_in_pictures(box: Box, pictures: Sequence[Box]) -> bool:
    return any(picture.holds(box) for picture in pictures[:_MOST_PICTURES])


def _is_inside(box: Box, frame: Frame) -> bool:
    return 0.0 <= box.middle_x <= frame.width and 0.0 <= box.middle_y <= frame.height


def _is_tiny(word: Word) -> bool:
    return word.size < _SMALLEST and word.box.height < _SMALLEST


class _PageImage:
    """The page as grey pixels."""

    def __init__(self, page: pdfium.PdfPage, frame: Frame) -> None:
        pixels = frame.width * frame.height * _SCALE * _SCALE
        self._scale = _SCALE * min(1.0, (_MOST_PIXELS / max(pixels, 1.0)) ** 0.5)
        self._image: Image.Image = page.render(scale=self._scale, grayscale=True).to_pil().convert("L")

    def shows(self, box: Box) -> bool:
        """Whether anything at this place differs from its ground."""
        scale, (width, height) = self._scale, self._image.size
        place = (
            max(0, int((box.left - _AROUND) * scale)),
            max(0, int((box.top - _AROUND) * scale)),
            min(width, int((box.right + _AROUND) * scale) + 1),
            min(height, int((box.bottom + _AROUND) * scale) + 1),
        )
        if place[0] >= place[2] or place[1] >= place[3]:
            return False
        darkest, lightest = self._image.crop(place).getextrema()
        return float(lightest) - float(darkest) >= _CONTRAST  # type: ignore[arg-type]  # a grey image has numbers
