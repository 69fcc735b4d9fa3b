"""Reading order, heads and feet, line numbers, captions and tables, on pages whose answer can be seen."""

from __future__ import annotations

import pytest

from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.model import ReadDocument
from indexer.documents.parse.pdf.read_pdf import read_pdf
from tests.pdf_files import LIGATURE, PdfPage, Put, paragraph, pdf

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
LEFT = [f"left line {word} goes on and on" for word in NUMBERS]
RIGHT = [f"right line {word} goes on and on" for word in NUMBERS]


def read(*pages: PdfPage) -> ReadDocument:
    return read_pdf(pdf(pages), Limits(), Ocr(command=None))


def texts(document: ReadDocument) -> str:
    return " ".join(block.text for block in document.blocks)


def kinds(document: ReadDocument, page: int = 1) -> list[tuple[str, str]]:
    return [(region.kind, region.text) for region in document.regions if region.page == page]


def test_two_columns_are_read_one_after_the_other() -> None:
    page = PdfPage([*paragraph(60, 100, LEFT), *paragraph(320, 100, RIGHT)])
    assert texts(read(page)) == " ".join([*LEFT, *RIGHT])


def test_a_title_over_both_columns_comes_first() -> None:
    title = Put(60, 80, "A title that stands above both of the columns of this page", 16, True)
    page = PdfPage([*paragraph(60, 120, LEFT), *paragraph(320, 120, RIGHT), title])
    document = read(page)
    assert document.blocks[0].kind == "heading"
    assert document.front.title == title.text
    assert texts(document) == " ".join([title.text, *LEFT, *RIGHT])


def columns(places: tuple[float, ...], y: float, count: int = 8) -> list[list[str]]:
    return [[f"column {c} line {word} at {y:g} goes on" for word in NUMBERS[:count]] for c, _ in enumerate(places)]


def test_three_and_four_columns_are_read_one_after_the_other_below_a_title_over_all() -> None:
    title = Put(50, 80, "A title that stands above all of the columns that this page has", 15, True)
    for places, size in (((50, 220, 390), 9.0), ((50, 175, 300, 425), 6.5)):
        lines = columns(places, 120)
        texts_ = [put for x, own in zip(places, lines, strict=True) for put in paragraph(x, 120, own, size)]
        document = read(PdfPage([title, *texts_]))
        assert texts(document) == " ".join([title.text, *(line for own in lines for line in own)])


def test_a_headline_over_two_of_three_columns_parts_those_two_alone() -> None:
    places = (50, 220, 390)
    above, below = columns(places, 100), columns(places[:2], 240)
    third = [f"third column line {n} goes on" for n in range(20)]
    page = PdfPage(
        [
            *paragraph(50, 100, above[0], 9),
            *paragraph(220, 100, above[1], 9),
            *paragraph(390, 100, third, 9),
            Put(50, 216, "A headline that stands over two columns", 14, True),
            *paragraph(50, 240, below[0], 9),
            *paragraph(220, 240, below[1], 9),
        ]
    )
    headline = "A headline that stands over two columns"
    order = [*above[0], *above[1], headline, *below[0], *below[1], *third]
    assert texts(read(page)) == " ".join(order)


def test_three_columns_of_short_cells_are_rows_and_no_columns_of_text() -> None:
    cells = [(f"Lake {word}", f"{n} metres", f"since {1900 + n}") for n, word in enumerate(NUMBERS)]
    puts = [
        Put(x, 100 + 14 * n, cell) for n, row in enumerate(cells) for x, cell in zip((60, 230, 400), row, strict=True)
    ]
    assert "Lake two 1 metres since 1901" in texts(read(PdfPage(puts)))


def test_one_column_stays_one() -> None:
    lines = [f"{left} {right}" for left, right in zip(LEFT, RIGHT, strict=True)]
    assert texts(read(PdfPage(paragraph(60, 100, lines)))) == " ".join(lines)


def test_running_heads_page_numbers_and_line_numbers_are_no_text() -> None:
    def page(number: int) -> PdfPage:
        body = [f"Sentence {'abc'[number - 1]}{i} tells of the water in the lake today." for i in range(8)]
        marks = [Put(40, 100 + 48 * i, str(5 * i + 5), 7) for i in range(2)]
        head = Put(200, 40, f"Journal of Lakes {number}")
        return PdfPage([head, Put(290, 810, str(number)), *marks, *paragraph(72, 100, body)])

    document = read(page(1), page(2), page(3))
    assert "Journal of Lakes" not in texts(document)
    assert {kind for kind, _ in kinds(document)} == {"header", "footer", "line_number", "text"}
    assert ("line_number", "5 10") in kinds(document)
    assert texts(document).count("Sentence") == 24
    assert not any(word in ("1", "2", "3", "5", "10") for word in texts(document).split())


