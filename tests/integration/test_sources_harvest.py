"""Tombstones, incremental runs, short listings and manners, with real servers and a real Elasticsearch."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD, KINDS_OF_A_HARVEST, document

from core.deadlines import CircuitOpen
from core.errors import NotFound, Unavailable
from es_mappings.codecs.runs import RunReport
from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.harvest.restore import restore
from indexer.parts import HarvestParts, Options
from indexer.raw import RawPage, RawRecord
from indexer.remove.tombstones import list_removed, purge
from indexer.sources.politeness import RequestPolicy
from lab.chaos.harvests import open_csw, titles
from lab.chaos.proxies import FaultPlan, fault_proxy
from net.exchange import HttpAnswer
from tests.servers.asking import fetcher_of
from tests.servers.catalogue_files import write_records
from tests.servers.pycsw2 import pycsw


@dataclass
class Listing:
    """A source that gives these pages."""

    given: list[RawPage]

    def pages(self, position: str | None = None) -> Iterator[RawPage]:  # noqa: ARG002
        yield from self.given


def raws(*names: str) -> tuple[RawRecord, ...]:
    return tuple(RawRecord(name, document(name).encode(), f"http://h/{name}") for name in names)


@pytest.fixture
def parts(es_client: Elasticsearch, prefix: str) -> HarvestParts:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)
    return HarvestParts(es_client, prefix)


def run(parts: HarvestParts, *pages: RawPage, **options: object) -> RunReport:
    return harvest("s", Listing(list(pages)), parts, Options(**options))  # type: ignore[arg-type]


def ids(parts: HarvestParts) -> list[str]:
    return sorted(id for id, _ in titles(parts, "s"))


@pytest.mark.elasticsearch
def test_a_tombstone_removes_at_once_and_what_is_removed_comes_back_by_hand(parts: HarvestParts) -> None:
    run(parts, RawPage(raws("a", "b", "c")))

    report = run(parts, RawPage((), deleted=("b", "never-seen")), since="2024-01-01T00:00:00Z")

    assert (report.state, report.counts.removed) == ("complete", 1)
    assert ids(parts) == ["s:a", "s:c"], "a run of changes removes what is called deleted, and nothing else"
    assert [tomb.native_id for tomb in list_removed(parts.client, parts.prefix, "s")] == ["b"]
    assert restore("s", ["b"], parts, Options()).counts.new == 1
    assert ids(parts) == ["s:a", "s:b", "s:c"]

    run(parts, RawPage(raws("a", "c")))
    assert ids(parts) == ["s:a", "s:b", "s:c"], "a sweep spares it"
    run(parts, RawPage(raws("a", "b", "c")))
    run(parts, RawPage(raws("a", "c")), allow_mass_removal=True)
    assert ids(parts) == ["s:a", "s:c"], "the source has shown it since: it is as any other"


@pytest.mark.elasticsearch
def test_what_was_removed_long_ago_is_purged(parts: HarvestParts) -> None:
    run(parts, RawPage(raws("a", "b")))
    run(parts, RawPage(raws("a"), deleted=("b",)), since="2024-01-01T00:00:00Z")
    assert purge(parts.client, parts.prefix) == 0, "30 days are not over"

    assert purge(parts.client, parts.prefix, retention=timedelta(0)) == 1

    with pytest.raises(NotFound, match="b: not among the removed"):
        restore("s", ["b"], parts, Options())
    assert not parts.client.exists(index=f"{parts.prefix}-natives", id="s:b")
    assert parts.client.exists(index=f"{parts.prefix}-natives", id="s:a")


@pytest.mark.elasticsearch
def test_a_run_that_saw_fewer_than_the_source_counts_removes_nothing(parts: HarvestParts) -> None:
    run(parts, RawPage(raws("a", "b", "c")))
    short = run(parts, RawPage(raws("a", "a", "b")), RawPage((), matched=3), allow_mass_removal=True)
    assert short.state == "failed"
    assert short.message is not None
    assert "says it has 3 records and gave 2" in short.message
    assert ids(parts) == ["s:a", "s:b", "s:c"]


@pytest.mark.elasticsearch
def test_a_new_record_that_elasticsearch_refuses_counts_as_given(parts: HarvestParts) -> None:
    run(parts, RawPage(raws("a", "b")))
    too_long = RawRecord("c", document("x" * 33_000).encode(), "http://h/c")
    report = run(parts, RawPage((*raws("a"), too_long)), RawPage((), matched=2), allow_mass_removal=True)
    assert (report.state, report.counts.failed, report.counts.removed) == ("complete", 1, 1)
    assert ids(parts) == ["s:a"]


@pytest.mark.elasticsearch
def test_a_real_pycsw_behind_the_fault_proxy_gives_exactly_its_records(parts: HarvestParts, tmp_path: Path) -> None:
    expected = write_records(tmp_path / "records", 240)
    with pycsw(tmp_path / "server", tmp_path / "records", maxrecords=20) as url:
        plan = FaultPlan(seed=7, share=0.35)
        with fault_proxy(url, plan) as spoilt:
            report = harvest("s", open_csw(spoilt), parts)
    assert report.state == "complete"
    assert ids(parts) == [f"s:{id}" for id in expected]
    assert plan.done.total() >= 3


@dataclass
class Moody:
    """A server that answers these states in turn, then 200; it remembers when and with what it was asked."""

    states: list[int]
    seen: list[dict[str, str]] = field(default_factory=list)


@pytest.fixture
def moody() -> Iterator[tuple[Moody, str]]:
    mood = Moody([])

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            mood.seen.append({name.lower(): value for name, value in self.headers.items()})
            status = mood.states.pop(0) if mood.states else 200
            self.send_response(status)
            if status in (429, 503):
                self.send_header("retry-after", "9999" if status == 503 else "0")
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield mood, f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def text(answer: HttpAnswer) -> str:
    return answer.content.decode()


def test_passing_trouble_is_sat_out_and_a_long_retry_after_ends_the_run(moody: tuple[Moody, str]) -> None:
    mood, url = moody
    mood.states = [500, 429, 502]
    assert fetcher_of(url).get(url, text) == "ok"
    assert len(mood.seen) == 4

    mood.states = [503]
    with pytest.raises(Unavailable, match="9999 s"):
        fetcher_of(url).get(url, text)
    assert len(mood.seen) == 5, "it was not asked again"


def test_a_source_that_keeps_failing_is_left_alone(moody: tuple[Moody, str]) -> None:
    mood, url = moody
    mood.states = [500] * 100
    fetcher = fetcher_of(url, RequestPolicy(per_second=1000, attempts=2, first_pause_s=0.001, breaker_failures=3))
    for _ in range(3):
        with pytest.raises(Unavailable):
            fetcher.get(url, text)
    asked = len(mood.seen)
    with pytest.raises(CircuitOpen):
        fetcher.get(url, text)
    assert len(mood.seen) == asked == 6


def test_a_secret_goes_to_the_source_and_nowhere_else(moody: tuple[Moody, str]) -> None:
    mood, url = moody
    fetcher = fetcher_of("http://127.0.0.1:1/", credentials={"authorization": "Bearer x"})
    fetcher.get(url, text)
    assert "authorization" not in mood.seen[0]
    own = fetcher_of(url, credentials={"authorization": "Bearer x"})
    own.get(f"{url}deeper", text)
    assert mood.seen[1]["authorization"] == "Bearer x"
