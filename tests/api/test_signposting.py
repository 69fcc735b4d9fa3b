"""Signposting: what a machine finds in the header Link of a record's page and of its other formats."""

from __future__ import annotations

import pytest
from requests.utils import parse_header_links

from core.record import Link, Record
from search_api.views.signposting import landing_links, metadata_links
from tests.service import Service


def by_relation(header: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for one in parse_header_links(header):
        found.setdefault(one["rel"], []).append(one)
    return found


@pytest.fixture(scope="module")
def cited(samples: Service) -> dict[str, object]:
    """A sample with a DOI and files."""
    listed = samples.http.get("/collections/all/items?limit=1000").get_json()["features"]
    return next(
        one
        for one in listed
        if any(link["rel"] in ("download", "enclosure") for link in one["links"])
        and any(known["scheme"] == "doi" for known in one["properties"].get("externalIds", []) if "scheme" in known)
    )


def test_the_page_leads_to_identifier_files_and_metadata(samples: Service, cited: dict[str, object]) -> None:
    answer = samples.http.get(f"/records/{cited['id']}", headers={"Accept": "text/html"})
    links = by_relation(answer.headers["Link"])
    doi = samples.http.get(f"/collections/all/items/{cited['id']}?f=jsonld").get_json()["sameAs"]
    assert [one["url"] for one in links["cite-as"]] == [doi]
    assert [one["url"] for one in links["type"]] == ["https://schema.org/AboutPage", "https://schema.org/Dataset"]
    assert links["item"]
    for one in links["describedby"]:
        found = samples.http.get(one["url"].removeprefix("http://localhost"))
        assert found.status_code == 200
        assert found.mimetype == one["type"]
        back = by_relation(found.headers["Link"])["describes"]
        assert back[0]["url"].endswith(f"/records/{cited['id']}")


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
    header = ", ".join([*landing_links(record, []), *metadata_links(record, "http://localhost/records/s:1")])
    assert header.isascii()
    assert header.isprintable()
    links = by_relation(header)
    assert set(links) == {"type", "item", "describes", "license"}
    assert len(links["item"]) == 20
    assert links["item"][0] == {"url": "https://example.org/%C3%BC%20%22file%22%3E.nc", "rel": "item"}


def test_croissant_is_offered_for_records_with_files_only(samples: Service, cited: dict[str, object]) -> None:
    address = f"/collections/all/items/{cited['id']}"
    found = samples.http.get(f"{address}?f=croissant")
    assert (found.status_code, found.mimetype) == (200, "application/ld+json")
    assert found.get_json()["distribution"]
    plain = samples.http.get(address, headers={"Accept": "application/ld+json"})
    assert "conformsTo" not in plain.get_json(), "JSON-LD is schema.org, which every record has"
    listed = samples.http.get("/collections/all/items?limit=1000").get_json()["features"]
    without = next(one for one in listed if not any("f=croissant" in link["href"] for link in one["links"]))
    refused = samples.http.get(f"/collections/all/items/{without['id']}?f=croissant")
    assert refused.status_code == 404
    assert "has no files" in refused.get_json()["detail"]
