"""CSW servers that lie about their count or their length: everything is harvested, and nobody asks without end."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD, KINDS_OF_A_HARVEST, document

from es_mappings.codecs.runs import RunReport
from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from lab.chaos.harvests import CswServer, _Handler, open_csw

pytestmark = pytest.mark.elasticsearch


@dataclass
class Liar:
    """``records`` are there, ``counted`` says the server."""

    records: int
    counted: int
    asked: list[int] = field(default_factory=list)

    def __call__(self, start: int, size: int) -> tuple[int, list[str]]:
        self.asked.append(start)
        some = range(start, min(start + size, self.records))
        return self.counted, [document(f"r{n:03d}").partition("?>")[2] for n in some]


class _Refusing(_Handler):
    """Behind its last record it answers with an exception."""

    def _send(self, text: str) -> None:
        empty = 'numberOfRecordsReturned="0"' in text
        super()._send(
            '<ExceptionReport xmlns="http://www.opengis.net/ows">no such position</ExceptionReport>' if empty else text
        )


class _WrongLength(_Handler):
    """Compressed answers have the length of the plain ones, as pycsw 2.6's."""

    def _send(self, text: str) -> None:
        plain = text.encode()
        packed = "gzip" in self.headers.get("accept-encoding", "")
        self.send_response(200)
        self.send_header("content-type", "application/xml")
        self.send_header("content-length", str(len(plain)))
        self.send_header("connection", "close")
        if packed:
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        self.wfile.write(gzip.compress(plain) if packed else plain)
        self.close_connection = True


@contextmanager
def served(liar: Liar, handler: type[Any] = _Handler) -> Iterator[str]:
    server = CswServer(liar, cap=100)
    server.RequestHandlerClass = handler
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/csw"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def parts(es_client: Elasticsearch, prefix: str) -> HarvestParts:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)
    return HarvestParts(es_client, prefix)


def harvested(parts: HarvestParts, liar: Liar, handler: type[Any] = _Handler) -> RunReport:
    with served(liar, handler) as url:
        return harvest("s", open_csw(url), parts)


@pytest.mark.parametrize("counted", [100, 1, 250])
def test_a_count_that_is_too_low_on_the_first_harvest_hides_nothing(parts: HarvestParts, counted: int) -> None:
    report = harvested(parts, Liar(300, counted))
    assert (report.state, report.counts.new, report.total) == ("complete", 300, 300)


def test_a_server_that_counts_right_is_asked_once_more_only_where_its_last_page_is_full(parts: HarvestParts) -> None:
    full, part = Liar(200, 200), Liar(250, 250)
    assert harvested(parts, full).counts.new == 200
    harvested(parts, part)
    # the first request of each tries out the dialect
    assert (full.asked, part.asked) == ([0, 0, 100, 200], [0, 0, 100, 200])


@pytest.mark.parametrize("handler", [_Handler, _Refusing])
def test_a_count_that_is_too_high_costs_few_requests_and_is_named(parts: HarvestParts, handler: type[Any]) -> None:
    liar = Liar(300, 600)
    report = harvested(parts, liar, handler)
    parts.client.indices.refresh(index=f"{parts.prefix}-records")
    assert (report.state, parts.client.count(index=f"{parts.prefix}-records")["count"]) == ("failed", 300)
    assert report.message is not None
    assert report.message.startswith("The source says it has 6")
    assert len(liar.asked) <= 60


def test_where_a_compressed_answer_has_the_wrong_length_it_is_asked_for_without_compression(
    parts: HarvestParts,
) -> None:
    report = harvested(parts, Liar(150, 150), _WrongLength)
    assert (report.state, report.counts.new) == ("complete", 150)
