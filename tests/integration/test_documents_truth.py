"""What is read of the second set of PDFs against what a reader sees in them (tests/quality/pdf_truth.json)."""

from __future__ import annotations

from functools import cache

import pytest

from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.model import ReadDocument
from indexer.documents.parse.pdf.read_pdf import read_pdf
from tests.quality.pdf_reading import letters, tables_judged, text_of, truth
from tests.shared_data import shared_data

TRUTH = truth()
SECOND = sorted(name for name, seen in TRUTH.items() if seen["path"] and name != "clino-region1.pdf")
_NOT_YET = {
    ("banta-damping.pdf", "authors"),  # the name and the institution stand in one paragraph
    ("de-steckbrief-gwk.pdf", "title"),  # the banner above it is larger
    ("de-steckbrief-gwk.pdf", "year"),
}
_MISSED = {"banta-damping.pdf": 1, "oliveira-npg-2015.pdf": 1}


@cache
def read(name: str) -> ReadDocument:
    data = shared_data("pdfs", TRUTH[name]["path"], name).read_bytes()
    return read_pdf(data, Limits(), Ocr(command=None))


@pytest.mark.parametrize("name", SECOND)
def test_titles_authors_and_years_are_those_that_are_printed(name: str) -> None:
    front, seen = read(name).front, TRUTH[name]
    if (name, "title") not in _NOT_YET:
        assert letters(front.title) == letters(seen["title"])
    if "authors" in seen and (name, "authors") not in _NOT_YET:
        assert [letters(one) for one in front.authors] == [letters(one) for one in seen["authors"]]
    if "year" in seen and (name, "year") not in _NOT_YET:
        assert (front.published or "")[:4] == (seen["year"] or "")


@pytest.mark.parametrize("name", [name for name in SECOND if "tables" in TRUTH[name]])
def test_tables_have_the_rows_and_columns_that_are_printed_and_none_is_invented(name: str) -> None:
    seen = TRUTH[name]
    found, right, false = tables_judged(read(name), seen)
    assert right >= len(seen["tables"]) - _MISSED.get(name, 0)
    assert found == right
    assert false == []


@pytest.mark.parametrize("name", [name for name in SECOND if "sections" in TRUTH[name]])
def test_all_sections_are_found(name: str) -> None:
    heads = {letters(block.text) for block in read(name).blocks if block.kind == "heading"}
    assert [one for one in TRUTH[name]["sections"] if letters(one) not in heads] == []


@pytest.mark.parametrize("name", [name for name in SECOND if "runs" in TRUTH[name]])
def test_running_text_beside_tables_and_figures_is_whole(name: str) -> None:
    text = text_of(read(name))
    assert [run for _, run in TRUTH[name]["runs"] if letters(run) not in text] == []


@pytest.mark.parametrize("name", [*SECOND, "clino-region1.pdf"])
def test_nearly_every_word_is_kept(name: str) -> None:
    document = read(name)
    assert (document.coverage or 0.0) >= 0.98
    text = text_of(document)
    assert [word for _, word in TRUTH[name].get("words", []) if letters(word) not in text] == []


@pytest.mark.parametrize("name", [name for name in SECOND if "feet" in TRUTH[name]])
def test_running_heads_and_feet_that_change_with_the_section_are_no_text(name: str) -> None:
    text = text_of(read(name))
    assert [one for one in TRUTH[name]["feet"] if letters(one) in text] == []


def test_line_numbers_on_every_second_line_are_dropped() -> None:
    regions = [region for region in read("geowq-manuscript.pdf").regions if region.kind == "line_number"]
    assert {region.page for region in regions} == set(range(1, 10))
