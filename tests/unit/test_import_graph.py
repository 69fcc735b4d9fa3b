"""The picture of the imports: what lies above what, which arrows are drawn, and that it names every package."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.import_graph import ROOT, drawn_now, packages, reduced, rows

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


def test_the_picture_can_be_drawn_and_names_every_package() -> None:
    for picture in (drawn_now(), (ROOT / "docs" / "imports.svg").read_text("utf-8")):
        texts = {each.text for each in ElementTree.fromstring(picture).iter() if each.text}
        assert texts >= set(packages()), "run: python -m tests.import_graph > docs/imports.svg"
