"""Title, authors and year of pages made for it: offices are no people, and a title page stands behind its cover."""

from __future__ import annotations

import pytest

from indexer.documents.parse.byline import split_names
from indexer.documents.parse.front_matter import front_matter
from indexer.documents.parse.model import Block

TITLE = "Guide to the Ground-Water Flow of the Basin"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (
            "By Arlen W. Moor1, Mary C. Hill2, and Michael G. McFen3",
            ["Arlen W. Moor", "Mary C. Hill", "Michael G. McFen"],
        ),
        (
            "Anna van der Meer, José de la Cruz und Björn Ólafsson",
            ["Anna van der Meer", "José de la Cruz", "Björn Ólafsson"],
        ),
        ("Commonwealth Scientific and Industrial Research Organisation", []),
        ("Python for Atmosphere and Ocean Scientists", []),
        ("WORKING PAPER NO. 1", []),
        ("U.S. Geological", []),
    ],
)
def test_names_are_of_people(line: str, names: list[str]) -> None:
    assert split_names(line) == names


def test_an_office_behind_a_name_is_no_part_of_it() -> None:
    line = "Edward R. Moor U.S. Geological Survey, moor@example.org, Denver, Colorado, USA"
    front = front_matter([Block("heading", TITLE, 1, level=1), Block("text", line, 1)], {}, {})
    assert (front.title, front.authors) == (TITLE, ("Edward R. Moor",))


def test_a_title_page_behind_its_cover_names_authors_and_year() -> None:
    cover = [Block("heading", TITLE, 1, level=1), Block("text", "U.S. Geological Survey", 1)]
    inside = [
        Block("heading", TITLE.upper(), 2, level=1),
        Block("heading", "By Arlen W. Moor and Mary C. Hill", 2, level=3),
        Block("heading", "Reston, Virginia 2000", 2, level=4),
    ]
    front = front_matter([*cover, *inside], {}, {})
    assert (front.title, front.authors, front.published) == (TITLE, ("Arlen W. Moor", "Mary C. Hill"), "2000")
    other = [Block("heading", "Foreword of the director", 2, level=1), *inside[1:]]
    assert front_matter([*cover, *other], {}, {}).authors == ()


def test_authors_parted_by_white_space_alone_are_those_that_the_file_names_too() -> None:
    page = [
        Block("text", "peatlab: Tools for Peat and Water", 1),
        Block("heading", "Karla Peat Thomas Fen", 1, level=2),
        Block("text", "NIOZ Delft Technische Universität Dresden", 1),
    ]
    front = front_matter(page, {"Author": "Karla Peat and Thomas Fen", "Title": "peatlab"}, {})
    assert (front.title, front.authors) == ("peatlab: Tools for Peat and Water", ("Karla Peat", "Thomas Fen"))
    assert front.source["authors"] == "info"
