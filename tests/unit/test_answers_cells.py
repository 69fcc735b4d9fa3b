"""The cell of a table that a question asks for, chosen by hand-made tables."""

from __future__ import annotations

import pytest

from search_api.ask.cells import named_cell, quoted_cell, with_named_cell
from search_api.ask.extract import best_quotes, quoted_text
from search_api.search.passages.values import CitedSentence, FoundPassage, table_from
from search_api.search.ranking.config import QuoteWeights

CSV = (
    "Lake,Depth,,Inflow (m3/s)\r\n,mean (m),greatest (m),\r\n"
    "Green Lake,3.1,7.4,12\r\nLong Lake,5.0,,9\r\nAll lakes,4.1,7.4,21\r\n"
)
TABLE = table_from(
    2,
    {
        "csv": CSV,
        "caption": "Table 2. Lakes.",
        "header_rows": 2,
        "units": ["", "m", "m", "m3/s"],
        "page": 4,
        "sure": 0.8,
    }
    | {"found_by": "borders"},
)


def test_a_cell_is_named_by_its_row_and_column() -> None:
    cell = quoted_cell("What is the mean depth of Green Lake?", "Green Lake | 3.1 | 7.4 | 12", TABLE)
    assert cell is not None
    assert (cell.row, cell.column, cell.value) == ("Green Lake", "Depth mean (m)", "3.1")
    assert (cell.unit, cell.caption, cell.page, cell.table, cell.confidence) == ("m", "Table 2. Lakes.", 4, 2, 0.8)
    assert cell.text == "Green Lake – Depth mean (m): 3.1"
    greatest = quoted_cell("the greatest extent of Green Lake", "Green Lake | 3.1 | 7.4 | 12", TABLE)
    assert greatest is not None
    assert greatest.value == "7.4"


def test_a_unit_that_only_the_caption_states_is_said() -> None:
    plain = table_from(1, {"csv": "Lake,Depth\r\nGreen Lake,3.1\r\n", "units": ["", "m"]})
    cell = quoted_cell("depth of Green Lake", "Green Lake | 3.1", plain)
    assert cell is not None
    assert cell.text == "Green Lake – Depth: 3.1 m"


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("How deep is Green Lake?", "Green Lake | 3.1 | 7.4 | 12"),  # two columns of depths
        ("Who owns Long Lake?", "Long Lake | 5.0 |  | 9"),  # no column is named
        ("What is the mean depth of the Blue Pond?", "Green Lake | 3.1 | 7.4 | 12"),  # another row
        ("What is the mean depth of Green Lake?", "Green Lake | 3.1 | 7.4 | 13"),  # no row of this table
        ("What is the mean depth of all lakes?", "Green Lake | 3.1 | 7.4 | 12"),  # another row is named better
        ("What is the greatest and the mean of Green Lake?", "Green Lake | 3.1 | 7.4 | 12"),  # two columns
        ("What is the mean depth of Green Lake?", "Lake | Depth |  | Inflow (m3/s)"),  # its header
    ],
)
def test_where_row_or_column_is_in_doubt_the_row_is_the_quote(question: str, row: str) -> None:
    assert quoted_cell(question, row, TABLE) is None


def test_a_column_without_a_value_is_not_quoted() -> None:
    assert quoted_cell("the greatest value of Long Lake", "Long Lake | 5.0 |  | 9", TABLE) is None


def test_a_row_is_read_with_its_header_and_the_answer_says_the_cell() -> None:
    text = "Table 2. Lakes.\nLake | Turbidity (NTU)\nGreen Lake | 3.1\nLong Lake | 5.0"
    prose = FoundPassage("d#2", "d", "Green Lake lies in a wood where nobody has built a house.", 2)
    table = FoundPassage("d#1", "d", text, 1, kind="table", table=2, header=("Lake | Turbidity (NTU)",))
    (best,) = best_quotes("turbidity of Green Lake", [prose, table], None, 1, QuoteWeights(1.0, 0.0, 0.0, 0.5, 0.2))
    assert best == CitedSentence("Green Lake | 3.1", (1,), True)
    kept = table_from(2, {"csv": "Lake,Turbidity (NTU)\r\nGreen Lake,3.1\r\n"})
    said = CitedSentence(best.text, (1,), True, cell=quoted_cell("turbidity of Green Lake", best.text, kept))
    assert quoted_text([said]) == "“Green Lake – Turbidity (NTU): 3.1” [1]"


