"""Every answer carries the headers that keep it in its place, and what changes something leaves an audit event."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from structlog.testing import capture_logs

from core.access import Caller
from search_api.app import create_app
from sonde.wiring.api import api_parts
from tests.service import Service

NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


class ByName:
    """A key is its holder's name; ``eve`` is the admin."""

    def identify(self, bearer: str | None) -> Caller:
        if bearer is None:
            return Caller(scopes=frozenset(("search",)))
        return Caller(bearer, frozenset(("admin" if bearer == "eve" else "search",)))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def app(samples: Service) -> Flask:
    return create_app(replace(api_parts(samples.settings, samples.models), authenticator=ByName()))


@pytest.fixture
def http(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/search?q=rain&rerank=false", 200),
        ("/search?q=rain&nonsense=1", 400),
        ("/nowhere", 404),
        ("/collections/all/items?limit=1", 200),
        ("/oai?verb=Identify", 200),
        ("/healthz", 200),
        ("/metrics", 401),
        ("/api", 200),
    ],
)
def test_data_load_run_and_frame_nothing(http: FlaskClient, address: str, status: int) -> None:
    answer = http.get(address)
    assert answer.status_code == status
    assert answer.headers["Content-Security-Policy"] == NOTHING
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "geolocation=()" in answer.headers["Permissions-Policy"]


@pytest.mark.parametrize("address", ["/", "/docs", "/sources"])
def test_pages_run_their_own_scripts_alone(http: FlaskClient, address: str) -> None:
    answer = http.get(address, headers={"Accept": "text/html"})
    policy = {part.split(" ")[0]: part for part in answer.headers["Content-Security-Policy"].split("; ")}
    scripts = policy.get("script-src", policy["default-src"])
    assert scripts.split(" ")[1:] == ["'self'"]
    assert policy["frame-ancestors"] == "frame-ancestors 'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_browsers_are_told_to_stay_with_tls_where_there_is_tls(http: FlaskClient) -> None:
    assert "Strict-Transport-Security" not in http.get("/healthz").headers
    assert "max-age=" in http.get("/healthz", base_url="https://sonde.example").headers["Strict-Transport-Security"]


@pytest.mark.parametrize(
    ("who", "status", "outcome"), [(None, 401, "refused"), ("bob", 403, "refused"), ("eve", 400, "refused")]
)
def test_what_changes_something_is_in_the_audit_log(
    http: FlaskClient, who: str | None, status: int, outcome: str
) -> None:
    headers = {"X-Request-Id": "r-77", **({"Authorization": f"Bearer {who}"} if who else {})}
    with capture_logs() as told:
        answer = http.delete("/collections/samples/items/samples:never-there?token=hush", headers=headers)
    assert answer.status_code == status  # of the admin: `token` is no parameter of this call
    (event,) = [one for one in told if one.get("channel") == "audit"]
    assert event["action"] == "DELETE /collections/<catalogue>/items/<record>"
    assert event["target"] == "/collections/samples/items/samples:never-there"
    assert (event["subject"], event["request_id"], event["status"]) == (who, "r-77", status)
    assert event["outcome"] == outcome
    assert "hush" not in repr(event)


def test_a_search_leaves_no_audit_event(http: FlaskClient) -> None:
    with capture_logs() as told:
        http.get("/search?q=rain&rerank=false", headers={"Authorization": "Bearer bob"})
        http.options("/collections/samples/items/x")
    assert not [one for one in told if one.get("channel") == "audit"]
