"""Proxies that break what they carry: HTTP answers and TCP connections."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, get_args
from urllib.parse import urlsplit

from evaluation.local_server import serve

Fault = Literal["cut", "error500", "busy429", "html200", "truncated", "repeated", "looped", "empty", "delayed"]
FAULTS: tuple[Fault, ...] = get_args(Fault)

_HTML = b"<!DOCTYPE html><html><head><title>Maintenance</title></head><body>Back soon</body></html>"
_NEXT = re.compile(rb'nextRecord="\d+"')
_RESULTS = re.compile(rb"(<(?:\w+:)?SearchResults)[^>]*>.*</(\w+:)?SearchResults>", re.DOTALL)
_RECORDS = re.compile(rb"<(?:\w+:)?record>.*</(?:\w+:)?record>", re.DOTALL)
_HEADERS = ("content-type", "accept", "authorization")


@dataclass(slots=True)
class FaultPlan:
    """A ``share`` (0..1) of the answers is spoilt, each in one of ``faults``, by a random generator with a seed."""

    seed: int
    share: float = 0.3
    faults: Sequence[Fault] = FAULTS
    delay_s: float = 0.4
    done: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    _random: random.Random = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311  # nosec B311 (to be repeated, not to be secret)

    def next(self) -> Fault | None:
        with self._lock:
            self.requests += 1
            if self._random.random() >= self.share:
                return None
            fault = self._random.choice(list(self.faults))
            self.done[fault] += 1
            return fault


@contextmanager
def fault_proxy(upstream: str, plan: FaultPlan) -> Iterator[str]:
    """The address to harvest instead of ``upstream``."""
    server = _Proxy(("127.0.0.1", 0), _Handler)
    server.upstream, server.plan = upstream, plan
    with serve(server) as url:
        yield f"{url}{urlsplit(upstream).path or '/'}"


class _Proxy(ThreadingHTTPServer):
    daemon_threads = True
    upstream: str
    plan: FaultPlan
    last: tuple[int, str, bytes] | None = None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Proxy

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("content-length", "0"))))

    def log_message(self, format: str, *args: object) -> None:
        """Silent: what went wrong is counted in the plan."""

    def _answer(self, body: bytes | None) -> None:
        fault = self.server.plan.next()
        if fault == "error500":
            return self._send(500, "text/plain", b"java.lang.NullPointerException")
        if fault == "busy429":
            return self._send(429, "text/plain", b"slow down", retry_after="0")
        if fault == "html200":
            return self._send(200, "text/html", _HTML)
        status, kind, content = self._upstream(body)
        before, self.server.last = self.server.last, (status, kind, content)
        if fault == "delayed":
            time.sleep(self.server.plan.delay_s)
        if fault == "repeated" and before is not None:
            status, kind, content = before
        if fault == "cut":
            return self._send_half(content)
        return self._send(status, kind, _damaged(content, fault))

    def _upstream(self, body: bytes | None) -> tuple[int, str, bytes]:
        target = urlsplit(self.server.upstream)
        connection = http.client.HTTPConnection(target.hostname or "", target.port, timeout=30)
        headers = {name: self.headers[name] for name in _HEADERS if self.headers.get(name)}
        try:
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers.get("content-type", ""), answer.read()
        finally:
            connection.close()

    def _send(self, status: int, kind: str, content: bytes, retry_after: str | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        if retry_after is not None:
            self.send_header("retry-after", retry_after)
        self.end_headers()
        self.wfile.write(content)

    def _send_half(self, content: bytes) -> None:
        """Announces everything, sends half, hangs up."""
        self.send_response(200)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2])
        self.wfile.flush()
        self.close_connection = True


def _damaged(content: bytes, fault: Fault | None) -> bytes:
    match fault:
        case "truncated":
            return content[: len(content) * 2 // 3]
        case "looped":
            return _NEXT.sub(b'nextRecord="1"', content)
        case "empty":
            none = rb'\1 numberOfRecordsMatched="0" numberOfRecordsReturned="0" nextRecord="0"/>'
            return _RECORDS.sub(b"", _RESULTS.sub(none, content))
        case _:
            return content


_CHUNK = 1 << 16


class TcpProxy:
    """Forwards TCP to a server. ``delay_s``: added to each piece that passes, either way."""

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self._target = (str(target.hostname), target.port or 80)
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._port = 0
        self.delay_s = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def mend(self) -> None:
        """Takes connections, at the same port as before."""
        self._do(self._listen())

    def cut(self) -> None:
        """Ends every connection and refuses new ones."""
        self._do(self._close())

    async def _listen(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
            self._port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self._open):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = {writer}
        try:
            target_reader, target_writer = await asyncio.open_connection(*self._target)
            ends.add(target_writer)
            self._open |= ends
            await asyncio.gather(self._pass(reader, target_writer), self._pass(target_reader, writer))
        except OSError:
            return  # refused or reset: what the caller sees is the same
        finally:
            self._open -= ends
            for end in ends:
                end.close()

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while piece := await source.read(_CHUNK):
            if self.delay_s:
                await asyncio.sleep(self.delay_s)
            sink.write(piece)
            await sink.drain()
        sink.close()

    def _do(self, work: Coroutine[object, object, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    @contextlib.contextmanager
    def run(self) -> Iterator[TcpProxy]:
        thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        thread.start()
        try:
            self.mend()
            yield self
        finally:
            self.cut()
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()
