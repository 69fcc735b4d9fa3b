"""Title, authors and year of pages made for it: offices are no people, and a title page stands behind its cover."""

from __future__ import annotations

from itertools import pairwise

import pytest

from indexer.documents.parse.byline import date_in, labelled_names, split_names
from indexer.documents.parse.front_matter import front_matter
from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.model import Block, FrontMatter, PrintedLine
from indexer.documents.parse.pdf.read_pdf import read_pdf
from indexer.documents.parse.read_text import read_text
from indexer.documents.parse.sections import opens_section
from tests.pdf_files import PdfPage, Put, paragraph, pdf

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


def printed(*lines: tuple[str, float], margin: str = "") -> list[PrintedLine]:
    """The lines of a page from the top, each with its size."""
    text = [PrintedLine(text, 1, size, 60.0 + 20.0 * place) for place, (text, size) in enumerate(lines)]
    return [*([PrintedLine(margin, 1, 8.0, 30.0, margin=True)] if margin else []), *text]


def front_of(lines: list[PrintedLine]) -> FrontMatter:
    blocks = [
        Block("heading" if line.size > 12 else "text", line.text, 1, level=1) for line in lines if not line.margin
    ]
    return front_matter(blocks, {}, {}, lines)


@pytest.mark.parametrize(
    ("lines", "authors"),
    [
        pytest.param(
            [("Ada Brook", 10.0), ("Institute of Ice, Nord", 9.0), ("Bo Cliff and Eva de la Rue", 10.0), ("Nord", 9.0)],
            ("Ada Brook", "Bo Cliff", "Eva de la Rue"),
            id="names and offices alternate",
        ),
        pytest.param([("Ada Brook · Bo Cliff", 10.0)], ("Ada Brook", "Bo Cliff"), id="dots"),
        pytest.param([("Ada Brook | Bo Cliff", 10.0)], ("Ada Brook", "Bo Cliff"), id="bars"),
        pytest.param(
            [("Ada Brook, Bo C. D.", 10.0), ("Cliff and Eva Rue", 10.0)],
            ("Ada Brook", "Bo C. D. Cliff", "Eva Rue"),
            id="a name over two lines",
        ),
        pytest.param([("Silver Spring, Maryland", 10.0)], (), id="a place"),
        pytest.param([("European Weather and Climate Agency", 10.0)], (), id="an office"),
        pytest.param([("Ada Brook", 10.0), ("Palm Beach", 8.0)], ("Ada Brook",), id="smaller type"),
        pytest.param([("Abstract", 10.0), ("Ada Brook", 10.0)], (), id="below the byline"),
    ],
)
def test_authors_are_the_names_below_the_title_in_one_type(
    lines: list[tuple[str, float]], authors: tuple[str, ...]
) -> None:
    assert front_of(printed((TITLE, 18.0), *lines)).authors == authors


@pytest.mark.parametrize(
    ("line", "margin", "published"),
    [
        ("Received: 3 May 2014 / Accepted: 1 Dec 2014 / Published online: 8 Jan 2015", "", "2015-01-08"),
        ("Received 3 May 2014; accepted 1 December 2014", "", "2014-12-01"),
        ("Available online 8 January 2015", "", "2015-01-08"),
        ("Received 3 May 2014", "Ice and Water 12 (2015) 4–19", "2015"),
        ("© Author(s) 2015. This work is free.", "", "2015"),
        ("Open-File Report 2015–1044", "", "2015"),
        ("Studies of Ice 12/2015", "", "2015"),
        ("The gauge was moved in the year 2015 and again later.", "", None),
    ],
)
def test_a_year_of_publication_is_not_the_one_of_the_manuscript(line: str, margin: str, published: str | None) -> None:
    assert front_of(printed((TITLE, 18.0), (line, 9.0), margin=margin)).published == published


@pytest.mark.parametrize(
    "masthead", ["Ice and Water", "SHELF Memorandum OAR-47", "TEXTE | 26/2010", "University of Nord", "RESEARCH LETTER"]
)
def test_journals_series_and_offices_are_no_titles(masthead: str) -> None:
    lines = printed((masthead, 24.0), (TITLE, 18.0), ("Cite as: Ice and Water, 12, 4-19", 8.0))
    assert front_of(lines).title == TITLE


def test_a_running_head_that_repeats_the_title_does_not_make_it_small() -> None:
    lines = printed((TITLE, 18.0), ("By Ada Brook", 12.0), ("Survey of Nord", 10.0), margin=TITLE)
    blocks = [Block("heading", line.text, 1, level=1) for line in lines if not line.margin]
    front = front_matter(blocks, {}, {}, lines)
    assert (front.title, front.authors) == (TITLE, ("Ada Brook",))


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["Elaborado por: Lucía Rojas y Hernán Quispe Mamani"], ["Lucía Rojas", "Hernán Quispe Mamani"]),
        (["Updated 2 May 2024 · Author: Petteri Salmela"], ["Petteri Salmela"]),
        (["Autoren", "Katharina Wiegand, Jörg Thalheim"], ["Katharina Wiegand", "Jörg Thalheim"]),
        (["Authors:"], []),
        (["From New York the river flows north"], []),
        (["Prepared by the Survey of Earth"], []),
    ],
)
def test_names_behind_a_label(texts: list[str], names: list[str]) -> None:
    assert labelled_names([PrintedLine(text, 1, 9.0, 50.0) for text in texts]) == names


