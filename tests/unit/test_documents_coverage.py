"""Bordered tables, pages whose words get lost, and small print beside large: on pages that are made here."""

from __future__ import annotations

from indexer.documents.parse.model import Box, Page, Rule, Word
from indexer.documents.parse.pdf.bordered_tables import bordered_tables
from indexer.documents.parse.pdf.read_pdf import add_lost_words
from indexer.documents.parse.pdf.reading_order import rows
from indexer.documents.parse.pdf.regions import PageLayout
from indexer.documents.parse.pdf.table_cells import is_labelled


def word(text: str, x: float, y: float, size: float = 10.0) -> Word:
    return Word(text, Box(x, y - 0.7 * size, x + 0.5 * size * len(text), y), size, y)


def level(y: float, x1: float, x2: float) -> Rule:
    return Rule(Box(x1, y, x2, y))


def upright(x: float, y1: float, y2: float) -> Rule:
    return Rule(Box(x, y1, x, y2))


NAMES = [("Lake", "Depth"), ("Skadar", "60"), ("Ohrid", "288"), ("Bled", "30")]
WORDS = tuple(word(cell, 105 + 100 * c, 112 + 20 * r) for r, row in enumerate(NAMES) for c, cell in enumerate(row))
COLUMNS = tuple(upright(x, 100, 180) for x in (100, 200, 300))


def page(rules: tuple[Rule, ...], words: tuple[Word, ...] = WORDS) -> Page:
    return Page(1, 595, 842, words, rules)


def test_a_table_with_borders_all_round_is_read_cell_by_cell() -> None:
    rules = (*(level(y, 100, 300) for y in (100, 120, 140, 160, 180)), *COLUMNS)
    (table,) = bordered_tables(page(rules), WORDS)
    assert table.rows == tuple(NAMES)


def test_the_first_row_after_a_page_break_is_of_the_table_though_its_border_is_cut_off() -> None:
    rules = (*(level(y, 100, 300) for y in (120, 140, 160, 180)), *COLUMNS)
    (table,) = bordered_tables(page(rules), WORDS)
    assert table.rows == tuple(NAMES)


def test_a_cell_over_two_lines_is_one_row_and_a_cell_over_two_columns_one_cell() -> None:
    rules = (level(100, 100, 300), level(140, 100, 300), level(180, 100, 300), *COLUMNS[::2], upright(200, 100, 140))
    (table,) = bordered_tables(page(rules), WORDS)
    assert table.rows == (("Lake Skadar", "Depth 60"), ("Ohrid 288 Bled 30", ""))


def test_the_grid_of_a_chart_is_no_table() -> None:
    rules = tuple(level(y, 100, 300) for y in range(100, 300, 20)) + tuple(
        upright(x, 100, 280) for x in range(100, 301, 20)
    )
    numbers = tuple(word(str(n), 102, 112 + 20 * n) for n in range(9))
    assert bordered_tables(page(rules, numbers), numbers) == []


def test_words_that_layout_lost_are_kept_as_plain_text_and_the_page_is_named() -> None:
    whole, covered = add_lost_words(PageLayout(page(()), (), {}))
    assert (covered.words, covered.kept_count, covered.is_low) == (5, 0, True)
    assert "Page 1: 5 of 5 words" in covered.warning
    (plain,) = whole.regions
    assert [line.text for line in plain.lines] == ["Lake Depth", "Skadar 60", "Ohrid 288", "Bled 30"]


def test_small_print_in_the_next_column_is_not_woven_into_a_large_heading() -> None:
    heading = [word("Results", 50, 100, 20), word("here", 130, 100, 20)]
    small = [word(text, 320, y, 8) for text, y in (("first", 93), ("second", 101.5), ("third", 108))]
    lines = [line.text for line in rows([*heading, *small])]
    assert lines == ["first", "Results here second", "third"]  # what stands on one baseline is parted by columns later
    index = word("2", 171, 94, 8)
    assert [line.text for line in rows([*heading, index])] == ["Results here 2"]


def test_a_table_whose_heads_stand_over_two_columns_each_is_labelled_and_a_chart_is_not() -> None:
    assert is_labelled([("", "Sphere", "", "Prism", ""), ("D", "-10.0", "–", "-40.0", "–")])
    assert not is_labelled([("", "Gravity", "", "", ""), ("0.5", "10", "20", "30", "40")])
