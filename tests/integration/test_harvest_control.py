"""The stewards' calls on real parts: schedules in a real broker, runs of real harvests, and who may see them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from elasticsearch import Elasticsearch
from flask.testing import FlaskClient
from redbeat import RedBeatSchedulerEntry
from small_catalogue import write_catalogue

from core.access import Caller, NotAuthenticated
from es_gateway.errors import WritesBlocked
from es_mappings.codecs.runs import RunReport
from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts as HarvestParts
from indexer.sources.folder import FolderSource
from indexer.store.ledger import Ledger
from search_api.app import create_app
from sonde.settings import BrokerSettings, ElasticsearchSettings, HarvestSettings, IndexSettings, Settings
from sonde.wiring.api import api_parts
from sonde.wiring.workers import worker_config
from tests.conftest import delete_indices
from tests.service import Service
from workers.app import create_celery
from workers.config import HARVEST_TASK, REMOVE_TASK, WorkerParts
from workers.lease import Leases
from workers.source_config import load_sources

pytestmark = [pytest.mark.elasticsearch, pytest.mark.broker]

_LAST_RETRY = 5
ADMIN = {"Authorization": "Bearer admin"}
SOURCES = """
sources:
  - {id: daily, title: Rain gauges, type: folder, path: catalogue, schedule: {interval: 1d}}
  - {id: rests, type: folder, path: catalogue, schedule: {cron: 0 3 * * *}, paused: true}
  - {id: by-hand, type: folder, path: catalogue}
