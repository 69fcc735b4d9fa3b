"""Collections, comparisons and conversations on the real service, as their owner, a group's member and a stranger."""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from flask import Flask
from werkzeug.test import TestResponse

from core.access import AccessScope, Caller, NotAuthenticated
from core.errors import NotFound
from indexer.documents.index.library import LibraryReading, read_queued
from net.gate import Gate
from search_api.app import create_app
from search_api.ask.answerer import Answerer
from search_api.http.access.keys import Grant, KeyStore
from search_api.library.notebooks import DocumentCollection
from search_api.library.personal_library import PersonalLibrary
from search_api.parts import Parts
from search_api.search.passages.values import AskRequest, ConversationTurn
from sonde.document_settings import LibrarySettings
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from sonde.wiring.file_store import FolderFiles
from tests.conftest import delete_indices
from tests.service import Service

_BOTH: frozenset[AccessScope] = frozenset(("search", "library"))
_PEAT = frozenset(("peat",))
USERS = {
    "anna": Caller("anna", _BOTH, _PEAT),
    "berta": Caller("berta", _BOTH, _PEAT),
    "cora": Caller("cora", _BOTH, frozenset(("ice",))),
    "reader": Caller("reader", frozenset(("search",))),
}
CORES = (
    b"The Zwackelmoor peat cores were drilled to a depth of 731 cm in May 2014. "
    b"Their radiocarbon ages lie between 200 and 9000 years."
)
LAKES = b"The Zwackelmoor lake has a surface of 42 hectares. The lake was sounded to a depth of 18 m in June 2019."
SECRET = b"The Zwackelmoor treasure lies at a depth of 999 m below the church. Nobody else may read of this treasure."
NOTEBOOKS = ("/library/collections", "/library/conversations")
DEPTH = "How deep were the Zwackelmoor peat cores drilled?"


class Known:
    def identify(self, bearer: str | None) -> Caller:
        if bearer is None:
            return Caller(scopes=frozenset(("search",)))
        if bearer not in USERS:
            raise NotAuthenticated("This key is not known.")
        return USERS[bearer]


@dataclass
class House:
    """The app, its users, and what anna brought: two documents and one that she shares with nobody."""

    service: Service
    parts: Parts
    files: FolderFiles
    queued: list[str]

    @cached_property
    def app(self) -> Flask:
        return create_app(replace(self.parts, authenticator=Known()))

    def call(self, user: str | None, method: str, path: str, body: Any = None, **more: Any) -> TestResponse:
        headers = {"Authorization": f"Bearer {user}"} if user else {}
        given = {} if body is None else {"json": body}
        return self.app.test_client().open(
            path, method=method, headers=headers | more.pop("headers", {}), **given, **more
        )

    def brought(self, user: str, data: bytes, name: str) -> str:
        answer = self.call(user, "POST", "/library/documents", data={"file": (io.BytesIO(data), name)})
        assert answer.status_code in (200, 202), answer.text
        reading = document_parts(self.service.settings, self.service.models, self.service.client)
        while self.queued:
            read_queued(self.queued.pop(), LibraryReading(reading, self.files, Gate, 10**7, 10**8))
        self.service.client.indices.refresh(index=f"{self.service.prefix}-library")
        return str(answer.json["id"])

    def made(self, user: str, **said: Any) -> str:
        answer = self.call(user, "POST", "/library/collections", {"name": "Moor", **said})
        assert answer.status_code == 201, answer.text
        return str(answer.json["id"])

    def asked(self, user: str | None, question: str = DEPTH, **said: Any) -> TestResponse:
        return self.call(user, "POST", "/ask", {"question": question, **said})


