"""The generated layouts say truly what they print, the same for the same seed."""

from __future__ import annotations

from dataclasses import replace

import pypdfium2 as pdfium
import pytest

from indexer.documents.parse.clean import letters
from tests.quality.layouts.__main__ import CHOSEN, FAMILIES, Score, make, score_document


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_what_a_layout_calls_true_is_printed(family: str) -> None:
    data, truth = make(family, 3)
    document = pdfium.PdfDocument(data)
    assert len(document) == truth.pages
    texts = [letters(page.get_textpage().get_text_bounded()) for page in document]
    front = "".join(texts[:2])
    assert all(letters(word) in front for word in truth.title.split())
    assert all(letters(name) in front for name in truth.authors)
    assert truth.year is None or str(truth.year) in front
    cells = [(table.page, cell) for table in truth.tables for row in table.rows for cell in row]
    assert all(letters(word) in texts[page - 1] for page, cell in cells for word in cell.split())
    assert make(family, 3)[0] == data


def test_half_of_the_families_are_left_out() -> None:
    assert len(FAMILIES) >= 15
    assert len(CHOSEN) == len(set(CHOSEN) & set(FAMILIES))
    assert abs(2 * len(CHOSEN) - len(FAMILIES)) <= 1


def test_a_score_counts_what_differs() -> None:
    data, truth = make("french_agency", 2)
    fair = score_document(data, truth)
    assert fair.documents == 1
    assert fair.tables == len(truth.tables)
    wrong = score_document(data, replace(truth, title="Another title", authors=["A. Nobody"], year=1850, tables=[]))
    assert (wrong.titles, wrong.authors, wrong.years, wrong.tables) == (0, 0, 0, 0)
    assert wrong.false == fair.false + fair.found
    assert (Score(pages=4, false=1) + Score(pages=6)).figures()["false tables per 100 pages"] == 10.0
