"""The server with hostile connections, over real sockets: a small application, one process, no Elasticsearch."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import httpx
import pytest
from flask import Flask

from core.deadlines import slot_released
from encoders.language_model import ChatEndpoint, RemoteLanguageModel
from net.gate import Gate, GatePolicy
from search_api.http.limits import AdmissionLimits, register_admission
from sonde.server.connections import ConnectionLimits, ConnectionServer
from sonde.server.worker import probes

WAIT_S = 30.0


@dataclass
class Served:
    """A server that answers with what it was asked; ``/hold`` holds a thread until ``go``."""

    limits: ConnectionLimits = field(default_factory=ConnectionLimits)
    threads: int = 2
    proxies: int = 0
    go: threading.Event = field(default_factory=threading.Event)
    held: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    port: int = 0
    server: ConnectionServer | None = None

    def application(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/hold":
            self.held.release()
            self.go.wait(WAIT_S)
        size = len(environ["wsgi.input"].read())
        told = (
            f"{environ['wsgi.url_scheme']} {environ['REMOTE_ADDR']} {environ.get('HTTP_X_FORWARDED_FOR', '-')} {size}"
        )
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(told)))])
        return [told.encode()]

    @contextmanager
    def running(self) -> Iterator[Served]:
        ended = threading.Event()
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.port = listening.getsockname()[1]
            given: dict[str, Any] = {"threads": self.threads, "limits": self.limits, "proxies": self.proxies}
            self.server = ConnectionServer(self.application, listening, **given)
            thread = threading.Thread(target=self._run, args=(self.server, ended))
            thread.start()
            try:
                yield self
            finally:
                self.go.set()
                ended.set()
                thread.join(WAIT_S)

    @staticmethod
    def _run(server: ConnectionServer, ended: threading.Event) -> None:
        while not ended.is_set():
            server.poll(0.02)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def number(self) -> int:
        """Of connections that are open."""
        assert self.server is not None
        return len(list(self.server.active_channels))

    def begun(self, text: bytes) -> socket.socket:
        """A connection that has sent this and sends nothing more."""
        one = socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S)
        one.sendall(text)
        return one


HALF_HEADERS = b"GET / HTTP/1.1\r\nHost: sonde\r\nX-Sl"
HALF_BODY = b"POST / HTTP/1.1\r\nHost: sonde\r\nContent-Length: 100000\r\n\r\nabc"


@pytest.mark.parametrize("half", [b"", HALF_HEADERS, HALF_BODY, HALF_BODY.replace(b"sonde", b"s")[:-3] + b"a" * 5000])
def test_two_hundred_half_sent_requests_keep_nobody_out(half: bytes) -> None:
    with Served(threads=1).running() as served:
        half_sent = [served.begun(half) for _ in range(200)]
        assert [httpx.get(f"{served.url}/{number}", timeout=WAIT_S).status_code for number in range(5)] == [200] * 5
        for one in half_sent:
            one.close()


@pytest.mark.parametrize(
    ("half", "limits"),
    [
        (b"", ConnectionLimits(headers=0.1)),
        (HALF_HEADERS, ConnectionLimits(headers=0.1)),
        (HALF_BODY, ConnectionLimits(grace=0.1)),
    ],
)
def test_what_is_not_sent_in_time_is_hung_up_on(half: bytes, limits: ConnectionLimits) -> None:
    with Served(limits).running() as served, served.begun(half) as one:
        assert one.recv(1000) == b""


def test_who_drips_headers_does_not_get_more_time() -> None:
    with Served(ConnectionLimits(headers=0.5)).running() as served, served.begun(HALF_HEADERS) as one:
        one.settimeout(0.01)
        assert _until(lambda: _is_closed_after(one, b"o"))


def test_who_does_not_read_the_answer_is_hung_up_on() -> None:
    asked = b"GET / HTTP/1.1\r\nHost: sonde\r\n\r\n"
    with Served(ConnectionLimits(grace=0.2, bytes_per_s=10**9), threads=1).running() as served:
        assert served.server is not None
        served.server.application = _much
        with served.begun(asked):
            assert _until(lambda: served.number == 1)
            assert _until(lambda: served.number == 0)


def _until(holds: Callable[[], bool]) -> bool:
    """Whether it held within a long time."""
    end = time.monotonic() + WAIT_S
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()


def _is_closed_after(one: socket.socket, more: bytes) -> bool:
    try:
        one.sendall(more)
        return one.recv(1000) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def _much(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(64 << 20))])
    return (b" " * (1 << 20) for _ in range(64))


def test_where_all_places_are_taken_the_oldest_that_asks_for_nothing_goes() -> None:
    with Served(ConnectionLimits(connections=80), threads=1).running() as served:
        half_sent = [served.begun(HALF_HEADERS) for _ in range(300)]
        assert [httpx.get(served.url, timeout=WAIT_S).status_code for _ in range(3)] == [200] * 3
        assert half_sent[0].recv(1000) == b""
        for one in half_sent:
            one.close()


@pytest.mark.parametrize(("key", "status"), [({}, 413), ({"Authorization": "Bearer x"}, 200)])
def test_a_body_of_more_than_two_mebibytes_needs_a_key(key: dict[str, str], status: int) -> None:
    with Served().running() as served:
        assert httpx.post(served.url, content=b" " * (3 << 20), headers=key, timeout=WAIT_S).status_code == status
        assert (
            httpx.post(served.url, content=iter([b" " * (3 << 20)]), headers=key, timeout=WAIT_S).status_code == status
        )
        assert httpx.post(served.url, content=b" " * (26 << 20), headers=key, timeout=WAIT_S).status_code == 413


@pytest.mark.parametrize(
    ("size", "headers", "status", "detail"),
    [
        (3 << 20, {}, 413, "The body is larger than 2097152 bytes, the limit without a key."),
        (26 << 20, {"Authorization": "Bearer x"}, 413, "The body is larger than 26214400 bytes, the limit."),
        (1, {"X-Long": "a" * (65 << 10)}, 431, "The headers are longer than 65536 bytes."),
        (1, {"Host": "a,b"}, 400, "There must be one Host header with one host"),
    ],
)
def test_what_the_server_refuses_is_a_problem_in_json(
    size: int, headers: dict[str, str], status: int, detail: str
) -> None:
    with Served().running() as served:
        answer = httpx.post(served.url, content=b" " * size, headers=headers, timeout=WAIT_S)
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/problem+json")
    assert answer.json() == {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }


def test_the_kernel_takes_little_of_a_body_that_nobody_reads() -> None:
    with Served().running() as served, served.begun(HALF_BODY):
        assert _until(lambda: served.number == 1)
        assert served.server is not None
        (one,) = served.server.active_channels.values()
        assert one.socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) <= 512 * 1024


def test_unfinished_bodies_have_a_size_together() -> None:
    body = b"POST / HTTP/1.1\r\nHost: sonde\r\nContent-Length: 1000000\r\n\r\n" + b"a" * 500_000
    with Served(ConnectionLimits(bodies_bytes=1_200_000)).running() as served:
        unfinished = [served.begun(body) for _ in range(4)]
        assert _until(lambda: served.number == 2)
        for one in unfinished:
            one.close()


def test_what_a_proxy_of_ours_says_reaches_the_application() -> None:
    with Served(proxies=1).running() as served:
        assert httpx.get(served.url, headers={"X-Forwarded-For": "192.0.2.7"}, timeout=WAIT_S).text.endswith(
            "192.0.2.7 0"
        )


def test_a_stranger_is_not_believed_who_they_are_or_that_it_was_https() -> None:
    made_up = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7", "Forwarded": "for=192.0.2.7;proto=https"}
    with Served().running() as served:
        assert httpx.get(served.url, headers=made_up, timeout=WAIT_S).text == "http 127.0.0.1 - 0"


def test_at_the_end_what_is_in_hand_is_answered_and_its_connection_closed() -> None:
    with Served().running() as served:
        assert served.server is not None
        with served.begun(b"GET /hold HTTP/1.1\r\nHost: sonde\r\n\r\n") as in_hand:
            assert served.held.acquire(timeout=WAIT_S)
            served.server.finishing = True
            served.go.set()
            answer = in_hand.makefile("rb").read()  # to the end of the connection
            assert answer.startswith(b"HTTP/1.1 200 OK")
            assert b"\r\nConnection: close\r\n" in answer
            assert answer.endswith(b"http 127.0.0.1 - 0")


def test_probes_answer_while_every_thread_is_held() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as inside,
        Served(threads=2).running() as served,
        probes(served.application, inside),
    ):
        held = [served.begun(b"GET /hold HTTP/1.1\r\nHost: sonde\r\n\r\n") for _ in range(8)]
        for _ in range(2):
            assert served.held.acquire(timeout=WAIT_S)
        url = f"http://127.0.0.1:{inside.getsockname()[1]}"
        for path in ("/healthz", "/readyz", "/metrics"):
            assert httpx.get(url + path, timeout=WAIT_S).status_code == 200
        assert httpx.get(f"{url}/search?q=rain", timeout=WAIT_S).status_code == 404
        for one in held:
            one.close()


@dataclass
class Answering(Served):
    """The real queues before a view that asks the language model at ``model`` and waits for it."""

    model: str = ""

    def __post_init__(self) -> None:
        gate = Gate(GatePolicy(allowed_hosts=frozenset((self.model.removeprefix("http://"),))))
        language_model = RemoteLanguageModel(ChatEndpoint(self.model, "slow", timeout_s=WAIT_S), gate)
        self.app = Flask("answering")
        register_admission(self.app, AdmissionLimits(at_once=4, waiting=80, models=1, longest_wait_s=WAIT_S))

        @self.app.get("/ask")
        def ask() -> str:
            with slot_released():
                return "".join(language_model.stream([]))

        @self.app.get("/library/documents")
        def documents() -> str:
            return "own"

    def application(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        return self.app.wsgi_app(environ, start_response)


def test_who_hangs_up_ends_the_call_of_a_model_that_says_nothing_and_frees_its_place() -> None:
    """The model never answers: only the look for the caller can end the call before its time."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(WAIT_S)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Answering(threads=8, model=url).running() as served:
            for _ in range(2):  # the second gets the place that the first gave back
                asking = served.begun(b"GET /ask HTTP/1.1\r\nHost: sonde\r\n\r\n")
                called, _ = silent.accept()
                called.settimeout(WAIT_S)
                assert called.recv(100_000)
                assert httpx.get(f"{served.url}/library/documents", timeout=WAIT_S).text == "own"
                asking.close()
                while called.recv(100_000):
                    """What the call still sends."""
                called.close()


