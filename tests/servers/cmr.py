"""A stand-in for NASA's CMR: no server of NASA's, only its form of a granule search, as its documentation shows it."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

CONCEPT = "C1234567-TEST"
HITS = 5321


class StandIn(ThreadingHTTPServer):
    """``asked``: the parameters of each request. ``says``: a status and another body than CMR's. ``slow_s``: a wait."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[dict[str, str]] = []
        self.says: tuple[int, bytes] | None = None
        self.slow_s = 0.0


def _entry(number: int) -> dict[str, object]:
    return {
        "id": f"G{number}-TEST",
        "title": f"MOD11A1.A20030{number}1",
        "time_start": f"2003-0{number}-01T00:00:00.000Z",
        "time_end": f"2003-0{number}-02T00:00:00.000Z",
        "boxes": ["40 -10 50 5"],
        "links": [
            {"rel": "http://esipfed.org/ns/fedsearch/1.1/metadata#", "href": "https://data.example/about"},
            {"rel": "http://esipfed.org/ns/fedsearch/1.1/data#", "href": f"https://data.example/{number}.hdf"},
        ],
    }


def _facets() -> dict[str, object]:
    years = [{"title": str(year), "type": "filter", "count": count} for year, count in ((2004, 321), (2003, 5000))]
    year = {"title": "Year", "type": "group", "children": years}
    return {"title": "Browse Granules", "children": [{"title": "Temporal", "type": "group", "children": [year]}]}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, StandIn)
        address = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(address.query).items()}
        server.asked.append(asked)
        time.sleep(server.slow_s)
        there = address.path == "/search/granules.json" and asked.get("collection_concept_id") == CONCEPT
        feed = {"feed": {"entry": [_entry(number) for number in (1, 2, 3)], "facets": _facets()}}
        status, content = server.says or (200 if there else 404, json.dumps(feed).encode())
        with suppress(ConnectionError):  # who asked does not wait any longer
            self._send(status, content)

    def _send(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("CMR-Hits", str(HITS))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""
