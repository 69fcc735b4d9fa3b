"""The tables of results, their figures in the guides, and what a command writes about itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.errors import NotFound, SondeError
from lab.results.__main__ import pages, results, with_figures
from lab.results.tables import (
    TABLES,
    ResultRow,
    ResultTable,
    load_table,
    load_tables,
    newest_results,
    take_figures,
    value_at,
)
from sonde.ops.measured import command_line, write_measurement
from sonde.wiring.checkout import CHECKOUT

FOLDER = newest_results()
NAMES = [f"{table}.{name}" for table in TABLES for name in load_table(FOLDER / f"{table}.json").rows]


def _takes(name: str) -> bool:
    table, _, key = name.partition(".")
    return bool(load_table(FOLDER / f"{table}.json").rows[key].take)


ROW = ResultRow(what="a search", figures={"p50_ms": 39.5, "records": 10875}, command="sonde bench", data="NCAR")
TABLE = {"speed": ResultTable(title="Speed", rows={"search": ROW})}


@pytest.mark.parametrize("name", NAMES)
def test_each_row_says_what_where_and_by_which_command(name: str) -> None:
    table, _, key = name.partition(".")
    row = load_tables(FOLDER)[table].rows[key]
    assert row.figures or row.by_test
    assert row.by_test or (row.version and row.machine)
    assert row.origin or (row.commit and row.measured_on)
    assert set(row.take) <= set(row.figures)
    assert "/work/" not in row.command


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("quality.")])
def test_each_judged_set_says_what_was_trained_on_it(name: str) -> None:
    row = load_tables(FOLDER)["quality"].rows[name.partition(".")[2]]
    assert row.data
    assert row.trained or name in ("quality.gazetteer", "quality.similar_samples")


@pytest.mark.parametrize("page", list(pages()), ids=lambda page: page.name)
def test_each_page_has_the_figures_of_the_newest_results(page: Path) -> None:
    text = page.read_text("utf-8")
    assert with_figures(text, load_tables(FOLDER)) == text, "run: make figures"


def test_a_figure_is_written_before_its_mark() -> None:
    page = (
        "?<!-- figure: speed.search.p50_ms --> ms, 1<!-- figure: speed.search.p50_ms .0f -->,"
        " of 9,9<!-- figure: speed.search.records -->."
    )
    assert with_figures(page, TABLE) == (
        "39.5<!-- figure: speed.search.p50_ms --> ms, 40<!-- figure: speed.search.p50_ms .0f -->,"
        " of 10,875<!-- figure: speed.search.records -->."
    )


@pytest.mark.parametrize(
    "page",
    [
        "1<!-- figure: speed.search.p99_ms -->",
        "fast<!-- figure: speed.search.p50_ms -->",
        "<!-- results: cost -->\n<!-- end of results -->",
        "<!-- results: speed harvest -->\n<!-- end of results -->",
    ],
)
def test_an_unknown_figure_table_or_row_is_an_error(page: str) -> None:
    with pytest.raises(NotFound):
        with_figures(page, TABLE)


def test_a_table_has_figures_command_and_data() -> None:
    page = with_figures("<!-- results: speed search -->\nold\n<!-- end of results -->\n", TABLE)
    assert "| a search | p50 39.5 ms; records 10,875 | `sonde bench` | NCAR. |" in page
    assert "old" not in page
    assert with_figures(page, TABLE) == page


def test_rows_with_the_same_figures_become_columns() -> None:
    rows = {str(number): ROW.model_copy(update={"figures": {"p50_ms": number}}) for number in range(4)}
    page = with_figures("<!-- results: speed -->\n<!-- end of results -->", {"speed": ResultTable(title="", rows=rows)})
    assert "Command: `sonde bench`" in page
    assert "| what | p50, ms |" in page
    assert "| a search | 3 |" in page


def test_a_row_takes_figures_command_commit_and_machine_from_what_a_command_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["/opt/bin/sonde", "bench", "--json", "x.json"])
    file = tmp_path / "x.json"
    write_measurement(file, {"search": {"p50": 12.34567}, "machine": {"elasticsearch": "9.4.3"}})
    row = ROW.model_copy(update={"take": {"p50_ms": "search/p50"}, "origin": "docs/old.md"})
    now = take_figures(row, json.loads(file.read_text("utf-8")))
    assert now.figures == {"p50_ms": 12.3}
    assert now.command == "sonde bench"
    assert now.machine["elasticsearch"] == "9.4.3"
    assert int(now.machine["cores"]) > 0
    assert now.commit
    assert now.origin is None
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_a_row_without_paths_takes_nothing() -> None:
    with pytest.raises(SondeError, match="does not say where"):
        take_figures(ROW, {})


@pytest.mark.parametrize(
    ("row", "content", "message"),
    [
        ("speed.nothing", "{}", "Rows with a `take`: quality."),
        (next(name for name in NAMES if not _takes(name)), "{}", "Rows with a `take`: quality."),
        (next(name for name in NAMES if _takes(name)), "{}", "x.json: It has no `measured`"),
        (next(name for name in NAMES if _takes(name)), "no JSON", "x.json: "),
    ],
)
def test_what_cannot_be_recorded_is_one_sentence(tmp_path: Path, row: str, content: str, message: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(content)
    done = CliRunner().invoke(results, ["record", row, str(file)])
    assert (done.exit_code, type(done.exception)) == (1, SystemExit)
    assert message in done.output


def test_a_path_leads_through_lists_by_number_and_by_name() -> None:
    content = {"compared": [{"name": "text, alone", "p": 0.5}], "by": [3]}
    assert value_at(content, "compared/name=text, alone/p") == 0.5
    assert value_at(content, "by/0") == 3
    for absent in ("by/1", "compared/name=other/p", "compared/0/name", "nothing/at/all"):
        with pytest.raises(NotFound):
            value_at(content, absent)


def test_a_command_is_named_without_its_folder_and_its_file() -> None:
    words = ["/opt/bin/sonde", "evaluate", "--collection", "a b", "--json=x", "--run", "r"]
    assert command_line(words) == "sonde evaluate --collection 'a b' --run r"
    assert command_line(["sonde", "load", "--catalogues", "/home/me/data", f"--run={__file__}"]) == (
        "sonde load --catalogues FOLDER --run=FILE"
    )
    assert command_line([str(CHECKOUT / "lab/peers/__main__.py"), "--json", "x"]) == "python -m lab.peers"
    assert (
        command_line([str(CHECKOUT / "lab/release/compare.py"), "--prefix"]) == "python -m lab.release.compare --prefix"
    )
