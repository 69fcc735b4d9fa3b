"""HTML by content negotiation: what a person sees who opens an address of the API in a browser."""

from __future__ import annotations

import re

import pytest

from search_api.page.plain_page import ListedRecord, items_html
from tests.service import Service

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
READABLE = (
    "/",
    "/conformance",
    "/collections",
    "/collections/samples",
    "/collections/samples/items",
    "/collections/samples/queryables",
    "/collections/samples/sortables",
    "/search?q=rain",
    "/collections/samples/items/samples:era5-single-levels-hourly",
)


@pytest.mark.parametrize("path", READABLE)
def test_a_browser_reads_it_and_a_program_gets_json(samples: Service, path: str) -> None:
    with_form = f"{path}{'&' if '?' in path else '?'}f="
    for answer in (samples.http.get(path, headers=BROWSER), samples.http.get(f"{with_form}html")):
        assert (answer.status_code, answer.mimetype) == (200, "text/html")
        assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    for answer in (samples.http.get(path), samples.http.get(f"{with_form}json", headers=BROWSER)):
        assert answer.status_code == 200
        assert answer.mimetype.endswith("json")


def test_pages_of_records_lead_on_to_all_of_them(samples: Service) -> None:
    address: str | None = "/collections/samples/items?limit=60&f=html"
    seen = []
    while address is not None:
        text = samples.http.get(address).text
        seen += re.findall(r'href="http://localhost/records/([^"]+)"', text)
        following = re.search(r'href="http://localhost([^"]+)" rel="next"', text)
        address = following[1].replace("&amp;", "&") if following else None
    assert len(seen) == len(set(seen)) == 169  # three pages: 60, 60, 49


def test_json_names_its_html(samples: Service) -> None:
    for path in ("/collections", "/collections/samples", "/collections/samples/items?limit=2"):
        links = samples.http.get(path).get_json()["links"]
        (html,) = [one["href"] for one in links if one["rel"] == "alternate" and one["type"] == "text/html"]
        assert samples.http.get(html.removeprefix("http://localhost")).mimetype == "text/html"


def test_metadata_stay_text() -> None:
    evil = "<script>alert(1)</script>"
    text = items_html(evil, [ListedRecord("/records/1", evil, evil, evil)], 1, None)
    assert "<script" not in text
    assert text.count("&lt;script&gt;") == 4


@pytest.mark.parametrize("path", ["/collections", "/collections/all", "/collections/all/queryables", "/conformance"])
def test_an_unknown_parameter_is_named(samples: Service, path: str) -> None:
    answer = samples.http.get(f"{path}?colour=red")
    assert (answer.status_code, answer.get_json()["parameter"]) == (400, "colour")
