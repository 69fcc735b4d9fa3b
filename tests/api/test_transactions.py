"""Records created, replaced, changed and deleted over OGC API and over STAC API, by a writer; readers may not."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from flask.testing import FlaskClient
from stac_pydantic import Item
from werkzeug.test import TestResponse

from core.access import Caller, NotAuthenticated
from search_api.app import create_app
from search_api.protocols.ogc.push import merge_patch
from sonde.settings import BrokerSettings
from sonde.wiring.api import api_parts
from tests.api.test_stac_collections import stac_item
from tests.conftest import delete_indices
from tests.integration.small_catalogue import document
from tests.service import Service

_ITEMS = "/stac/collections/scenes/items"


class WriterAndReader:
    """Two users: one may write, one may only read."""

    def identify(self, bearer: str | None) -> Caller:
        if bearer == "writer":
            return Caller("wanda", frozenset(("search", "write")))
        if bearer in (None, "reader"):
            return Caller(bearer, frozenset(("search",)))
        raise NotAuthenticated("This key is not known.")


@pytest.fixture(scope="module")
def http(es_client: Elasticsearch, elasticsearch_url: str, broker_url: str) -> Iterator[FlaskClient]:
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    settings = service.settings.model_copy(update={"broker": BrokerSettings(url=broker_url)})
    service.prepare()
    yield create_app(replace(api_parts(settings, service.models), authenticator=WriterAndReader())).test_client()
    delete_indices(es_client, service.prefix)


def _send(http: FlaskClient, method: str, path: str, who: str | None = "writer", **more: Any) -> TestResponse:
    headers = {**more.pop("headers", {}), **({"Authorization": f"Bearer {who}"} if who else {})}
    return http.open(path, method=method, headers=headers, **more)


def _scene(id: str, **properties: Any) -> dict[str, Any]:
    return stac_item(id, [6, 45, 10, 47], ("2001-01-01T00:00:00Z", "2001-12-31T00:00:00Z"), **properties)


def _properties(http: FlaskClient, id: str) -> Any:
    answer = http.get(f"{_ITEMS}/{id}")
    return Item.model_validate(answer.get_json()).model_dump()["properties"] if answer.status_code == 200 else None


def test_an_item_is_created_replaced_changed_and_deleted(http: FlaskClient) -> None:
    created = _send(http, "POST", _ITEMS, json=_scene("one", title="Snow", gsd=30))
    assert created.status_code == 201, created.text
    assert created.headers["Location"].endswith(f"{_ITEMS}/scenes:one")
    at = created.headers["Location"].removeprefix("http://localhost")
    assert Item.model_validate(http.get(at).get_json()).collection == "scenes"
    assert http.get(f"{_ITEMS}/one").get_json() == http.get(at).get_json(), "by its own id too"
    assert http.get("/stac/collections/scenes").status_code == 200, "a collection begins with its first item"
    assert _send(http, "POST", _ITEMS, json=_scene("one")).status_code == 409

    assert _send(http, "PUT", f"{_ITEMS}/one", json=_scene("one", title="Ice", gsd=20)).status_code == 204
    assert (_properties(http, "one")["title"], _properties(http, "one")["gsd"]) == ("Ice", 20)

    change = {"properties": {"title": "Firn", "gsd": None}, "collection": "scenes"}
    assert _send(http, "PATCH", f"{_ITEMS}/one", json=change).status_code == 204
    assert _properties(http, "one")["title"] == "Firn"
    assert _properties(http, "one").get("gsd") is None
    native = http.get("/collections/scenes/items/scenes:one?f=native").get_json()
    assert native["properties"]["end_datetime"] == "2001-12-31T00:00:00Z", "the rest stays"

    assert _send(http, "DELETE", f"{_ITEMS}/one").status_code == 204
    assert _properties(http, "one") is None
    for method, body in (("DELETE", None), ("PUT", _scene("one")), ("PATCH", {})):
        assert _send(http, method, f"{_ITEMS}/one", json=body).status_code == 404, method


def test_an_item_collection_is_created_whole_or_not_at_all(http: FlaskClient) -> None:
    several = {"type": "FeatureCollection", "features": [_scene("c1"), _scene("c2")]}
    created = _send(http, "POST", _ITEMS, json=several)
    assert (created.status_code, "Location" in created.headers) == (201, False)
    more = {"type": "FeatureCollection", "features": [_scene("c3"), _scene("c2")]}
    assert _send(http, "POST", _ITEMS, json=more).status_code == 409
    twice = {"type": "FeatureCollection", "features": [_scene("c3"), _scene("c4"), _scene("scenes:c3")]}
    assert _send(http, "POST", _ITEMS, json=twice).status_code == 400
    assert [_properties(http, id) is not None for id in ("c1", "c2", "c3", "c4")] == [True, True, False, False]


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        ("POST", "", {"type": "Feature"}, "id"),
        ("POST", "", [1], "STAC Item"),
        ("POST", "", {**_scene("x"), "id": 7}, "id"),
        ("POST", "", {**_scene("x"), "collection": "other"}, "'other'"),
        ("POST", "", {**_scene("x"), "assets": {}}, "no asset"),
        ("POST", "", {**_scene("x"), "properties": {"datetime": None}}, "datetime"),
        ("POST", "", {"type": "FeatureCollection", "features": []}, "1 to 100"),
        ("PUT", "/kept", _scene("another"), "'another'"),
        ("PATCH", "/kept", {"id": "another"}, "'another'"),
        ("PATCH", "/kept", {"assets": None}, "no asset"),
    ],
)
def test_what_is_no_item_is_refused(http: FlaskClient, method: str, path: str, body: dict[str, Any], said: str) -> None:
    _send(http, "POST", _ITEMS, json=_scene("kept"))
    answer = _send(http, method, _ITEMS + path, json=body)
    assert (answer.status_code, answer.mimetype) == (400, "application/problem+json")
    assert said in answer.get_json()["detail"]
    assert _properties(http, "x") is None
    assert _properties(http, "kept") is not None


def test_a_change_keeps_to_its_condition(http: FlaskClient) -> None:
    _send(http, "POST", _ITEMS, json=_scene("careful"))
    tag = http.get("/collections/scenes/items/scenes:careful?f=native").headers["ETag"]
    first = _send(http, "PATCH", f"{_ITEMS}/careful", json={"properties": {"title": "1"}}, headers={"If-Match": tag})
    assert first.status_code == 204
    for method, body in (("PATCH", {"properties": {"title": "2"}}), ("PUT", _scene("careful")), ("DELETE", None)):
        late = _send(http, method, f"{_ITEMS}/careful", json=body, headers={"If-Match": tag})
        assert late.status_code == 412, method
    path = "/collections/scenes/items/careful"
    fresh = {"If-Match": first.headers["ETag"]}
    assert _send(http, "PATCH", path, json={"properties": {"title": "3"}}, headers=fresh).status_code == 204
    assert _properties(http, "careful")["title"] == "3"


def test_a_record_of_any_format_is_created_under_its_identifier(http: FlaskClient) -> None:
    answer = _send(http, "POST", "/collections/portal/items", data=document("x1", "Snow depth"))
    assert (answer.status_code, answer.get_json()) == (201, {"id": "portal:x1"})
    at = answer.headers["Location"].removeprefix("http://localhost")
    assert http.get(at).get_json()["properties"]["title"] == "Snow depth"
    assert answer.headers["ETag"] == http.get(f"{at}?f=native").headers["ETag"]
    again = _send(http, "POST", "/collections/portal/items", data=document("x1", "Other"))
    assert (again.status_code, again.mimetype) == (409, "application/problem+json")
    assert http.get(at).get_json()["properties"]["title"] == "Snow depth"
    turtle = '<https://x.example/d> a <http://www.w3.org/ns/dcat#Dataset> ; <http://purl.org/dc/terms/title> "T" .'
    named = [_send(http, "POST", "/collections/portal/items", data=turtle).get_json()["id"] for _ in range(1)]
    assert http.get(f"/collections/portal/items/{named[0]}").status_code == 200
    for body in (b"", b"<html>", b"{"):
        assert _send(http, "POST", "/collections/portal/items", data=body).status_code == 400
    assert _send(http, "POST", "/collections/all/items", data=document("x2")).status_code == 400


def test_a_part_of_a_record_is_changed_where_its_document_is_json(http: FlaskClient) -> None:
    record = {"type": "Dataset", "@context": "https://schema.org/", "@type": "Dataset", "identifier": "j1"}
    record |= {"name": "Tides", "description": "Hourly tides of one gauge at the coast.", "keywords": ["tide"]}
    assert _send(http, "PUT", "/collections/portal/items/j1", json=record).status_code == 201
    patch = {"data": json.dumps({"name": "Tides of Ålesund"}), "content_type": "application/merge-patch+json"}
    assert _send(http, "PATCH", "/collections/portal/items/j1", **patch).status_code == 204
    found = http.get("/collections/portal/items/portal:j1").get_json()["properties"]
    assert (found["title"], found["keywords"]) == ("Tides of Ålesund", ["tide"])

    _send(http, "PUT", "/collections/portal/items/xml", data=document("xml"))
    assert _send(http, "PATCH", "/collections/portal/items/xml", json={"a": 1}).status_code == 415
    assert _send(http, "PATCH", "/collections/portal/items/j1", data="name=x").status_code == 415
    assert _send(http, "PATCH", "/collections/portal/items/none", json={"a": 1}).status_code == 404
    assert _send(http, "PATCH", "/stac/collections/portal/items/j1", json={}).status_code == 409, "it is no STAC Item"


@pytest.mark.parametrize("who", [None, "reader"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", _ITEMS),
        ("PUT", f"{_ITEMS}/guarded"),
        ("PATCH", f"{_ITEMS}/guarded"),
        ("DELETE", f"{_ITEMS}/guarded"),
        ("POST", "/collections/scenes/items"),
        ("PATCH", "/collections/scenes/items/guarded"),
    ],
)
def test_a_reader_may_not_write(http: FlaskClient, who: str | None, method: str, path: str) -> None:
    _send(http, "POST", _ITEMS, json=_scene("guarded", title="As it was"))
    answer = _send(http, method, path, who, json=_scene("guarded", title="Changed"))
    assert answer.status_code == (401 if who is None else 403)
    assert _properties(http, "guarded")["title"] == "As it was"
    assert _send(http, "POST", "/stac/search", who, json={}).status_code == 200, "a search by POST is no write"


def test_options_say_what_can_be_done(http: FlaskClient) -> None:
    items = http.open("/collections/scenes/items", method="OPTIONS").headers
    assert {"GET", "POST"} <= set(items["Allow"].split(", "))
    assert items["Accept-Post"] == "*/*"
    one = http.open("/collections/scenes/items/x", method="OPTIONS").headers
    assert {"GET", "PUT", "PATCH", "DELETE"} <= set(one["Allow"].split(", "))
    assert one["Accept-Patch"] == "application/merge-patch+json"


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/stac/collections/portal/items"), ("PATCH", "/stac/collections/portal/items/x1")]
)
def test_half_a_character_is_refused(http: FlaskClient, method: str, path: str) -> None:
    answer = _send(http, method, path, json={"type": "Feature", "id": "\ud800"})
    assert (answer.status_code, answer.get_json()["parameter"]) == (400, "body")


def test_a_merge_patch_is_that_of_rfc_7396() -> None:
    """The cases of its appendix A."""
    cases: list[tuple[Any, Any, Any]] = [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ]
    assert [merge_patch(target, patch) for target, patch, _ in cases] == [result for _, _, result in cases]
