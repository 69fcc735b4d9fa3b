"""Reads a PDF or page image: text layer if there is one, OCR otherwise, then layout.

What was not read is measured page by page, kept as plain text, and named in warnings. A word counts as kept if it is in
a passage or a table, or marked as furniture (heads, feet, page and line numbers, watermarks), contents, a reference or
a note. The rest are labels of drawings, or text mistaken for such labels. Separate letters and words without spaces
between them count as lost: no search finds them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

import pypdfium2 as pdfium

from indexer.documents.parse.clean import normalise_text
from indexer.documents.parse.front_matter import demote_author_headings, front_matter, read_xmp
from indexer.documents.parse.job_files import PageProgress, PageStore, ignore_pages
from indexer.documents.parse.limits import Allowance, DocumentRefused, Limits, Ocr
from indexer.documents.parse.model import (
    Block,
    DocumentFormat,
    Line,
    Page,
    PrintedLine,
    ReadDocument,
    Region,
    RegionBox,
    RegionKind,
    Word,
    bounding_box,
)
from indexer.documents.parse.pdf.blocks import to_blocks
from indexer.documents.parse.pdf.furniture import find_furniture
from indexer.documents.parse.pdf.glyphs import MEANINGLESS, legibility_problem
from indexer.documents.parse.pdf.line_kinds import measure
from indexer.documents.parse.pdf.reading_order import find_gutters, rows, segments, usual_gutters
from indexer.documents.parse.pdf.recogniser import Recogniser
from indexer.documents.parse.pdf.regions import PageLayout, lay_out, page_text
from indexer.documents.parse.pdf.tesseract import POINTS, Picture
from indexer.documents.parse.pdf.text_layer import read_page
from indexer.documents.parse.sections import split_references

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
    texts = [page_text(page, furniture) for page in pages]
    measures = measure([text.rows for text in texts])
    gutters = usual_gutters([find_gutters(text.segments) for text in texts])
    return [lay_out(page, text, furniture, measures, gutters) for page, text in zip(pages, texts, strict=True)]


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
