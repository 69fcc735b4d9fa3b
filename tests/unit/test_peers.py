"""The peers' laboratory without other servers: records, questions, and clients against a small server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest

from core.errors import SondeError
from core.geo import BBox
from core.record import Keyword, Record
from core.timespan import TimeSpan
from lab.peers.questions import (
    elasticsearch_words,
    hits,
    measure,
    pygeoapi_words,
    questions,
    sonde_words,
    stac_words,
)
from lab.peers.servers import Backend, features

RECORD = Record(
    "ncar:a/1",
    "ncar",
    "a/1",
    "Sea ice",
    "Ice on the sea.",
    keywords=(Keyword("ice"),),
    extents=(BBox(-10, 60, 20, 80),),
    times=(TimeSpan.from_iso("1990-01-01", "2000-12-31"),),
)


def test_a_record_becomes_a_feature_with_one_box_and_one_period() -> None:
    (feature,) = features([RECORD, RECORD])
    assert feature["id"] == "a-1"
    assert feature["bbox"] == [-10, 60, 20, 80]
    assert feature["geometry"]["coordinates"] == [[[-10, 60], [20, 60], [20, 80], [-10, 80], [-10, 60]]]
    assert feature["properties"]["start_datetime"] == "1990-01-01T00:00:00Z"
    assert feature["properties"]["keywords"] == ["ice"]


@pytest.mark.parametrize(
    ("extents", "bbox"),
    [
        ((), [-180, -90, 180, 90]),
        ((BBox(170, -10, -170, 10),), [-180, -90, 180, 90]),
        ((BBox(10, 20, 10, 20),), [10, 20, 10.001, 20.001]),
        ((BBox(180, 20, 180, 20),), [-180, -90, 180, 90]),
    ],
)
def test_every_feature_has_a_box_with_an_area(extents: tuple[BBox, ...], bbox: list[float]) -> None:
    record = Record("x:y", "x", "y", "Title", extents=extents)
    (feature,) = features([record])
    assert feature["bbox"] == bbox
    assert feature["properties"]["end_datetime"].startswith("2100")


def test_a_period_before_the_calendar_begins_with_the_first_instant() -> None:
    record = Record("x:y", "x", "y", "Title", times=(TimeSpan.from_iso("-10000-01-01", "1950-01-01"),))
    (feature,) = features([record])
    assert feature["properties"]["datetime"] == "1800-01-01T00:00:00Z"
    assert feature["properties"]["end_datetime"].startswith("1950-01-01")


def test_the_questions_are_the_same_in_each_run_and_lie_on_the_earth() -> None:
    first = list(islice(questions(), 300))
    assert first == list(islice(questions(), 300))
    assert len(set(first)) > 250
    for question in first:
        west, south, east, north = map(float, question.bbox.split(","))
        assert -180 <= west < east <= 180
        assert -90 <= south < north <= 90


def test_each_server_is_asked_the_same_in_its_own_words() -> None:
    (question,) = islice(questions(), 1)
    asked = [pygeoapi_words(question), stac_words(question), sonde_words({"algorithm": "bm25"})(question)]
    for one in asked:
        given = parse_qs(urlsplit(one.path).query)
        assert given["q"] == [question.topic]
        assert given["bbox"] == [question.bbox]
        assert given["limit"] == ["10"]
    body = json.loads(elasticsearch_words(question).body or b"")
    assert body["query"]["bool"]["must"]["multi_match"]["query"] == question.topic
    assert body["size"] == 10


@contextmanager
def server(status: int, content: bytes) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


def test_clients_count_answers_a_second_and_failures() -> None:
    with server(200, b'{"features": [1, 2]}') as url:
        assert hits(url, stac_words, {}) == 2
        right = measure("it", url, stac_words, 2, 0.2, {})
    with server(500, b"") as url:
        wrong = measure("it", url, stac_words, 1, 0.1, {})
        with pytest.raises(SondeError, match="finds nothing"):
            hits(url, stac_words, {})
    assert right.failed == 0
    assert right.per_second > 0
    assert right.latency_ms is not None
    assert right.latency_ms.count >= 2
    assert wrong.latency_ms is None
    assert wrong.failed >= 1


def test_a_login_is_quoted_in_an_address_and_sent_as_a_header() -> None:
    backend = Backend("http://127.0.0.1:9200", "sonde", "a/b")
    assert backend.with_credentials == "http://sonde:a%2Fb@127.0.0.1:9200"
    assert backend.headers == {"authorization": "Basic c29uZGU6YS9i"}
    assert Backend("http://127.0.0.1:9200").with_credentials == "http://127.0.0.1:9200"
