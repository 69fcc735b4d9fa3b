"""Every route of the app asks for the scope that the table names, with the real app and its own views."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from core.access import Caller, NotAuthenticated
from search_api.app import create_app
from search_api.http.access.guard import entry_of, scope_of
from sonde.wiring.api import api_parts
from tests.service import Service

OPEN = {
    "/",
    "/answers",
    "/basket",
    "/sign-in",
    "/embed",
    "/api",
    "/conformance",
    "/docs",
    "/healthz",
    "/my-documents",
    "/my-documents/<path:part>",
    "/opensearch.xml",
    "/page/<name>",
    "/readyz",
    "/robots.txt",
    "/desk",
    "/desk/<path:part>",
    "/saved-searches/links/<token>",
    "/saved-searches/links/<token>/feed",
    "/sources",
    "/sources/<source>",
    "/stac/conformance",
    "/static/<path:filename>",
}
"""What anybody may have, whatever the settings: none of it holds a record, but a feed whose signed link one has."""


class Closed:
    """Nobody searches without a key; one key for each scope, named by it."""

    def identify(self, bearer: str | None) -> Caller:
        if bearer is None:
            return Caller()
        if bearer not in ("search", "library", "write", "admin"):
            raise NotAuthenticated("This key is not known.")
        return Caller(f"who holds {bearer}", frozenset((bearer,)))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def app(samples: Service) -> Flask:
    return create_app(replace(api_parts(samples.settings, samples.models), authenticator=Closed()))


@pytest.fixture
def http(app: Flask) -> FlaskClient:
    return app.test_client()


def _calls(app: Flask) -> Iterator[tuple[str, str, str]]:
    """Method, route and an address of it."""
    for rule in app.url_map.iter_rules():
        address = rule.rule
        for name in rule.arguments:
            converter = "path:" if f"<path:{name}>" in address else ""
            address = address.replace(f"<{converter}{name}>", "all" if name in ("catalogue", "collection") else "x")
        for method in sorted(rule.methods or ()):
            if method not in ("HEAD", "OPTIONS"):
                yield method, rule.rule, address


def test_every_route_stands_in_the_table(app: Flask) -> None:
    missing = {route for _, route, _ in _calls(app) if route != "/" and entry_of(route) is None}
    assert not missing, f"add {missing} to search_api/http/access/guard.py"


def test_only_what_holds_no_record_is_open(app: Flask) -> None:
    assert {route for method, route, _ in _calls(app) if scope_of(route, method) is None} <= OPEN


def test_where_anonymous_search_is_off_every_other_route_asks_for_a_key(app: Flask, http: FlaskClient) -> None:
    let_in = {
        (method, route): answer.status_code
        for method, route, address in _calls(app)
        if route not in OPEN and (answer := http.open(address, method=method, json={})).status_code != 401
    }
    assert not let_in


def test_a_key_for_something_else_is_refused_everywhere(app: Flask, http: FlaskClient) -> None:
    let_in = []
    for method, route, address in _calls(app):
        needed = scope_of(route, method)
        if needed is None:
            continue
        other = "library" if needed != "library" else "search"
        answer = http.open(address, method=method, json={}, headers={"Authorization": f"Bearer {other}"})
        if answer.status_code != 403:
            let_in.append((method, route, answer.status_code))
    assert not let_in


@pytest.mark.parametrize(("bearer", "status"), [("search", 200), ("admin", 200), ("library", 403), (None, 401)])
def test_a_search_is_answered_to_who_holds_the_scope(http: FlaskClient, bearer: str | None, status: int) -> None:
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    assert http.get("/search?q=rain&rerank=false", headers=headers).status_code == status


def test_a_preflight_of_a_page_elsewhere_is_answered_without_a_key(http: FlaskClient) -> None:
    assert http.options("/search", headers={"Origin": "https://portal.example"}).status_code == 200


def test_every_method_of_every_route_has_its_preflight(app: Flask, http: FlaskClient) -> None:
    """A page of another origin may send what the caller's key allows: the browser asks first, without the key."""
    refused = []
    for method, route, address in _calls(app):
        asked = {"Origin": "https://portal.example", "Access-Control-Request-Method": method}
        answer = http.options(address, headers={**asked, "Access-Control-Request-Headers": "authorization"})
        allowed = answer.headers.get("Access-Control-Allow-Methods", "").replace(" ", "").split(",")
        if answer.status_code != 200 or method not in allowed:
            refused.append((method, route, answer.status_code))
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "authorization" in answer.headers["Access-Control-Allow-Headers"].lower()
    assert not refused
