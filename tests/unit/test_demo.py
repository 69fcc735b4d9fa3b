"""`sonde demo` on a slow machine: its searches are asked again, and it waits for a worker that harvests the samples."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tenacity import wait_none

from core.errors import SondeError
from sonde.cli import demo
from sonde.wiring.harvesting import SourceBusy

LATE = {"status": 503, "detail": "Elasticsearch does not answer: ConnectionTimeout."}


@pytest.fixture
def late_service(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[int]]]:
    """Its address, and the states of its next answers; the last one stays."""
    monkeypatch.setattr(demo._RETRY, "wait", wait_none())
    states: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status = states.pop(0) if len(states) > 1 else states[0]
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps({"features": []} if status == 200 else LATE).encode())

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", states
    server.shutdown()
    server.server_close()


def test_a_search_that_comes_too_late_is_asked_again(late_service: tuple[str, list[int]]) -> None:
    address, states = late_service
    states += [503, 503, 200]
    assert demo._answer(address, "rain") == {"features": []}


def test_a_service_that_never_answers_is_an_error(late_service: tuple[str, list[int]]) -> None:
    address, states = late_service
    states += [503]
    with pytest.raises(SondeError, match="does not answer"):
        demo._answer(address, "rain")


def test_samples_that_a_worker_harvests_first_are_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo._RETRY_HARVEST, "wait", wait_none())
    states = ["held", "held", "complete"]

    class Harvester:
        def path(self, *_: object) -> str:
            if (state := states.pop(0)) == "held":
                raise SourceBusy("samples is already being harvested")
            return state

    assert demo._harvest(Harvester(), tmp_path) == "complete"  # type: ignore[comparison-overlap, arg-type]
    assert states == []
