"""`sonde formats` on a folder: what is read, what is refused, nothing written unless asked."""

from __future__ import annotations

import json

from click.testing import CliRunner

from indexer.formats.field_table import markdown, page_marks
from sonde.cli.formats import formats
from tests.unit.format_documents import DOCUMENTS


def _run(*arguments: str) -> str:
    result = CliRunner().invoke(formats, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_a_folder_is_surveyed(tmp_path):
    (tmp_path / "a.json").write_bytes(DOCUMENTS["stac"])
    (tmp_path / "b.xml").write_bytes(DOCUMENTS["eml"])
    (tmp_path / "c.xml").write_bytes(b"<root/>")
    output = _run(str(tmp_path))
    assert "| `eml` | 1 | 1 / 1 | 1 / 1 |" in output
    assert (
        "| a root element that no reader knows (WPS, SOS, WaterML, Atom, XML Schema, MARC, GM03, ...) | 1 |" in output
    )
    assert (
        "2 records of 3 documents; of 8 titles, abstracts, extents and periods that they state, 8 were read" in output
    )
    assert "1 refused (--missed names them)" in output


def test_files_that_are_passed_over_are_counted_with_the_reason_and_named(tmp_path):
    (tmp_path / "a.json").write_bytes(DOCUMENTS["stac"])
    for name in ("b.xls", "h.csv", "c.md", "d.pdf", "e.pdf", "f.xlsx", "g.dat", "README"):
        (tmp_path / name).write_text("x")
    printed = _run(str(tmp_path))
    reasons = {
        "files with the suffix .xls are not read: tables are data": ["b.xls"],
        "it is a table without columns for latitude and longitude": ["h.csv"],
        "files with the suffix .md are not read: documents belong to `sonde ingest`": ["c.md"],
        "files with the suffix .pdf are not read: documents belong to `sonde ingest`": ["d.pdf", "e.pdf"],
        "files with the suffix .xlsx are not read: tables are data": ["f.xlsx"],
        "files with the suffix .dat are not read": ["g.dat"],
        "its name has no suffix": ["README"],
    }
    missed = _run(str(tmp_path), "--missed")
    for reason, names in reasons.items():
        assert f"| {reason} | {len(names)} |" in printed
        for name in names:
            assert f"{tmp_path}/{name}: is passed over: {reason}\n" in missed
    assert "| refused | documents |" not in printed


def test_many_passed_over_files_are_named_up_to_a_limit(tmp_path):
    (tmp_path / "a.json").write_bytes(DOCUMENTS["stac"])
    for number in range(110):
        (tmp_path / f"{number}.xls").write_text("x")
    missed = _run(str(tmp_path), "--missed")
    assert missed.count(": is passed over: ") == 101
    assert "and 9 more: passed over: files with the suffix .xls" in missed


def test_documents_that_state_nothing_are_not_called_read(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"type": "Catalog", "stac_version": "1.0.0", "id": "a", "links": []}))
    output = _run(str(tmp_path))
    assert "they state no title, abstract, extent or period" in output
    assert "%" not in output


def test_the_fields_of_a_folder_are_counted_by_format(tmp_path):
    (tmp_path / "a.json").write_bytes(DOCUMENTS["stac"])
    (tmp_path / "b.xml").write_bytes(DOCUMENTS["eml"])
    output = _run(str(tmp_path), "--fields").splitlines()
    assert output[0] == "| field | `eml` | `stac` |"
    assert "| records | 1 | 1 |" in output
    assert "| `names.platforms` |  | 1 |" in output  # EML has no place for platforms
    assert "| `names.variables` | 1 | 1 |" in output


def test_a_field_that_a_format_could_hold_and_a_refusal_are_shown_with_shares(tmp_path):
    bare = {"type": "Catalog", "stac_version": "1.0.0", "id": "a", "description": "A", "links": []}
    (tmp_path / "a.json").write_bytes(DOCUMENTS["stac"])
    (tmp_path / "b.json").write_text(json.dumps(bare), "utf-8")
    (tmp_path / "c.xml").write_bytes(b"<root/>")
    assert "c.xml" not in _run(str(tmp_path), "--fields")
    output = _run(str(tmp_path), "--fields", "--missed")
    assert "c.xml: is refused: its root element is" in output
    assert "| `names.platforms` | 1 (50%) |" in output
    assert "| `provenance.lineage` | " in output
    assert "Empty: the format has no place for it." in output
    assert "| a root element that no reader knows" in output


def test_the_table_of_fields_is_printed_and_written(tmp_path):
    assert _run("--fields").strip() == markdown()
    page = tmp_path / "page.md"
    begin, end = page_marks("fields")
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n", encoding="utf-8")
    _run("--write", str(page))
    assert page.read_text(encoding="utf-8") == f"before\n{begin}\n{markdown()}\n{end}\nafter\n"
