"""Links of records: the broken ones are named with why and where, others are not, and a look is gone on with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from hypothesis import given
from hypothesis import strategies as st
from small_catalogue import CARD, KINDS_OF_A_HARVEST

from es_mappings.indices import ensure_indices
from evaluation.local_server import serve
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.quality.links import LinkParts, broken_reason, check_links, in_order
from indexer.quality.quality import measure, quality_page
from indexer.raw import RawPage, RawRecord
from indexer.sources.politeness import RequestPolicy
from net.gate import Gate, GatePolicy
from search_api.catalogue.harvest_runs import LinkChecks, RunReader
from workers.app import create_celery
from workers.config import WorkerConfig

QUICK = RequestPolicy(per_second=1000, concurrency=4, attempts=1)


@contextmanager
def answering() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A server whose paths are the statuses that it answers with; /head-405 knows GET only."""
    asked: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            asked.append(("HEAD", self.path))
            self._answer(405 if self.path == "/head-405" else int(self.path[1:4]))

        def do_GET(self) -> None:
            asked.append(("GET", self.path))
            self._answer(200 if self.path == "/head-405" else int(self.path[1:4]))

        def _answer(self, status: int) -> None:
            self.send_response(status)
            if status == 302:
                self.send_header("location", "/404")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    with serve(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        yield url, asked


def gate() -> Gate:
    return Gate(GatePolicy(allowed_hosts=frozenset({"127.0.0.1"}), timeout_s=20.0))


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/200", None),
        ("/head-405", None),
        ("/403", None),
        ("/401", None),
        ("/429", None),
        ("/404", "HTTP status 404"),
        ("/410", "HTTP status 410"),
        ("/500", "HTTP status 500"),
        ("/302", "HTTP status 404"),
    ],
)
def test_what_is_there_and_what_is_not(path: str, why: str | None) -> None:
    with answering() as (url, _):
        assert broken_reason(gate(), f"{url}{path}") == why


def test_nobody_listens_and_nobody_may_ask() -> None:
    assert "does not accept a connection" in str(broken_reason(gate(), "http://127.0.0.1:9/x"))
    assert broken_reason(Gate(GatePolicy()), "http://127.0.0.1:9/x") is not None, "a private address is not looked at"
    assert broken_reason(gate(), "http://") is not None


@given(st.dictionaries(st.text(min_size=1), st.just("r"), max_size=20), st.integers(0, 19))
def test_behind_any_position_the_rest_is_left(links: dict[str, str], index: int) -> None:
    whole = in_order(links, None)
    assert {one.href for one in whole} == set(links)
    if index < len(whole):
        assert in_order(links, whole[index].place) == whole[index + 1 :]


def dublin_core(id: str, *links: str) -> RawRecord:
    named = "".join(f"<dct:references>{link}</dct:references>" for link in links)
    text = (
        '<csw:Record xmlns:csw="http://www.opengis.net/cat/csw/2.0.2" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'xmlns:dct="http://purl.org/dc/terms/"><dc:identifier>{id}</dc:identifier><dc:title>{id}</dc:title>{named}'
        "</csw:Record>"
    )
    return RawRecord(id, text.encode(), id)


class Given:
    def __init__(self, *records: RawRecord) -> None:
        self.records = records

    def pages(self, position: str | None = None) -> Iterator[RawPage]:  # noqa: ARG002
        yield RawPage(self.records)


@pytest.mark.elasticsearch
def test_a_look_is_gone_on_with_and_the_report_names_what_is_broken(es_client: Elasticsearch, prefix: str) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)
    with answering() as (url, asked):
        good = [f"{url}/200?{n}" for n in range(40)]
        records = (dublin_core("a", f"{url}/404", *good), dublin_core("b", f"{url}/404", f"{url}/200?0"))
        assert harvest("s", Given(*records), HarvestParts(es_client, prefix)).counts.new == 2
        es_client.indices.refresh(index=f"{prefix}-records")
        parts = LinkParts(es_client, prefix, gate(), policy=QUICK)

        assert check_links("s", parts, seconds=0.0).state == "running", "no time: it goes on another time"
        report = check_links("s", parts, seconds=60.0)

        assert (report.state, report.counts.seen, report.counts.same, report.counts.refused) == ("complete", 41, 40, 1)
        assert sorted(path for method, path in asked if method == "HEAD") == sorted(
            ["/404", *(f"/200?{n}" for n in range(40))]
        ), "each link is asked for once"
        quality = measure(es_client, prefix, "s")
        assert (quality.links, quality.links_checked) == (41, report.finished)
        (finding,) = quality.broken_links
        assert (finding.what, finding.count) == ("HTTP status 404", 1)
        assert finding.examples == (f"{url}/404 (s:a)",)
        assert f"{url}/404" in quality_page(quality)
        offered = LinkChecks(RunReader(es_client, prefix))
        assert (offered.broken("s"), offered.broken("never-checked")) == ({f"{url}/404"}, frozenset())
        assert offered.of("never-checked") is None, "which is not the same as nothing broken"
        checked = offered.of("s")
        assert checked is not None
        assert [checked.works(f"{url}{path}", checked.started) for path in ("/404#part", "/200?1")] == [False, True]
        assert checked.works(f"{url}/200?1", checked.started + 1) is None, "written later, so perhaps another link"
        assert checked.works("ftp://data.example/1", checked.started) is None, "only web addresses are checked"
        assert replace(checked, names_all=False).works(f"{url}/200?1", checked.started) is None


def test_beat_looks_as_often_as_it_is_told_and_never_where_it_is_told_not_to() -> None:
    def schedule(every_s: float) -> dict[str, object]:
        config = WorkerConfig("redis://127.0.0.1:1/0", "t", Path("sources.yaml"), links_every_s=every_s)
        return dict(create_celery(config, lambda: pytest.fail("no part is needed yet")).conf.beat_schedule)

    assert schedule(86_400.0)["check-links"]["schedule"] == 86_400.0  # type: ignore[index]
    assert "check-links" not in schedule(0.0)
