"""Real workers and beat as processes, a real broker and a real Elasticsearch: killed, begun again, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeVar

import pytest
import redis
from celery import Celery
from elasticsearch import Elasticsearch
from redbeat import RedBeatSchedulerEntry
from small_catalogue import CARD, KINDS_OF_A_HARVEST, HashingEmbedder, write_catalogue

from es_mappings.codecs.runs import RunReport
from es_mappings.indices import ensure_indices
from evaluation.local_server import serve
from indexer.harvest.harvest import harvest, open_run
from indexer.parts import HarvestParts, Options, RunTaken
from indexer.sources.folder import FolderSource
from indexer.store.runs import Runs
from indexer.write.embed import count_missing
from sonde.ops.one_machine import stack_of
from sonde.settings import Settings
from workers.app import create_celery
from workers.broker import queue_ages
from workers.config import DOCUMENTS_TASK, HARVEST_TASK, QUEUES, READ_TASK, WorkerConfig, WorkerParts
from workers.jobs import start_harvest
from workers.lease import Leases
from workers.schedule import sync_schedules
from workers.slices import Worker
from workers.source_config import Schedule, SourceConfig, load_sources

pytestmark = [pytest.mark.elasticsearch, pytest.mark.broker]

_HERE = Path(__file__).resolve().parent
_PATIENCE_S = 90.0
T = TypeVar("T")


@dataclass
class Yard:
    """A prefix with a sources file, and processes that end with the test."""

    client: Elasticsearch
    elasticsearch_url: str
    broker_url: str
    prefix: str
    folder: Path
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def runs(self) -> Runs:
        return Runs(self.client, self.prefix)

    @property
    def sources(self) -> Path:
        return self.folder / "sources.yaml"

    def config(self) -> WorkerConfig:
        return WorkerConfig(
            self.broker_url, self.prefix, self.sources, visibility_timeout_s=20, slice_s=2, lease_s=2, heartbeat_s=0.5
        )

    def app(self) -> Celery:
        return create_celery(self.config(), self.parts)

    def parts(self) -> WorkerParts:
        embedder = HashingEmbedder()
        open_source = lambda source, _: FolderSource(source.folder, page_size=20)  # noqa: E731
        return WorkerParts(self.client, open_source, lambda _: None, embedder.load)

    def worker(self) -> Worker:
        return Worker.of(self.config(), self.parts())

    def start(self, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
        """``celery -A worker_app ...`` as the head of a process group of its own; ``more``: of its environment."""
        environment = os.environ | {
            "PYTHONPATH": f"{_HERE}{os.pathsep}{_HERE.parent.parent}",
            "TEST_ELASTICSEARCH": self.elasticsearch_url,
            "TEST_BROKER": self.broker_url,
            "TEST_PREFIX": self.prefix,
            "TEST_SOURCES": str(self.sources),
            **more,
        }
        command = [sys.executable, "-m", "celery", "-A", "worker_app", *arguments]
        with (self.folder / "celery.log").open("ab") as log:
            process = subprocess.Popen(
                command, env=environment, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )
        self.running.append(process)
        return process

    def start_worker(self) -> subprocess.Popen[bytes]:
        return self.start("worker", "-Q", "harvest,embed", "-c", "1", "--without-gossip", "--without-mingle")

    def start_beat(self) -> subprocess.Popen[bytes]:
        return self.start("beat", "--pidfile=")

    def end(self) -> None:
        for process in self.running:
            kill_group(process)

    def records(self) -> list[str]:
        self.client.indices.refresh(index=f"{self.prefix}-records")
        found = self.client.search(index=f"{self.prefix}-records", size=5000, source=False)
        return sorted(hit["_id"] for hit in found["hits"]["hits"])


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to the process and its children: what a power cut does."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_for(what: Callable[[], T | None]) -> T:
    """The first true answer; fails the test where none comes."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.1)
    pytest.fail("it did not happen in time")


@pytest.fixture
def yard(
    es_client: Elasticsearch, elasticsearch_url: str, broker_url: str, prefix: str, tmp_path: Path
) -> Iterator[Yard]:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)
    made = Yard(es_client, elasticsearch_url, broker_url, prefix, tmp_path)
    yield made
    made.end()
    with redis.Redis.from_url(broker_url) as client:
        for key in client.scan_iter(f"{prefix}:*"):
            client.delete(key)


