"""Reads a PDF or page image: text layer if there is one, OCR otherwise, then layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import pypdfium2 as pdfium

from indexer.documents.parse.clean import normalise_text
from indexer.documents.parse.front_matter import demote_author_headings, front_matter, read_xmp
from indexer.documents.parse.job_files import PageProgress, PageStore, ignore_pages
from indexer.documents.parse.limits import Allowance, DocumentRefused, Limits, Ocr
from indexer.documents.parse.model import Block, DocumentFormat, Page, PrintedLine, ReadDocument, RegionBox, RegionKind
from indexer.documents.parse.pdf.blocks import to_blocks
from indexer.documents.parse.pdf.coverage import Coverage, add_lost_words, document_share, page_warnings
from indexer.documents.parse.pdf.furniture import find_furniture
from indexer.documents.parse.pdf.glyphs import MEANINGLESS, legibility_problem
from indexer.documents.parse.pdf.line_kinds import measure
from indexer.documents.parse.pdf.reading_order import segments, usual_gutters
from indexer.documents.parse.pdf.recogniser import Recogniser
from indexer.documents.parse.pdf.regions import PageLayout, lay_out, page_gutters, text_lines
from indexer.documents.parse.pdf.tesseract import POINTS, Picture
from indexer.documents.parse.pdf.text_layer import read_page
from indexer.documents.parse.sections import split_references

_PASSWORD = "password"  # noqa: S105  # nosec B105 - a word of pdfium's message
_PRINTED: tuple[RegionKind, ...] = ("heading", "text", "footnote", "header", "footer")
_FRONT_PAGES = 2
_MOST_PIXELS = 40_000_000  # an A0 sheet is rendered below 200 dpi
_LONGEST_REGION_TEXT = 200
_MOST_WARNINGS = 100
_LONGEST_REASON = 1000


def read_pdf(
    data: bytes, limits: Limits, ocr: Ocr, progress: PageProgress = ignore_pages, store: PageStore | None = None
) -> ReadDocument:
    """Continues after the pages in ``store``, and adds each page there.

    Raises DocumentRefused: ``encrypted``, ``damaged``, ``empty``, ``too_many_pages``, ``no_text``.
    """
    document = _open(data)
    try:
        pages = len(document)
        if pages == 0:
            raise DocumentRefused("empty", "The PDF has no pages.")
        if pages > limits.max_pages:
            raise DocumentRefused("too_many_pages", f"The PDF has {pages} pages; at most {limits.max_pages} are read.")
        store, allowance = store or PageStore(), Allowance(limits)
        stored_pages = store.read()
        for page in _pages(document, limits, ocr, allowance, tuple(stored_pages)):
            stored_pages.append(page)
            store.add(page)
            progress(page.number, pages)
        info = {name: str(value) for name, value in document.get_metadata_dict(skip_empty=True).items()}
        return assemble(stored_pages, info, read_xmp(data), "pdf", allowance)
    finally:
        document.close()


def assemble(
    pages: Sequence[Page],
    info: dict[str, str],
    xmp: dict[str, object],
    format: DocumentFormat,
    allowance: Allowance | None = None,
) -> ReadDocument:
    """Turns pages into a document; pure. ``allowance``: what the document may hold (by default the usual limits).

    Raises DocumentRefused ``no_text`` if no page has text.
    """
    allowance = allowance or Allowance(Limits())
    if not any(part.words for page in pages for part in page.parts):
        refusal_text = " ".join(("No page holds text that could be read.", *page_warnings(pages)))
        raise DocumentRefused("no_text", refusal_text[:_LONGEST_REASON])
    layouts, coverages = lay_out_whole(pages)
    blocks = list(allowance.within(_cut_tables(to_blocks(layouts), allowance)))
    front = front_matter(blocks, info, xmp, list(_first_lines(layouts)))
    body_blocks, references = split_references(demote_author_headings(blocks, front))
    return ReadDocument(
        format=format,
        blocks=tuple(body_blocks),
        front=front,
        references=references,
        pages=len(pages),
        ocr_pages=tuple(page.number for page in pages if _is_recognised(page)),
        blank_pages=tuple(page.number for page in pages if not any(part.words for part in page.parts)),
        regions=tuple(_region_boxes(layouts)),
        warnings=(*allowance.warnings, *_warnings(pages, coverages)),
        coverage=round(document_share(coverages), 4),
    )


def _first_lines(layouts: Sequence[PageLayout]) -> Iterator[PrintedLine]:
    """Of the first two pages with text, in reading order, without the marks behind names."""
    regions = [region for layout in layouts for region in layout.regions if region.kind in _PRINTED]
    pages = sorted({region.page for region in regions})[:_FRONT_PAGES]
    for region in regions:
        if region.page not in pages:
            continue
        for line in region.lines:
            for part in segments(line):
                text = normalise_text(" ".join(word.without_marks or word.text for word in part.words))
                is_bold, is_margin = part.share("bold") >= 0.5, region.kind in ("header", "footer")
                yield PrintedLine(text, region.page, part.size, part.baseline, is_bold, is_margin)


def _cut_tables(blocks: Iterable[Block], allowance: Allowance) -> Iterator[Block]:
    for block in blocks:
        table = allowance.limit_table(block.table) if block.table is not None else None
        if table is not block.table and table is not None and not table.rows:
            continue
        yield block if table is block.table else replace(block, table=table)


def _warnings(pages: Sequence[Page], coverages: Sequence[Coverage]) -> tuple[str, ...]:
    crowded_pages = [
        f"Page {page.number}: its last {page.left_out:,} characters are left out." for page in pages if page.left_out
    ]
    low = [page.warning for page in coverages if page.is_low]
    return tuple([*page_warnings(pages), *crowded_pages, *low][:_MOST_WARNINGS])


def lay_out_whole(pages: Sequence[Page]) -> tuple[list[PageLayout], list[Coverage]]:
    """All pages, each followed by its asides, plus plain text where too few words of a page were kept; and the coverage
    of each page with its asides.
    """
    layouts: list[PageLayout] = []
    coverages: list[Coverage] = []
    by_part = {
        id(part): add_lost_words(layout)
        for group in _groups(pages)
        for part, layout in zip(group, lay_out_all(group), strict=True)
    }
    for page in pages:
        results = [by_part[id(part)] for part in page.parts]
        layouts += [results[0][0], *(layout.placed_on(page) for layout, _ in results[1:])]
        coverages.append(sum((cover for _, cover in results[1:]), results[0][1]))
    return layouts, coverages


def _groups(pages: Sequence[Page]) -> list[list[Page]]:
    """The pages; then the asides of each direction, each of which has its own heads, columns and measures."""
    asides: dict[tuple[float, str], list[list[Page]]] = {}
    for page in pages:
        counts: Counter[tuple[float, str]] = Counter()
        for aside_page in page.asides:
            key = (aside_page.turn, aside_page.read_by)
            groups = asides.setdefault(key, [])
            if counts[key] == len(groups):
                groups.append([])
            groups[counts[key]].append(aside_page)
            counts[key] += 1
    return [list(pages), *(group for groups in asides.values() for group in groups)]


def lay_out_all(pages: Sequence[Page]) -> list[PageLayout]:
    """Lays out each page, using what all pages share: heads and feet, usual size and leading, usual columns."""
    furniture = find_furniture(pages)
    measures = measure([text_lines(page, furniture) for page in pages])
    gutters = usual_gutters([page_gutters(page, furniture) for page in pages])
    return [lay_out(page, furniture, measures, gutters) for page in pages]


def _open(data: bytes) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if _PASSWORD in str(error).lower():
            raise DocumentRefused(
                "encrypted", "The PDF is encrypted; give one that opens without a password."
            ) from None
        if b"/Encrypt" in data[-4096:] or "security" in str(error).lower():
            raise DocumentRefused("encrypted", "The PDF is encrypted in a way that is not read.") from None
        if b"/Count 0" in data and b"/Kids" in data:
            raise DocumentRefused("empty", "The PDF has no pages.") from None
        raise DocumentRefused("damaged", f"The PDF cannot be opened: {str(error)[:200]}") from None


def _pages(
    document: pdfium.PdfDocument, limits: Limits, ocr: Ocr, allowance: Allowance, stored_pages: Sequence[Page]
) -> Iterator[Page]:
    """Those after ``stored_pages``, until the characters of the document are spent; a word counts with its space."""
    characters = sum(map(_characters, stored_pages))
    recogniser = Recogniser(ocr, limits, {page.number for page in stored_pages if _is_recognised(page)})
    if characters > limits.max_characters:
        allowance.note_characters()
        return
    for index in range(len(stored_pages), len(document)):
        try:
            page = read_page(document, index)
        except pdfium.PdfiumError:
            yield Page(index + 1, 612.0, 792.0, read_by="none", notes=("not read: the page is damaged",))
            continue
        page = _recognise(page, recogniser, partial(_render, document, index, ocr.dpi))
        characters += _characters(page)
        yield page
        if characters > limits.max_characters:
            allowance.note_characters()
            return


def _characters(page: Page) -> int:
    return sum(len(word.text) + 1 for part in page.parts for word in part.words)


def _is_recognised(page: Page) -> bool:
    return any(part.read_by == "ocr" for part in page.parts)


def _recognise(page: Page, recogniser: Recogniser, render: Callable[[], Picture]) -> Page:
    """The page, read by OCR where it has no text layer, or none that can be read, and where it has pictures."""
    words = [word for part in page.parts for word in part.words]
    if not words:
        if not (page.pictures or page.figures or page.rules or page.hidden):
            return page  # an empty page
        return replace(recogniser.whole_page(page.number, render, "it has no text layer"), hidden=page.hidden)
    if problem := legibility_problem(words):
        scan = recogniser.whole_page(page.number, render, problem)
        is_read = any(part.words for part in scan.parts)
        return scan if is_read or problem in MEANINGLESS else replace(page, notes=scan.notes)
    return recogniser.with_pictures(page, render)


def _render(document: pdfium.PdfDocument, index: int, dpi: int) -> Picture:
    page = document[index]
    try:
        return page_image(page, dpi)
    finally:
        page.close()


def page_image(page: pdfium.PdfPage, dpi: int) -> Picture:
    """The rendered page, with a lower resolution if it is very large."""
    width, height = page.get_size()
    scale = dpi / POINTS
    pixels = width * height * scale * scale
    if pixels > _MOST_PIXELS:
        scale *= (_MOST_PIXELS / pixels) ** 0.5
    return Picture(page.render(scale=scale, grayscale=True).to_pil(), scale * POINTS)


def _region_boxes(layouts: Sequence[PageLayout]) -> Iterator[RegionBox]:
    for page in layouts:
        for region in page.regions:
            box = region.box
            edges = (round(box.left, 1), round(box.top, 1), round(box.right, 1), round(box.bottom, 1))
            text = " ".join(line.text for line in region.lines)[:_LONGEST_REGION_TEXT]
            yield RegionBox(region.page, region.kind, edges, text)
