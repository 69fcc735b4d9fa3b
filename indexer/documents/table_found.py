"""A table as the table finders return it, and checks of cells that both use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexer.documents.model import TableWay
from indexer.documents.page import Box, Line, Word

MOST_CELLS = 6000
"""Of one table of a page; a grid with more is a drawing."""
MOST_RULES = 2000
"""Of one page: the first that are looked at."""
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class TableFound:
    """Cells by row and column, all rows equally long; ``words`` are the words in it, ``found_by`` says which finder
    found it. ``caption``: its lines, if the finder began with them; else the caption is a region of its own.
    """

    box: Box
    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    words: tuple[Word, ...]
    found_by: TableWay = "rules"
    caption: tuple[Line, ...] = ()


def has_words(cells: Sequence[Sequence[str]]) -> bool:
    """Whether any cell has a word; a frame with only numbers is a drawing with its axes."""
    return sum(_WORD.search(cell) is not None for row in cells for cell in row) >= 2


def is_labelled(cells: Sequence[Sequence[str]]) -> bool:
    """Whether half of the cells of the first row or of the first column hold a word; those of a chart do not.

    Empty cells beside two words do not count: a header over two columns can be written in one of them.
    """
    return any(_is_label(edge) for edge in (list(cells[0]), [row[0] for row in cells]))


def _is_label(edge: Sequence[str]) -> bool:
    words = sum(_WORD.search(cell) is not None for cell in edge)
    return 2 * words >= (sum(map(bool, edge)) if words >= 2 else len(edge))


def joined_cell(above: str, below: str) -> str:
    """Joins two lines of one cell, and a word split between them."""
    if above.endswith("-") and below[:1].islower():
        return above[:-1] + below
    return f"{above} {below}".strip()