def test_a_number_that_stands_in_the_text_of_every_page_stays() -> None:
    """Only what stands at the edge, at the same height, is furniture."""
    pages = [
        PdfPage([*paragraph(72, 300, ["The lake has an area of", "42", "square kilometres in all."])]) for _ in range(3)
    ]
    assert texts(read(*pages)).count("42") == 3


def test_a_word_broken_at_a_line_end_is_mended_and_a_compound_keeps_its_hyphen() -> None:
    lines = ["The long-term mean of the tempera-", "ture is used for long-", "term planning."]
    assert texts(read(PdfPage(paragraph(72, 100, lines)))) == (
        "The long-term mean of the temperature is used for long-term planning."
    )


def test_a_paragraph_goes_on_over_the_page_and_knows_where() -> None:
    first = PdfPage(paragraph(72, 100, ["The survey began in spring and", "went on through the whole"]))
    second = PdfPage(paragraph(72, 100, ["summer of that year.", "Then it ended."]))
    block = read(first, second).blocks[0]
    assert block.text == "The survey began in spring and went on through the whole summer of that year. Then it ended."
    assert (block.first_page, block.last_page) == (1, 2)
    assert block.page_at(block.text.index("whole")) == 1
    assert block.page_at(block.text.index("summer")) == 2


def test_a_ruled_table_has_its_rows_columns_header_and_caption() -> None:
    rows = [("Lake", "Area", "Depth"), ("Ammer", "46.6", "81.1"), ("Chiem", "79.9", "73.4"), ("Walchen", "16.3", "190")]
    cells = [Put(100 + 80 * c, 200 + 20 * r, cell) for r, row in enumerate(rows) for c, cell in enumerate(row)]
    rules = [(95.0, y, 330.0, y) for y in (186.0, 206.0, 266.0)]
    document = read(PdfPage([Put(95, 175, "Table 1. Lakes of Bavaria."), *cells], rules))
    (table,) = document.tables
    assert table.rows == tuple(rows)
    assert (table.header_rows, table.columns, table.caption) == (1, 3, "Table 1. Lakes of Bavaria.")
    assert table.csv() == "Lake,Area,Depth\r\nAmmer,46.6,81.1\r\nChiem,79.9,73.4\r\nWalchen,16.3,190\r\n"


def test_a_cell_over_two_lines_is_one_cell() -> None:
    cells = [Put(100, 200, "method"), Put(200, 200, "what it does")]
    cells += [Put(100, 220, "over"), Put(200, 220, "retrieve the values of one object at the loca-")]
    cells += [Put(200, 232, "tions of another"), Put(100, 250, "as"), Put(200, 250, "coerce")]
    (table,) = read(PdfPage(cells, [(95.0, y, 480.0, y) for y in (186.0, 206.0, 260.0)])).tables
    assert table.rows[1] == ("over", "retrieve the values of one object at the locations of another")
    assert len(table.rows) == 3


def test_a_frame_around_text_is_no_table() -> None:
    lines = [
        "An abstract in a frame is a paragraph as any other, and the rules above",
        "and below it do not change that.",
    ]
    document = read(PdfPage(paragraph(100, 200, lines), [(95.0, y, 480.0, y) for y in (180.0, 230.0, 240.0)]))
    assert document.tables == ()
    assert "An abstract in a frame" in texts(document)


def test_captions_are_told_from_sentences_that_name_a_figure() -> None:
    page = PdfPage(
        [Put(72, 100, "Figure 2: Depth of the lakes."), Put(72, 200, "Figure 2 shows the depth of the lakes.")]
    )
    assert [block.kind for block in read(page).blocks] == ["caption", "text"]


def test_sections_carry_their_path_level_and_references_are_split_off() -> None:
    page = PdfPage(
        [
            Put(72, 100, "1 Introduction", 12, True),
            *paragraph(72, 130, ["Lakes matter to all of us."]),
            Put(72, 170, "1.1 Study area", 11, True),
            *paragraph(72, 200, ["The lakes lie in Bavaria."]),
            Put(72, 240, "References", 12, True),
            *paragraph(72, 270, ["[1] Meier, A. (2001). Lakes. J. Lakes 1, 1-2."]),
            *paragraph(72, 300, ["[2] Huber, B. (2002). Rivers. J. Rivers 3, 4-5."]),
        ]
    )
    document = read(page)
    assert [(b.text, b.level) for b in document.blocks if b.kind == "heading"] == [
        ("1 Introduction", 1),
        ("1.1 Study area", 2),
    ]
    assert document.references == (
        "[1] Meier, A. (2001). Lakes. J. Lakes 1, 1-2.",
        "[2] Huber, B. (2002). Rivers. J. Rivers 3, 4-5.",
    )


def test_a_ligature_that_the_font_draws_as_one_glyph_does_not_part_its_word() -> None:
    line = f"A di{LIGATURE}cult coe{LIGATURE}cient of fish if it fits"
    assert texts(read(PdfPage([Put(72, 100, line)]))) == "A difficult coefficient of fish if it fits"