def test_a_header_is_never_quoted_however_many_rows_it_has() -> None:
    header = table_from(1, {"csv": "Lake,Turbidity,\r\nof Ohio,mean (NTU),\r\nGreen Lake,3.1,8\r\n", "header_rows": 2})
    assert header.header_lines == ("Lake | Turbidity", "of Ohio | mean (NTU)")
    text = "\n".join((*header.header_lines, "Green Lake | 3.1 | 8 | 2019"))
    passage = FoundPassage("d#1", "d", text, 1, kind="table", table=1, header=header.header_lines)
    quotes = best_quotes("mean turbidity of Ohio", [passage], None, 3, QuoteWeights(1.0, 0.0, 0.0, 2.0, 2.0))
    assert [quote.text for quote in quotes] == ["Green Lake | 3.1 | 8 | 2019"]


WELLS = table_from(
    1,
    {
        "csv": "No.,Name,Depth (m),Yield (l/s),Drilled,Turbidity\r\n"
        "1,Ashdown,85,4.2,3 May 1998,7\r\n2,Birkwell,112,7.9,9 June 2004,4\r\n",
        "units": ["", "", "m", "l/s", "", ""],
    },
)


@pytest.mark.parametrize(
    ("question", "column", "value"),
    [
        ("What is the yield of Ashdown?", "Yield (l/s)", "4.2"),  # its label is not in the first column
        ("How deep is Ashdown?", "Depth (m)", "85"),
        ("When did the work at Ashdown end?", "Drilled", "3 May 1998"),  # the only date
        ("How turbid is the water of Ashdown?", "Turbidity", "7"),
    ],
)
def test_a_column_is_named_by_its_quantity_the_form_of_its_values_or_the_beginning_of_a_word(
    question: str, column: str, value: str
) -> None:
    cell = named_cell(question, WELLS)
    assert cell is not None
    assert (cell.row, cell.column, cell.value) == ("Ashdown", column, value)


def test_a_part_of_a_table_answers_below_the_threshold_if_one_cell_is_named() -> None:
    part = FoundPassage("d#1", "d", "1 | Ashdown | 85", 1, relevance=0.2, kind="table", table=1)
    asked = "What is the yield of Ashdown?"
    assert with_named_cell(asked, [part], {1: WELLS}, 0.1) == [part]
    assert with_named_cell(asked, [part], {1: WELLS}, 0.3) == []
    assert with_named_cell("Who dug the well of Ashdown?", [part], {1: WELLS}, 0.1) == []
    assert with_named_cell(asked, [part], {}, 0.1) == []
    other_part = FoundPassage("d#2", "d", "2 | Cotsey | 40", 1, relevance=0.2, kind="table", table=1)
    assert with_named_cell(asked, [other_part], {1: WELLS}, 0.1) == []


def test_no_cell_is_named_by_a_column_alone() -> None:
    assert named_cell("What is the yield of Cotsey?", WELLS) is None
    assert named_cell("What is the yield?", WELLS) is None


def test_a_heading_over_two_columns_belongs_to_both() -> None:
    seasons = table_from(
        1, {"csv": "Lake,Ice cover,\r\n,first day,last day\r\nLej Verd,26 November,30 April\r\n", "header_rows": 2}
    )
    assert seasons.heads == ("Lake", "Ice cover first day", "Ice cover last day")
    cell = named_cell("When is the last day of ice cover on Lej Verd?", seasons)
    assert cell is not None
    assert cell.value == "30 April"


def test_a_caption_is_no_quote_of_its_table() -> None:
    catches = table_from(1, {"csv": "Species,2011,2016\r\nCod,3.3,2.2\r\n", "caption": "Table 1. Landings by year"})
    text = "\n".join((*catches.header_lines, "Cod | 3.3 | 2.2"))
    passage = FoundPassage("d#1", "d", text, 1, kind="table", table=1, header=catches.header_lines)
    quotes = best_quotes("landings of cod by year", [passage], None, 3, QuoteWeights(1.0, 0.0, 0.0, 2.0, 2.0))
    assert [quote.text for quote in quotes] == ["Cod | 3.3 | 2.2"]
