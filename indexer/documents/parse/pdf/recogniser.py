"""OCR of one document: whole pages, and pictures on pages with text, within a budget of pages and time.

A page with a text layer may have pictures with text, too: a scan under a letterhead or a stamp, a table as image. What
is not read, or read without confidence, is left out and named in a note: text that was guessed must not be found or
quoted.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.model import Box, Page, bounding_box
from indexer.documents.parse.pdf.reading_order import rows
from indexer.documents.parse.pdf.tesseract import (
    LANGUAGE_NAMES,
    PACK_OF_LANGUAGE,
    OcrText,
    Picture,
    installed_languages,
    ocr_image,
    pack_of_script,
    packs_for,
    posture,
)
from reading.sentences import detect_language

_LEAST_WIDTH, _LEAST_HEIGHT = 60.0, 20.0  # points: smaller pictures are logos and symbols
_LEAST_AREA = 0.02  # of the page
_MOST_PICTURES = 6  # of a page
_MOST_TILES = 400  # a scan may be cut into strips
_MOST_KNOWN = 1000  # words of a stamp
_TOUCHING_POINTS = 2.0  # points
_STRIP = 20.0  # points: the height of a strip of a picture
_WITH_TEXT = 0.25  # of a picture's strips: then its text is in the text layer already
_FEWEST_LINES, _FEWEST_PIECES = 3, 3  # text and tables have lines of several words; photographs have not
_FEWEST_WORDS = 10
_WORD = re.compile(r"[^\W\d_]{3,}")


def picture_areas(page: Page) -> list[Box]:
    """Boxes of pictures that are large enough and whose text is not in the text layer; the largest first."""
    least_area = _LEAST_AREA * page.width * page.height
    page_box = Box(0.0, 0.0, page.width, page.height)
    areas = [_clip(box, page_box) for box in _join_tiles(page.pictures)]
    large_enough = [
        box
        for box in areas
        if box.width >= _LEAST_WIDTH and box.height >= _LEAST_HEIGHT and box.width * box.height >= least_area
    ]
    if not large_enough:
        return []
    words = [part.place_on(page, word.box) for part in page.parts for word in part.words]
    unread = [box for box in large_enough if not _has_text_layer(box, words)]
    return sorted(unread, key=lambda box: box.width * box.height, reverse=True)[:_MOST_PICTURES]


def _clip(box: Box, page_box: Box) -> Box:
    left, top = max(box.left, page_box.left), max(box.top, page_box.top)
    return Box(left, top, max(left, min(box.right, page_box.right)), max(top, min(box.bottom, page_box.bottom)))


def _join_tiles(pictures: Sequence[Box]) -> list[Box]:
    """Pictures that touch each other are tiles of one."""
    joined_boxes: list[Box] = []
    for box in pictures[:_MOST_TILES]:
        joined_box = box
        separate_boxes: list[Box] = []
        for joined_before in joined_boxes:
            if joined_box.touches(joined_before, _TOUCHING_POINTS):
                joined_box = bounding_box((joined_box, joined_before))
            else:
                separate_boxes.append(joined_before)
        joined_boxes = [*separate_boxes, joined_box]
    return joined_boxes


def _has_text_layer(picture: Box, words: Sequence[Box]) -> bool:
    """Whether words of the text layer are all over the picture, not only in a stamp or a line at its edge."""
    strips = max(1, round(picture.height / _STRIP))
    strips_with_words = {int((box.middle_y - picture.top) / _STRIP) for box in words if picture.holds(box)}
    return len(strips_with_words) >= max(_WITH_TEXT * strips, 1.0)


def looks_like_text(page: Page) -> bool:
    """Whether what OCR read in a picture is text or a table: several lines of several words. The lines of a chart are
    numbers.
    """
    lines = [line for line in rows(page.words) if len(line.words) >= _FEWEST_PIECES and _WORD.search(line.text)]
    return len(lines) >= _FEWEST_LINES and sum(len(line.words) for line in lines) >= _FEWEST_WORDS


def as_aside(text_page: Page, area: Box, page: Page) -> Page:
    """The text read from a picture as an aside of the page with the picture, without words that the page has there."""
    area_page = Page(text_page.number, area.width, area.height)
    sideways = text_page.turn % 180.0 != 0.0
    width, height = (page.height, page.width) if sideways else (page.width, page.height)
    aside_page = replace(text_page, width=width, height=height)
    turned_back = Page(text_page.number, page.width, page.height, turn=-text_page.turn)
    known_boxes = [word.box for word in page.words if area.holds(word.box)][:_MOST_KNOWN]
    words = []
    for word in text_page.words:
        box = text_page.place_on(area_page, word.box)
        box = Box(box.left + area.left, box.top + area.top, box.right + area.left, box.bottom + area.top)
        if not any(known_box.holds(box) for known_box in known_boxes):
            upright = turned_back.place_on(aside_page, box)
            words.append(replace(word, box=upright, baseline=upright.bottom + word.baseline - word.box.bottom))
    return replace(aside_page, words=tuple(words))


_LEAST_CONFIDENCE = 60.0  # of a page's text; text of another script than the pack's has 30 to 55
_LEAST_OF_PICTURE = 70.0  # a photograph gives some letters, too
_SURE = 85.0  # below, the page may be turned, or in another script than the pages before
_LARGE_SHARE = 0.3  # of the page: smaller pictures are seldom text
_SHARE_FOR_PAGES, _SHARE_FOR_PICTURES = 0.7, 0.35  # of the time for the whole document


@dataclass(slots=True)
class Recogniser:
    """Reads the pictures of one document, page after page. ``pages``: the numbers of those that were read by OCR."""

    ocr: Ocr
    limits: Limits
    pages: set[int] = field(default_factory=set)
    _started: float = field(default_factory=time.monotonic)
    _installed_packs: tuple[str, ...] | None = None
    _pack: str | None = None

    def whole_page(self, number: int, render: Callable[[], Picture], reason: str) -> Page:
        """The page as OCR reads it; without words, but with a note, if it does not. ``reason`` OCR is needed begins the
        note. ``render`` is called only if the page is to be read.
        """
        if hindrance := self._hindrance(number, _SHARE_FOR_PAGES):
            return Page(number, 612.0, 792.0, read_by="none", notes=(f"not read: {reason}, and {hindrance}",))
        picture = render()
        width, height = picture.size
        text_page, note = self._read(picture, number)
        notes = (note,) if note else ()
        if text_page is None:
            return Page(number, width, height, read_by="none", notes=notes)
        if text_page.turn:
            return Page(number, width, height, read_by="ocr", asides=(text_page,), notes=notes)
        return replace(text_page, notes=notes)

    def with_pictures(self, page: Page, render: Callable[[], Picture]) -> Page:
        """The page, with the text of its pictures as asides; pictures that the text layer covers are not read."""
        areas = picture_areas(page)
        if not areas:
            return page
        if hindrance := self._hindrance(page.number, _SHARE_FOR_PICTURES):
            is_scan = sum(box.width * box.height for box in areas) >= _LARGE_SHARE * page.width * page.height
            return replace(page, notes=(*page.notes, f"a large picture was not read: {hindrance}")) if is_scan else page
        picture = render()
        asides = []
        for area in areas:
            text_page = self._read_picture(picture.cut(area), page.number)
            if text_page is not None and looks_like_text(text_page):
                asides.append(as_aside(text_page, area, page))
        return replace(page, asides=(*page.asides, *asides)) if asides else page

    def _hindrance(self, number: int, share: float) -> str:
        """Why this page is not read by OCR; empty if it is."""
        if self.ocr.command is None:
            return self.ocr.absence
        if number not in self.pages and len(self.pages) >= self.ocr.most_pages:
            return f"OCR reads at most {self.ocr.most_pages} pages of a document (SONDE_DOCUMENTS__OCR_PAGES)"
        if time.monotonic() - self._started > share * self.limits.seconds:
            return "the time for OCR was over (SONDE_DOCUMENTS__SECONDS)"
        self.pages.add(number)
        return ""

    def _read_picture(self, picture: Picture, number: int) -> Page | None:
        """The text of a picture on a page; None if it is not sure. A picture without a script is none of text."""
        look = posture(picture, self.ocr, self.limits)
        packs = packs_for(look.script, self.ocr.languages, self._packs_installed())
        if look.script is None or not packs:
            return None
        pack = self._pack if self._pack in packs else packs[0]
        text = self._recognise(picture.rotate(look.turn), number, pack)
        if text is None or text.confidence < _LEAST_OF_PICTURE:
            return None
        return replace(text.page, turn=float(look.turn))

    def _read(self, picture: Picture, number: int) -> tuple[Page | None, str]:
        """The page, upright with its ``turn``, or None; then a note, empty if there is nothing to say."""
        text = self._recognise(picture, number, self._pack) if self._pack is not None else None
        if text is not None and text.confidence >= _SURE:
            return text.page, ""
        look = posture(picture, self.ocr, self.limits)
        packs = packs_for(look.script, self.ocr.languages, self._packs_installed())
        if not packs:
            script = look.script or "Latin"
            return None, (
                f"not read: the text is in {script} letters, and tesseract has no language pack for them "
                f"(for example {pack_of_script(script)}); Debian's packages are called tesseract-ocr-<language>"
            )
        texts_by_pack = {self._pack: text} if self._pack in packs and not look.turn else {}
        best, pack = self._best(picture.rotate(look.turn), number, packs, texts_by_pack)
        if best is None:
            return None, ""
        if best.confidence < _LEAST_CONFIDENCE:
            return None, f"not read: OCR is too unsure of the text ({best.confidence:.0f} of 100)"
        self._pack = pack
        return replace(best.page, turn=float(look.turn)), self._language_note(best, pack)

    def _best(
        self, picture: Picture, number: int, packs: Sequence[str], texts_by_pack: Mapping[str, OcrText | None]
    ) -> tuple[OcrText | None, str]:
        """The text of highest confidence. After the first pack, that of the text's own language is tried; the others
        only if the text is still doubtful. ``texts_by_pack``: what packs gave already.
        """
        texts = {pack: texts_by_pack[pack] for pack in packs if pack in texts_by_pack}
        if not texts:
            texts = {packs[0]: self._recognise(picture, number, packs[0])}
        first = next(iter(texts.values()))
        own_pack = PACK_OF_LANGUAGE.get(detect_language(first.text) or "", "") if first is not None else ""
        for pack in (own_pack, *packs):
            if pack in packs and pack not in texts and (pack == own_pack or not _is_sure(texts.values())):
                texts[pack] = self._recognise(picture, number, pack)
        best = max(texts, key=lambda pack: text.confidence if (text := texts[pack]) is not None else -1.0)
        return texts[best], best

    def _recognise(self, picture: Picture, number: int, pack: str) -> OcrText | None:
        return ocr_image(picture, number, self.ocr, self.limits, pack)

    def _packs_installed(self) -> tuple[str, ...]:
        if self._installed_packs is None:
            self._installed_packs = installed_languages(str(self.ocr.command))
        return self._installed_packs

    def _language_note(self, text: OcrText, pack: str) -> str:
        language = detect_language(text.text) or ""
        own_pack = PACK_OF_LANGUAGE.get(language, pack)
        if own_pack in pack.split("+"):
            return ""
        return (
            f"read with the language pack {pack}, but the text seems to be {LANGUAGE_NAMES[language]}: some letters "
            f"may be wrong; install the pack {own_pack} (Debian's package tesseract-ocr-{own_pack}) and read it again"
        )


def _is_sure(texts: Iterable[OcrText | None]) -> bool:
    return any(text is not None and text.confidence >= _SURE for text in texts)