@pytest.mark.parametrize(
    "headers",
    [
        b"Host: a\r\nHost: b",
        b"Host: a\r\nhost: a",
        b"Host: a, b",
        b"Host: a b",
        b"Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked",
        b"Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5",
        b"Host: a\r\ntransfer-encoding: chunked\r\nTransfer-Encoding: chunked",
        b"Host: a\r\nTransfer-Encoding: chunked, identity",
        b"Host: a\r\nContent-Length: 5\r\nContent-Length: 6",
    ],
)
def test_headers_that_two_servers_could_read_differently_are_400(headers: bytes) -> None:
    with Served(threads=1).running() as served:
        one = served.begun(
            b"POST / HTTP/1.1\r\n" + headers + b"\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        one.settimeout(WAIT_S)
        answer = b""
        while more := one.recv(65536):
            answer += more
        assert answer.split(b" ")[1] in (b"400", b"501"), answer
        assert answer.count(b"HTTP/1.1 ") + answer.count(b"HTTP/1.0 ") == 1, "what follows is not answered"


def test_a_body_in_chunks_is_read() -> None:
    with Served(threads=1).running() as served:
        told = httpx.post(served.url, content=iter((b"abc", b"de")), timeout=WAIT_S)
        assert (told.status_code, told.text.split()[-1]) == (200, "5")
