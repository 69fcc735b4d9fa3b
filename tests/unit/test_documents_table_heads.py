"""Heads, columns and rows of tables in layouts that the parser has not seen."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.pdf.read_pdf import read_pdf
from indexer.documents.parse.pdf.table_cells import header_rows, is_form
from tests.pdf_files import PdfPage, Put, pdf


@pytest.mark.parametrize(
    ("cells", "count"),
    [
        ([["Lake", "Depth", "Area"], ["", "m", "km2"], ["Nord", "3", "4"]], 2),
        ([["Lake", "Depth", ""], ["", "Mean", "Range"], ["Nord", "3", "4"]], 2),
        ([["Lake", "Depth"], ["", "3"], ["Nord", "4"]], 1),
        ([["Lake", "Remarks"], ["", "a long text that says what was seen there"], ["Nord", "dry"]], 1),
        ([["", "Lake"], ["", "Nord"], ["", "Süd"]], 1),
    ],
)
def test_heads_end_where_a_row_has_a_name_or_a_value(cells: list[list[str]], count: int) -> None:
    assert header_rows(cells) == count


def test_a_form_is_no_table() -> None:
    assert is_form([["Observer:", "Date: dd / mm / yyyy"], ["Weather: ____", "Wet: yes [ ] no [ ]"]])
    assert not is_form([["Lake: Nord", "3 mm"], ["Lake: Süd", "mm"], ["Lake:", "4"]])


def table_of(page: PdfPage) -> tuple[list[tuple[str, ...]], int]:
    document = read_pdf(pdf([page]), Limits(), Ocr(command=None))
    (table,) = document.tables
    return list(table.rows), table.header_rows


def cells_at(rows: Sequence[Sequence[str]], xs: Sequence[float], top: float = 120.0) -> list[Put]:
    """Each cell at its column's x; a word that begins with ``>`` ends 40 points farther, as numbers do."""
    return [
        Put(x + (40.0 if cell.startswith(">") else 0.0), top + 16.0 * number, cell.removeprefix(">"))
        for number, row in enumerate(rows)
        for x, cell in zip(xs, row, strict=True)
        if cell
    ]


BODY = [["Nord", ">3.1", ">14"], ["Süd", ">2.8", ">11"], ["Ost", ">4.0", ">10"], ["West", ">7.3", ">12"]]


def test_heads_on_the_left_of_their_numbers_make_no_columns() -> None:
    rules = [(50.0, y, 350.0, y) for y in (106.0, 125.0, 192.0)]
    rows, _ = table_of(PdfPage(cells_at([["Lake", "Depth", "Area"], *BODY], (54.0, 150.0, 250.0)), rules))
    assert rows[0] == ("Lake", "Depth", "Area")
    assert rows[1] == ("Nord", "3.1", "14")


def test_columns_ruled_without_a_border_have_a_row_for_each_line() -> None:
    rules = [(50.0, y, 350.0, y) for y in (106.0, 125.0, 192.0)]
    rules += [(x, 106.0, x, 192.0) for x in (140.0, 240.0)]
    rows, header = table_of(PdfPage(cells_at([["Lake", "Depth", "Area"], *BODY], (54.0, 150.0, 250.0)), rules))
    assert rows == [("Lake", "Depth", "Area"), *(tuple(cell.removeprefix(">") for cell in row) for row in BODY)]
    assert header == 1


def test_the_rule_of_the_head_of_a_page_is_none_of_the_table() -> None:
    rules = [(50.0, y, 350.0, y) for y in (40.0, 106.0, 125.0, 192.0)]
    texts = [Put(54.0, 60.0, "The lakes of the north are deep and cold in every season of the year.")]
    texts += [Put(54.0, 98.0, "Table 1. Lakes."), *cells_at([["Lake", "Depth", "Area"], *BODY], (54.0, 150.0, 250.0))]
    rows, _ = table_of(PdfPage(texts, rules))
    assert rows[0] == ("Lake", "Depth", "Area")
    assert len(rows) == 5
