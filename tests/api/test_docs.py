"""``/docs`` is whole without a network; CORS and caching follow the settings."""

from __future__ import annotations

import re

import pytest
from flask import Flask, Response

from search_api.http import responses
from search_api.http.responses import HttpPolicy
from tests.service import Service


def test_the_page_names_only_what_is_here(samples: Service) -> None:
    page = samples.http.get("/docs")
    assert page.mimetype == "text/html"
    named = {address.partition("#")[0] for address in re.findall(r'(?:src|href)="([^"]+)"', page.text)}
    assert {"page/api-docs.js", "page/api-docs.css", "page/page.css", "api"} <= named
    for address in named - {"/", "./"}:
        assert not address.startswith(("http", "//"))
        assert samples.http.get(f"/{address.removeprefix('./')}").status_code == 200, address


def test_every_operation_is_there_with_its_parameters(samples: Service) -> None:
    document, page = samples.http.get("/api").get_json(), samples.http.get("/docs").text
    ids = re.findall(r'<details class="operation" id="([^"]+)"', page)
    assert len(ids) == len(set(ids)) == sum(len(methods) for methods in document["paths"].values())
    search = page.partition('id="get-search"')[2].partition("</details>")[0]
    for parameter in document["paths"]["/search"]["get"]["parameters"]:
        assert f'name="{parameter["name"]}" data-in="query"' in search
    assert "<option>hybrid</option>" in search
    assert '"search": {' in page.partition('id="post-saved-searches"')[2].partition("</pre>")[0].replace("&quot;", '"')


def app(policy: HttpPolicy) -> Flask:
    made = Flask("made")
    responses.register(made, policy)
    made.add_url_rule("/x", view_func=lambda: Response("same"), endpoint="x")
    made.add_url_rule("/healthz", view_func=lambda: Response("ok"), endpoint="healthz")
    return made


@pytest.mark.parametrize(
    ("allowed", "origin", "answered"),
    [
        (("*",), "https://a.example", "*"),
        (("https://a.example",), "https://a.example", "https://a.example"),
        (("https://a.example",), "https://b.example", None),
        ((), "https://a.example", None),
    ],
)
def test_origins_are_allowed_by_name(allowed: tuple[str, ...], origin: str, answered: str | None) -> None:
    answer = app(HttpPolicy(cors_origins=allowed)).test_client().get("/x", headers={"Origin": origin})
    assert answer.headers.get("Access-Control-Allow-Origin") == answered
    assert ("Origin" in answer.headers.get("Vary", "")) == (allowed == ("https://a.example",))


def test_without_a_public_address_no_shared_cache_keeps_what_names_the_callers_host() -> None:
    answer = app(HttpPolicy(max_age_s=5)).test_client().get("/x", headers={"Host": "evil.example"})
    assert answer.headers["Cache-Control"] == "private, max-age=5"


def test_caching_can_be_set() -> None:
    kept = app(HttpPolicy("https://search.example", max_age_s=5)).test_client()
    assert kept.get("/x").headers["Cache-Control"] == "public, max-age=5"
    assert kept.get("/x", headers={"Authorization": "Bearer k"}).headers["Cache-Control"] == "private, max-age=5"
    assert "Cache-Control" not in kept.get("/healthz").headers
    never = app(HttpPolicy(max_age_s=0, etag=False)).test_client().get("/x")
    assert never.headers["Cache-Control"] == "no-cache"
    assert "ETag" not in never.headers
