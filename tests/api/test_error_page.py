"""A bad address in a browser is a page with a way home; programs get problem+json as before."""

from __future__ import annotations

import pytest

from tests.service import Service

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.mark.parametrize("address", ["/nowhere", "/collections/nowhere", "/collections/all/items/samples:nope"])
@pytest.mark.parametrize("accept", ["application/json", "*/*", "application/problem+json", "application/geo+json"])
def test_programs_get_problem_json(samples: Service, address: str, accept: str) -> None:
    answer = samples.http.get(address, headers={"Accept": accept})
    assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")
    assert answer.get_json()["status"] == 404
    assert "Accept" in answer.headers["Vary"]


def test_an_address_or_method_that_does_not_exist_is_named_with_what_exists(samples: Service) -> None:
    absent = samples.http.get("/no/such/place", headers={"Accept": "*/*"}).get_json()["detail"]
    assert absent == "There is nothing at /no/such/place. /api lists every address."
    refused = samples.http.delete("/search", headers={"Accept": "*/*"})
    assert refused.status_code == 405
    assert "DELETE is not possible at /search; allowed: GET, HEAD" in refused.get_json()["detail"]
    assert "POST" in refused.headers["Allow"]


@pytest.mark.parametrize(
    ("address", "meant"),
    [("/search?limt=3", "limit"), ("/search?date-time=1999", "datetime"), ("/stac/search?collection=a", "collections"),
     ("/collections/all/items?boxb=1", "bbox"), ("/search?colour=red", None)],
    ids=["a_letter", "a_hyphen", "stac", "items", "nothing_like_it"],
)  # fmt: skip
def test_an_unknown_parameter_is_named_with_the_nearest_known(
    samples: Service, address: str, meant: str | None
) -> None:
    refused = samples.http.get(address, headers={"Accept": "*/*"}).get_json()
    assert refused["status"] == 400
    assert refused["detail"].startswith(f"Unknown parameter {refused['parameter']!r}.")
    assert ("Did you mean" in refused["detail"]) is (meant is not None)
    assert meant is None or f"Did you mean {meant!r}?" in refused["detail"]


@pytest.mark.parametrize("address", ["/nowhere", "/collections/nowhere", "/<b>x"])
def test_a_browser_gets_a_page(samples: Service, address: str) -> None:
    answer = samples.http.get(address, headers=BROWSER)
    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert "<h1>There is nothing at this address</h1>" in answer.text
    assert 'href="./"' in answer.text
    assert "<b>x" not in answer.text
    assert answer.headers["X-Request-Id"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


def test_what_was_refused_is_said_and_f_decides(samples: Service) -> None:
    refused = samples.http.get("/collections?bananas=1", headers=BROWSER)
    assert (refused.status_code, refused.mimetype) == (400, "text/html")
    assert "Unknown parameter &#x27;bananas&#x27;" in refused.text
    assert samples.http.get("/collections?bananas=1&f=json", headers=BROWSER).mimetype == "application/problem+json"
    assert samples.http.get("/collections/nowhere?f=html").mimetype == "application/problem+json"  # as described
    closed = samples.http.get("/harvest/sources", headers=BROWSER)
    assert (closed.status_code, closed.mimetype) == (401, "text/html")
    assert closed.headers["WWW-Authenticate"]
