"""What replies come to, by hand; and clients against a real server that answers, refuses and fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lab.load.clients import LoadSummary, SearchMode, SearchReply, Shares, ask

STAGES = {"understand": 1.0, "embed": 2.0, "retrieve": 4.0, "rank": 0.5, "rerank": 0.5, "fetch": 0.5, "names": 0.5}


def test_rates_counts_and_percentiles() -> None:
    answered = [SearchReply(float(took), 200, degraded=took == 1) for took in range(1, 102)]  # 1..101 ms
    others = [
        SearchReply(900.0, 503, refused=True),
        SearchReply(900.0, 503),
        SearchReply(900.0, 500),
        SearchReply(900.0, 0),
    ]
    found = LoadSummary.of("bm25", 8, [*others, *answered], seconds=4.0)
    assert (found.answered, found.refused, found.failed, found.degraded) == (101, 1, 3, 1)
    assert found.per_second == 101 / 4
    assert found.latency_ms is not None
    # 101 values: the p-th percentile is the value at place p, counted from 0; what was not answered counts for nothing.
    assert (found.latency_ms.p50, found.latency_ms.p95, found.latency_ms.p99) == pytest.approx((51.0, 96.0, 100.0))


def test_nothing_answered_has_no_times() -> None:
    found = LoadSummary.of("bm25", 1, [SearchReply(5.0, 500)], seconds=2.0)
    assert (found.answered, found.failed, found.per_second) == (0, 1, 0.0)
    assert found.latency_ms is None
    assert found.shares is None


def test_each_stage_is_somebodys_time() -> None:
    # Of 20 ms waited: 4 + 0.5 + 0.5 Elasticsearch, 2 + 0.5 encoders, 1 + 0.5 ours, 11 no stage.
    shares = Shares.of([SearchReply(15.0, 200, stages=STAGES), SearchReply(5.0, 200)])
    assert shares is not None
    assert shares.elasticsearch == pytest.approx(0.25)
    assert shares.encoder == pytest.approx(0.125)
    assert shares.ours == pytest.approx(0.075)
    assert shares.around == pytest.approx(0.55)


class _Moody(BaseHTTPRequestHandler):
    """Answers by what is asked: a, or 503 with or without a time to come again, or 500."""

    def do_GET(self) -> None:
        asked = self.path.rpartition("q=")[2]
        status = {"a": 200, "later": 503, "down": 503, "wrong": 500}[asked]
        body = json.dumps({"sonde:took_ms": {"rank": 1.5}, "sonde:degraded": ["dense"]}).encode()
        self.send_response(status)
        if asked == "later":
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def moody() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Moody) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_what_became_of_each_question(moody: str) -> None:
    kinds = {}
    for question in ("a", "later", "down", "wrong"):
        replies, seconds = ask(moody, SearchMode("any", {"limit": "1"}), [question], clients=2, seconds=0.2)
        assert seconds >= 0.2
        kinds[question] = {(one.status, one.refused, one.degraded, dict(one.stages).get("rank")) for one in replies}
        if question == "later":
            assert len(replies) == 2, "who is told to wait a second asks no second time"
    assert kinds == {
        "a": {(200, False, True, 1.5)},
        "later": {(503, True, False, None)},
        "down": {(503, False, False, None)},
        "wrong": {(500, False, False, None)},
    }


def test_a_server_that_is_not_there_is_a_failure(moody: str) -> None:
    replies, seconds = ask("http://127.0.0.1:1", SearchMode("any", {}), ["a"], clients=1, seconds=0.05)
    found = LoadSummary.of("any", 1, replies, seconds)
    assert found.failed == len(replies) > 0
