"""Answers are compressed for whoever takes it, each under an ETag of its own."""

from __future__ import annotations

import gzip

import pytest

from tests.service import Service

TAKEN = {"Accept-Encoding": "gzip, deflate"}
LONG = [
    "/collections/all/items?limit=20",
    "/search?q=rain&rerank=false",
    "/oai?verb=ListRecords&metadataPrefix=oai_dc",
    "/dcat?limit=5",
    "/records/samples:era5",
    "/api",
]


@pytest.mark.parametrize("address", LONG)
def test_a_long_text_is_compressed(samples: Service, address: str) -> None:
    plain = samples.http.get(address)
    packed = samples.http.get(address, headers=TAKEN)
    assert plain.status_code == packed.status_code == 200
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert len(packed.data) < len(plain.data) / 2
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    if "search" not in address and "oai" not in address:  # they hold their time
        assert gzip.decompress(packed.data) == plain.data


def test_a_search_by_post_is_compressed(samples: Service) -> None:
    packed = samples.http.post("/search", json={"q": "rain", "rerank": False}, headers=TAKEN)
    assert packed.headers["Content-Encoding"] == "gzip"


def test_each_representation_has_its_own_tag(samples: Service) -> None:
    address = "/collections/samples/items/samples:era5"
    plain, packed = samples.http.get(address), samples.http.get(address, headers=TAKEN)
    assert plain.headers["ETag"] != packed.headers["ETag"]
    again = samples.http.get(address, headers={**TAKEN, "If-None-Match": packed.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert "Content-Encoding" not in again.headers


@pytest.mark.parametrize("address", ["/healthz", "/collections/samples/items/samples:era5/preview", "/conformance?x=1"])
def test_short_answers_stay_as_they_are(samples: Service, address: str) -> None:
    assert "Content-Encoding" not in samples.http.get(address, headers=TAKEN).headers
