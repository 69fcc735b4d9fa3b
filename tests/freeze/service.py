"""The service in this process over the frozen index, behind a proxy that sees each request to Elasticsearch."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from werkzeug.test import Client, TestResponse

from core.errors import SondeError
from core.json_types import Json
from evaluation.local_server import serve
from lab.peers.servers import backend_of
from search_api.app import create_app
from sonde.settings import Settings, load_settings
from sonde.wiring.api import api_parts
from sonde.wiring.clients import elasticsearch_client
from tests.freeze.calls import CHECKOUT, Call
from tests.freeze.lines import Line, Normaliser

CLOCK = 1_795_694_400.0
"""Seconds since 1970 that ``time.time`` answers while a state is frozen."""

_HEADERS = ("Link", "Location", "Content-Language", "Cache-Control", "Vary", "WWW-Authenticate", "Content-Disposition")
_HOUSEKEEPING = re.compile(
    r"-(curation|vocabulary|keys|notices|visits)\b|^/_(cluster|nodes|cat)|features=mappings,settings$|/_stats/refresh$"
)
"""Targets that a clock asks for, not a request: whether an alias moved, a rule or a key is new."""
_HTTP_S = 120.0
_DOCUMENTS = (
    "10.21105.jose.00037.pdf", "10.21105.jose.00090.pdf", "seawaveQ.pdf", "gstat.pdf", "second/banta-damping.pdf",
)  # fmt: skip
_PAGE = """<!doctype html><html lang="en"><head><title>The Grumbach experiment</title></head><body><article>
<h1>The Grumbach experiment</h1><h2>Methods</h2><p>Soil moisture was measured every 15 minutes with 42 sensors at depths
of 5, 20 and 50 cm near Berlin from 2011 to 2014. The sensors were calibrated before they were buried.</p><h2>Results
</h2><p>The mean soil moisture of the clay plots was 31.4 percent. Sandy plots dried out within 9 days of the last rain.
</p><table><caption>Table 1. Plots</caption><tr><th>Plot</th><th>Clay (%)</th></tr><tr><td>A</td><td>41</td></tr>
<tr><td>B</td><td>12</td></tr></table></article></body></html>
"""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request to Elasticsearch as it went over the wire."""

    method: str
    target: str
    body: bytes

    def as_json(self) -> list[Any]:
        point_in_time = self.target.startswith("/_pit")  # whose body is its id
        bodies = [] if point_in_time else [json.loads(line) for line in self._lines()]
        return [self.method, self.target, bodies]

    def _lines(self) -> list[bytes]:
        is_lines = self.target.partition("?")[0].endswith(("_msearch", "_bulk"))
        return [line for line in (self.body.splitlines() if is_lines else [self.body]) if line.strip()]

    @property
    def is_housekeeping(self) -> bool:
        first = self.body[:120].decode(errors="replace")
        if _HOUSEKEEPING.search(self.target) or _HOUSEKEEPING.search(first.partition('"}')[0]):
            return True
        return b'"terminate_after":1' in self.body or (self.target.endswith("/_count") and not self.body)


class Proxy(ThreadingHTTPServer):
    """Passes requests on to ``upstream`` and notes them."""

    daemon_threads = True

    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), _ForwardingHandler)
        self.upstream = urlsplit(upstream)
        self._requests: list[SentRequest] = []
        self._lock = threading.Lock()

    def note(self, request: SentRequest) -> None:
        with self._lock:
            self._requests.append(request)

    def take_requests(self) -> list[SentRequest]:
        """The requests since the last call, in their order."""
        with self._lock:
            requests, self._requests = self._requests, []
        return requests


class _ForwardingHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: Proxy

    def setup(self) -> None:
        super().setup()
        to = self.server.upstream
        self.upstream = http.client.HTTPConnection(to.hostname or "", to.port or 9200, timeout=_HTTP_S)

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.note(SentRequest(self.command, self.path, body))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        self.upstream.request(self.command, self.path, body or None, headers)
        reply = self.upstream.getresponse()
        content = reply.read()
        self.send_response(reply.status)
        for name, value in reply.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        if self.command != "HEAD":
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _pass  # noqa: N815 - the base class's names

    def finish(self) -> None:
        self.upstream.close()
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@dataclass(slots=True)
class FrozenService:
    """Asks one request after the other and tells what came back and what was asked of Elasticsearch."""

    http: Client
    proxy: Proxy
    normaliser: Normaliser
    key: str | None = None
    names: set[str] = field(default_factory=set)

    def lines(self, call: Call) -> Iterator[Line]:
        """The call's line, and one for each further page."""
        answer = self._ask(call)
        yield self._line(self._name(call.name), answer)
        for page in range(2, call.pages + 2):
            next_address = _next_address(answer)
            if next_address is None:
                return
            answer = self._ask(Call(call.name, next_address, accept=call.accept, steward=call.steward))
            yield self._line(self._name(f"{call.name}, page {page}"), answer)

    def ids(self, path: str, step: int = 1, limit: int = 3) -> list[str]:
        """Ids of the features of a listing, one in so many."""
        features = (self.http.get(path).get_json() or {}).get("features", [])
        return [feature["id"] for feature in features][::step][:limit]

    def _ask(self, call: Call) -> TestResponse:
        headers = {}
        if call.accept is not None:
            headers["Accept"] = call.accept
        if call.steward and self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        content: Json = {}
        if call.body is not None:
            content["json"] = call.body
        elif call.form is not None or call.text is not None:
            content["data"] = call.form or call.text
        if call.media_type is not None:
            content["content_type"] = call.media_type
        self.proxy.take_requests()
        return self.http.open(
            call.path, method=call.method, query_string=dict(call.query) or None, headers=headers, **content
        )

    def _line(self, name: str, answer: TestResponse) -> Line:
        content = answer.get_data()  # of a stream the end, before the requests are read
        requests = [request.as_json() for request in self.proxy.take_requests() if not request.is_housekeeping]
        headers = {key: answer.headers[key] for key in _HEADERS if key in answer.headers}
        return {
            "name": name,
            "status": answer.status_code,
            "headers": self.normaliser.value({"Content-Type": answer.content_type, **headers}),
            "answer": self._content(answer.mimetype or "", content),
            "sent": self.normaliser.value(requests),
        }

    def _content(self, mimetype: str, content: bytes) -> Any:
        if mimetype.endswith("json") and content:
            answer = self.normaliser.value(json.loads(content))
            unordered = mimetype == "application/ld+json" and isinstance(answer, list)  # the nodes of a graph
            return sorted(answer, key=json.dumps) if unordered else answer
        try:
            return self.normaliser.text(content.decode())
        except UnicodeDecodeError:
            return {"binary": hashlib.sha256(content).hexdigest()}

    def _name(self, name: str) -> str:
        """The name, with a number if it was given before."""
        number, free = 1, name
        while free in self.names:
            number += 1
            free = f"{name} ({number})"
        self.names.add(free)
        return free


