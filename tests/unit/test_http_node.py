"""A node in front of a server that sends exactly the bytes of a test, in the pieces of the test."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import pytest
from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout, HttpHeaders, NodeConfig
from elastic_transport._node import NodeApiResponse

from es_gateway.nodes import HttpNode, _is_open

LONG_S = 60.0
OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"


class Scripted:
    """Answers each request with the next script; an empty last piece closes the connection after it."""

    def __init__(self) -> None:
        self.scripts: list[Iterable[bytes]] = []
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
def node(scripted: Scripted) -> Iterator[HttpNode]:
    node = HttpNode(NodeConfig("http", "127.0.0.1", scripted.port))
    yield node
    node.close()


def ask(node: HttpNode, body: bytes | None = b"{}", method: str = "POST", timeout_s: float = LONG_S) -> NodeApiResponse:
    headers = HttpHeaders({"content-type": "application/x-ndjson"})
    return node.perform_request(method, "/_msearch", body, headers, timeout_s)


def test_a_request_is_sent_whole_and_the_next_uses_the_same_connection(scripted: Scripted, node: HttpNode) -> None:
    first, second = ask(node, b'{"a":1}\n'), ask(node)
    assert (first.meta.status, first.body, first.meta.headers["content-type"]) == (200, b"{}", "application/json")
    assert second.body == b"{}"
    (one, head, body), (other, _, _) = scripted.asked
    assert one == other
    assert body == b'{"a":1}\n'
    assert head.startswith(b"POST /_msearch HTTP/1.1\r\n")
    for line in (f"Host: 127.0.0.1:{scripted.port}", "content-type: application/x-ndjson", "Content-Length: 8"):
        assert f"{line}\r\n".encode() in head


@pytest.mark.parametrize(
    ("method", "raw", "body"),
    [
        (
            "POST",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
            b"hello world",
        ),
        ("HEAD", b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n", b""),
    ],
)
def test_the_connection_is_kept_after_chunks_and_after_a_head(
    scripted: Scripted, node: HttpNode, method: str, raw: bytes, body: bytes
) -> None:
    scripted.scripts = [[raw[start : start + 7] for start in range(0, len(raw), 7)]]
    assert ask(node, None, method).body == body
    assert ask(node).body == b"{}"
    assert {number for number, _, _ in scripted.asked} == {1}


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\n\r\n{}",  # up to the end of the connection
    ],
)
def test_a_connection_that_the_server_closes_is_not_used_again(scripted: Scripted, node: HttpNode, raw: bytes) -> None:
    scripted.scripts = [[raw, b""]]
    assert ask(node).body == b"{}"
    assert ask(node).body == b"{}"
    assert [number for number, _, _ in scripted.asked] == [1, 2]


def test_a_connection_that_was_closed_while_idle_is_noticed_before_it_is_used(
    scripted: Scripted, node: HttpNode
) -> None:
    scripted.scripts = [[OK, b""]]  # keep-alive, and closed all the same
    assert ask(node).meta.status == 200
    for _ in range(1000):
        if not _is_open(node._idle[0]):
            break
        threading.Event().wait(0.01)
    assert ask(node).meta.status == 200
    assert [number for number, _, _ in scripted.asked] == [1, 2]


def test_bytes_that_nobody_asked_for_are_not_the_next_answer(scripted: Scripted, node: HttpNode) -> None:
    scripted.scripts = [[OK + b"HTTP/1.1 200 OK\r\ncontent-length: 17\r\n\r\nfor somebody else"]]
    assert ask(node).body == b"{}"
    assert ask(node).body == b"{}"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\ncontent-length: " + b"9" * 5_000 + b"\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\ncontent-length\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 20_000 + b"\r\n",
        b"HTTP/1.1 103 Early Hints\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"x" * 100_000,
    ],
)
def test_an_answer_that_ends_early_or_is_no_http_is_an_error(scripted: Scripted, node: HttpNode, raw: bytes) -> None:
    scripted.scripts = [[raw, b""]]
    with pytest.raises(TransportConnectionError):
        ask(node)
    assert len(scripted.asked) == 1  # nothing is asked twice
    assert ask(node).body == b"{}"  # and nothing is left behind


def test_a_server_that_is_silent_or_stops_in_the_middle_is_given_up(scripted: Scripted, node: HttpNode) -> None:
    scripted.held.clear()
    with pytest.raises(ConnectionTimeout):
        ask(node, timeout_s=0.1)
    with pytest.raises(ConnectionTimeout):
        ask(node, timeout_s=0.0)
    scripted.held.set()


def test_nobody_at_the_address() -> None:
    with pytest.raises(TransportConnectionError, match="refused"):
        ask(HttpNode(NodeConfig("http", "127.0.0.1", 9)))


@pytest.mark.parametrize("pieces", [[b"HTTP/1.1 200 OK\r\n"], [b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n"]])
def test_an_answer_that_comes_byte_by_byte_ends_at_the_time_of_the_whole(
    scripted: Scripted, node: HttpNode, pieces: Sequence[bytes]
) -> None:
    dribbling = threading.Event()

    def dribbled() -> Iterator[bytes]:
        yield from pieces
        while not dribbling.wait(0.05):
            yield b"a"

    scripted.scripts = [dribbled()]
    try:
        with pytest.raises(ConnectionTimeout):
            ask(node, timeout_s=0.4)
    finally:
        dribbling.set()


def test_a_head_that_would_be_read_as_something_else_is_not_sent(scripted: Scripted, node: HttpNode) -> None:
    for target, headers in (("/a b", {}), ("/a\r\nX: y", {}), ("/", {"authorization": "Basic x\r\nX-Other: y"})):
        with pytest.raises(ValueError):
            node.perform_request("GET", target, None, HttpHeaders(headers), LONG_S)
    assert scripted.asked == []


def test_no_more_connections_than_asked_for_stay_open(scripted: Scripted) -> None:
    node = HttpNode(NodeConfig("http", "127.0.0.1", scripted.port, connections_per_node=2))
    scripted.held.clear()
    threads = [threading.Thread(target=ask, args=(node,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    while len(scripted.asked) < 5:
        threading.Event().wait(0.01)
    scripted.held.set()
    for thread in threads:
        thread.join(LONG_S)
    assert len(node._idle) == 2
    node.close()
    assert len(node._idle) == 0
