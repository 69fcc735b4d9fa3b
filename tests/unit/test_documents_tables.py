"""A table as its document's entry keeps it: units of columns, and how sure the reader is."""

from __future__ import annotations

import pytest

from indexer.documents.index.steps import stored_table, unit_of, units
from indexer.documents.parse.model import Table
from search_api.search.passages.values import table_from


@pytest.mark.parametrize(
    ("head", "unit"),
    [
        ("Depth (m)", "m"),
        ("Load [kg/d]", "kg/d"),
        ("Discharge, m3/s", "m3/s"),
        ("Temperature (°C)", "°C"),
        ("Conductivity (µS/cm)", "µS/cm"),
        ("Concentration, in mg/L", "mg/L"),
        ("Velocity (m s−1)", "m s−1"),
        ("Lakes (%)", "%"),
        ("Station", None),
        ("Number (n)", None),
        ("Model (see text)", None),
        ("River (Elbe)", None),
        ("Town, State", None),
        ("(a)", None),
        ("", None),
    ],
)
def test_a_unit_is_what_the_header_states(head: str, unit: str | None) -> None:
    assert unit_of(head) == unit


def test_a_caption_gives_the_unit_of_all_columns_but_the_first() -> None:
    assert units(("Site", "May", "June (m)"), "Table 2. Rain (in mm) at three sites.") == (None, "mm", "m")


def test_a_scan_with_gaps_is_less_sure_than_a_full_grid() -> None:
    rows = (("Site", "Depth (m)"), ("A", "4"))
    full = Table(rows, found_by="borders")
    gaps = Table((("Site", "Depth (m)"), ("A", "")), found_by="borders")
    scanned = Table(rows, found_by="borders", scanned=True)
    white = Table(rows, found_by="rules")
    markup = Table(rows)
    assert scanned.confidence < white.confidence < full.confidence < markup.confidence == 1.0
    assert gaps.confidence < full.confidence


def test_what_is_kept_of_a_table() -> None:
    table = Table((("Depth", "Rain"), ("(m)", ""), ("4", "5")), header_rows=2, caption="Table 1.", page=3)
    assert stored_table(table) == {
        "caption": "Table 1.",
        "rows": 3,
        "columns": 2,
        "header_rows": 2,
        "csv": "Depth,Rain\r\n(m),\r\n4,5\r\n",
        "units": ["m", ""],
        "sure": 0.92,
        "found_by": "markup",
        "page": 3,
    }


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-3.25", "-3.25"),
        ("+1 200", "+1 200"),
        ("-1.2e-5", "-1.2e-5"),
        ("-12 %", "-12 %"),
        ("-", "-"),
        ("Ammersee", "Ammersee"),
    ],
)
def test_no_cell_of_a_saved_table_runs_as_a_formula_and_numbers_stay(cell: str, written: str) -> None:
    kept = stored_table(Table((("lake", "depth"), ("a", cell))))
    assert table_from(1, kept).spreadsheet_csv == f"lake,depth\r\na,{written}\r\n"
    assert table_from(1, kept).cells[1] == ("a", cell)
