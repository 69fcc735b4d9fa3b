"""A list of hits in another order, and in the formats that are saved: a table and citations, page by page."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from typing import Any

import pytest

from core.geo import BBox
from core.record import Dates, Keyword, Link, Record, Resolution
from core.timespan import TimeSpan
from search_api.app import create_app
from search_api.formats_out.bibliography import of_record
from search_api.formats_out.formats import COLUMNS, table
from search_api.formats_out.notations import ResultPage
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import default_config
from sonde.wiring.api import api_parts
from tests.service import Service

Q = "rainfall in Africa"


def every(samples: Service, **parameters: Any) -> list[dict[str, Any]]:
    """All hits, following ``next`` in pages of 25."""
    answer = samples.search(Q, limit=25, **parameters)
    found = answer["features"]
    while following := [one["href"] for one in answer["links"] if one["rel"] == "next"]:
        answer = samples.http.get(following[0]).get_json()
        found += answer["features"]
    return list(found)


@pytest.mark.parametrize("sortby", ["-updated", "+title", "resolution"])
def test_the_same_hits_in_another_order(samples: Service, sortby: str) -> None:
    best_first, ordered = every(samples), every(samples, sortby=sortby)
    ids = [one["id"] for one in ordered]
    assert ids != [one["id"] for one in best_first]
    assert sorted(ids) == sorted(one["id"] for one in best_first)
    listed = samples.http.get("/collections/all/items", query_string={"sortby": sortby, "limit": 1000}).get_json()
    places = {one["id"]: place for place, one in enumerate(listed["features"])}
    assert ids == sorted(ids, key=places.__getitem__)


def test_what_follows_the_ranked_window_is_in_the_order_too(samples: Service) -> None:
    parts = api_parts(samples.settings, samples.models)
    config = default_config()
    config = replace(config, records=replace(config.records, candidate_window=8, max_results=60))
    http = create_app(replace(parts, search=SearchPipeline(replace(parts.search.parts, config=config)))).test_client()
    asked = {"q": Q, "algorithm": "bm25", "limit": 60}
    best_first = http.get("/search", query_string=asked).get_json()["features"]
    ordered = http.get("/search", query_string={**asked, "sortby": "title"}).get_json()["features"]
    assert len(ordered) > 8
    assert {one["id"] for one in ordered} == {one["id"] for one in best_first}
    titles = [one["properties"]["title"].lower() for one in ordered]
    assert titles == sorted(titles)


def test_an_order_is_refused_if_it_is_none(samples: Service) -> None:
    answer = samples.http.get("/search", query_string={"q": Q, "sortby": "-colour"})
    assert (answer.status_code, answer.get_json()["parameter"]) == (400, "sortby")


def test_a_table_leads_from_page_to_page(samples: Service) -> None:
    address, lines = f"/search?q={Q}&f=csv&limit=25", []
    while address:
        answer = samples.http.get(address)
        assert answer.mimetype == "text/csv"
        lines += list(csv.DictReader(io.StringIO(answer.text, newline="")))
        following = re.search(r'<([^>]+)>; rel="next"', answer.headers.get("Link", ""))
        address = following[1] if following else ""
    assert [one["id"] for one in lines] == [one["id"] for one in every(samples)]
    assert all(one["address"].startswith("http") and one["title"] for one in lines)


def test_citations_lead_from_page_to_page(samples: Service) -> None:
    answer = samples.http.get(f"/search?q={Q}&f=bibtex&limit=2")
    assert answer.text.count("@misc{") == 2
    assert 'rel="next"; type="application/x-bibtex"' in answer.headers["Link"]


@pytest.mark.parametrize(
    ("doi", "links", "cited"),
    [
        ("10.5555/x", [Link("https://h/", "about")], "https://doi.org/10.5555/x"),
        (
            None,
            [Link("ftp://h/", "about"), Link("https://h/a.nc", "download"), Link("https://h/", "about")],
            "https://h/",
        ),
        (None, [Link("https://h/a.nc", "download")], "http://sonde/x"),
    ],
)
def test_a_citation_leads_to_the_doi_or_the_landing_page(doi: str | None, links: list[Link], cited: str) -> None:
    record = Record("s:x", "s", "x", "Rain", "", doi=doi, links=tuple(links))
    assert of_record(record, "http://sonde/x").link == cited


def test_a_cell_of_the_table_is_no_formula_and_bounds_hold_all() -> None:
    record = Record(
        "s:x", "s", "x", '=HYPERLINK("http://evil")', 'He said "a, b"\nand left', keywords=(Keyword("a"), Keyword("b")),
        extents=(BBox(-20.0, 1.0, 5.0, 2.0), BBox(10.0, -4.5, 30.0, 0.0)), dates=Dates(metadata="2020"),
        times=(TimeSpan.from_iso("1990", "1991"), TimeSpan.from_iso("1980", None)), resolution=Resolution(5500.0),
        links=(Link("http://h/a.nc", "download"), Link("http://h/", "about")),
    )  # fmt: skip
    (line,) = csv.DictReader(io.StringIO(table(ResultPage("", "", 1, [(record, "http://h/x")])), newline=""))
    assert tuple(line) == COLUMNS
    assert line["title"] == "'" + record.title
    assert (line["abstract"], line["keywords"]) == (record.abstract, "a; b")
    assert (line["start"], line["end"]) == ("1980-01-01T00:00:00Z", "")
    assert [line[edge] for edge in ("west", "south", "east", "north")] == ["-20.0", "-4.5", "30.0", "2.0"]
    assert (line["resolution_m"], line["downloads"], line["updated"]) == ("5500.0", "http://h/a.nc", "2020")
    across = replace(record, extents=(*record.extents, BBox(170.0, 0.0, -170.0, 1.0)))
    (line,) = csv.DictReader(io.StringIO(table(ResultPage("", "", 1, [(across, "")])), newline=""))
    assert (line["west"], line["east"]) == ("-180.0", "180.0")