def one_source(yard: Yard, number: int, *, pause_s: float = 0.0) -> None:
    write_catalogue(yard.folder / "catalogue", number)
    yard.sources.write_text(
        f"sources:\n  - {{id: s, type: folder, path: catalogue, options: {{pause_s: {pause_s}}}}}\n", "utf-8"
    )


def half_way(yard: Yard, run: str, seen: int) -> RunReport | None:
    report = yard.runs.load(run)
    return report if report is not None and report.counts.seen >= seen else None


def ended(yard: Yard, run: str) -> RunReport | None:
    report = yard.runs.load(run)
    return report if report is not None and report.state == "complete" else None


@pytest.mark.timeout(240)
def test_a_worker_killed_in_mid_run_loses_and_doubles_nothing(yard: Yard) -> None:
    one_source(yard, 600, pause_s=0.15)
    yard.start_beat()
    first = yard.start_worker()
    run = start_harvest(yard.app(), "s")
    killed_at = wait_for(lambda: half_way(yard, run, 120))
    kill_group(first)
    assert len(yard.records()) < 600

    yard.start_worker()
    report = wait_for(lambda: ended(yard, run))

    assert yard.records() == [f"s:id-{index:04d}" for index in range(600)]
    assert report.counts.seen == 600
    assert report.counts.removed == report.counts.duplicates == report.counts.failed == 0
    assert report.slices > killed_at.slices
    assert [found.id for found in yard.runs.latest("s")] == [run]


@pytest.mark.timeout(240)
def test_a_requested_harvest_starts_although_documents_wait(yard: Yard) -> None:
    """The workers of `sonde up`, with nobody for the documents: as if all who read them were held up."""
    one_source(yard, 40)
    app = yard.app()
    for number in range(20):
        app.send_task(READ_TASK, args=[f"document-{number}"])
        app.send_task(DOCUMENTS_TASK, args=["s"])
    run = start_harvest(app, "s")
    services = stack_of(Settings(stack={"folder": yard.folder / "stack"})).services  # type: ignore[arg-type]
    taken = {one.name: one.argv[one.argv.index("-Q") + 1] for one in services if "-Q" in one.argv}
    assert sorted(queue for queues in taken.values() for queue in queues.split(",")) == sorted(QUEUES)
    (mine,) = [queues for queues in taken.values() if "harvest" in queues.split(",")]
    yard.start("worker", "-Q", mine, "-c", "1", "--without-gossip", "--without-mingle")
    assert wait_for(lambda: ended(yard, run)).counts.seen == 40
    with redis.Redis.from_url(yard.broker_url) as broker:
        waiting = {each.queue: each.waiting for each in queue_ages(broker, yard.prefix)}
    assert (waiting["library"], waiting["documents"]) == (20, 20)


@pytest.mark.timeout(240)
def test_a_worker_that_is_asked_to_end_gives_its_harvest_back(yard: Yard) -> None:
    one_source(yard, 600, pause_s=0.15)
    first = yard.start_worker()
    run = start_harvest(yard.app(), "s")
    wait_for(lambda: half_way(yard, run, 60))

    first.send_signal(signal.SIGTERM)

    assert first.wait(_PATIENCE_S) == 0
    left = yard.runs.load(run)
    assert left is not None
    assert left.state != "complete"
    with yard.worker().leases.hold("s") as lease:
        assert lease is not None, "nobody holds the source"
    yard.start_worker()  # and no beat: what is left to do waits in the queue
    assert wait_for(lambda: ended(yard, run)).counts.seen == 600
    assert yard.records() == [f"s:id-{index:04d}" for index in range(600)]


@pytest.mark.timeout(240)
def test_a_killed_child_of_a_worker_is_made_good(yard: Yard) -> None:
    one_source(yard, 200, pause_s=0.15)
    yard.start_beat()
    yard.start_worker()
    run = start_harvest(yard.app(), "s")
    report = wait_for(lambda: half_way(yard, run, 40))

    os.kill(int(report.worker.rpartition(":")[2]), signal.SIGKILL)

    assert wait_for(lambda: ended(yard, run)).counts.seen == 200
    assert len(yard.records()) == 200


def test_a_late_message_does_nothing(yard: Yard) -> None:
    one_source(yard, 30)
    worker = yard.worker()
    assert worker.harvest_slice("s", None, "message-1").ending == "ended"
    written = yard.runs.load("message-1")

    assert worker.harvest_slice("s", None, "message-1").ending == "finished_before"
    assert worker.harvest_slice("s", "message-1", "message-2").ending == "finished_before"
    assert worker.harvest_slice("s", "never-was", "message-3").ending == "finished_before"
    assert worker.harvest_slice("gone-from-the-file", None, "message-4").ending == "unknown_source"
    assert yard.runs.latest() == [written]


