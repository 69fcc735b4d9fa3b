"""The picture of the imports: what lies above what, which arrows are drawn, and that docs/imports.svg is up to date."""

from __future__ import annotations

from tests.import_graph import ROOT, drawn_now, reduced, rows

EDGES = {
    "top": frozenset({"left", "right", "base"}),
    "left": frozenset({"base"}),
    "right": frozenset({"base"}),
    "base": frozenset[str](),
}


def test_each_lies_above_all_that_it_imports() -> None:
    assert rows(EDGES) == [["top"], ["left", "right"], ["base"]]


def test_a_circle_shares_a_row() -> None:
    assert rows({**EDGES, "right": frozenset({"left", "base"}), "left": frozenset({"right", "base"})}) == rows(EDGES)


def test_an_arrow_that_others_imply_is_left_out() -> None:
    assert list(reduced(EDGES)) == [("top", "left"), ("top", "right"), ("left", "base"), ("right", "base")]


def test_the_picture_in_the_docs_shows_the_imports_as_they_are() -> None:
    written = (ROOT / "docs" / "imports.svg").read_text("utf-8")
    assert written == drawn_now(), "run: python -m tests.import_graph > docs/imports.svg"
