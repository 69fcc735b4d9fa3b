"""The API describes itself in OpenAPI 3.1 and 3.0, with parameters as OGC API wants them described."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service import Service

ITEMS = "/collections/{catalogue}/items"


def described(samples: Service, form: str) -> Any:
    return samples.http.get(f"/api?f={form}").get_json()


def parameters(document: Any, path: str, method: str = "get") -> dict[str, Any]:
    return {one["name"]: one for one in document["paths"][path][method]["parameters"]}


@pytest.mark.parametrize(("form", "version"), [("oas30", "3.0.3"), ("oas31", "3.1.0")])
def test_both_documents_are_valid(samples: Service, form: str, version: str) -> None:
    from openapi_spec_validator import validate  # seconds to import, and each process collects every file

    document = described(samples, form)
    assert document["openapi"] == version
    validate(document)


@pytest.mark.parametrize(
    ("accepted", "version"),
    [
        ("application/vnd.oai.openapi+json;version=3.0", "3.0"),
        ("application/vnd.oai.openapi+json;version=3.1", "3.1"),
        ("application/vnd.oai.openapi+json", "3.1"),
        ("application/json", "3.1"),
        ("*/*", "3.1"),
    ],
)
def test_the_version_is_negotiated(samples: Service, accepted: str, version: str) -> None:
    answer = samples.http.get("/api", headers={"Accept": accepted})
    assert answer.headers["Content-Type"] == f"application/vnd.oai.openapi+json;version={version}"
    assert answer.get_json()["openapi"].startswith(version)


def test_the_landing_page_leads_to_both_and_the_class_is_declared(samples: Service) -> None:
    landing = samples.http.get("/", headers={"Accept": "application/json"}).get_json()
    types = [link["type"] for link in landing["links"] if link["rel"] == "service-desc"]
    assert types == [f"application/vnd.oai.openapi+json;version={version}" for version in ("3.0", "3.1")]
    declared = samples.http.get("/conformance").get_json()["conformsTo"]
    assert "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30" in declared
    assert "http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/sorting" in declared


@pytest.mark.parametrize("form", ["oas30", "oas31"])
def test_parameters_are_described_as_they_are_written(samples: Service, form: str) -> None:
    document = described(samples, form)
    given = parameters(document, ITEMS)
    box, limit = given["bbox"], given["limit"]
    assert (box["schema"]["type"], box["schema"]["items"]) == ("array", {"type": "number"})
    assert (box["schema"]["minItems"], box["schema"]["maxItems"]) == (4, 6)
    assert (limit["schema"]["minimum"], limit["schema"]["maximum"], limit["schema"]["default"]) == (1, 1000, 10)
    assert document["components"]["parameters"]["limit"] == limit
    assert all(one["style"] == "form" for one in given.values() if one["in"] == "query")
    assert [name for name, one in given.items() if one.get("explode")] == []
    assert "pattern" in given["datetime"]["schema"]
    assert parameters(document, "/search")["keyword"]["explode"] is True  # a keyword may hold a comma
    assert not any("separated" in str(one["schema"]) for one in given.values())
    headers = parameters(document, f"{ITEMS}/{{record}}", "put")
    assert {name for name, one in headers.items() if one["in"] == "header"} == {"If-Match", "If-None-Match"}


def test_3_0_has_no_words_of_3_1(samples: Service) -> None:
    def words(node: Any) -> Any:
        if isinstance(node, dict):
            schema = {} if "example" in node else node
            assert not {"const", "prefixItems", "$defs", "contentMediaType"} & schema.keys(), node
            assert not isinstance(node.get("type"), list), node
            for one in node.values():
                words(one)
        elif isinstance(node, list):
            assert {"type": "null"} not in node
            for one in node:
                words(one)

    words(described(samples, "oas30"))


@pytest.mark.parametrize("path", ["/", "/api", "/stac", "/stac/collections", "/stac/conformance", "/collections"])
def test_an_unknown_parameter_is_refused_everywhere(samples: Service, path: str) -> None:
    answer = samples.http.get(path, query_string={"foo": "1"}, headers={"Accept": "application/json"})
    assert (answer.status_code, answer.get_json()["parameter"]) == (400, "foo")


@pytest.mark.parametrize("path", ["/stac/", "/oai/?verb=Identify", "/collections/", "/conformance/", "/api/"])
def test_a_slash_at_the_end_changes_nothing(samples: Service, path: str) -> None:
    assert samples.http.get(path).status_code == 200
