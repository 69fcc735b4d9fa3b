"""Turns the regions of all pages into blocks: joins paragraphs across columns and pages, adds captions to tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, takewhile

from core.names import letters_of
from indexer.documents.parse.clean import LineJoiner, hyphenated_words, join_lines, letters, normalise_text
from indexer.documents.parse.model import Block, BlockKind, Line, PlacedWord, Region, RegionKind, Table
from indexer.documents.parse.pdf.regions import PageLayout
from indexer.documents.parse.pdf.table_cells import NUMBER
from indexer.documents.parse.sections import NUMBERED_HEADING, role_of

_FLOW: dict[RegionKind, BlockKind] = {
    "heading": "heading",
    "text": "text",
    "caption": "caption",
    "formula": "formula",
    "code": "code",
    "footnote": "footnote",
    "table": "table",
}
_RUN_IN_WORDS = 6
_RUN_IN_SIZE = 0.5  # ranks below every heading that has its own line
_FLOATING_KINDS = ("caption", "table", "footnote")
_SENTENCE_END = re.compile(r"[.!?:][\"”’)\]]*$")
_FLOW_KINDS = ("heading", "text", "list")
_ALIGNED = 12.0  # points
_CONTINUED = re.compile(r"contin|fortsetz|forts\.|suite|continua", re.IGNORECASE)
_TABLE_CAPTION = re.compile(r"^tab", re.IGNORECASE)
_LIST_ITEM = re.compile(r"^(?:[•●▪–\-*]|\(?[a-z0-9]{1,2}[.)])\s+\S")


@dataclass(frozen=True, slots=True)
class StyledBlock:
    """A block with its appearance: size (half points), capitals, bold; used to find headings and their levels.
    ``aside``: not in the flow of the text.
    """

    block: Block
    style: tuple[float, bool, bool] = (0.0, False, False)
    aside: bool = False


def to_blocks(pages: Sequence[PageLayout]) -> list[Block]:
    """All text that is read, in order; furniture, contents and drawings are left out."""
    texts = [line.text for page in pages for region in page.regions for line in region.lines]
    compounds = hyphenated_words(normalise_text(text) for text in texts)
    drafts = _join_paragraphs(_demote_false_headings(list(_drafts(pages, compounds))), compounds)
    return list(_with_carried_heads(_move_captions(assign_levels(drafts))))


def _drafts(pages: Sequence[PageLayout], compounds: frozenset[str]) -> Iterator[StyledBlock]:
    for page in pages:
        drafts = _drafts_of(page, compounds)
        yield from (replace(draft, aside=True) for draft in drafts) if page.aside else drafts


def _drafts_of(page: PageLayout, compounds: frozenset[str]) -> Iterator[StyledBlock]:
    for index, region in enumerate(page.regions):
        kind = _FLOW.get(region.kind)
        if kind is None:
            continue
        number = page.page.number
        if kind == "table":
            detected_table = page.tables[index]
            table = Table(
                tuple(tuple(normalise_text(cell) for cell in row) for row in detected_table.rows),
                detected_table.header_rows,
                join_lines([line.text for line in detected_table.caption], compounds),
                found_by=detected_table.found_by,
                page=number,
                box=(
                    detected_table.box.left,
                    detected_table.box.top,
                    detected_table.box.right,
                    detected_table.box.bottom,
                ),
                scanned=page.page.read_by == "ocr",
            )
            yield StyledBlock(Block("table", "", number, number, table=table))
        elif kind == "text":
            yield from _paragraph(region, compounds)
        else:
            yield _draft(region, kind, compounds)


def _paragraph(region: Region, compounds: frozenset[str]) -> Iterator[StyledBlock]:
    """A paragraph; if it starts with a bold ``Data availability.``, that becomes its heading."""
    bold_words = list(takewhile(lambda word: word.bold, region.lines[0].words[: _RUN_IN_WORDS + 1]))
    title = normalise_text(" ".join(word.text for word in bold_words))
    if 0 < len(bold_words) <= _RUN_IN_WORDS and title.endswith((".", ":")) and role_of((title,)) is not None:
        yield StyledBlock(Block("heading", title.rstrip(".:"), region.page, region.page), (_RUN_IN_SIZE, False, True))
        other_words = [word for word in region.lines[0].words if word not in bold_words]
        first = (Line.of(other_words),) if other_words else ()
        region = replace(region, lines=(*first, *region.lines[1:]))
    if region.lines:
        yield _draft(region, "text", compounds)


def _draft(region: Region, kind: BlockKind, compounds: frozenset[str]) -> StyledBlock:
    lines = [normalise_text(line.text) for line in region.lines]
    text = "\n".join(lines) if kind == "code" else join_lines(lines, compounds)
    code_lines = tuple(lines) if kind == "code" else ()
    block = Block(kind, text, region.page, region.page, lines=code_lines, words=placed_words(region.lines, region.page))
    first = region.lines[0]
    return StyledBlock(block, (round(first.size * 2.0) / 2.0, text.isupper(), first.share("bold") >= 0.5))


def placed_words(lines: Iterable[Line], page: int) -> tuple[PlacedWord, ...]:
    """The words of these lines in reading order; words without a letter have no place in a text."""
    return tuple(_placed_words(lines, page))


def _placed_words(lines: Iterable[Line], page: int) -> Iterator[PlacedWord]:
    for line in lines:
        for word in line.words:
            count = _letter_count(word.text)
            if count:
                box = word.box
                yield PlacedWord(
                    page, count, round(box.left, 1), round(box.top, 1), round(box.right, 1), round(box.bottom, 1)
                )


@lru_cache(maxsize=10_000)
def _letter_count(word: str) -> int:
    return len(letters_of(normalise_text(word))[0])


def _demote_false_headings(drafts: Sequence[StyledBlock]) -> list[StyledBlock]:
    """Turns bold sentences back into text: those continued in the next block; long ones that end like a sentence."""
    blocks: list[StyledBlock] = []
    for index, draft in enumerate(drafts):
        block = draft.block
        next_draft = drafts[index + 1] if index + 1 < len(drafts) else None
        if block.kind == "heading" and draft.style[0] > _RUN_IN_SIZE and _is_sentence(draft, next_draft):
            blocks.append(StyledBlock(replace(block, kind="text"), aside=draft.aside))
        else:
            blocks.append(draft)
    return blocks


def _is_sentence(heading: StyledBlock, next_block: StyledBlock | None) -> bool:
    text = heading.block.text
    is_long = len(text.split()) > 4
    ends = text.endswith((".", "!")) and len(text.split()) > 6 and NUMBERED_HEADING.match(text) is None
    if next_block is None or next_block.block.kind != "text":
        return ends
    same_size = heading.style[0] <= 1.05 * next_block.style[0]
    return ends or (is_long and same_size and next_block.block.text[:1].islower())


def _join_paragraphs(drafts: Sequence[StyledBlock], compounds: frozenset[str]) -> list[StyledBlock]:
    """Joins paragraphs that a column or page break split; floating blocks in between come after them."""
    blocks: list[StyledBlock | _OpenText] = []
    open_text: _OpenText | None = None
    for draft in drafts:
        block = draft.block
        if block.table is None and (not block.text or _is_crumb(block)):
            continue
        if draft.aside:
            blocks.append(draft)
        elif block.kind == "text" and open_text is not None and open_text.continues_with(block):
            open_text.add(block)
        elif block.kind == "text":
            open_text = _OpenText(draft, compounds)
            blocks.append(open_text)
        else:
            blocks.append(draft)
            open_text = open_text if block.kind in _FLOATING_KINDS else None
    return [item.as_styled_block() if isinstance(item, _OpenText) else item for item in blocks]


class _OpenText:
    """A paragraph to which its continuations are added."""

    def __init__(self, draft: StyledBlock, compounds: frozenset[str]) -> None:
        self._drafts = [draft]
        self._text = LineJoiner(compounds, draft.block.text)
        self._breaks = list(draft.block.breaks)

    def continues_with(self, block: Block) -> bool:
        end = self._text.end
        if _SENTENCE_END.search(end) or _LIST_ITEM.match(block.text):
            return False
        page_gap = (block.first_page or 0) - (self._drafts[-1].block.last_page or 0)
        if page_gap > 1:
            return False
        long = self._text.length > 200 and len(block.text) > 80
        return block.text[:1].islower() or end.endswith(("-", ",")) or (page_gap == 1 and long)

    def add(self, block: Block) -> None:
        """Records where the added text begins if that is on a later page."""
        self._text.add(block.text)
        if block.first_page is not None and block.first_page != self._drafts[-1].block.last_page:
            self._breaks.append((self._text.length - len(block.text), block.first_page))
        self._drafts.append(StyledBlock(block))

    def as_styled_block(self) -> StyledBlock:
        if len(self._drafts) == 1:
            return self._drafts[0]
        words = tuple(word for draft in self._drafts for word in draft.block.words)
        first, last = self._drafts[0].block, self._drafts[-1].block
        return StyledBlock(
            replace(first, text=self._text.text, last_page=last.last_page, breaks=tuple(self._breaks), words=words)
        )


def _is_crumb(block: Block) -> bool:
    """A few characters without a word: the number of an axis, a mark on a map."""
    return (
        block.kind == "text"
        and len(block.text) < 25
        and not any(len(w) > 2 and w.isalpha() for w in block.text.split())
    )


def assign_levels(drafts: Sequence[StyledBlock]) -> list[Block]:
    """Gives headings their level: by their number, else by their likeness to numbered ones, else by size and style."""
    headings = [draft for draft in drafts if draft.block.kind == "heading"]
    by_style: dict[tuple[float, bool, bool], int] = {}
    for draft in headings:
        depth = _depth(draft.block.text)
        if depth is not None:
            by_style[draft.style] = min(depth, by_style.get(draft.style, depth))
    looks = sorted({d.style for d in headings}, key=lambda s: (-s[0], not s[1], not s[2]))
    of_style = _levels(looks, by_style)
    return [
        replace(d.block, level=_depth(d.block.text) or of_style[d.style]) if d.block.kind == "heading" else d.block
        for d in drafts
    ]


def _levels(
    looks: Sequence[tuple[float, bool, bool]], numbered_levels: dict[tuple[float, bool, bool], int]
) -> dict[tuple[float, bool, bool], int]:
    """The level of unnumbered headings of each style; ``looks``: all styles, the largest first. Without any numbered
    heading their order is their level; else they rank with the highest numbered one that is no larger.
    """
    if not numbered_levels:
        return {style: min(rank, 6) for rank, style in enumerate(looks, 1)}
    out: dict[tuple[float, bool, bool], int] = {}
    lowest = max(numbered_levels.values()) + 1
    highest: int | None = None
    for _, group in groupby(reversed(looks), key=lambda style: style[0]):
        same_size = list(group)
        levels = [numbered_levels[style] for style in same_size if style in numbered_levels]
        highest = min([*levels, *([highest] if highest is not None else [])], default=None)
        out |= {style: numbered_levels.get(style, lowest if highest is None else highest) for style in same_size}
    return out


def _depth(text: str) -> int | None:
    match = NUMBERED_HEADING.match(text)
    return None if match is None else len([part for part in match["number"].split(".") if part])


def _move_captions(blocks: Sequence[Block]) -> list[Block]:
    """Moves the nearest caption on the page into each table."""
    moved_blocks = list(blocks)
    taken_captions: set[int] = set()
    for index, block in enumerate(moved_blocks):
        if block.table is None or block.table.caption:
            continue
        near_captions = [
            neighbour
            for neighbour in (index - 1, index + 1, index - 2, index + 2)
            if 0 <= neighbour < len(moved_blocks)
            and neighbour not in taken_captions
            and _captions_table(moved_blocks[neighbour], block)
        ]
        if near_captions:
            taken_captions.add(near_captions[0])
            moved_blocks[index] = replace(
                block, table=replace(block.table, caption=moved_blocks[near_captions[0]].text)
            )
    return [block for index, block in enumerate(moved_blocks) if index not in taken_captions]


def _with_carried_heads(blocks: Sequence[Block]) -> Iterator[Block]:
    """Gives a table that goes on over a page the head and the caption of its first part."""
    last_table: Table | None = None
    last_page: int | None = None
    for block in blocks:
        if block.table is None:
            last_page = block.last_page if block.kind in _FLOW_KINDS else last_page
            yield block
            continue
        table = block.table
        if last_table is not None and table.page != last_page and _goes_on(last_table, table):
            table = _continued(last_table, table)
        last_table, last_page = table, last_page if table.page == last_page else None
        yield replace(block, table=table)


def _goes_on(part: Table, next_part: Table) -> bool:
    """Whether the two stand on following pages, at the same place between the margins, with the same columns."""
    if part.box is None or next_part.box is None or part.page is None or next_part.page != part.page + 1:
        return False
    is_aligned = abs(part.box[0] - next_part.box[0]) <= _ALIGNED and abs(part.box[2] - next_part.box[2]) <= _ALIGNED
    return (
        is_aligned
        and part.columns == next_part.columns
        and (not next_part.caption or _CONTINUED.search(next_part.caption) is not None)
    )


def _is_body_row(row: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether the row has numbers where the rows of a table have them; a table of words alone may have ended."""
    numeric_columns = [
        column
        for column in range(len(row))
        if body and sum(NUMBER.match(cells[column]) is not None for cells in body) > len(body) / 2
    ]
    return bool(numeric_columns) and all(NUMBER.match(row[column]) for column in numeric_columns)


def _continued(part: Table, next_part: Table) -> Table:
    """With the header rows that its page repeats, or else with those of the page before; another table as it is."""
    head, caption = part.rows[: part.header_rows], next_part.caption or part.caption
    printed_head = next_part.rows[: part.header_rows]
    if [letters(" ".join(row)) for row in head] == [letters(" ".join(row)) for row in printed_head]:
        return replace(next_part, header_rows=part.header_rows, caption=caption)
    if not _is_body_row(next_part.rows[0], part.rows[part.header_rows :]):
        return next_part
    return replace(
        next_part,
        rows=(*head, *next_part.rows),
        header_rows=part.header_rows,
        caption=caption,
        carried_rows=part.header_rows,
    )


def _captions_table(caption: Block, table: Block) -> bool:
    return (
        caption.kind == "caption"
        and caption.first_page == table.first_page
        and _TABLE_CAPTION.match(caption.text) is not None
    )
