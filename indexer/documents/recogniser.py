"""OCR of one document: whole pages, and pictures on pages with text, within a budget of pages and time.

What is not read, or read without confidence, is left out and named in a note: text that was guessed must not be found
or quoted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexer.documents.limits import Limits, Ocr
from indexer.documents.ocr import Picture, Recognised, ocr_image
from indexer.documents.ocr_installed import installed_languages
from indexer.documents.ocr_script import (
    LANGUAGE_NAMES,
    PACK_OF_LANGUAGE,
    pack_of_script,
    packs_for,
    posture,
)
from indexer.documents.page import Page
from indexer.documents.picture_areas import is_text, moved, picture_areas
from reading.language import detect_language

_LEAST_CONFIDENCE = 60.0  # of a page's text; text of another script than the pack's has 30 to 55
_LEAST_OF_PICTURE = 70.0  # a photograph gives some letters, too
_SURE = 85.0  # below, the page may be turned, or in another script than the pages before
_MUCH = 0.3  # of the page: smaller pictures are seldom text
_SHARE_FOR_PAGES, _SHARE_FOR_PICTURES = 0.7, 0.35  # of the time for the whole document


@dataclass(slots=True)
class Recogniser:
    """Reads the pictures of one document, page after page. ``pages``: the numbers of those that were read by OCR."""

    ocr: Ocr
    limits: Limits
    pages: set[int] = field(default_factory=set)
    _started: float = field(default_factory=time.monotonic)
    _installed: tuple[str, ...] | None = None
    _pack: str | None = None

    def whole_page(self, number: int, rendered: Callable[[], Picture], why: str) -> Page:
        """The page as OCR reads it; without words, but with a note, if it does not. ``why`` OCR is needed begins the
        note. ``rendered`` is called only if the page is to be read.
        """
        if hindrance := self._hindrance(number, _SHARE_FOR_PAGES):
            return Page(number, 612.0, 792.0, read_by="none", notes=(f"not read: {why}, and {hindrance}",))
        picture = rendered()
        width, height = picture.size
        found, note = self._read(picture, number)
        notes = (note,) if note else ()
        if found is None:
            return Page(number, width, height, read_by="none", notes=notes)
        if found.turn:
            return Page(number, width, height, read_by="ocr", asides=(found,), notes=notes)
        return replace(found, notes=notes)

    def with_pictures(self, page: Page, rendered: Callable[[], Picture]) -> Page:
        """The page, with the text of its pictures as asides; pictures that the text layer covers are not read."""
        areas = picture_areas(page)
        if not areas:
            return page
        if hindrance := self._hindrance(page.number, _SHARE_FOR_PICTURES):
            is_scan = sum(box.width * box.height for box in areas) >= _MUCH * page.width * page.height
            return replace(page, notes=(*page.notes, f"a large picture was not read: {hindrance}")) if is_scan else page
        picture = rendered()
        asides = []
        for area in areas:
            found = self._read_picture(picture.cut(area), page.number)
            if found is not None and is_text(found):
                asides.append(moved(found, area, page))
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
        found = self._recognised(picture.turned(look.turn), number, pack)
        if found is None or found.confidence < _LEAST_OF_PICTURE:
            return None
        return replace(found.page, turn=float(look.turn))

    def _read(self, picture: Picture, number: int) -> tuple[Page | None, str]:
        """The page, upright with its ``turn``, or None; then a note, empty if there is nothing to say."""
        known = self._recognised(picture, number, self._pack) if self._pack is not None else None
        if known is not None and known.confidence >= _SURE:
            return known.page, ""
        look = posture(picture, self.ocr, self.limits)
        packs = packs_for(look.script, self.ocr.languages, self._packs_installed())
        if not packs:
            script = look.script or "Latin"
            return None, (
                f"not read: the text is in {script} letters, and tesseract has no language pack for them "
                f"(for example {pack_of_script(script)}); Debian's packages are called tesseract-ocr-<language>"
            )
        read = {self._pack: known} if self._pack in packs and not look.turn else {}
        best, pack = self._best(picture.turned(look.turn), number, packs, read)
        if best is None:
            return None, ""
        if best.confidence < _LEAST_CONFIDENCE:
            return None, f"not read: OCR is too unsure of the text ({best.confidence:.0f} of 100)"
        self._pack = pack
        return replace(best.page, turn=float(look.turn)), self._language_note(best, pack)

    def _best(
        self, picture: Picture, number: int, packs: Sequence[str], read: Mapping[str, Recognised | None]
    ) -> tuple[Recognised | None, str]:
        """The text of highest confidence. After the first pack, that of the text's own language is tried; the others
        only if the text is still doubtful. ``read``: what packs gave already.
        """
        found = {pack: read[pack] for pack in packs if pack in read}
        if not found:
            found = {packs[0]: self._recognised(picture, number, packs[0])}
        first = next(iter(found.values()))
        own = PACK_OF_LANGUAGE.get(detect_language(first.text) or "", "") if first is not None else ""
        for pack in (own, *packs):
            if pack in packs and pack not in found and (pack == own or not _is_sure(found.values())):
                found[pack] = self._recognised(picture, number, pack)
        best = max(found, key=lambda pack: one.confidence if (one := found[pack]) is not None else -1.0)
        return found[best], best

    def _recognised(self, picture: Picture, number: int, pack: str) -> Recognised | None:
        return ocr_image(picture, number, self.ocr, self.limits, pack)

    def _packs_installed(self) -> tuple[str, ...]:
        if self._installed is None:
            self._installed = installed_languages(str(self.ocr.command))
        return self._installed

    def _language_note(self, found: Recognised, pack: str) -> str:
        language = detect_language(found.text) or ""
        own = PACK_OF_LANGUAGE.get(language, pack)
        if own in pack.split("+"):
            return ""
        return (
            f"read with the language pack {pack}, but the text seems to be {LANGUAGE_NAMES[language]}: some letters "
            f"may be wrong; install the pack {own} (Debian's package tesseract-ocr-{own}) and read it again"
        )


def _is_sure(found: Iterable[Recognised | None]) -> bool:
    return any(one is not None and one.confidence >= _SURE for one in found)
