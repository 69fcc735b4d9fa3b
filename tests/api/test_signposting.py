"""Signposting: what a machine finds in the header Link of a record's page and of its other formats."""

from __future__ import annotations

import pytest
from requests.utils import parse_header_links

from core.record import Link, Record
from search_api.catalogue.item_formats import landing_header_links, metadata_header_links
from tests.service import Service


def by_relation(header: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for one in parse_header_links(header):
        found.setdefault(one["rel"], []).append(one)
    return found


def _first(samples: Service, *, with_files: bool) -> str:
    """The first sample that does or does not offer Croissant."""
    listed = samples.http.get("/collections/all/items?limit=1000").get_json()["features"]
    for one in listed:
        links = samples.http.get(f"/collections/all/items/{one['id']}").get_json()["links"]
        if any("f=croissant" in link["href"] for link in links) == with_files:
            return str(one["id"])
    raise AssertionError("the samples have records with files and records without")


@pytest.fixture(scope="module")
def with_files(samples: Service) -> str:
    return _first(samples, with_files=True)


def test_the_page_leads_to_files_and_metadata(samples: Service, with_files: str) -> None:
    answer = samples.http.get(f"/records/{with_files}", headers={"Accept": "text/html"})
    links = by_relation(answer.headers["Link"])
    assert links["type"][0]["url"] == "https://schema.org/AboutPage"
    assert links["item"]
    for one in links["describedby"]:
        found = samples.http.get(one["url"].removeprefix("http://localhost"))
        assert found.status_code == 200
        assert found.mimetype == one["type"]
        assert by_relation(found.headers["Link"])["describes"][0]["url"].endswith(f"/records/{with_files}")


def test_the_page_names_the_identifier_to_cite_and_the_licence() -> None:
    record = Record(id="s:1", source="s", identifier="1", title="t", doi="10.5555/a<b", licence="CC-BY-4.0")
    links = by_relation(", ".join(landing_header_links(record, [])))
    assert links["cite-as"][0]["url"] == "https://doi.org/10.5555/a%3Cb"
    assert links["license"][0]["url"] == "https://creativecommons.org/licenses/by/4.0/"
    assert [one["url"] for one in links["type"]] == ["https://schema.org/AboutPage", "https://schema.org/Dataset"]


def test_texts_of_metadata_cannot_end_the_header() -> None:
    record = Record(
        id="s:1",
        source="s",
        identifier="1",
        title="t",
        licence="https://example.org/a>b\r\nSet-Cookie: x",
        links=(
            Link('https://example.org/ü "file">.nc', "download", media_type='text/csv"; rel="cite-as'),
            Link("not an address", "download"),
            Link("https://example.org/" + "x" * 600, "download"),
            *(Link(f"https://example.org/{number}.nc", "download") for number in range(40)),
        ),
    )
    header = ", ".join(
        [*landing_header_links(record, []), *metadata_header_links(record, "http://localhost/records/s:1")]
    )
    assert header.isascii()
    assert header.isprintable()
    links = by_relation(header)
    assert set(links) == {"type", "item", "describes", "license"}
    assert len(links["item"]) == 20
    assert links["item"][0] == {"url": "https://example.org/%C3%BC%20%22file%22%3E.nc", "rel": "item"}


def test_croissant_is_offered_for_records_with_files_only(samples: Service, with_files: str) -> None:
    address = f"/collections/all/items/{with_files}"
    found = samples.http.get(f"{address}?f=croissant")
    assert (found.status_code, found.mimetype) == (200, "application/ld+json")
    assert found.get_json()["distribution"]
    plain = samples.http.get(address, headers={"Accept": "application/ld+json"})
    assert "conformsTo" not in plain.get_json(), "JSON-LD is schema.org, which every record has"
    without = _first(samples, with_files=False)
    refused = samples.http.get(f"/collections/all/items/{without}?f=croissant")
    assert refused.status_code == 404
    assert "has no files" in refused.get_json()["detail"]
