"""Stewards' rules: they count at once, are said in the answer, are undone, and cost no request of a question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from indexer.plan.plan import RunMoment
from indexer.plan.planner import Planner
from indexer.plan.readers import Readers
from indexer.raw import RawPage
from indexer.store.ledger import Ledger
from search_api.app import create_app
from search_api.search.curation_rules import CurationStore, RuleChange, RuleKey
from sonde.wiring.api import api_parts
from tests.api.conftest import FEW, Desk, Few, StewardAndReaders
from tests.counted_searches import count_searches

pytestmark = pytest.mark.elasticsearch


@pytest.fixture(scope="module")
def http(few: Few) -> FlaskClient:
    parts = replace(api_parts(few.service.settings, few.service.models), authenticator=StewardAndReaders())
    return create_app(parts).test_client()


@pytest.fixture
def desk(http: FlaskClient) -> Iterator[Desk]:
    desk = Desk(http)
    yield desk
    desk.clear()


@pytest.fixture(scope="module")
def argo(few: Few) -> str:
    """A record that no question here is about."""
    found = few.service.http.get("/collections/samples/items?limit=100").get_json()["features"]
    return next(str(one["id"]) for one in found if "argo" in json.dumps(one).lower())


def test_a_pin_puts_its_record_first_and_says_why(
    desk: Desk, few: Few, argo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = desk.ids("rainfall")
    assert argo not in before[:1]
    searches = count_searches(monkeypatch)
    desk.ids("rainfall")
    requests = len(searches)
    pin = {"id": "a", "words": "rainfalls", "record": argo, "reason": "asked by mail", "valid_until": "2999-12-31"}
    assert desk.post("pins", pin)["accepted"] == [{"line": 1, "id": "a"}]
    first = desk.search("Rainfall", explain="true")["features"][0]
    assert first["id"] == argo
    explained = first["sonde:explanation"]
    assert explained["ordered_by"] == "pin"
    assert explained["pin"] == {"rule": "a", "words": "rainfalls", "reason": "asked by mail", "until": "2999-12-31"}
    assert [one for one in desk.ids("rainfall")[1:] if one in before] == [one for one in before if one != argo]
    assert desk.search("rainfall in Africa")["features"][0]["id"] != argo, "its words are not the question"
    assert argo not in desk.ids("rainfall", type="service"), "a filter holds for it too"
    searches.clear()
    desk.ids("rainfall")
    assert len(searches) == requests, "one search more in the first request, no request more"
    desk.post("pins", {**pin, "valid_from": "2001-01-01", "valid_until": "2001-12-31"})
    assert desk.ids("rainfall") == before, "its time is over"


def test_blocks_boosts_synonyms_and_places_change_what_is_found(desk: Desk, few: Few, argo: str) -> None:
    assert argo in desk.ids("ocean temperature profiles")
    asked = {"q": "ocean temperature profiles", "facets": "cell,year", "cell_level": "2"}
    before = _sums(desk.search(**asked))
    desk.post("blocks", {"record": argo, "words": "temperature"})
    assert argo not in desk.ids("ocean temperature profiles")
    assert argo in desk.ids("floats ocean profiles")
    assert all(blocked < all_of_them for blocked, all_of_them in zip(_sums(desk.search(**asked)), before, strict=True))
    desk.post("boosts", {"source": "samples", "boost": 0.2, "reason": "ours"})
    parts = desk.search("rainfall", explain="true")["features"][0]["sonde:explanation"]["signals"]
    assert 0.0 < next(part for part in parts if part["signal"] == "source_boost")["contribution"] <= 0.2
    desk.post("blocks", {"source": "samples", "words": "rainfall"})
    assert desk.ids("rainfall") == []
    assert desk.ids("ocean temperature profiles") != []
    csv = "source,words,match,boost\nsamples,ocean,whole,-0.1\n"
    assert desk.call("POST", "/curation/boosts", data=csv, content_type="text/csv")["refused"] == []
    desk.clear()
    desk.post("synonyms", {"words": ["zorbling", "rainfall"]})
    answer = desk.http.get("/search?q=zorbling").get_json()
    assert [term["source"] for term in answer["sonde:interpretation"]["terms"]] == ["curation"]
    assert answer["features"]
    desk.post("places", {"name": "Quellenried", "bbox": [8.0, 47.0, 8.2, 47.2]})
    read = desk.http.get("/search?q=rainfall in Quellenried").get_json()["sonde:interpretation"]["places"]
    assert [(place["name"], place["bbox"]) for place in read] == [("Quellenried", [8.0, 47.0, 8.2, 47.2])]
    assert desk.http.get("/search?place=Quellenried").status_code == 200


def _sums(answer: dict[str, Any]) -> list[int]:
    return [sum(one["count"] for one in facet["values"]) for facet in answer["sonde:facets"].values()]


def test_bad_lines_are_refused_and_the_good_ones_kept(desk: Desk) -> None:
    lines = [{"name": "A-Bach", "bbox": [8, 47, 9, 48]}, {"name": "B", "bbox": [8, 99, 9, 48]}, 7, {"name": "C"}]
    taken = desk.post("places", lines)
    assert [one["line"] for one in taken["accepted"]] == [1]
    assert [one["line"] for one in taken["refused"]] == [2, 3, 4]
    assert "south is outside -90..90 degrees" in taken["refused"][0]["problem"]
    ring = [[7.0, 46.0], [7.5, 46.0], [7.5, 46.5], [7.0, 46.0]]
    features = [
        {"type": "Feature", "properties": {"name": "D-See"}, "geometry": {"type": "Polygon", "coordinates": [ring]}},
        {"type": "Feature", "properties": {"name": "E-See"}, "geometry": {"type": "Polygon"}},
    ]
    taken = desk.post("places", {"type": "FeatureCollection", "features": features})
    assert (len(taken["accepted"]), len(taken["refused"])) == (1, 1)
    csv = "name,west,south,east,north,other_names\nF-Tal,7,46,8,47,Val F|F-Valley\nG,7,46,x,47,\n"
    taken = desk.call("POST", "/curation/places", data=csv, content_type="text/csv")
    assert (len(taken["accepted"]), len(taken["refused"])) == (1, 1)
    semicolons = "\ufeffname;west;south;east;north\nH-Moor;7;46;8;47\n"
    taken = desk.call("POST", "/curation/places", data=semicolons.encode(), content_type="text/csv")
    assert (len(taken["accepted"]), taken["refused"]) == (1, [])
    boxes = {rule["name"]: rule["bbox"] for rule in desk.call("GET", "/curation/places")["rules"]}
    assert boxes == {
        "A-Bach": [8, 47, 9, 48],
        "D-See": [7.0, 46.0, 7.5, 46.5],
        "F-Tal": [7, 46, 8, 47],
        "H-Moor": [7, 46, 8, 47],
    }
    assert "line 1" in desk.post("pins", {"words": "x"}, 400)["detail"]
    assert "are the same" in desk.post("synonyms", {"words": ["Crue", "crues"]}, 400)["detail"]
    desk.post("roses", {}, 404)
    desk.call("POST", "/curation/pins", 400, data=b"\xff", content_type="text/csv")


def test_an_overlay_survives_harvest_and_reindex_and_the_record_says_so(desk: Desk, few: Few, argo: str) -> None:
    own, folder = few.service, few.folder
    source, _, _ = argo.partition(":")
    address = f"/collections/{source}/items/{argo}"
    plain = desk.http.get(address).get_json()
    overlay = {
        "record": argo,
        "title": "Quizzical floats",
        "keywords": ["zymurgy"],
        "bbox": [1, 2, 3, 4],
        "start": "1999",
    }
    taken = desk.post("overlays", [overlay, {"record": f"{source}:none", "title": "x"}])
    assert [one["problem"] for one in taken["refused"]] == [f"record: there is no record '{source}:none'"]

    def corrected() -> None:
        record = desk.http.get(address).get_json()
        assert record["properties"]["title"] == "Quizzical floats"
        assert "zymurgy" in record["properties"]["keywords"]
        assert record["properties"]["sonde:boxes"] == [[1, 2, 3, 4]]
        assert record["properties"]["sonde:curated"] == ["title", "keywords", "extent", "period"]
        assert desk.search("quizzical zymurgy")["features"][0]["id"] == argo

    corrected()
    assert own.harvest(folder).counts.removed == 0
    assert own.harvest(folder).counts.same == len(FEW)
    path = next(path for path in folder.iterdir() if "argo" in path.name)
    path.write_text(path.read_text("utf-8").replace("</gmd:MD_Metadata>", "<!-- later --></gmd:MD_Metadata>"), "utf-8")
    assert own.harvest(folder).state == "complete"
    own.client.indices.refresh(index=f"{own.prefix}-records")
    corrected()
    change = desk.call("GET", "/curation/history?kind=overlays&limit=1")["changes"][0]
    desk.call("POST", f"/curation/history/{change['id']}/undo")
    assert desk.http.get(address).get_json()["properties"] == plain["properties"]


def test_an_overlay_reaches_a_document_that_the_source_does_not_send_again(few: Few, argo: str) -> None:
    """As after an overlay that was written during a harvest."""
    client, prefix = few.service.client, few.service.prefix
    (entry,) = Ledger(client, prefix).holders("samples", [argo]).values()
    moment = RunMoment("run", "2026-01-01T00:00:00+00:00", "none")
    page = RawPage((), unchanged=(entry.native_id,))
    (item,) = Planner(client, prefix, "samples", Readers("samples")).plan(page, moment)
    assert (item.decision.outcome, item.parsed) == ("same", None)
    key, content = RuleKey("overlays", argo), {"id": argo, "record": argo, "title": "Later"}
    store = CurationStore(client, prefix)
    store.write([RuleChange(key, "added", None, content, "ada", moment.now)])
    (item,) = Planner(client, prefix, "samples", Readers("samples")).plan(page, moment)
    assert item.decision.outcome == "changed"
    assert item.parsed is not None
    assert (item.parsed.record.title, item.parsed.record.curated) == ("Later", ("title",))
    store.write([RuleChange(key, "removed", content, None, "ada", moment.now)])


def test_the_history_says_who_did_what_and_undoes_it(desk: Desk, few: Few, argo: str) -> None:
    desk.post("pins", {"id": "h", "words": "rainfall", "record": argo})
    desk.post("pins", {"id": "h", "words": "snowfall", "record": argo})
    second, first = desk.call("GET", "/curation/history?kind=pins&rule=h")["changes"]
    assert (first["action"], second["action"], second["by"]) == ("added", "changed", "ada")
    assert second["before"]["words"] == "rainfall"
    desk.call("POST", f"/curation/history/{first['id']}/undo", 409)
    desk.call("POST", f"/curation/history/{second['id']}/undo")
    assert desk.call("GET", "/curation/pins")["rules"][0]["words"] == "rainfall"
    desk.call("POST", "/curation/history/nothing/undo", 404)


def test_a_draft_is_tried_before_it_counts(desk: Desk, few: Few, argo: str) -> None:
    before = desk.ids("rainfall")
    desk.post("pins?draft=spring", {"id": "d", "words": "rainfall", "record": argo})
    desk.post("synonyms?draft=spring", {"id": "e", "words": ["blorf", "rainfall"]})
    desk.post("overlays?draft=spring", {"record": argo, "title": "x"}, 400)
    assert desk.ids("rainfall") == before
    body = {"questions": ["ocean", "blorf"], "judgements": [{"question": "rainfall", "record": argo, "grade": 3}]}
    tried = desk.post("try?draft=spring", body)
    ocean, blorf, rain = tried["questions"]
    assert ocean["moved"] == []
    assert {one["before"] for one in blorf["moved"]} == {None}, "nothing was found by this word before"
    assert (rain["moved"][0]["record"], rain["moved"][0]["after"]) == (argo, 1)
    assert tried["ndcg_before"] < tried["ndcg_after"] == 1.0
    assert desk.call("GET", "/curation/drafts")["drafts"] == [{"id": "spring", "rules": 2}]
    assert desk.call("POST", "/curation/drafts/spring/publish")["published"] == 2
    assert desk.search("rainfall")["features"][0]["id"] == argo
    assert desk.call("GET", "/curation/drafts")["drafts"] == []
    desk.call("DELETE", "/curation/pins/d?draft=summer", 204)
    assert argo not in [
        one["record"]
        for one in desk.post("try?draft=summer", {"questions": ["rainfall"]})["questions"][0]["moved"]
        if one["after"] == 1
    ]
    desk.call("DELETE", "/curation/drafts/summer", 204)
    assert desk.search("rainfall")["features"][0]["id"] == argo
    desk.post("try?draft=summer", {"questions": ["rainfall"]}, 404)


def test_only_stewards_write_and_read_rules(http: FlaskClient) -> None:
    pin = {"words": "rain", "record": "samples:x"}
    assert http.post("/curation/pins", json=pin).status_code == 401
    assert http.post("/curation/pins", json=pin, headers={"Authorization": "Bearer reader"}).status_code == 403
    assert http.get("/curation/history", headers={"Authorization": "Bearer reader"}).status_code == 403