def test_messages_that_waited_for_a_worker_begin_one_run(yard: Yard) -> None:
    one_source(yard, 30)
    worker, queued_s = yard.worker(), time.time()
    run = harvest("s", FolderSource(yard.folder / "catalogue"), HarvestParts(yard.client, yard.prefix))
    assert worker.harvest_slice("s", None, "waited", queued_s).ending == "busy"
    assert [latest.id for latest in yard.runs.latest("s")] == [run.id]
    worker.harvest_slice("s", None, "later", time.time())
    assert [latest.id for latest in yard.runs.latest("s")] == ["later", run.id]


def test_a_source_that_a_live_worker_holds_is_left_to_it(yard: Yard) -> None:
    one_source(yard, 30)
    with yard.worker().leases.hold("s"):
        assert yard.worker().harvest_slice("s", None, "message").ending == "busy"
    assert yard.runs.latest() == []
    assert yard.worker().harvest_slice("s", None, "message").ending == "ended"


def test_an_unfinished_run_is_gone_on_with_before_a_new_one_begins(yard: Yard) -> None:
    one_source(yard, 30)
    yard.runs.save(open_run("s", Options(), id="left"))

    result = yard.worker().harvest_slice("s", None, "message")

    assert (result.ending, result.run) == ("continues", "left")
    assert yard.worker().harvest_slice("s", "left", "message-2").ending == "ended"
    assert [run.id for run in yard.runs.latest("s")] == ["left"]


def test_vectors_that_are_missing_are_filled_by_the_worker(yard: Yard) -> None:
    one_source(yard, 30)
    without = HarvestParts(yard.client, yard.prefix)
    harvest("s", FolderSource(yard.folder / "catalogue"), without)
    assert count_missing("s", without) == 30

    assert yard.worker().fill_vectors("s") is False  # nothing is left to do

    assert count_missing("s", without) == 0


def test_a_lapsed_run_is_queued_once_until_somebody_takes_it(yard: Yard) -> None:
    one_source(yard, 30)
    worker = yard.worker()
    silent = open_run("s", Options(), id="silent")
    yard.runs.save(silent)
    assert worker.lapsed_runs() == []  # its heartbeat is young

    wait_for(worker.lapsed_runs)  # 2 x lease_s later
    assert worker.lapsed_runs() == []
    with worker.leases.hold("s"):
        worker.leases.clear_requeued("silent")
        assert worker.lapsed_runs() == []
    assert [run.id for run in worker.lapsed_runs()] == ["silent"]


def test_a_sign_of_life_from_the_future_is_none(yard: Yard) -> None:
    one_source(yard, 30)
    later = (datetime.now(UTC) + timedelta(hours=2)).isoformat(timespec="milliseconds")
    yard.runs.save(replace(open_run("s", Options(), id="ahead"), heartbeat=later))  # then the clock was set back

    assert [run.id for run in yard.worker().lapsed_runs()] == ["ahead"]


def test_a_lease_is_kept_by_its_heartbeat_and_lost_without(yard: Yard) -> None:
    leases = Leases.connect(yard.broker_url, yard.prefix, lease_s=0.5, heartbeat_s=0.1)
    with leases.hold("s") as lease:
        assert lease is not None
        time.sleep(1.2)  # more than two leases
        lease.guard()
        with leases.hold("s") as second:
            assert second is None
        leases.client.set(lease.key, "somebody else")
        wait_for(lambda: lease._lost)
        with pytest.raises(RunTaken):
            lease.guard()
    assert leases.client.get(lease.key) == b"somebody else"  # released is only what is ours


def test_without_broker_the_lease_lapses_on_our_side_too(yard: Yard) -> None:
    leases = Leases.connect(yard.broker_url, yard.prefix, lease_s=0.3, heartbeat_s=60)
    with leases.hold("s") as lease:
        assert lease is not None
        lease.guard()
        time.sleep(0.4)
        with pytest.raises(RunTaken):
            lease.guard()