@pytest.fixture(scope="module")
def house(
    es_client: Elasticsearch, elasticsearch_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    folder: Path = tmp_path_factory.mktemp("files")
    one = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    settings = one.settings.model_copy(update={"library": LibrarySettings(folder=folder)})
    one.harvest()
    parts = api_parts(settings, one.models)
    queued: list[str] = []
    library = PersonalLibrary(replace(parts.personal_library.parts, enqueue=queued.append))
    yield House(one, replace(parts, personal_library=library), FolderFiles(folder), queued)
    delete_indices(es_client, one.prefix)


@pytest.fixture(scope="module")
def cores(house: House) -> str:
    return house.brought("anna", CORES, "cores.txt")


@pytest.fixture(scope="module")
def lakes(house: House) -> str:
    return house.brought("anna", LAKES, "lakes.txt")


@pytest.fixture(scope="module", autouse=True)
def secret(house: House) -> str:
    return house.brought("anna", SECRET, "secret.txt")


def test_a_shared_collection_opens_its_documents_to_the_group_and_nothing_else(
    house: House, cores: str, secret: str
) -> None:
    id = house.made("anna", documents=[cores], groups=["peat"])
    for user in ("anna", "berta"):
        answer = house.asked(user, collection=id).json
        assert "731 cm" in answer["answer"], user
        assert {one["document"] for one in answer["passages"]} == {cores}
        assert house.call(user, "GET", f"/documents/{cores}").status_code == 200
        treasure = house.asked(user, "How deep lies the Zwackelmoor treasure?", collection=id, threshold=0.0)
        assert "999 m" not in treasure.text
    told = house.call("berta", "GET", "/library/collections").json
    assert told["groups"] == ["peat"], "what she may share with"
    listed = told["collections"]
    assert [(one["id"], one["own"]) for one in listed] == [(id, False)]
    assert house.call("berta", "GET", f"/documents/{secret}").status_code == 404
    assert house.call("berta", "PATCH", f"/library/collections/{id}", {"name": "x"}).status_code == 404
    assert house.call("berta", "DELETE", f"/library/collections/{id}").status_code == 404

    for stranger, status in (("cora", 404), ("reader", 403), (None, 401)):
        assert house.asked(stranger, collection=id).status_code == status
        assert house.call(stranger, "GET", f"/library/collections/{id}").status_code == status
    assert house.call("cora", "GET", f"/documents/{cores}").status_code == 404
    assert house.call("cora", "GET", "/library/collections").json["collections"] == []

    closed = house.call("anna", "PATCH", f"/library/collections/{id}", {"groups": []})
    assert closed.status_code == 200
    assert house.asked("berta", collection=id).status_code == 404, "rights are looked at again"
    assert house.call("berta", "GET", f"/documents/{cores}").status_code == 404


def test_only_documents_that_one_may_read_and_groups_that_one_is_in(house: House, cores: str) -> None:
    wrong = [
        ("berta", {"documents": [cores]}, 404),
        ("anna", {"documents": ["0" * 32]}, 404),
        ("anna", {"groups": ["ice"]}, 400),
        ("anna", {"documents": ["rubbish"]}, 400),
    ]
    for user, said, status in wrong:
        answer = house.call(user, "POST", "/library/collections", {"name": "Moor", **said})
        assert answer.status_code == status, answer.text
    empty = house.made("anna")
    assert "no documents yet" in house.asked("anna", collection=empty).json["detail"]


def test_a_collection_is_changed_one_by_one_and_names_what_is_gone(house: House, cores: str, lakes: str) -> None:
    id = house.made("anna", documents=[cores])
    gone = house.brought("anna", b"A short note about nothing that will be deleted soon.", "note.txt")
    changed = house.call("anna", "PATCH", f"/library/collections/{id}", {"add": [lakes, gone], "name": "Two"}).json
    assert [one["id"] for one in changed["documents"]] == [cores, lakes, gone]
    house.call("anna", "DELETE", f"/library/documents/{gone}")
    found = house.call("anna", "GET", f"/library/collections/{id}").json
    assert (found["name"], found["gone"], len(found["documents"])) == ("Two", 1, 2)
    cited = house.call("anna", "GET", f"/library/collections/{id}/references?f=csl")
    assert len(cited.get_json(force=True)) == 2
    house.call("anna", "PATCH", f"/library/collections/{id}", {"remove": [lakes, gone]})
    assert house.call("anna", "GET", f"/library/collections/{id}").json["numberOfDocuments"] == 1
    assert house.call("anna", "DELETE", f"/library/collections/{id}").status_code == 204
    assert house.call("anna", "GET", f"/library/collections/{id}").status_code == 404
    assert house.call("anna", "GET", f"/documents/{cores}").status_code == 200, "its documents stay"


def test_a_change_during_another_one_keeps_both(house: House, lakes: str) -> None:
    id = house.made("anna")

    def rename(before: DocumentCollection) -> DocumentCollection:
        if not before.documents:
            house.call("anna", "PATCH", f"/library/collections/{id}", {"add": [lakes]})
        return replace(before, name="Renamed")

    changed = house.parts.notebooks.change_collection(id, "anna", rename)
    assert (changed.name, changed.documents) == ("Renamed", (lakes,))
    assert house.call("anna", "GET", f"/library/collections/{id}").json["numberOfDocuments"] == 1


def test_questions_stay_within_chosen_documents(house: House, cores: str, lakes: str) -> None:
    within = house.asked("anna", "At what depth?", scope="mine", documents=[lakes], threshold=0.0).json
    assert {one["document"] for one in within["passages"]} == {lakes}
    assert house.asked("berta", scope="mine", documents=[cores], threshold=0.0).json["passages"] == []


def test_each_document_answers_in_a_cell_of_its_own(house: House, cores: str, lakes: str) -> None:
    questions = [DEPTH, "What is the surface of the Zwackelmoor lake?"]
    answer = house.call("anna", "POST", "/ask/compare", {"questions": questions, "documents": [cores, lakes]})
    assert answer.status_code == 200, answer.text
    rows = answer.json["rows"]
    assert [row["document"] for row in rows] == [cores, lakes]
    assert "731 cm" in rows[0]["answers"][0]["answer"]
    assert "42 hectares" in rows[1]["answers"][1]["answer"]
    assert all(
        one["document"] == row["document"] for row in rows for cell in row["answers"] for one in cell["passages"]
    )

    shared = house.made("anna", documents=[cores, lakes], groups=["peat"])
    written = house.call("berta", "POST", "/ask/compare", {"questions": questions, "collection": shared, "f": "csv"})
    table = list(csv.reader(io.StringIO(written.text)))
    assert table[0] == ["document", "address", questions[0], "pages", questions[1], "pages"]
    assert len(table) == 3
    streamed = house.call(
        "anna", "POST", "/ask/compare", {"questions": questions[:1], "collection": shared, "stream": True}
    ).text
    assert [line for line in streamed.split("\n") if line.startswith("event")] == ["event: row"] * 2 + ["event: end"]
    assert house.call("cora", "POST", "/ask/compare", {"questions": questions, "collection": shared}).status_code == 404
    assert house.call("cora", "POST", "/ask/compare", {"questions": questions, "documents": [cores]}).status_code == 404
    assert house.call("anna", "POST", "/ask/compare", {"questions": questions}).status_code == 400
    many = {"questions": questions, "documents": [f"{number:032x}" for number in range(11)]}
    assert house.call("anna", "POST", "/ask/compare", many).status_code == 404, "22 answers with a key"
    refused = house.call(None, "POST", "/ask/compare", many)
    assert (refused.status_code, "22 answers" in refused.json["detail"]) == (401, True)
    assert house.call(None, "POST", "/ask/compare", {**many, "documents": many["documents"][:10]}).status_code == 404


def test_a_conversation_is_kept_goes_on_and_is_deleted_on_request(house: House, cores: str) -> None:
    first = house.asked("anna", scope="mine", conversation="new").json
    id = first["conversation"]
    follow = house.asked("anna", "In which year?", scope="mine", conversation=id, threshold=0.0).json
    assert any("May 2014" in one["text"] for one in follow["passages"][:1]), "read with the question before it"
    kept = house.call("anna", "GET", f"/library/conversations/{id}").json
    assert [turn["asked"]["question"] for turn in kept["turns"]] == [DEPTH, "In which year?"]
    assert kept["turns"][0]["answer"]["answer"] == first["answer"]
    assert kept["title"] == DEPTH

    for method in ("GET", "DELETE"):
        assert house.call("berta", method, f"/library/conversations/{id}").status_code == 404
    assert house.asked("berta", conversation=id).status_code == 404
    assert house.asked(None, conversation="new").status_code == 401
    assert house.call("berta", "GET", "/library/conversations").json["conversations"] == []

    streamed = house.asked("anna", "And in the lake?", scope="mine", conversation=id, stream=True).text
    last = json.loads(streamed.strip().rsplit("data: ", 1)[1])
    assert last["conversation"] == id
    assert house.call("anna", "GET", f"/library/conversations/{id}").json["numberOfTurns"] == 3
    assert house.call("anna", "DELETE", f"/library/conversations/{id}").status_code == 204
    assert house.asked("anna", conversation=id).status_code == 404
    house.asked("anna", conversation="new")
    assert house.call("anna", "DELETE", "/library/conversations").json == {"deleted": 1}


OWN = (
    ("GET", "/library/collections/<id>"),
    ("GET", "/library/collections/<id>/references"),
    ("PATCH", "/library/collections/<id>"),
    ("DELETE", "/library/collections/<id>"),
    ("GET", "/library/conversations/<id>"),
    ("DELETE", "/library/conversations/<id>"),
)


def test_each_route_of_a_collection_or_conversation_is_for_its_owner(house: House, cores: str) -> None:
    rules = [rule for rule in house.app.url_map.iter_rules() if rule.rule.startswith(NOTEBOOKS) and rule.arguments]
    assert {(method, rule.rule) for rule in rules for method in set(rule.methods or ()) - {"HEAD", "OPTIONS"}} == set(
        OWN
    )
    collection = house.made("anna", documents=[cores])
    conversation = house.asked("anna", scope="mine", conversation="new").json["conversation"]
    for method, rule in OWN:
        path = rule.replace("<id>", collection if "collections" in rule else conversation)
        body = {"name": "Mine now"} if method == "PATCH" else None
        for user, status in (("berta", 404), ("cora", 404), ("reader", 403), (None, 401)):
            answer = house.call(user, method, path, body)
            assert (answer.status_code, "731 cm" in answer.text) == (status, False), (method, rule, user)
    for more in ({"collection": collection}, {"conversation": conversation}):
        assert house.asked("berta", **more).status_code == 404
    assert (
        house.call("berta", "POST", "/ask/compare", {"questions": [DEPTH], "collection": collection}).status_code == 404
    )
    assert house.call("anna", "GET", f"/library/collections/{collection}").json["name"] == "Moor"
    assert house.call("anna", "GET", f"/library/conversations/{conversation}").status_code == 200


def test_an_answer_from_what_one_may_no_longer_read_is_withheld(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    lent = house.brought(
        "anna", b"The Zwackelmoor bog iron was mined until 1731. It was smelted in the village.", "iron.txt"
    )
    shared = house.made("anna", documents=[lent], groups=["peat"])
    asked = "Until when was the Zwackelmoor bog iron mined?"
    id = house.asked("berta", asked, collection=shared, conversation="new").json["conversation"]
    assert "1731" in house.call("berta", "GET", f"/library/conversations/{id}").text
    house.call("anna", "DELETE", f"/library/collections/{shared}")
    after = house.call("berta", "GET", f"/library/conversations/{id}")
    assert "1731" not in after.text
    assert after.json["turns"][0]["withheld"]

    given: list[AskRequest] = []
    answer = Answerer.answer
    monkeypatch.setattr(Answerer, "answer", lambda own, request: given.append(request) or answer(own, request))
    house.asked("berta", "And where?", conversation=id)
    assert given[0].turns == (ConversationTurn(asked, ""),), "what a follow-up is read with, and what a model is shown"


def test_what_came_near_is_withheld_with_the_refusal(house: House) -> None:
    near = house.brought(
        "anna", b"The Zwackelmoor bog butter was found in 1833 by two farmers of the village.", "b.txt"
    )
    asked = {"scope": "mine", "documents": [near], "threshold": 1.0, "conversation": "new"}
    refused = house.asked("anna", "When was the Zwackelmoor bog butter found?", **asked).json
    assert [one["document"] for one in refused["near_misses"]] == [near]
    house.call("anna", "DELETE", f"/library/documents/{near}")
    after = house.call("anna", "GET", f"/library/conversations/{refused['conversation']}")
    assert "1833" not in after.text
    assert after.json["turns"][0]["withheld"]


def test_a_conversation_deleted_during_its_question_stays_deleted(house: House) -> None:
    id = house.asked("anna", "What is ERA5-Land?", conversation="new").json["conversation"]
    open_elsewhere = house.parts.notebooks.conversation(id, "anna")
    house.call("anna", "DELETE", f"/library/conversations/{id}")
    with pytest.raises(NotFound, match="deleted meanwhile"):
        house.parts.notebooks.add_turn(open_elsewhere, {"asked": {}, "answer": {"passages": []}})
    assert house.call("anna", "GET", f"/library/conversations/{id}").status_code == 404


def test_a_refusal_shows_what_came_near(house: House, cores: str) -> None:
    refused = house.asked("anna", scope="mine", documents=[cores], threshold=1.0).json
    assert refused["refused"]
    assert refused["passages"] == []
    assert [one["document"] for one in refused["near_misses"]] == [cores]
    assert house.asked("anna", scope="mine", documents=[cores]).json["near_misses"] == []


def test_what_somebody_shares_is_open_for_as_long_as_a_key_of_theirs_is(house: House, cores: str) -> None:
    """Dora shares with keys of the index; the groups of her keys decide, and without a valid one nothing is shared."""
    keys, now = KeyStore(house.service.client, house.service.prefix), datetime.now(UTC)
    dora = Grant("dora", _BOTH, _PEAT, None, "")
    first, second = keys.add(dora, now)[0], keys.add(replace(dora, groups=frozenset(("ice",))), now)[0]
    USERS["dora"] = Caller("dora", _BOTH, frozenset(("peat", "ice")))
    text = house.brought("dora", b"The Dorasee lies at 512 m above the sea, and its water is brown of peat.", "d.txt")
    id = house.made("dora", documents=[text], groups=["peat"])

    def open_to_berta() -> set[int]:
        listed = {one["id"] for one in house.call("berta", "GET", "/library/collections").json["collections"]}
        paths = (f"/library/collections/{id}", f"/documents/{text}", f"/documents/{text}/passages")
        asked = house.asked("berta", "How high is the Dorasee?", collection=id)
        return (
            {house.call("berta", "GET", path).status_code for path in paths}
            | {asked.status_code}
            | ({200} if id in listed else {404})
        )

    assert open_to_berta() == {200}
    keys.revoke(first.id, now)
    assert open_to_berta() == {404}, "the other key is in another group"
    keys.revoke(second.id, now)
    assert open_to_berta() == {404}
    assert house.call("dora", "GET", f"/library/collections/{id}").status_code == 200
    keys.add(dora, now)
    assert open_to_berta() == {200}


def test_an_answer_from_a_deleted_record_is_withheld(house: House) -> None:
    first = house.asked("anna", "What is ERA5-Land?", conversation="new").json
    id, quoted = first["conversation"], first["passages"][0]["record"]
    assert quoted.startswith("samples:")
    assert house.call("anna", "GET", f"/library/conversations/{id}").json["turns"][0]["answer"]
    house.service.client.delete(index=f"{house.service.prefix}-records", id=quoted, refresh=True)
    after = house.call("anna", "GET", f"/library/conversations/{id}").json["turns"][0]
    assert after["answer"] is None
    assert after["withheld"]
