"""Our HTTP/1.1 against a server that sends exactly the bytes of a test, in the pieces of the test."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest

from es_gateway.http1 import HttpServer, Malformed, Reply

LONG_S = 60.0
OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n00006\r\n world\r\n0\r\nX: y\r\n\r\n"


class Scripted:
    """Answers each request with the next script; an empty last piece closes the connection after it."""

    def __init__(self) -> None:
        self.scripts: list[Sequence[bytes]] = []
        self.asked: list[tuple[int, bytes, bytes]] = []
        self.held = threading.Event()
        self.held.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self.held.set()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._connections += 1
                threading.Thread(target=self._serve, args=(connection, self._connections), daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        with suppress(OSError), connection, connection.makefile("rb") as read:
            while line := read.readline():
                length = 0
                head = line
                while (line := read.readline()) not in (b"\r\n", b""):
                    head += line
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                self.asked.append((number, head, read.read(length)))
                self.held.wait(LONG_S)
                for piece in self.scripts.pop(0) if self.scripts else (OK,):
                    if not piece:
                        return
                    connection.sendall(piece)


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    one = Scripted()
    yield one
    one.close()


@pytest.fixture
def server(scripted: Scripted) -> Iterator[HttpServer]:
    one = HttpServer("127.0.0.1", scripted.port)
    yield one
    one.close()


def ask(server: HttpServer, body: bytes | None = b"{}", method: str = "POST", timeout_s: float = LONG_S) -> Reply:
    return server.ask(method, "/_msearch", {"content-type": "application/x-ndjson"}, body, timeout_s)


def test_a_request_is_sent_whole_and_the_next_uses_the_same_connection(scripted: Scripted, server: HttpServer) -> None:
    first, second = ask(server, b'{"a":1}\n'), ask(server)
    assert (first.status, first.body, first.headers["content-type"]) == (200, b"{}", "application/json")
    assert second.body == b"{}"
    (one, head, body), (other, _, _) = scripted.asked
    assert one == other
    assert body == b'{"a":1}\n'
    assert head.split(b"\r\n")[:3] == [
        b"POST /_msearch HTTP/1.1",
        b"content-type: application/x-ndjson",
        b"Content-Length: 8",
    ]
    assert f"Host: 127.0.0.1:{scripted.port}".encode() in head


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(("raw", "body"), [(OK, b"{}"), (CHUNKED, b"hello world")])
def test_an_answer_is_the_same_in_whatever_pieces_it_comes(
    scripted: Scripted, server: HttpServer, raw: bytes, body: bytes, size: int
) -> None:
    scripted.scripts = [[raw[start : start + size] for start in range(0, len(raw), size)]]
    assert ask(server).body == body
    assert ask(server).body == b"{}"
    assert {number for number, _, _ in scripted.asked} == {1}  # nothing was left over: the connection is used again


@pytest.mark.parametrize(
    ("method", "raw", "status", "body"),
    [
        ("HEAD", b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n", 200, b""),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n", 204, b""),
        (
            "GET",
            b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 404 Not Found\r\ncontent-length: 1\r\n\r\nn",
            404,
            b"n",
        ),
    ],
)
def test_answers_without_a_body_and_hints_before_the_answer(
    scripted: Scripted, server: HttpServer, method: str, raw: bytes, status: int, body: bytes
) -> None:
    scripted.scripts = [[raw]]
    reply = ask(server, None, method)
    assert (reply.status, reply.body) == (status, body)
    ask(server)
    assert {number for number, _, _ in scripted.asked} == {1}


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\n\r\n{}",  # up to the end of the connection
    ],
)
def test_a_connection_that_the_server_closes_is_not_used_again(
    scripted: Scripted, server: HttpServer, raw: bytes
) -> None:
    scripted.scripts = [[raw, b""]]
    assert ask(server).body == b"{}"
    assert ask(server).body == b"{}"
    assert [number for number, _, _ in scripted.asked] == [1, 2]


def test_a_connection_that_was_closed_while_idle_is_noticed_before_it_is_used(
    scripted: Scripted, server: HttpServer
) -> None:
    scripted.scripts = [[OK, b""]]  # keep-alive, and closed all the same
    assert ask(server).status == 200
    for _ in range(1000):
        if not server._idle[0].is_fresh():
            break
        threading.Event().wait(0.01)
    assert ask(server).status == 200
    assert [number for number, _, _ in scripted.asked] == [1, 2]


def test_a_connection_with_bytes_that_nobody_asked_for_is_not_used_again(
    scripted: Scripted, server: HttpServer
) -> None:
    scripted.scripts = [[OK + b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nfor somebody else"]]
    assert ask(server).body == b"{}"
    assert ask(server).body == b"{}"
    assert [number for number, _, _ in scripted.asked] == [1, 2]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\n{}",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"x" * 100_000,
    ],
)
def test_an_answer_that_ends_early_or_is_no_http_is_an_error(
    scripted: Scripted, server: HttpServer, raw: bytes
) -> None:
    scripted.scripts = [[raw, b""]]
    with pytest.raises(Malformed):
        ask(server)
    assert ask(server).body == b"{}"  # and leaves nothing behind


def test_a_server_that_is_silent_or_stops_in_the_middle_is_given_up(scripted: Scripted, server: HttpServer) -> None:
    scripted.held.clear()
    with pytest.raises(TimeoutError):
        ask(server, timeout_s=0.1)
    with pytest.raises(TimeoutError):
        ask(server, timeout_s=0.0)
    scripted.held.set()


def test_nobody_at_the_address() -> None:
    with pytest.raises(ConnectionRefusedError):
        ask(HttpServer("127.0.0.1", 9))


@pytest.mark.parametrize("target", ["/a b", "/a\r\nX: y", "/a\nb"])
def test_a_head_that_would_be_read_as_something_else_is_not_sent(
    scripted: Scripted, server: HttpServer, target: str
) -> None:
    with pytest.raises(ValueError, match="line break or a space"):
        server.ask("GET", target, {}, None, LONG_S)
    with pytest.raises(ValueError, match="line break or a space"):
        server.ask("GET", "/", {"authorization": "Basic x\r\nX-Other: y"}, None, LONG_S)
    assert scripted.asked == []


def test_no_more_connections_than_asked_for_stay_open(scripted: Scripted) -> None:
    server = HttpServer("127.0.0.1", scripted.port, kept=2)
    scripted.held.clear()
    threads = [threading.Thread(target=ask, args=(server,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    while len(scripted.asked) < 5:
        threading.Event().wait(0.01)
    scripted.held.set()
    for thread in threads:
        thread.join(LONG_S)
    assert len(server._idle) == 2
    server.close()
    assert len(server._idle) == 0