def _next_address(answer: TestResponse) -> str | None:
    """Path and query of the next page: a link in the JSON or the header."""
    document = answer.get_json(silent=True)
    links = document.get("links", ()) if isinstance(document, dict) else ()
    addresses = [link["href"] for link in links if link.get("rel") == "next" and link.get("method", "GET") == "GET"]
    addresses += [
        part.split(">")[0].lstrip(" <") for part in answer.headers.get("Link", "").split(",") if "next" in part
    ]
    if not addresses:
        return None
    address = urlsplit(addresses[0])
    return f"{address.path}?{address.query}"


@contextmanager
def frozen_service(prefix: str, since: Any, key: str | None) -> Iterator[FrozenService]:
    """The service with a fixed clock, one thread a model, and no limit that a busy machine could reach."""
    settings = load_settings()
    with serve(proxy := Proxy(settings.elasticsearch_url)) as address, _fixed_clock():
        app = create_app(api_parts(frozen_settings(settings, address, prefix)))
        service = FrozenService(app.test_client(), proxy, Normaliser(since), key)
        service.http.get("/search", query_string={"q": "rain in Berlin since 1990"})  # loads the models
        yield service


def frozen_settings(settings: Settings, address: str, prefix: str) -> Settings:
    url = replace(backend_of(settings), url=address).with_credentials
    changes: dict[str, Json] = {
        "elasticsearch": {"url": url, "timeout_s": _HTTP_S},
        "index": {"prefix": prefix},
        "api": {"preload": False, "deadline_s": _HTTP_S, "longest_wait_s": 2 * _HTTP_S},
        "limits": {"per_address": "none", "per_key": "none"},
        "queries": {"keep": "off"},
        "preview": {"enabled": False},
        "models": {"threads": 1},
        "harvest": {"sources": CHECKOUT / "sources.yaml"},
    }
    groups = {name: getattr(settings, name).model_copy(update=change) for name, change in changes.items()}
    return settings.model_copy(update=groups)


@contextmanager
def _fixed_clock() -> Iterator[None]:
    """Periods such as "the last ten years" and the age of a record count from it."""
    real = time.time
    time.time = lambda: CLOCK
    try:
        yield
    finally:
        time.time = real


def make_index(prefix: str, shared: Path, sources: Sequence[str]) -> str:
    """Fills the prefix with samples, archives and documents by Sonde's own commands; gives a key with all rights.

    What is there and unchanged stays.
    """
    archives = [str(shared / "catalogues" / f"{source}.tar.gz") for source in sources if source != "samples"]
    _sonde(prefix, "harvest", str(CHECKOUT / "samples" / "records"), "--source", "samples")
    for archive in archives:
        _sonde(prefix, "harvest", archive)
    pdfs = [str(shared / "pdfs" / name) for name in _DOCUMENTS]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "grumbach.html"
        page.write_text(_PAGE, "utf-8")
        _sonde(prefix, "ingest", *pdfs[:3])
        _sonde(prefix, "ingest", "--record", "samples:camels-gb", str(page), *pdfs[3:])
    client = elasticsearch_client(load_settings(), timeout_s=_HTTP_S)
    # One segment: approximate search uses one graph, which no later merge changes.
    client.indices.forcemerge(index=f"{prefix}-*", max_num_segments=1)
    client.indices.refresh(index=f"{prefix}-*")
    # No later refresh: its number is the version of the service's caches, and an idle index is refreshed by a search.
    searched = ",".join(f"{prefix}-{kind}" for kind in ("records", "passages", "documents"))
    client.indices.put_settings(index=searched, settings={"refresh_interval": "-1"})
    output = _sonde(prefix, "keys", "add", "--subject", "freeze", "--scope", "admin", "--json")
    key: str = json.loads(output)["key"]
    return key


def _sonde(prefix: str, *arguments: str) -> str:
    """What the command printed. Exit code 1 is one of named failures: archives hold documents that are refused."""
    environment = {**os.environ, "SONDE_INDEX__PREFIX": prefix, "SONDE_LOG__LEVEL": "ERROR"}
    command = [sys.executable, "-m", "sonde", *arguments]
    process = subprocess.run(command, env=environment, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, check=False)
    if process.returncode > 1:
        raise SondeError(f"sonde {arguments[0]} ended with {process.returncode}")
    return process.stdout
