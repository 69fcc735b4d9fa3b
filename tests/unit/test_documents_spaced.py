"""Tables without rules, on pages made for it: found under a caption or by their numbers, and what is none."""

from __future__ import annotations

from indexer.documents.index.steps import stored_table
from indexer.documents.parse.model import Box, Page, ReadDocument, Word
from indexer.documents.parse.pdf.read_pdf import assemble

PROSE = "The lakes were visited in each month of the year and nobody saw that they were any deeper than before."
LAKES = (
    ("Lake", "Depth (m)", "Volume (km3)"),
    ("Green Lake", "3.1", "0.41"),
    ("Long Lake", "5.0", "1.20"),
    ("Round Lake", "12.4", "3.75"),
    ("Still Lake", "7.7", "0.90"),
)
NUMBERS = (*LAKES, ("Upper Lake", "1.8", "0.11"))


def page(*lines: tuple[float, float, str], scanned: bool = False, mono: bool = False, size: float = 10.0) -> Page:
    """Lines at (x, y), their words six points a letter wide."""
    words = []
    for x, y, text in lines:
        for word in text.split(" "):
            width = 5.0 * len(word)
            words.append(Word(word, Box(x, y - size, x + width, y), size, y, mono=mono))
            x += width + 5.0
    return Page(1, 612.0, 792.0, tuple(words), read_by="ocr" if scanned else "text")


def grid(
    cells: tuple[tuple[str, ...], ...], y: float, xs: tuple[float, ...] = (72, 240, 400)
) -> list[tuple[float, float, str]]:
    return [
        (x, y + 16 * number, cell) for number, row in enumerate(cells) for x, cell in zip(xs, row, strict=True) if cell
    ]


def prose(y: float, lines: int = 6, x: float = 72) -> list[tuple[float, float, str]]:
    return [(x, y + 12 * number, PROSE[: 88 if x < 100 else 40]) for number in range(lines)]


def read(one: Page) -> ReadDocument:
    return assemble([one], {}, {}, "pdf")


def test_rows_under_a_caption_are_a_table_with_it() -> None:
    captioned = [(72.0, 250.0, "Table 3. Depth and volume of the lakes, as they were"), (72.0, 262.0, "seen in May.")]
    document = read(page(*prose(100), *captioned, *grid(LAKES, 290), *prose(400)))
    (table,) = document.tables
    assert table.rows == LAKES
    assert (table.header_rows, table.found_by, table.page) == (1, "caption", 1)
    assert table.caption == "Table 3. Depth and volume of the lakes, as they were seen in May."
    assert (table.confidence, stored_table(table)["units"]) == (0.6, ["", "m", "km3"])
    said = " ".join(block.text for block in document.blocks)
    assert "Green Lake" not in said
    assert said.count("nobody saw") == 12


def test_a_scan_has_tables_too_and_is_less_sure_of_them() -> None:
    header = (("", "GREATEST", "VOLUME"), ("LAKE", "DEPTH", "(KM3)"))
    lines = [(250.0, 120.0, "TABLE 2"), (200.0, 140.0, "DEPTHS OF THE LAKES"), *grid((*header, *LAKES[1:]), 170)]
    (table,) = read(page(*lines, *prose(400), scanned=True)).tables
    assert table.rows == (*header, *LAKES[1:])
    assert (table.header_rows, table.caption, table.scanned) == (2, "TABLE 2 DEPTHS OF THE LAKES", True)
    assert table.confidence < 0.6 * 0.71


def test_a_block_of_numbers_under_headings_needs_no_caption() -> None:
    (table,) = read(page(*prose(100), *grid(NUMBERS, 240), *prose(400))).tables
    assert (table.rows, table.found_by, table.confidence) == (NUMBERS, "numbers", 0.5)


def test_a_row_over_two_lines_is_one_row() -> None:
    cells = (*LAKES[:2], ("", "after rain", ""), *LAKES[2:])
    (table,) = read(page((72.0, 250.0, "Table 3. Depths."), *grid(cells, 270), *prose(420))).tables
    assert table.rows[1] == ("Green Lake", "3.1 after rain", "0.41")
    assert len(table.rows) == len(LAKES)


def test_what_is_no_table_stays_text() -> None:
    few = LAKES[:3]
    names = (("Author", "Town", "Country"), *((f"Miller {n}", "Bergen", "Norway") for n in "ABCDEF"))
    for what, one in {
        "few numbers without a caption": page(*prose(100), *grid(few, 240), *prose(400)),
        "words without a caption": page(*prose(100), *grid(names, 240), *prose(400)),
        "code": page(*grid(NUMBERS, 240), mono=True),
        "two columns of text": page(*prose(100, 12, 72 + 40), *prose(100, 12, 330)),
        "text below a caption": page((72.0, 90.0, "Table 3. Depths."), *prose(110), *prose(300)),
        "a sentence that names a table": page(
            (72.0, 90.0, "Table 3 shows that all the lakes are deep"), *grid(few, 110)
        ),
    }.items():
        assert read(one).tables == (), what


def test_the_numbers_beside_a_drawing_are_its_axes() -> None:
    drawn = page(*prose(100), *grid(NUMBERS, 240), *prose(460))
    figure = Box(72.0, 345.0, 400.0, 440.0)
    assert read(drawn).tables != ()
    beside = Page(1, drawn.width, drawn.height, drawn.words, figures=(figure,))
    assert read(beside).tables == ()
