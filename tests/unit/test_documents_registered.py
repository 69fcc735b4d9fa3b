"""What registries say of a work, in the form of their answers, and what of it completes a document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.document import DocumentEntry
from indexer.documents.index.registries import (
    RegisteredWork,
    complete_entry,
    opening_text,
    parse_crossref,
    parse_datacite,
    registered_from_json,
)
from indexer.documents.parse.model import Block

CROSSREF: dict[str, Any] = {
    "status": "ok",
    "message": {
        "DOI": "10.5194/essd-10-1-2018",
        "type": "journal-article",
        "title": ["Fluxes of CO<sub>2</sub> &amp; water over Quellmoos"],
        "subtitle": ["ten years of data"],
        "author": [
            {"given": "Ana María", "family": "de la Cruz", "sequence": "first", "affiliation": []},
            {"name": "The Quellmoos Consortium"},
            {"given": "Björn", "family": "Ólafsson", "suffix": "Jr."},
        ],
        "container-title": ["Earth System Science Data"],
        "issued": {"date-parts": [[2018, 1, 5]]},
    },
}
DATACITE: dict[str, Any] = {
    "data": {
        "id": "10.5281/zenodo.1",
        "attributes": {
            "titles": [{"title": "Quellmoos-Daten", "titleType": "TranslatedTitle"}, {"title": "Quellmoos report"}],
            "creators": [
                {"name": "Moor, Ida", "nameType": "Personal"},
                {"name": "Peat, Bo", "givenName": "Bo", "familyName": "Peat"},
                {"name": "Survey of Moors, Department 3", "nameType": "Organizational"},
            ],
            "container": {},
            "publicationYear": 2021,
            "dates": [{"date": "2021-05-03", "dateType": "Issued"}, {"date": "2019", "dateType": "Collected"}],
        },
    }
}
FOUND = RegisteredWork(
    "10.1/x", "crossref", "The water balance of Quellmoos", ("Ida Moor", "Bo Peat"), "Journal of Peat", "2019-04"
)
ENTRY = DocumentEntry("d", "public", "/a.pdf", "a.pdf", "parsing", doi="10.1/x")
OPENING = opening_text(
    [Block("heading", "The Water Balance of Quell-moos", 1), Block("text", "I. Moor and B. Peat", 1)]
)


def test_crossref_is_read_without_markup_and_in_its_order() -> None:
    found = parse_crossref("10.5194/essd-10-1-2018", CROSSREF)
    assert found.title == "Fluxes of CO2 & water over Quellmoos: ten years of data"
    assert found.authors == ("Ana María de la Cruz", "The Quellmoos Consortium", "Björn Ólafsson Jr.")
    assert (found.journal, found.published) == ("Earth System Science Data", "2018-01-05")


def test_datacite_is_read_with_its_main_title_and_the_date_of_issue() -> None:
    found = parse_datacite("10.5281/zenodo.1", DATACITE)
    assert (found.title, found.journal, found.published) == ("Quellmoos report", None, "2021-05-03")
    assert found.authors == ("Ida Moor", "Bo Peat", "Survey of Moors, Department 3")


@pytest.mark.parametrize(
    "issued", [None, {}, {"date-parts": [[None]]}, {"date-parts": []}, {"date-parts": [["2018"]]}, {"date-parts": 3}]
)
def test_a_date_that_is_not_there_is_none(issued: object) -> None:
    message = {**CROSSREF["message"], "issued": issued}
    assert parse_crossref("10.1/x", {"message": message}).published is None


@pytest.mark.parametrize("answer", [None, [], {}, {"message": []}, {"message": {}}, {"message": {"title": [""]}}])
def test_another_form_is_an_error(answer: object) -> None:
    with pytest.raises(ValueError, match="no "):
        parse_crossref("10.1/x", answer)


def test_what_is_kept_is_read_again() -> None:
    assert registered_from_json(FOUND.as_json()) == FOUND
    assert registered_from_json({}) is None
    assert registered_from_json({"doi": "10.1/x", "other": 1}) is None


def test_gaps_are_filled_and_each_value_says_where_it_came_from() -> None:
    entry = replace(ENTRY, title="The Water Balance of Quell-moos", front_source={"title": "page", "doi": "page"})
    done = complete_entry(entry, FOUND, OPENING)
    assert (done.title, done.authors) == ("The water balance of Quellmoos", ("Ida Moor", "Bo Peat"))
    assert (done.journal, done.published) == ("Journal of Peat", "2019-04")
    assert done.front_source["doi"] == "page"
    assert {done.front_source[name] for name in ("title", "authors", "journal", "published")} == {"crossref"}
    assert registered_from_json(done.registered) == FOUND


def test_the_page_wins_where_it_does_not_print_what_is_registered() -> None:
    own = {"authors": ("Carla Fen",), "published": "2018", "journal": "Report 7"}
    sources = {"authors": "page", "published": "page", "journal": "page"}
    entry = replace(ENTRY, title="The Water Balance of Quell-moos", front_source=sources, **own)  # type: ignore[arg-type]
    opening = opening_text([Block("heading", "The Water Balance of Quell-moos", 1), Block("text", "Carla Fen", 1)])
    done = complete_entry(entry, FOUND, opening)
    assert (done.authors, done.published, done.journal) == (("Carla Fen",), "2018", "Report 7")
    behind = replace(entry, front_source={"authors": "info", "published": "xmp", "journal": "page"})
    again = complete_entry(behind, FOUND, opening)
    assert (again.authors, again.published, again.journal) == (FOUND.authors, "2019-04", "Report 7")


def test_the_doi_of_another_work_changes_nothing_but_is_told() -> None:
    entry = replace(ENTRY, title="Snow in the Alps from space", front_source={"title": "page"})
    done = complete_entry(entry, FOUND, opening_text([Block("heading", "Snow in the Alps from space", 1)]))
    assert (done.title, done.authors) == (entry.title, ())
    assert "crossref knows 10.1/x as 'The water balance of Quellmoos'" in done.warnings[0]


def test_a_title_with_errors_of_ocr_is_the_registered_one_but_a_late_page_names_nothing() -> None:
    entry = replace(ENTRY, title="Tbe water balance 0f Quellmoos", front_source={"title": "page"})
    assert complete_entry(entry, FOUND, opening_text([])).journal == "Journal of Peat"
    late = [Block("text", "A. Other (2001): The water balance of Quellmoos.", 40)]
    assert complete_entry(replace(ENTRY, title="Snow in the Alps"), FOUND, opening_text(late)).journal is None


def test_a_reference_that_is_no_more_than_a_doi_gets_its_names() -> None:
    done = complete_entry(replace(ENTRY, title="10.1/x"), FOUND, None)
    assert (done.title, done.authors) == (FOUND.title, FOUND.authors)
