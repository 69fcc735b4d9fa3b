"""From a saved search to the mail: only what is new, with the rights of now, at least once."""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from flask.testing import FlaskClient
from pydantic import SecretStr

from search_api.app import create_app
from search_api.stewards.alerts.matching import Matcher
from search_api.stewards.alerts.notices import Delivery, MatchingRound, NoticeStore
from search_api.stewards.alerts.saved import SavedSearch
from search_api.stewards.alerts.sending import Sender
from sonde.settings import AlertsSettings, MailSettings, NetSettings, Settings
from sonde.wiring.api import api_parts
from sonde.wiring.models import Models
from sonde.wiring.stewards import matcher, sender
from tests.api.conftest import Few
from tests.api.test_saved_searches import SECRET, Readers
from tests.smtp_server import Mailbox, smtp_server

pytestmark = pytest.mark.elasticsearch
LONG_AGO = "2001-01-01T00:00:00+00:00"


@dataclass
class Receiver:
    """A webhook's receiver."""

    url: str
    events: list[tuple[dict[str, str], bytes]]
    status: int = 204


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    found = Receiver("", [])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            found.events.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(found.status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    found.url = f"http://127.0.0.1:{server.server_port}/hook"
    yield found
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def box() -> Iterator[Mailbox]:
    with smtp_server() as found:
        yield found


@dataclass
class World:
    """``told``: a night: match everything written since ``since``, then send."""

    http: FlaskClient
    matcher: Matcher
    sender: Sender
    box: Mailbox
    receiver: Receiver
    since: str

    def save(self, who: str, search: dict[str, Any], **more: Any) -> str:
        body = {"title": "Rain", "search": search, **more}
        answer = self.http.post("/saved-searches", json=body, headers={"Authorization": f"Bearer {who}"})
        assert answer.status_code == 201, answer.get_data(as_text=True)
        id = str(answer.get_json()["id"])
        stored = self.matcher.searches.find(id)
        self.matcher.searches.put(replace(stored.saved, watched=LONG_AGO), stored.compiled)
        return id

    def found(self, who: str, id: str) -> list[str]:
        answer = self.http.get(f"/saved-searches/{id}/found", headers={"Authorization": f"Bearer {who}"})
        return [one["id"] for notice in answer.get_json()["found"] for one in notice["records"]]

    def night(self) -> None:
        self.matcher.notices.put_round(MatchingRound(self.since, self.since, done=True))
        while self.matcher.match(60.0):
            pass

    def confirm(self) -> None:
        """By the links that came by mail."""
        self.sender.send(60.0)
        for mail in self.box.mails:
            line = next(one for one in mail.get_content().splitlines() if "/links/" in one)
            assert self.http.post(line[line.index("/saved-searches") :]).status_code == 200
        self.box.mails.clear()

    @property
    def deliveries(self) -> list[Delivery]:
        return self.matcher.notices._deliveries([], 100)


@pytest.fixture
def world(few: Few, box: Mailbox, receiver: Receiver) -> Iterator[World]:
    service = few.service
    host = receiver.url.split("/")[2]
    settings: Settings = service.settings.model_copy(
        update={
            "alerts": AlertsSettings(secret=SecretStr(SECRET)),
            "mail": MailSettings(host="127.0.0.1", port=box.port, tls="none", sender="Sonde <sonde@portal.example>"),
            "net": NetSettings(user_hosts=(host,)),
        }
    )
    app = create_app(replace(api_parts(settings, service.models), authenticator=Readers()))
    since = (datetime.now(UTC) - timedelta(days=30)).isoformat()
    nightly = replace(matcher(settings, service.client, service.models), settled=timedelta(0))
    box.mails.clear()
    box.answer, receiver.status = "250 OK", 204
    receiver.events.clear()
    yield World(app.test_client(), nightly, sender(settings, service.client, Models(settings)), box, receiver, since)
    for kind in ("searches", "notices"):
        service.client.options(ignore_status=404).delete_by_query(
            index=f"{service.prefix}-{kind}", query={"match_all": {}}, refresh=True, conflicts="proceed"
        )


def test_a_match_is_every_word_or_a_name_or_near_in_meaning(world: World) -> None:
    words = world.save("mia", {"q": "rainfall analyses Africa", "algorithm": "bm25"})
    too_many = world.save("mia", {"q": "rainfall analyses Africa quixotry", "algorithm": "bm25"})
    meaning = world.save("mia", {"q": "how much it pours down on the African continent"})
    filtered = world.save("mia", {"q": "rainfall", "bbox": "-60,60,-20,84"})
    box_only = world.save("mia", {"bbox": "-60,60,-20,84"})
    elsewhere = world.save("mia", {"q": "rainfall in Greenland", "algorithm": "bm25"})
    everything = world.save("mia", {})
    name = world.save("mia", {"q": "ARC2"})
    world.night()
    arc = "samples:arc2-africa-rainfall"
    assert world.found("mia", words) == [arc]
    assert world.found("mia", too_many) == []
    assert arc in world.found("mia", meaning)
    assert "samples:bsh-nordsee-sst" not in world.found("mia", meaning)
    assert arc not in world.found("mia", filtered)
    assert "samples:bedmachine-greenland" in world.found("mia", box_only)
    assert arc not in world.found("mia", elsewhere), "the place in the question is a condition"
    assert len(world.found("mia", everything)) == 9
    assert arc in world.found("mia", name)


def test_a_night_is_told_once_and_only_what_is_new(world: World, few: Few) -> None:
    id = world.save("mia", {"q": "rainfall Africa"}, mail="mia@portal.example")
    late = world.save("mia", {"q": "rainfall Africa"}, webhook=world.receiver.url)
    stored = world.matcher.searches.find(late)
    world.matcher.searches.put(replace(stored.saved, watched=datetime.now(UTC).isoformat()), stored.compiled)
    world.confirm()
    world.night()
    world.sender.send(60.0)
    (mail,) = world.box.mails
    assert mail["To"] == "mia@portal.example"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    text = mail.get_content()
    assert "/records/samples:arc2-africa-rainfall" in text
    world.sender.send(60.0)
    assert world.matcher.match(60.0) is False, "no record was written since"
    world.sender.send(60.0)
    assert len(world.box.mails) == 1
    assert world.receiver.events == [], "it was saved after the records came"
    link = str(mail["List-Unsubscribe"]).strip("<>")
    world.http.post(link[link.index("/saved-searches") :])
    assert world.matcher.searches.find(id).saved.mail is None
    path = few.folder / "arc2-africa-rainfall.xml"
    before = path.read_text("utf-8")
    path.write_text(before.replace("Daily rainfall analyses", "Daily and weekly rainfall analyses"), "utf-8")
    try:
        assert few.service.harvest(few.folder).counts.changed == 1
        while world.matcher.match(60.0):
            pass
        world.sender.send(60.0)
    finally:
        path.write_text(before, "utf-8")
        few.service.harvest(few.folder)
    ((_, body),) = world.receiver.events
    told = json.loads(body)["data"]["records"]
    assert [(one["id"], one["new"]) for one in told] == [("samples:arc2-africa-rainfall", False)]
    assert len(world.box.mails) == 1, "unsubscribed"


def test_mails_are_in_the_language_of_their_owner(world: World) -> None:
    asked = {"q": "rainfall analyses Africa", "algorithm": "bm25"}
    world.save("mia", asked, mail="mia@portal.example", title="Été à Ménaka", language="fr")
    world.sender.send(60.0)
    (asking,) = world.box.mails
    assert asking["Subject"] == "Sonde\u00a0: confirmez votre adresse"
    world.confirm()
    world.night()
    world.sender.send(60.0)
    (mail,) = world.box.mails
    assert mail["Subject"] == "Sonde\u00a0: fiches nouvelles ou modifiées\u00a0: 1 (Été à Ménaka)"
    assert mail["Content-Language"] == "fr"
    assert "Ne plus recevoir de courriel sur cette recherche\u00a0: http" in mail.get_content()
    assert all(ord(sign) < 128 for sign in mail.as_bytes().split(b"\n\n")[0].decode("latin-1")), "encoded (RFC 2047)"


def test_without_confirmation_nothing_is_told(world: World) -> None:
    world.save("mia", {"q": "rainfall Africa"}, mail="mia@portal.example")
    world.sender.send(60.0)
    (asking,) = world.box.mails
    assert "confirm" in str(asking["Subject"])
    world.save("mia", {"q": "sea level"}, mail="mia@portal.example")
    world.night()
    world.sender.send(60.0)
    assert world.box.mails == [asking], "asked once, told nothing"


def test_a_webhook_is_signed_and_tried_again_under_its_id(world: World) -> None:
    url = world.receiver.url
    id = world.save("mia", {"q": "rainfall Africa"}, webhook=url)
    kept = world.http.get(f"/saved-searches/{id}", headers={"Authorization": "Bearer mia"}).get_json()
    world.receiver.status = 503
    world.night()
    world.sender.send(60.0)
    world.receiver.status = 204
    later = replace(world.sender, now=lambda: datetime.now(UTC) + timedelta(minutes=2))
    later.send(60.0)
    later.send(60.0)
    (first, body), (second, again) = world.receiver.events
    assert (body, first["webhook-id"]) == (again, second["webhook-id"])
    key = base64.b64decode(kept["webhook_secret"].removeprefix("whsec_"))
    signed = f"{second['webhook-id']}.{second['webhook-timestamp']}.".encode() + again
    expected = base64.b64encode(hmac.digest(key, signed, sha256)).decode()
    assert second["webhook-signature"] == f"v1,{expected}"
    event = json.loads(body)
    assert (event["specversion"], event["id"], event["type"]) == (
        "1.0",
        first["webhook-id"],
        "org.sonde.saved-search.found",
    )
    world.receiver.status = 410
    world.matcher.notices.delete_of(id)
    world.night()
    world.sender.send(60.0)
    saved = world.matcher.searches.find(id).saved
    assert (saved.active, "410" in str(saved.problem)) == (False, True), "a receiver that is gone is not asked again"


def test_a_private_address_is_not_posted_to(world: World) -> None:
    id = world.save("mia", {"q": "rainfall Africa"}, webhook="https://127.0.0.1:9/hook")
    world.night()
    world.sender.send(60.0)
    assert [one.state for one in world.deliveries] == ["failed"]
    assert world.matcher.searches.find(id).saved.problem


class Cut(Exception):
    """The power goes."""


@pytest.mark.parametrize("when", ["notices written", "delivery made", "half marked", "before sending", "after sending"])
def test_a_power_cut_loses_nothing(world: World, when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world.save("mia", {"q": "rainfall Africa"}, mail="mia@portal.example")
    world.save("mia", {"q": "precipitation Africa"}, mail="mia@portal.example")
    world.confirm()
    places: dict[str, tuple[object, str, bool]] = {
        "notices written": (NoticeStore, "put_round", True),
        "delivery made": (NoticeStore, "_mark", False),
        "half marked": (NoticeStore, "_mark", True),
        "before sending": (Sender, "_send_mail", False),
        "after sending": (Sender, "_send_mail", True),
    }
    world.matcher.notices.put_round(MatchingRound(world.since, world.since, done=True))
    if when == "notices written":
        world.matcher.notices.put_round(MatchingRound(world.since, datetime.now(UTC).isoformat()))
    owner, name, after = places[when]
    real: Callable[..., Any] = getattr(owner, name)

    def cut(*args: Any, **kwargs: Any) -> None:
        if after and when != "notices written":
            real(*args, **kwargs)
        raise Cut

    def match_and_send() -> None:
        world.matcher.match(60.0)
        world.sender.send(60.0)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, cut)
        with pytest.raises(Cut):
            match_and_send()
    while world.matcher.match(60.0):
        pass
    world.sender.send(60.0)
    later = replace(world.sender, now=lambda: datetime.now(UTC) + timedelta(minutes=11))
    later.send(60.0)
    later.send(60.0)
    ids = [str(mail["Message-ID"]) for mail in world.box.mails]
    assert len(set(ids)) == 1, "both searches are told in one mail"
    assert len(ids) == (2 if when == "after sending" else 1), "twice only if the cut hides the server's yes"


def test_rights_are_looked_at_again_when_sending(world: World, few: Few) -> None:
    def groups(_: SavedSearch) -> frozenset[str] | None:
        return None

    world.save("mia", {"q": "rainfall Africa"}, mail="mia@portal.example")
    world.confirm()
    world.night()
    replace(world.sender, rights=lambda: groups).send(60.0)
    assert world.box.mails == []
    assert [one.state for one in world.deliveries if one.notices] == ["dropped"]


def test_a_record_is_told_to_those_who_may_see_it(world: World, few: Few) -> None:
    index, id = f"{few.service.prefix}-records", "samples:arc2-africa-rainfall"
    few.service.client.update(index=index, id=id, doc={"access_groups": ["polar"]}, refresh=True)
    try:
        own, other = (world.save(who, {"q": "rainfall Africa"}) for who in ("mia", "ben"))
        world.night()
        assert (id in world.found("mia", own), id in world.found("ben", other)) == (True, False)
        feed = world.http.get(f"/saved-searches/{own}", headers={"Authorization": "Bearer mia"}).get_json()["feed"]
        path = feed[feed.index("/saved-searches") :]
        assert id in world.http.get(path).get_data(as_text=True)
        few.service.client.update(index=index, id=id, doc={"access_groups": ["others"]}, refresh=True)
        assert id not in world.http.get(path).get_data(as_text=True)
        assert id not in world.found("mia", own)
    finally:
        few.service.client.update(
            index=index, id=id, script={"source": "ctx._source.remove('access_groups')"}, refresh=True
        )


def test_a_mail_server_that_refuses_is_asked_again_or_not(world: World) -> None:
    id = world.save("mia", {"q": "rainfall Africa"}, mail="mia@portal.example")
    world.confirm()
    world.night()
    world.box.answer = "451 try later"
    world.sender.send(60.0)
    world.box.answer = "550 no such user"
    later = replace(world.sender, now=lambda: datetime.now(UTC) + timedelta(minutes=2))
    later.send(60.0)
    assert sorted(one.state for one in world.deliveries) == ["failed", "sent"]
    saved = world.matcher.searches.find(id).saved
    assert (saved.active, "no such user" in str(saved.problem)) == (False, True)