def test_schedules_follow_the_file(yard: Yard) -> None:
    app = yard.app()
    daily = SourceConfig(id="a", type="folder", path=Path("a"), schedule=Schedule(cron="0 3 * * *"))
    often = SourceConfig(id="b", type="folder", path=Path("b"), schedule=Schedule(interval="6h"))
    by_hand = SourceConfig(id="c", type="folder", path=Path("c"))
    every = {source.id: source for source in (daily, often, by_hand)}

    assert sync_schedules(app, every) == ["a", "b"]
    assert sync_schedules(app, every) == []
    changed = {"b": often.model_copy(update={"schedule": Schedule(interval="1h")})}
    assert sync_schedules(app, changed) == ["a", "b"]

    key = f"{app.conf.redbeat_key_prefix}harvest:"
    entry = RedBeatSchedulerEntry.from_key(f"{key}b", app=app)
    assert (entry.task, entry.args, entry.schedule.run_every.total_seconds()) == (HARVEST_TASK, ["b", None], 3600)
    with pytest.raises(KeyError):
        RedBeatSchedulerEntry.from_key(f"{key}a", app=app)


@pytest.mark.timeout(240)
def test_beat_harvests_a_source_by_its_schedule_and_sees_the_file_change(yard: Yard) -> None:
    write_catalogue(yard.folder / "catalogue", 5)
    yard.sources.write_text("sources: []\n", "utf-8")
    yard.start_beat()
    yard.start_worker()
    time.sleep(1)

    line = "{id: s, type: folder, path: catalogue, schedule: {interval: 1s}}"
    yard.sources.write_text(f"sources:\n  - {line}\n", "utf-8")

    wait_for(lambda: len(yard.records()) == 5)
    assert list(load_sources(yard.sources)) == ["s"]


@contextmanager
def _killed_midway(yard: Yard) -> Iterator[None]:
    """A harvest without broker, in a process of its own, SIGKILLed when some batches are in."""
    code = (
        "import worker_app as w\nfrom indexer.harvest.harvest import harvest\n"
        "from indexer.parts import HarvestParts, Options\n"
        "from workers.source_config import load_sources\np = w.parts()\ns = load_sources(w.config.sources)['s']\n"
        "harvest('s', w.open_source(s, None), HarvestParts(p.client, w.config.prefix, p.embedder), Options(batch=20))\n"
    )
    environment = os.environ | {
        "PYTHONPATH": f"{_HERE}{os.pathsep}{_HERE.parent.parent}",
        "TEST_ELASTICSEARCH": yard.elasticsearch_url,
        "TEST_BROKER": yard.broker_url,
        "TEST_PREFIX": yard.prefix,
        "TEST_SOURCES": str(yard.sources),
    }
    process = subprocess.Popen([sys.executable, "-c", code], env=environment, start_new_session=True)
    try:
        wait_for(lambda: (run := yard.runs.find_unfinished("s")) is not None and run.counts.seen >= 60)
    finally:
        kill_group(process)
    yield


def test_beat_has_a_worker_look_after_the_links(yard: Yard) -> None:
    with serve(ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)) as url:
        (yard.folder / "files").mkdir()
        text = (
            '<csw:Record xmlns:csw="http://www.opengis.net/cat/csw/2.0.2" xmlns:dc="http://purl.org/dc/elements/1.1/" '
            'xmlns:dct="http://purl.org/dc/terms/"><dc:identifier>a</dc:identifier><dc:title>Tides</dc:title>'
            f"<dct:references>{url}/not-there</dct:references></csw:Record>"
        )
        (yard.folder / "files" / "a.xml").write_text(text, "utf-8")
        yard.sources.write_text("sources:\n  - {id: s, type: folder, path: files}\n", "utf-8")
        harvest("s", FolderSource(yard.folder / "files"), HarvestParts(yard.client, yard.prefix))
        yard.start("worker", "-Q", "harvest,documents", "-c", "1", "--without-gossip", "--without-mingle")
        yard.start("beat", "--pidfile=", TEST_LINKS_EVERY_S="1")

        run = wait_for(lambda: next((run for run in yard.runs.latest("links:s") if run.state == "complete"), None))

    assert (run.counts.seen, run.counts.refused) == (1, 1)
    assert run.refusals[0].reason == "HTTP status 404"


def test_a_harvest_killed_without_broker_is_gone_on_with_by_the_next(yard: Yard) -> None:
    one_source(yard, 200, pause_s=0.1)
    with _killed_midway(yard):
        left = yard.runs.find_unfinished("s")
    assert left is not None

    result = yard.worker().harvest_slice("s", left.id, "by hand")

    assert result.ending == "ended"
    assert yard.records() == [f"s:id-{index:04d}" for index in range(200)]
    report = yard.runs.load(left.id)
    assert report is not None
    assert (report.counts.seen, report.counts.new + report.counts.same) == (200, 200)