"""


class Keys:
    """A steward and somebody who may only write."""

    def identify(self, bearer: str | None) -> Caller:
        if bearer is None:
            return Caller(scopes=frozenset(("search",)))
        if bearer not in ("admin", "write"):
            raise NotAuthenticated("This key is not known.")
        return Caller(f"{bearer}-person", frozenset(("search", bearer)))  # type: ignore[arg-type]


@dataclass
class Control:
    """The API on a prefix of its own, with a catalogue of three records and one file that cannot be read."""

    client: Elasticsearch
    settings: Settings
    http: FlaskClient

    @property
    def prefix(self) -> str:
        return self.settings.index.prefix

    def harvest(self, source: str = "daily") -> RunReport:
        folder = self.settings.harvest.sources.parent / "catalogue"
        report = harvest(source, FolderSource(folder), HarvestParts(self.client, self.prefix))
        self.client.indices.refresh(index=f"{self.prefix}-runs")
        return report

    def get(self, path: str, status: int = 200) -> dict[str, Any]:
        answer = self.http.get(path, headers=ADMIN)
        assert answer.status_code == status, answer.text
        body: dict[str, Any] = answer.get_json()
        return body

    def queued(self) -> int:
        with redis.Redis.from_url(self.settings.broker_url) as broker:
            return int(broker.llen(f"{self.prefix}:harvest"))  # type: ignore[arg-type]


def made(samples: Service, prefix: str, folder: Path, broker_url: str) -> Control:
    write_catalogue(folder / "catalogue", 3)
    (folder / "catalogue" / "spoilt.xml").write_text("<gmd:MD_Metadata", "utf-8")
    (folder / "sources.yaml").write_text(SOURCES, "utf-8")
    settings = Settings(
        elasticsearch=ElasticsearchSettings(url=samples.url),
        broker=BrokerSettings(url=broker_url),
        index=IndexSettings(prefix=prefix),
        api=samples.settings.api,
        harvest=HarvestSettings(sources=folder / "sources.yaml"),
    )
    ensure_indices(samples.client, prefix, samples.models.embedder().card)
    parts = replace(api_parts(settings, samples.models), authenticator=Keys())
    return Control(samples.client, settings, create_app(parts).test_client())


@pytest.fixture(scope="module")
def control(samples: Service, tmp_path_factory: pytest.TempPathFactory, broker_url: str) -> Iterator[Control]:
    """Shared: each test harvests sources of names of its own."""
    own = f"sonde-test-{uuid.uuid4().hex[:12]}"
    yield made(samples, own, tmp_path_factory.mktemp("control"), broker_url)
    delete_indices(samples.client, own)
    with redis.Redis.from_url(broker_url) as broker:
        for key in broker.scan_iter(f"{own}:*"):
            broker.delete(key)


def test_a_source_tells_its_schedule_its_last_run_and_what_was_refused(control: Control) -> None:
    first, second = control.harvest(), control.harvest()
    body = control.get("/harvest/sources")
    assert body["sonde:degraded"] == []
    daily, rests, by_hand = body["sources"][:3]
    assert (daily["title"], daily["schedule"]) == ("Rain gauges", {"cron": None, "interval": "1d"})
    assert daily["lastRun"]["id"] == second.id
    assert [run["id"] for run in daily["trend"]] == [first.id, second.id]
    assert daily["trend"][0]["counts"]["new"] == 3
    assert daily["lastRun"]["counts"]["same"] == 3
    assert (rests["paused"], rests["pausedBy"], rests["nextRun"]) == (True, "file", None)
    assert (by_hand["schedule"], by_hand["lastRun"], by_hand["trend"]) == (None, None, [])

    run = control.get(f"/harvest/runs/{first.id}")
    assert (run["state"], run["full"], run["silent"]) == ("complete", True, False)
    assert [one["origin"].rpartition("/")[2] for one in run["refusals"]] == ["spoilt.xml"]
    assert run["refusals"][0]["reason"]
    assert "position" not in run


def test_a_source_that_only_was_harvested_is_listed_too(control: Control) -> None:
    control.harvest("by-cli")
    last = next(one for one in control.get("/harvest/sources")["sources"][3:] if one["id"] == "by-cli")
    assert (last["id"], last["configured"], last["schedule"]) == ("by-cli", False, None)
    assert control.get("/harvest/sources/by-cli")["lastRun"]["counts"]["refused"] == 1
    assert control.get("/harvest/sources/nobody", 404)["status"] == 404


def test_runs_are_paged_through_once_the_youngest_first(control: Control) -> None:
    ids = [control.harvest(source).id for source in ("paged", "other", "paged", "other", "paged")]
    found, address = [], "/harvest/runs?limit=2"
    while address:
        page = control.get(address)
        found += [run["id"] for run in page["runs"]]
        address = next((one["href"] for one in page["links"] if one["rel"] == "next"), "")
    assert found[:5] == ids[::-1]
    assert len(found) == len(set(found))
    assert [run["id"] for run in control.get("/harvest/runs?source=other")["runs"]] == [ids[3], ids[1]]
    assert control.get("/harvest/runs?state=failed")["runs"] == []


def test_a_paused_source_leaves_the_schedule_until_it_is_resumed(control: Control) -> None:
    change = lambda source, paused: control.http.patch(  # noqa: E731
        f"/harvest/sources/{source}", json={"paused": paused}, headers=ADMIN
    )
    resumed = change("daily", False).get_json()  # never paused: the schedule is written all the same
    assert resumed["nextRun"].endswith("Z")
    paused = change("daily", True).get_json()
    assert (paused["paused"], paused["pausedBy"], paused["nextRun"]) == (True, "steward", None)
    assert control.get("/harvest/sources")["sources"][0]["pausedBy"] == "steward"
    assert change("daily", False).get_json()["pausedBy"] is None
    assert change("rests", False).status_code == 409
    assert change("nobody", True).status_code == 404


def test_the_next_run_counts_from_the_last_one(control: Control) -> None:
    control.http.patch("/harvest/sources/daily", json={"paused": False}, headers=ADMIN)
    app = create_celery(worker_config(control.settings), lambda: pytest.fail("no task runs here"))
    entry = RedBeatSchedulerEntry.from_key(f"{app.conf.redbeat_key_prefix}harvest:daily", app=app)
    now = datetime.now(UTC)
    entry.reschedule(now - timedelta(hours=6))
    due = datetime.fromisoformat(control.get("/harvest/sources/daily")["nextRun"])
    assert abs(due - (now + timedelta(hours=18))) < timedelta(minutes=2)


def test_run_now_is_queued_once_and_refused_while_one_is_under_way(control: Control) -> None:
    start = lambda source: control.http.post("/harvest/runs", json={"source": source}, headers=ADMIN)  # noqa: E731
    before = control.queued()
    answer = start("by-hand")
    assert answer.status_code == 202
    assert answer.headers["Location"].endswith(f"/harvest/runs/{answer.get_json()['run']}")
    assert control.queued() == before + 1
    with Leases.connect(control.settings.broker_url, control.prefix).hold("by-hand") as lease:
        assert lease is not None
        assert start("by-hand").status_code == 409
    assert start("nobody").status_code == 404
    assert control.queued() == before + 1


def test_an_accepted_run_is_found_before_a_worker_has_stored_it(control: Control) -> None:
    accepted = control.http.post("/harvest/runs", json={"source": "by-hand"}, headers=ADMIN).get_json()["run"]
    waiting = control.get(f"/harvest/runs/{accepted}")
    assert (waiting["source"], waiting["state"]) == ("by-hand", "queued")
    assert "No worker" in waiting["message"]

    def blocked() -> WorkerParts:
        raise WritesBlocked("Elasticsearch accepts no writes: index.blocks.write is set.")

    config = worker_config(control.settings)
    app = create_celery(config, blocked)
    app.tasks[HARVEST_TASK].apply(args=["by-hand", None], task_id=accepted, throw=False)  # with all its retries
    told = control.get(f"/harvest/runs/{accepted}")
    assert (told["state"], told["message"]) == ("failed", "Elasticsearch accepts no writes: index.blocks.write is set.")
    control.get("/harvest/runs/nobody-asked-for-it", status=404)


def test_the_quality_report_is_told_and_shown(control: Control) -> None:
    control.harvest()
    report = control.get("/harvest/sources/daily/quality")
    assert report["records"] == 3
    assert {"what": "an extent", "count": 3}.items() <= next(
        gap for gap in report["missing"] if gap["what"] == "an extent"
    ).items()
    page = control.http.get("/harvest/sources/daily/quality?f=html", headers=ADMIN)
    assert page.mimetype == "text/html"
    assert "sandbox" in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/harvest/sources", None),
        ("GET", "/harvest/sources/daily", None),
        ("PATCH", "/harvest/sources/daily", {"paused": True}),
        ("GET", "/harvest/sources/daily/quality", None),
        ("GET", "/harvest/sources/daily/holdings", None),
        ("DELETE", "/harvest/sources/daily", None),
        ("GET", "/harvest/runs", None),
        ("POST", "/harvest/runs", {"source": "daily"}),
        ("GET", "/harvest/runs/any", None),
    ],
)
def test_only_stewards_see_and_touch_it(control: Control, method: str, path: str, body: dict[str, Any] | None) -> None:
    before = control.queued()
    asked = {"method": method, "json": body} if body else {"method": method}
    assert control.http.open(path, **asked).status_code == 401
    assert control.http.open(path, **asked, headers={"Authorization": "Bearer write"}).status_code == 403
    assert control.queued() == before


def test_without_the_broker_what_is_known_is_shown_and_said_to_be_less(
    control: Control, samples: Service, tmp_path: Path
) -> None:
    control.harvest()
    alone = made(samples, control.prefix, tmp_path, "redis://127.0.0.1:1/0")
    body = alone.get("/harvest/sources")
    assert body["sonde:degraded"] == ["schedule"]
    assert body["sources"][0]["lastRun"]["counts"]["seen"] == 4
    answer = alone.http.post("/harvest/runs", json={"source": "daily"}, headers=ADMIN)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]


def test_a_source_is_removed_by_a_steward_and_the_rest_by_a_worker_even_after_a_crash(
    samples: Service, prefix: str, tmp_path: Path, broker_url: str
) -> None:
    control = made(samples, prefix, tmp_path, broker_url)
    config = worker_config(control.settings)
    refuse = lambda *_: pytest.fail("no harvest, no document")  # noqa: E731
    app = create_celery(config, lambda: WorkerParts(control.client, refuse, refuse))
    delete = lambda source: control.http.delete(f"/harvest/sources/{source}", headers=ADMIN)  # noqa: E731
    control.harvest("daily")
    control.harvest("by-hand")
    counted = control.get("/harvest/sources/daily/holdings")
    assert counted == {
        "source": "daily", "configured": True, "records": 3, "documents": 0, "tombstones": 0, "runs": 1,
    }  # fmt: skip
    app.tasks[REMOVE_TASK].apply(args=["daily"], throw=False, retries=_LAST_RETRY)
    assert control.get("/harvest/sources/daily/holdings")["records"] == 3, "its entry is still there"
    with Leases.connect(broker_url, prefix).hold("daily"):
        assert delete("daily").status_code == 409
    before = control.queued()
    answer = delete("daily")
    assert (answer.status_code, answer.get_json()) == (202, counted)
    assert control.queued() == before + 1
    assert "daily" not in load_sources(control.settings.harvest.sources)
    assert control.get("/harvest/sources/daily/holdings")["configured"] is False

    control.client.delete_by_query(  # a worker died half way
        index=f"{prefix}-records,{prefix}-runs", query={"term": {"source": "daily"}}, refresh=True
    )
    assert "daily" in Ledger(control.client, prefix).sources(), "so that it can be removed again"
    app.tasks[REMOVE_TASK].apply(args=["daily"])
    control.client.indices.refresh(index=f"{prefix}-*")
    for kind, kept in (("records", 3), ("natives", 3), ("ledger", 4), ("runs", 1)):
        counts = [
            control.client.count(index=f"{prefix}-{kind}", query={"term": {"source": source}})["count"]
            for source in ("daily", "by-hand")
        ]
        assert (kind, counts) == (kind, [0, kept])
    assert delete("daily").status_code == 404
    delete_indices(control.client, prefix)


def test_a_sources_file_that_cannot_be_written_is_named_and_nothing_goes(
    control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "write_text", refuse)
    answer = control.http.delete("/harvest/sources/rests", headers=ADMIN)
    assert answer.status_code == 409
    assert "sources.yaml cannot be written here (Permission denied)" in answer.get_json()["detail"]
    assert control.get("/harvest/sources/rests")["configured"] is True