def test_a_spanish_date() -> None:
    assert date_in("Nº 8, agosto de 2021") == "2021-08"
    assert date_in("12 de agosto de 2021") == "2021-08-12"


BODY = "The lake was visited in the summer of 2014 by a team of the University of Ostrava with an echo sounder."


@pytest.mark.parametrize("below", ["1 Introduction", "1. Sites and dates", "2.1 Methods"])
def test_a_numbered_heading_right_below_the_title_in_its_type_is_no_part_of_it(below: str) -> None:
    title = "Zorvath Lake Monitoring Report"
    page = PdfPage([Put(72, 80, title, 16, True), Put(72, 104, below, 16, True), *paragraph(72, 134, [BODY])])
    read = read_pdf(pdf([page], info=f"/Title ({title})"), Limits(), Ocr(command=None))
    assert [block.text for block in read.blocks if block.kind == "heading"] == [title, below]
    assert (read.front.title, read.front.affiliations) == (title, ())


@pytest.mark.parametrize(
    ("line", "above", "opens"),
    [
        ("1 Introduction", "Zorvath Lake Monitoring Report", True),
        ("5 Conclusions", "Data of the lake", True),
        ("2.1 Sites", "2 Methods", True),
        ("12 Lakes of the Alps", "Ice thickness of the", False),
        ("15 days of rain", "2 Storms that lasted for", False),
        ("of the Ostrava basin", "1 Introduction to the geology", False),
    ],
)
def test_a_title_may_continue_with_a_number(line: str, above: str, *, opens: bool) -> None:
    assert opens_section(line, above) is opens


def text_front(text: str) -> tuple[FrontMatter, list[tuple[str, str]]]:
    read = read_text(text.encode(), Limits())
    return read.front, [(block.kind, block.text) for block in read.blocks]


BILLION = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "\n".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]" for before, name in pairwise("abcdefghi")
)
"""Lists of lists: 10^9 values, and a few hundred characters."""
NOTES = "# Field notes of the Ostrava gravimeter\n\nThe gravimeter was read each morning by the observer.\n"


@pytest.mark.parametrize(
    ("header", "authors", "published"),
    [
        ("title: Field notes\nauthor: Jana Novak\ndate: 2001-05-06", ("Jana Novak",), "2001-05-06"),
        ("title: Field notes\nauthors:\n  - Jana Novak\n  - name: Petr Svoboda", ("Jana Novak", "Petr Svoboda"), None),
        ("Title: Field notes\ndate: 6 May 2001\ntags: [a, b]", (), "2001-05-06"),
        ("title: Field notes\nauthor: [[]]\ndate: {a: b}", (), None),
        (f"title: Field notes\n{BILLION}\nauthor: *i\ndate: *i", (), None),
    ],
)
def test_a_yaml_header_is_metadata_and_no_text(header: str, authors: tuple[str, ...], published: str | None) -> None:
    later = "\nDrift of the spring\n===================\n\nIt was small.\n"
    front, blocks = text_front(f"---\n{header}\n---\n{NOTES}{later}")
    assert (front.title, front.authors, front.published) == ("Field notes", authors, published)
    assert front.source["title"] == "info"
    assert blocks[0] == ("heading", "Field notes of the Ostrava gravimeter")
    assert not any("---" in text or "title" in text.lower() for _, text in blocks)


@pytest.mark.parametrize(
    "header", ["Ostrava gravimeter", "station: Ostrava", "title: [", "date: 2001-99-99", "- title", "title: a\n- b"]
)
def test_what_is_no_header_stays_text(header: str) -> None:
    front, blocks = text_front(f"---\n{header}\n---\n\n{NOTES}")
    assert front.title == "Field notes of the Ostrava gravimeter"
    assert header.split("\n")[0].removeprefix("- ") in " ".join(text for _, text in blocks)


def test_a_date_in_a_section_is_not_the_date_of_publication() -> None:
    section = "\n## Calibration\n\n- Date: 2 June 1994\n- Scale: 1.0023\n"
    assert text_front(NOTES + section)[0].published is None
    assert text_front(NOTES.split("\n")[0] + "\n" + section)[0].published is None
    assert (
        text_front(NOTES.replace("\n\nThe", "\n\nOstrava, 2 June 1994\n\nThe") + section)[0].published == "1994-06-02"
    )
    subtitle = "# Gravity of Ostrava\n\n## A year in the mine\n\nOstrava, 2 June 1994\n"
    assert text_front(subtitle)[0].published == "1994-06-02"
