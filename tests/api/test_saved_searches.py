"""Saved searches: their owner's alone; an address is confirmed by a link; a link does one thing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from pydantic import SecretStr

from core.access import Caller
from search_api.app import create_app
from search_api.stewards.alerts.messages import LinkSigner, SignedLink
from sonde.settings import AlertsSettings, MailSettings
from sonde.wiring.api import api_parts
from tests.api.conftest import Few

pytestmark = pytest.mark.elasticsearch
SECRET = "a secret of tests, long enough"


class Readers:
    """Anybody by name; Mia is in a group."""

    def identify(self, bearer: str | None) -> Caller:
        groups = frozenset(("polar",)) if bearer == "mia" else frozenset[str]()
        return Caller(bearer, frozenset(("search",)), groups)


@pytest.fixture(scope="module")
def http(few: Few) -> FlaskClient:
    settings = few.service.settings.model_copy(
        update={"alerts": AlertsSettings(secret=SecretStr(SECRET), most=3), "mail": MailSettings(host="127.0.0.1")}
    )
    return create_app(replace(api_parts(settings, few.service.models), authenticator=Readers())).test_client()


@pytest.fixture
def call(http: FlaskClient) -> Iterator[Any]:
    def ask(who: str | None, method: str, path: str, status: int = 200, **more: Any) -> Any:
        headers = {**({} if who is None else {"Authorization": f"Bearer {who}"}), **more.pop("more_headers", {})}
        answer = http.open(path, method=method, headers=headers, **more)
        assert answer.status_code == status, answer.get_data(as_text=True)
        return answer.get_json(silent=True) or answer.get_data(as_text=True)

    yield ask
    for who in ("mia", "ben"):
        for one in ask(who, "GET", "/saved-searches")["searches"]:
            ask(who, "DELETE", f"/saved-searches/{one['id']}", 204)


RAIN = {"title": "Rain", "search": {"q": "rainfall in Africa", "type": "dataset", "limit": 3}}


def test_a_search_is_its_owners_alone(call: Any) -> None:
    kept = call("mia", "POST", "/saved-searches", 201, json=RAIN)
    assert kept["search"] == {"q": "rainfall in Africa", "type": ["dataset"]}, "what only presents is left out"
    path = f"/saved-searches/{kept['id']}"
    assert call("mia", "GET", path) == kept
    assert [one["id"] for one in call("mia", "GET", "/saved-searches")["searches"]] == [kept["id"]]
    assert call("ben", "GET", "/saved-searches")["searches"] == []
    for method, body in (("GET", None), ("PUT", RAIN), ("DELETE", None)):
        call("ben", method, path, 404, json=body)
    call("ben", "GET", f"{path}/found", 404)
    call(None, "POST", "/saved-searches", 401, json=RAIN)
    changed = call("mia", "PUT", path, json={**RAIN, "title": "Much rain", "every": "week", "active": False})
    assert (changed["title"], changed["every"], changed["active"]) == ("Much rain", "week", False)
    call("mia", "DELETE", path, 204)
    call("mia", "GET", path, 404)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"search": {"q": "x", "nonsense": 1}}, "nonsense"),
        ({"search": {"q": "the of and"}}, "small words"),
        ({"search": {"q": "rain", "scope": "mine"}}, "scope"),
        ({"search": {"q": "rain", "relation": "within"}}, "relation"),
        ({"webhook": "http://example.org/hook"}, "https"),
        ({"webhook": "ftp://example.org/hook"}, "http"),
        ({"mail": "mia@example.org\nBcc: all@example.org"}, "mail"),
        ({"title": ""}, "title"),
        ({"every": "minute"}, "every"),
    ],
)
def test_what_cannot_be_told_is_refused(call: Any, wrong: Any, said: str) -> None:
    assert said in str(call("mia", "POST", "/saved-searches", 400, json={**RAIN, **wrong}))


def test_an_owner_has_so_many_and_no_more(call: Any) -> None:
    for _ in range(3):
        call("ben", "POST", "/saved-searches", 201, json=RAIN)
    assert "delete one" in call("ben", "POST", "/saved-searches", 409, json=RAIN)["detail"]
    call("mia", "POST", "/saved-searches", 201, json=RAIN)


def test_a_link_confirms_only_when_pressed(call: Any) -> None:
    kept = call("mia", "POST", "/saved-searches", 201, json={**RAIN, "mail": "mia@example.org"})
    path = f"/saved-searches/{kept['id']}"
    assert kept["mail_confirmed"] is False
    link = LinkSigner(SECRET.encode()).token(SignedLink("confirm", "mia", "mia@example.org"))
    assert "Confirm this address" in call(None, "GET", f"/saved-searches/links/{link}")
    assert call("mia", "GET", path)["mail_confirmed"] is False, "a scanner of mails opens every link"
    call(None, "POST", f"/saved-searches/links/{link}")
    assert call("mia", "GET", path)["mail_confirmed"] is True
    other = call("ben", "POST", "/saved-searches", 201, json={**RAIN, "mail": "mia@example.org"})
    assert other["mail_confirmed"] is False, "another's confirmation of the same address does not count"
    stop = LinkSigner(SECRET.encode()).token(SignedLink("stop", kept["id"], "mail"))
    assert "Unsubscribe" in call(None, "GET", f"/saved-searches/links/{stop}")
    assert call("mia", "GET", path)["mail"] == "mia@example.org"
    call(None, "POST", f"/saved-searches/links/{stop}")
    assert call("mia", "GET", path)["mail"] is None
    forged = LinkSigner(b"another secret").token(SignedLink("stop", other["id"], "mail"))
    call(None, "POST", f"/saved-searches/links/{forged}", 404)
    feed = LinkSigner(SECRET.encode()).token(SignedLink("feed", other["id"]))
    call(None, "POST", f"/saved-searches/links/{feed}", 404)
    assert call("ben", "GET", f"/saved-searches/{other['id']}")["mail"] == "mia@example.org"
    call(None, "GET", f"/saved-searches/links/{stop}/feed", 404)


def test_links_and_mails_speak_the_language_in_which_it_was_saved(call: Any) -> None:
    body = {**RAIN, "mail": "mia@portal.example"}
    french = {"Accept-Language": "nl, fr-CA;q=0.8, en;q=0.5"}
    kept = call("mia", "POST", "/saved-searches", 201, json=body, more_headers=french)
    assert kept["language"] == "fr"
    path = f"/saved-searches/{kept['id']}"
    assert call("mia", "PUT", path, json=body)["language"] == "fr", "as before"
    signer = LinkSigner(SECRET.encode())
    confirm, stop = SignedLink("confirm", "mia", "mia@portal.example"), SignedLink("stop", kept["id"], "mail")
    page = call(None, "GET", f"/saved-searches/links/{signer.token(confirm)}")
    assert all(said in page for said in ('<html lang="fr">', "<h1>Confirmer cette adresse</h1>", ">Recherche</a>")), (
        page
    )
    assert call("mia", "PUT", path, json={**body, "language": "de"})["language"] == "de"
    assert "zur Suche „Rain“." in call(None, "GET", f"/saved-searches/links/{signer.token(stop)}")
    assert "keine Mail mehr" in call(None, "POST", f"/saved-searches/links/{signer.token(stop)}")
    assert call("mia", "POST", "/saved-searches", 201, json=RAIN)["language"] == "en"
    assert "language" in str(call("mia", "PUT", path, 400, json={**body, "language": "nl"}))


def test_webhooks_have_a_secret_of_their_own(call: Any) -> None:
    body = {**RAIN, "webhook": "https://example.org/hook"}
    first, second = (call("mia", "POST", "/saved-searches", 201, json=body) for _ in range(2))
    assert first["webhook_secret"].startswith("whsec_")
    assert first["webhook_secret"] != second["webhook_secret"]


def test_without_a_secret_there_are_no_saved_searches(few: Few) -> None:
    parts = replace(api_parts(few.service.settings, few.service.models), authenticator=Readers())
    answer = create_app(parts).test_client().get("/saved-searches", headers={"Authorization": "Bearer mia"})
    assert (answer.status_code, "SONDE_ALERTS__SECRET" in answer.get_json()["detail"]) == (404, True)


def _confirmations(few: Few, domain: str) -> int:
    """How many were asked for, whoever asked."""
    few.service.client.indices.refresh(index=f"{few.service.prefix}-notices")
    query = {"bool": {"filter": [{"term": {"kind": "delivery"}}, {"wildcard": {"target": f"*@{domain}"}}]}}
    return int(few.service.client.count(index=f"{few.service.prefix}-notices", query=query)["count"])


def test_nobody_fills_anothers_mailbox_by_spellings_of_its_address(call: Any, few: Few) -> None:
    kept = call("eve", "POST", "/saved-searches", 201, json=RAIN)
    spelt = [f"{name}+{number}@flood.example" for number in range(6) for name in ("victim", "Vic.tim")]
    for mail in (*spelt, "VICTIM@flood.example", "v.i.c.t.i.m@FLOOD.example"):
        said = call("eve", "PUT", f"/saved-searches/{kept['id']}", json={**RAIN, "mail": mail})
    assert _confirmations(few, "flood.example") == 3
    assert "tomorrow" in said["problem"]
    other = call("ben", "POST", "/saved-searches", 201, json={**RAIN, "mail": "victim+x@flood.example"})
    assert _confirmations(few, "flood.example") == 3, "nor do several people together"
    assert "tomorrow" in other["problem"]


def test_one_owner_and_one_domain_have_so_many_confirmations_a_day(call: Any, few: Few) -> None:
    kept = call("kim", "POST", "/saved-searches", 201, json=RAIN)
    for number in range(8):
        mail = f"somebody{number}@many{number}.example"
        call("kim", "PUT", f"/saved-searches/{kept['id']}", json={**RAIN, "mail": mail})
    assert sum(_confirmations(few, f"many{number}.example") for number in range(8)) == 5
    for person in range(8):
        own = call(f"person{person}", "POST", "/saved-searches", 201, json=RAIN)
        for number in range(5):
            mail = f"p{person}n{number}@one.example"
            call(f"person{person}", "PUT", f"/saved-searches/{own['id']}", json={**RAIN, "mail": mail})
    assert _confirmations(few, "one.example") == 30


def test_the_address_of_a_feed_can_be_ended(call: Any) -> None:
    kept = call("mia", "POST", "/saved-searches", 201, json=RAIN)
    first = kept["feed"][kept["feed"].index("/saved-searches") :]
    assert "<feed" in call(None, "GET", first)
    call("ben", "POST", f"/saved-searches/{kept['id']}/feed", 404)
    renewed = call("mia", "POST", f"/saved-searches/{kept['id']}/feed")
    second = renewed["feed"][renewed["feed"].index("/saved-searches") :]
    assert "ended" in call(None, "GET", first, 404)["detail"]
    assert "<feed" in call(None, "GET", second)
    call("mia", "PUT", f"/saved-searches/{kept['id']}", json={**RAIN, "title": "Rain again"})
    assert "<feed" in call(None, "GET", second), "a change of the search keeps its feed"
    call("mia", "POST", f"/saved-searches/{kept['id']}/feed")
    call(None, "GET", second, 404)
