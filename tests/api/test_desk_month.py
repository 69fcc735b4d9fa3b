"""A month at the desk, on a small scale: who asks what is scripted, and insight and rules say what the script says.

Eight people and two weeks; the stewards' three decisions (a pin, a synonym, an overlay); the source changes its
records, and a reindex follows.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from pydantic import SecretStr

from indexer.reindex.run import ReindexParts, reindex
from search_api.app import create_app
from search_api.parts import Parts
from search_api.search.flow import SearchPipeline
from search_api.search.openings import LiveUsage, OpeningsReader
from search_api.search.query_log import QueryLog
from search_api.search.ranking.rank import explain
from search_api.search.ranking.signals.record import Usage
from search_api.search.request import SearchRequest
from sonde.settings import QueriesSettings
from sonde.wiring.api import api_parts
from tests.api.conftest import Desk, Few, StewardAndReaders

pytestmark = pytest.mark.elasticsearch

ASKED = {"rainfall in Africa": 8, "sea surface temperature": 6, "snorkwhistle": 6, "rainfall in my secret village": 2}
"""How many people ask each question, once a week."""
WEEKS = 2
FIRST = datetime(2026, 10, 1, 12, tzinfo=UTC)


@dataclass
class Clock:
    """The days go by as the script says."""

    today: datetime = FIRST

    def __call__(self) -> datetime:
        return self.today


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def parts(few: Few, clock: Clock) -> Parts:
    given = QueriesSettings(keep="full", secret=SecretStr("a secret of the test"))
    parts = api_parts(few.service.settings.model_copy(update={"queries": given}), few.service.models)
    log = QueryLog(few.service.client, few.service.prefix, parts.queries.policy, clock, every_s=3600.0)
    return replace(parts, authenticator=StewardAndReaders(), queries=log)


@pytest.fixture(scope="module")
def app(parts: Parts) -> Flask:
    return create_app(parts)


@pytest.fixture(scope="module")
def month(app: Flask, parts: Parts, clock: Clock) -> Iterator[Desk]:
    """Everybody asks every week; of the hits of "rainfall in Africa", half of the people open the second."""
    http = app.test_client()
    for week in range(WEEKS):
        clock.today = FIRST + timedelta(weeks=week)
        for question, people in ASKED.items():
            for person in range(people):
                _ask(http, question, person, opens=question.startswith("rain") and person % 2 == 0)
    parts.queries.tick()
    parts.queries.client.indices.refresh(index=f"{parts.queries.prefix}-queries")
    desk = Desk(http)
    yield desk
    desk.clear()
    parts.queries.delete({"match_all": {}})


def _ask(http: FlaskClient, question: str, person: int, *, opens: bool) -> None:
    """Odd people have a key; even ones come from an address of their own."""
    headers = {"Authorization": f"Bearer reader{person}"} if person % 2 else {}
    at = {"REMOTE_ADDR": f"192.0.2.{person}"}
    found = http.get("/search", query_string={"q": question, "rerank": "false"}, headers=headers, environ_base=at)
    hits = found.get_json()["features"]
    if person == 0:  # with a map beside it, which asks again where the matches lie
        zoomed = {"q": question, "rerank": "false", "facets": "cell", "cell_area": "-20,-40,60,40", "limit": "1"}
        counted = http.get("/search", query_string=zoomed, headers=headers, environ_base=at).get_json()
        assert all("sonde:opened" not in hit for hit in counted["features"])
        typed = http.get("/search", query_string={"q": question, "typed": "true"}, headers=headers, environ_base=at)
        assert all("sonde:opened" not in hit for hit in typed.get_json()["features"]), "not asked yet"
    if opens:
        link = hits[1]["sonde:opened"].partition("/opened/")[2]
        answer = http.get(f"/opened/{link}", environ_base=at)
        assert (answer.status_code, answer.headers["Location"].rpartition("/")[2]) == (303, hits[1]["id"])
        assert "Set-Cookie" not in answer.headers
        assert http.post(f"/opened/{link}", environ_base=at).status_code == 204, "opened twice, counted once"


def test_insight_says_what_was_asked(month: Desk) -> None:
    answer = month.call("GET", "/insight/queries")
    asked = {row["question"]: (row["asked"], row["people"]) for row in answer["questions"]}
    shown = {question: people for question, people in ASKED.items() if people >= 5}
    assert asked == {question: (people * WEEKS, people) for question, people in _folded(shown).items()}
    assert answer["hidden"] == {"questions": 1, "asked": 2 * WEEKS}
    assert "secret village" not in json.dumps(answer)


def _folded(asked: dict[str, int]) -> dict[str, int]:
    return {question.casefold(): people for question, people in asked.items()}


def _questions(desk: Desk, query: str) -> list[str]:
    return [row["question"] for row in desk.call("GET", f"/insight/queries?{query}")["questions"]]


def test_a_record_says_which_questions_led_to_it(month: Desk, few: Few) -> None:
    africa, village = (_second(month, question) for question in ("rainfall in Africa", "rainfall in my secret village"))
    led = month.call("GET", f"/insight/records/{africa}")
    assert [(row["question"], row["asked"]) for row in led["questions"]] == [("rainfall in africa", 8 * WEEKS)]
    assert 0.0 < led["completeness"] <= 1.0
    secret = month.call("GET", f"/insight/records/{village}")
    assert secret["hidden"] == {"questions": 1, "asked": 2 * WEEKS}
    assert "village" not in json.dumps(secret), "two people asked it"
    path = f"/insight/records/{africa}"
    assert month.http.get(path).status_code == 401
    assert month.http.get(path, headers={"Authorization": "Bearer reader1"}).status_code == 403
    assert africa in json.dumps(month.call("GET", "/insight/queries"))
    month.call("GET", "/insight/records/samples:none", 404)
    client, index = few.service.client, f"{few.service.prefix}-records"
    client.update(index=index, id=africa, doc={"access_groups": ["polar"]}, refresh=True)
    try:
        month.call("GET", path, 404)  # the steward is not in the group
        assert africa not in json.dumps(month.call("GET", "/insight/queries"))
    finally:
        client.update(index=index, id=africa, script={"source": "ctx._source.remove('access_groups')"}, refresh=True)


def _second(desk: Desk, question: str) -> str:
    found = desk.http.get("/search", query_string={"q": question, "rerank": "false"}).get_json()
    return str(found["features"][1]["id"])


def test_insight_says_what_was_not_found_and_not_opened(month: Desk) -> None:
    assert _questions(month, "view=not_found") == ["snorkwhistle"]
    assert _questions(month, "view=not_opened") == ["sea surface temperature"]
    rain = next(row for row in month.call("GET", "/insight/queries")["questions"] if row["question"].startswith("rain"))
    assert rain["opened"] == 4 * WEEKS
    assert list(rain["records"].values()) == [4 * WEEKS]
    assert _questions(month, "place=Africa") == ["rainfall in africa"]
    assert _questions(month, "until=2026-09-30") == []


def test_insight_over_time_by_language_and_place(month: Desk) -> None:
    summary = month.call("GET", "/insight/summary?interval=day")
    by_day = Counter({one["from"][:10]: one["asked"] for one in summary["over_time"] if one["asked"]})
    each = sum(ASKED.values())
    assert by_day == {(FIRST + timedelta(weeks=week)).date().isoformat(): each for week in range(WEEKS)}
    assert (summary["asked"], summary["not_found"] >= 6 * WEEKS) == (each * WEEKS, True)
    assert {"value": "Africa", "asked": 8 * WEEKS} in summary["by"]["place"]


def test_the_questions_become_a_collection_to_judge(month: Desk) -> None:
    answer = month.http.get("/insight/collection", headers={"Authorization": "Bearer steward"})
    archive = zipfile.ZipFile(io.BytesIO(answer.data))
    queries = [json.loads(line) for line in archive.read("queries.jsonl").splitlines()]
    assert {one["text"] for one in queries} == {question.casefold() for question, n in ASKED.items() if n >= 5}
    run = [line.split() for line in archive.read("run.trec").decode().splitlines()]
    corpus = {json.loads(line)["_id"] for line in archive.read("corpus.jsonl").splitlines()}
    assert {line[2] for line in run} == corpus
    assert {line[0] for line in run} <= {one["_id"] for one in queries}


def test_what_was_opened_moves_up_where_enough_people_agree(month: Desk, parts: Parts, few: Few) -> None:
    config = parts.search.parts.config
    evidence = replace(config.records[Usage].evidence, openings=1, people=3, days=2)
    live = LiveUsage(OpeningsReader(few.service.client, few.service.prefix), evidence, every_s=3600.0)
    moved = SearchPipeline(replace(parts.search.parts, usage=live))
    question = SearchRequest(q="Rainfall in AFRICA", rerank=False)
    before = moved.rank_all(question).ranking
    assert "usage" not in before.terms, "nothing was read yet"
    live.tick()
    first, second = parts.search.rank_all(question).ranking.ids()[:2]
    # Of 8 people, 4 opened the second, which half of them looked at; two more opened nothing: 4 x 2 / 10.
    assert [live().of("rainfall in africa").get(record) for record in (first, second)] == [0.0, 0.75]
    ranking = moved.rank_all(question).ranking
    used = next(part for part in explain(ranking, ranking.ids().index(second))["signals"] if part["signal"] == "usage")
    assert (used["raw"], used["reasons"]) == (0.75, [{"code": "opened", "share": 0.75}])
    assert "usage" not in moved.rank_all(SearchRequest(q="sea surface temperature", rerank=False)).ranking.terms
    nothing = LiveUsage(OpeningsReader(few.service.client, "nobody"), evidence)
    nothing.tick()
    assert len(nothing()) == 0


def test_three_decisions_outlive_a_harvest_and_a_reindex(month: Desk, few: Few) -> None:
    sst, rain = month.ids("sea surface temperature"), month.ids("rainfall in Africa")
    month.post("pins", {"words": "sea surface temperature", "record": sst[-1], "reason": "asked, never opened"})
    month.post("synonyms", {"words": ["snorkwhistle", "rainfall"]})
    month.post("overlays", {"record": rain[0], "title": "Daily rain of Africa", "keywords": ["quokkaflux"]})

    def decided() -> None:
        assert month.ids("sea surface temperature")[0] == sst[-1]
        assert month.ids("snorkwhistle"), "what nobody found is found"
        assert month.ids("quokkaflux")[:1] == [rain[0]]

    decided()
    for path in few.folder.iterdir():
        path.write_text(
            path.read_text("utf-8").replace("</gmd:MD_Metadata>", "<!-- new --></gmd:MD_Metadata>"), "utf-8"
        )
    few.service.harvest(few.folder)
    decided()
    service = few.service
    moving = ReindexParts(service.client, service.prefix, service.models.embedder())
    assert reindex(moving, least_overlap=0.0).moved
    decided()


def test_a_persons_questions_are_deleted_on_request(month: Desk, parts: Parts, clock: Clock) -> None:
    gone = month.call("DELETE", "/insight/queries?subject=reader1")["deleted"]
    assert gone == sum(1 for people in ASKED.values() if people > 1) * WEEKS
    assert month.call("DELETE", "/insight/queries?question=Snorkwhistle")["deleted"] == 5 * WEEKS + 3, (
        "three more by the test before"
    )
    month.call("DELETE", "/insight/queries", 400)
    reader = {"Authorization": "Bearer reader1"}
    assert month.http.get("/insight/queries", headers=reader).status_code == 403
    clock.today += timedelta(days=1000)
    parts.queries.tick()
    assert month.call("GET", "/insight/summary")["asked"] == 0, "after its days a question is gone"
