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


def grid(xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, float, float, float]]:
    return [*((xs[0], y, xs[-1], y) for y in ys), *((x, ys[0], x, ys[-1]) for x in xs)]


XS = (50.0, 140.0, 240.0, 350.0)
HEAD_AND_BODY = [["Lake", "Depth", "Area"], *BODY]
PLAIN_BODY = [tuple(cell.removeprefix(">") for cell in row) for row in HEAD_AND_BODY]


@pytest.mark.parametrize("bordered_rows", [1, 2, 4])
def test_rows_below_the_borders_belong_to_the_table_where_they_keep_to_its_columns(bordered_rows: int) -> None:
    """Some programs border or shade the head alone, or every second row."""
    ys = [108.0 + 16.0 * row for row in range(bordered_rows + 1)]
    texts = [*cells_at(HEAD_AND_BODY, (54.0, 144.0, 244.0)), Put(54.0, 216.0, "The lakes were sounded by hand in May.")]
    rows, _ = table_of(PdfPage(texts, grid(XS, ys)))
    assert rows == PLAIN_BODY


def test_years_below_heads_over_two_columns_are_heads() -> None:
    cells = [["Lake", "Depth", "", "Area", ""], ["", "2019", "2020", "2019", "2020"], ["Nord", "3", "4", "5", "6"]]
    assert header_rows(cells) == 2
    assert header_rows([["Lake", "Depth", "Area"], ["", "2019", "2020"], ["Nord", "3", "4"]]) == 1


def test_the_names_on_a_map_with_a_grid_are_no_table() -> None:
    names = ("Nord", "Ost", "Tarn", "Kvam", "Moor", "Leck", "Sund", "Holm", "Vik")
    heights = (5.0, 33.0, 18.0, 40.0, 12.0, 26.0, 21.0, 44.0, 8.0)
    put = [
        Put(60.0 + 60.0 * (place % 3), 112.0 + 60.0 * (place // 3) + height, name)
        for place, (name, height) in enumerate(zip(names, heights, strict=True))
    ]
    lines = [50.0, 110.0, 170.0, 230.0]
    page = PdfPage(put, grid(lines, [100.0, 160.0, 220.0, 280.0]))
    assert not read_pdf(pdf([page]), Limits(), Ocr(command=None)).tables


def test_labels_above_space_for_answers_are_no_table() -> None:
    labels = [["Name", "Company"], ["Street", "Town"], ["Telephone", "Signature"]]
    put = [
        Put(54.0 + 100.0 * c, 110.0 + 40.0 * r, text, 8) for r, row in enumerate(labels) for c, text in enumerate(row)
    ]
    page = PdfPage(put, grid([50.0, 150.0, 250.0], [100.0, 140.0, 180.0, 220.0]))
    assert not read_pdf(pdf([page]), Limits(), Ocr(command=None)).tables


def pages_of_a_table(second: Sequence[Sequence[str]]) -> list[PdfPage]:
    first = [["Lake", "Depth (m)", "Area"], *([f"Nord {n}", f"{n}.5", f"{n + 10}"] for n in range(4))]
    return [
        PdfPage(cells_at(rows, (54.0, 144.0, 244.0)), grid(XS, [108.0 + 16.0 * row for row in range(len(rows) + 1)]))
        for rows in (first, second)
    ]


@pytest.mark.parametrize("repeated", [True, False])
def test_a_table_over_two_pages_keeps_its_head(repeated: bool) -> None:
    head = [["Lake", "Depth (m)", "Area"]]
    body = [[f"Süd {n}", f"{n}.5", f"{n + 10}"] for n in range(4)]
    document = read_pdf(pdf(pages_of_a_table([*(head if repeated else []), *body])), Limits(), Ocr(command=None))
    first, second = document.tables
    assert second.heads == first.heads == ("Lake", "Depth (m)", "Area")
    assert second.rows[1] == ("Süd 0", "0.5", "10")
    assert (second.page, second.carried_rows) == (2, 0 if repeated else 1)


def test_another_table_on_the_next_page_has_its_own_head() -> None:
    pages = pages_of_a_table([["River", "Flow", "Year"], *([f"Isar {n}", f"{n}", "1990"] for n in range(4))])
    pages[1].texts.insert(0, Put(54.0, 96.0, "Table 2. Rivers of the north."))
    document = read_pdf(pdf(pages), Limits(), Ocr(command=None))
    assert [table.heads[0] for table in document.tables] == ["Lake", "River"]