def test_a_head_that_names_its_section_beside_the_page_number_is_no_heading() -> None:
    sections = ["Introduction", *["Design Concepts"] * 12, *["Input Instructions"] * 13]

    def page(number: int) -> PdfPage:
        name = sections[number - 1]
        foot = f"{name} {number + 8}" if number % 2 else f"{number + 8} {name}"
        body = [f"On page {number} line {word} tells of the water in the lake." for word in NUMBERS]
        return PdfPage([*paragraph(72, 200, body), Put(300, 790, foot, 10, True)])

    document = read(*(page(number) for number in range(1, len(sections) + 1)))
    assert [block.text for block in document.blocks if block.kind == "heading"] == []
    assert "Introduction 9" not in texts(document)
    assert [kind for kind, text in kinds(document, 2) if "Design" in text] == ["footer"]


def test_headings_that_say_something_else_on_each_page_stay_though_they_count_up() -> None:
    names = ["Shores", "Depths", "Inflows", "Outflows", "Fishes", "Birds"]
    body = [f"line {word} tells of the water in the lake" for word in NUMBERS]
    pages = [
        PdfPage([Put(72, 60, f"{n} {name}", 14, True), *paragraph(72, 200, body)]) for n, name in enumerate(names, 1)
    ]
    heads = [block.text for block in read(*pages).blocks if block.kind == "heading"]
    assert heads == [f"{n} {name}" for n, name in enumerate(names, 1)]


STATIONS = ("Weir Saal", "Mill Saal", "Ford Ende", "Bridge Ende", "Lock Nord", "Dam Sued", "Spring West", "Mouth Ost")


def numbered_table(page: int, *, rules: bool) -> PdfPage:
    """Rows of a table that count up, below a paragraph, as an inventory prints them."""
    part = "abc"[page]
    rows = [
        (str(8 * page + 1 + row), f"{name} {part}", "river gauge", f"{7 * row}.5") for row, name in enumerate(STATIONS)
    ]
    places = (60, 110, 260, 380)
    cells = [
        Put(x, 184 + 16 * number, cell)
        for number, row in enumerate([("No.", "Station", "Kind", "Depth"), *rows])
        for x, cell in zip(places, row, strict=True)
    ]
    text = paragraph(110, 100, [f"Part {part} lists the stations of the river with their depths."] * 3)
    levels = [(55.0, 188.0 + 16 * row, 450.0, 188.0 + 16 * row) for row in range(10)]
    uprights = [(x, 188.0, x, 332.0) for x in (55.0, 105.0, 255.0, 375.0, 450.0)]
    return PdfPage([*text, *cells], [*levels, *uprights] if rules else [])


@pytest.mark.parametrize("rules", [True, False])
def test_the_numbered_rows_of_a_table_are_no_line_numbers(rules: bool) -> None:
    document = read(*(numbered_table(page, rules=rules) for page in range(3)))
    assert "line_number" not in {region.kind for region in document.regions}
    firsts = [row[0] for table in document.tables for row in table.rows]
    kept = firsts if document.tables else texts(document).split()
    assert [str(number) for number in range(1, 25) if str(number) not in kept] == []


def test_the_head_of_a_bordered_table_that_every_page_repeats_stays_its_head() -> None:
    def page(number: int) -> PdfPage:
        rows = [("Station", "Depth"), *((f"{name} {number}", f"{at + number}.5") for at, name in enumerate(STATIONS))]
        cells = [
            Put(x, 60 + 20 * at, cell) for at, row in enumerate(rows) for x, cell in zip((60, 260), row, strict=True)
        ]
        levels = [(55.0, 46.0 + 20 * row, 400.0, 46.0 + 20 * row) for row in range(10)]
        return PdfPage(cells, [*levels, *((x, 46.0, x, 226.0) for x in (55.0, 255.0, 400.0))])

    document = read(page(1), page(2), page(3))
    assert [table.rows[0] for table in document.tables] == [("Station", "Depth")] * 3


def test_short_lines_of_two_columns_are_not_read_across_the_gutter() -> None:
    left = [
        "The gauge has recorded",
        "the level of the water",
        "every hour, and the",
        "record has no gap",
        "of more than a day",
        "in all the years",
    ]
    right = [
        "Each spring the station",
        "is levelled against",
        "three points on the",
        "bank, and what differs",
        "is written into the",
        "book of the station",
    ]
    page = PdfPage([*paragraph(60, 100, left), *paragraph(330, 100, right)])
    assert texts(read(page)) == " ".join([*left, *right])
    cells = [(f"Lake {word}", f"Depth of {n} metres") for n, word in enumerate(NUMBERS)]
    rows = [Put(x, 100 + 14 * n, cell) for n, row in enumerate(cells) for x, cell in zip((60, 330), row, strict=True)]
    assert "Lake two Depth of 1 metres Lake three" in texts(read(PdfPage(rows)))
