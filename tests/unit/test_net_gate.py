"""The gate against a real HTTP server on this machine, which the operator named by host and port."""

from __future__ import annotations

import gzip
import ssl
import subprocess
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, get_args

import httpcore
import pytest

from core.errors import Unavailable
from indexer.documents.index.library import NOT_PUBLIC, fetch_pdf
from indexer.documents.parse.limits import DocumentRefused
from net.addresses import Resolver
from net.errors import BadStatus, Refused, UnknownName
from net.exchange import Outgoing
from net.gate import Gate, GatePolicy
from sonde.settings import (
    AccessSettings,
    AnswersSettings,
    CrossEncoderSettings,
    EmbedderSettings,
    GeocoderSettings,
    NetSettings,
    Settings,
)
from sonde.wiring.models import Purpose, gate_policy

MIB = 1024 * 1024
PUBLIC = "8.8.8.8"


class Handler(BaseHTTPRequestHandler):
    """Answers by path; what it was asked is kept on the server."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.seen.append((self.command, self.path, dict(self.headers.items()), self._body()))  # type: ignore[attr-defined]
        name = self.path.partition("?")[0].strip("/").replace("-", "_")
        getattr(self, f"answer_{name}", self.answer_echo)()

    do_POST = do_GET  # noqa: N815

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def reply(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer_echo(self) -> None:
        self.reply(b'{"ok": true}', content_type="application/json")

    def answer_big(self) -> None:
        self.reply(b"x" * (2 * MIB))

    def answer_endless(self) -> None:
        self.send_response(200)
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            while True:
                self.wfile.write(b"y" * 65536)
        except OSError:
            self.server.hung_up.set()  # type: ignore[attr-defined]

    def answer_gzipped(self) -> None:
        two_members = gzip.compress(b"rain " * 1000) + gzip.compress(b"fall")
        self.reply(two_members, content_encoding="gzip")

    def answer_bomb(self) -> None:
        self.reply(gzip.compress(bytes(200 * MIB), compresslevel=1), content_encoding="gzip")

    def answer_stacked(self) -> None:
        self.reply(gzip.compress(gzip.compress(bytes(MIB))), content_encoding="gzip, gzip")

    def answer_cut(self) -> None:
        self.reply(gzip.compress(bytes(range(256)) * 64)[:-20], content_encoding="gzip")

    def answer_broken(self) -> None:
        self.reply(b"\x1f\x8bnonsense that is not deflate", content_encoding="gzip")

    def answer_drip(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "1000")
        self.end_headers()
        self._drip(b".")

    def answer_drip_headers(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        self._drip(b"x-slow: 1\r\n")

    def _drip(self, piece: bytes) -> None:
        self.close_connection = True
        try:
            for _ in range(200):
                self.wfile.write(piece)
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            return

    def answer_late(self) -> None:
        time.sleep(0.5)
        self.answer_echo()

    def answer_hang_up(self) -> None:
        self.close_connection = True

    def answer_missing(self) -> None:
        self.reply(b"", 404)

    def answer_busy(self) -> None:
        self.reply(b"", 503)

    def answer_text(self) -> None:
        self.reply(b"<html>")

    def answer_loop(self) -> None:
        self.reply(b"", 302, location="/loop")

    def answer_once(self) -> None:
        self.reply(b"moved", 301, location="/echo?moved=1")

    def answer_to_file(self) -> None:
        self.reply(b"", 302, location="file:///etc/passwd")

    def answer_away(self) -> None:
        self.reply(b"", 307, location=self.path.partition("?")[2])

    def log_message(self, *args: Any) -> None:
        """Quiet."""


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """The gate hangs up on purpose; the server's complaint is no news."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler] = Handler, trust: ssl.SSLContext | None = None) -> Iterator[Any]:
    server = QuietServer(("127.0.0.1", 0), handler)
    server.seen = []  # type: ignore[attr-defined]
    server.hung_up = threading.Event()  # type: ignore[attr-defined]
    if trust is not None:
        server.socket = trust.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def server() -> Iterator[Any]:
    with serving() as running:
        yield running


@pytest.fixture
def other() -> Iterator[Any]:
    with serving() as running:
        yield running


def base(server: Any) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def gate(*servers: Any, **policy: Any) -> Gate:
    named = frozenset(f"127.0.0.1:{server.server_port}" for server in servers)
    return Gate(GatePolicy(allowed_hosts=named, **policy))


def test_a_named_host_is_fetched(server: Any) -> None:
    answer = gate(server, user_agent="Sonde/test").request(Outgoing(f"{base(server)}/echo?a=1", params={"b": "ä 2"}))
    assert answer.expect_ok().parsed() == {"ok": True}
    assert answer.headers["content-type"] == "application/json"
    method, path, headers, _ = server.seen[0]
    assert (method, path) == ("GET", "/echo?a=1&b=%C3%A4+2")
    assert headers["user-agent"] == "Sonde/test"


def test_json_is_posted(server: Any) -> None:
    gate(server).request(Outgoing.of_json(f"{base(server)}/echo", {"q": "rain"}, "key", 5.0))
    method, _, headers, body = server.seen[0]
    assert (method, body, headers["content-type"]) == ("POST", b'{"q": "rain"}', "application/json")
    assert headers["authorization"] == "Bearer key"


def test_loopback_that_nobody_named_is_refused_before_a_connection(server: Any) -> None:
    with pytest.raises(Refused, match="not an address of the open internet"):
        Gate().request(Outgoing(f"{base(server)}/echo"))
    assert server.seen == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("file:///etc/passwd", "only http and https"),
        ("ftp://example.org/x", "only http and https"),
        ("http:///x", "names no host"),
        ("http://user:secret@example.org/", "credentials do not belong in a URL"),
        ("http://[::1/", "not a URL"),
        ("http://example.org:99999/", "99999 is not a port"),
    ],
)
def test_what_is_no_plain_http_address_is_refused(url: str, said: str) -> None:
    with pytest.raises(Refused, match=said) as caught:
        Gate().request(Outgoing(url))
    assert "secret" not in str(caught.value)


def test_a_redirect_to_a_loopback_port_nobody_named_is_refused(server: Any, other: Any) -> None:
    with pytest.raises(Refused, match=f"127.0.0.1:{other.server_port} is not an address of the open internet"):
        gate(server).request(Outgoing(f"{base(server)}/away?{base(other)}/echo"))
    assert other.seen == []


def test_a_redirect_is_followed_and_says_where_it_ended(server: Any) -> None:
    answer = gate(server).request(Outgoing(f"{base(server)}/once", headers={"authorization": "Bearer key"}))
    assert answer.url == f"{base(server)}/echo?moved=1"
    assert server.seen[1][2]["authorization"] == "Bearer key"  # the same origin keeps it


def test_a_redirect_to_another_origin_takes_no_key_along(server: Any, other: Any) -> None:
    url = f"{base(server)}/away?{base(other)}/echo"
    gate(server, other).request(
        Outgoing(url, headers={"Authorization": "Bearer key", "X-Api-Key": "key", "Accept": "text/xml"})
    )
    headers = {name.lower(): value for name, value in other.seen[0][2].items()}
    assert headers["accept"] == "text/xml"
    assert "authorization" not in headers
    assert "x-api-key" not in headers


def test_a_body_is_not_carried_to_another_origin(server: Any, other: Any) -> None:
    with pytest.raises(Refused, match="redirects a request with content"):
        gate(server, other).request(
            Outgoing.of_json(f"{base(server)}/away?{base(other)}/echo", {"private": "text"}, None, 5.0)
        )
    assert other.seen == []


def test_a_post_that_has_moved_is_asked_again_with_get(server: Any) -> None:
    gate(server).request(Outgoing.of_json(f"{base(server)}/once", {"q": 1}, None, 5.0))
    assert [(method, body) for method, _, _, body in server.seen] == [("POST", b'{"q": 1}'), ("GET", b"")]
    assert "content-type" not in server.seen[1][2]


def test_a_redirect_loop_ends(server: Any) -> None:
    with pytest.raises(Refused, match="redirects more than 3 times"):
        gate(server, max_redirects=3).request(Outgoing(f"{base(server)}/loop"))
    assert len(server.seen) == 4


def test_a_redirect_to_a_file_is_refused(server: Any) -> None:
    with pytest.raises(Refused, match="only http and https"):
        gate(server).request(Outgoing(f"{base(server)}/to-file"))


def test_more_than_the_limit_is_refused(server: Any) -> None:
    with pytest.raises(Refused, match="more than 1,000,000 bytes"):
        gate(server, max_bytes=1_000_000).request(Outgoing(f"{base(server)}/big"))


def test_exactly_the_limit_is_read(server: Any) -> None:
    assert len(gate(server, max_bytes=2 * MIB).request(Outgoing(f"{base(server)}/big")).content) == 2 * MIB


def test_an_endless_answer_is_hung_up_on(server: Any) -> None:
    with pytest.raises(Refused):
        gate(server, max_bytes=MIB).request(Outgoing(f"{base(server)}/endless"))
    assert server.hung_up.wait(10)


def test_compressed_members_are_all_read(server: Any) -> None:
    answer = gate(server).request(Outgoing(f"{base(server)}/gzipped"))
    assert answer.content == b"rain " * 1000 + b"fall"


def test_a_bomb_is_counted_after_decompression(server: Any) -> None:
    """200 MiB of zeros travel as under 1 MiB; a limit of 1 MiB must hold, and with it the memory."""
    with pytest.raises(Refused, match="more than"):
        gate(server, max_bytes=MIB).request(Outgoing(f"{base(server)}/bomb"))


def test_stacked_encodings_are_refused(server: Any) -> None:
    with pytest.raises(Refused, match="unrequested content encoding"):
        gate(server).request(Outgoing(f"{base(server)}/stacked"))


@pytest.mark.parametrize(("path", "said"), [("cut", "ended its compressed answer early"), ("broken", "cannot be read")])
def test_a_damaged_compressed_answer_is_named(server: Any, path: str, said: str) -> None:
    with pytest.raises(Unavailable, match=said):
        gate(server).request(Outgoing(f"{base(server)}/{path}"))


@pytest.mark.parametrize("path", ["drip", "drip-headers"])
def test_dripping_bytes_do_not_outlast_the_total_time(server: Any, path: str) -> None:
    """Every byte comes in time; only the total can end this."""
    with pytest.raises(Unavailable, match=r"did not finish answering within 0\.4 s"):
        gate(server, timeout_s=0.4).request(Outgoing(f"{base(server)}/{path}"))


def test_a_request_with_a_longer_time_of_its_own_waits_for_one_that_thinks_long(server: Any) -> None:
    """An embedder on a busy machine says nothing for a minute before it says it all."""
    short = gate(server, timeout_s=0.2)
    answer = short.request(Outgoing(f"{base(server)}/late", timeout_s=30.0))
    assert answer.expect_ok().parsed() == {"ok": True}
    with pytest.raises(Unavailable):
        short.request(Outgoing(f"{base(server)}/late"))


def test_a_refused_connection_and_a_hang_up_are_unavailable(server: Any) -> None:
    with pytest.raises(Unavailable, match="broke the connection"):
        gate(server).request(Outgoing(f"{base(server)}/hang-up"))
    with serving() as gone:
        closed = base(gone)
        closed_gate = gate(gone)
    with pytest.raises(Unavailable, match="does not accept a connection"):
        closed_gate.request(Outgoing(closed))


def test_statuses_are_answers_until_one_insists(server: Any) -> None:
    fetcher = gate(server)
    missing = fetcher.request(Outgoing(f"{base(server)}/missing?apikey=secret"))
    assert missing.status == 404
    with pytest.raises(BadStatus, match="HTTP status 404") as caught:
        missing.expect_ok()
    assert "secret" not in str(caught.value)
    with pytest.raises(Unavailable, match="HTTP status 503"):
        fetcher.request(Outgoing(f"{base(server)}/busy")).expect_ok()
    with pytest.raises(Unavailable, match="did not answer in JSON"):
        fetcher.request(Outgoing(f"{base(server)}/text")).parsed()


def test_a_stream_is_read_in_pieces_under_the_same_limits(server: Any) -> None:
    with gate(server).stream(Outgoing(f"{base(server)}/big")) as answer:
        sizes = [len(piece) for piece in answer.expect_ok().pieces]
    assert sum(sizes) == 2 * MIB
    assert len(sizes) > 1
    with (
        gate(server).stream(Outgoing(f"{base(server)}/big", max_bytes=MIB)) as answer,
        pytest.raises(Refused, match="1,048,576"),
    ):
        list(answer.pieces)


def answering(*answers: list[str]) -> Resolver:
    """A resolver that gives these answers in turn and the last one from then on."""
    left = list(answers)

    def resolve(host: str, port: int, timeout_s: float) -> list[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve


class Redirecting(httpcore.NetworkBackend):
    """Dials the server of the test whatever address it is told, and keeps what it was told."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.told: list[str] = []

    def connect_tcp(self, host: str, *_: Any, **__: Any) -> httpcore.NetworkStream:
        self.told.append(host)
        return httpcore.SyncBackend().connect_tcp("127.0.0.1", self.port)


def test_the_checked_address_is_the_one_dialled(server: Any) -> None:
    """A name that answers publicly once and with loopback afterwards gains nothing: it is asked once."""
    dialler = Redirecting(server.server_port)
    fetcher = Gate(resolver=answering([PUBLIC], ["127.0.0.1"]), dialler=dialler)
    fetcher.request(Outgoing("http://rebinding.example/echo"))
    assert dialler.told == [PUBLIC]
    assert server.seen[0][2]["Host"] == "rebinding.example"


def test_a_public_name_with_a_private_address_is_refused(server: Any) -> None:
    dialler = Redirecting(server.server_port)
    with pytest.raises(Refused, match=r"internal\.example:80"):
        Gate(resolver=answering(["10.0.0.8"]), dialler=dialler).request(Outgoing("http://internal.example/"))
    assert dialler.told == []


def test_an_address_that_does_not_answer_is_followed_by_the_next(server: Any) -> None:
    name = f"catalogue.example:{server.server_port}"
    resolver = answering(["127.0.0.2", "127.0.0.1"])
    answer = Gate(GatePolicy(allowed_hosts=frozenset({name})), resolver).request(Outgoing(f"http://{name}/echo"))
    assert answer.status == 200


def test_a_connection_is_kept_for_the_next_request(server: Any) -> None:
    dialler = Redirecting(server.server_port)
    fetcher = Gate(resolver=answering([PUBLIC]), dialler=dialler)
    for _ in range(3):
        fetcher.request(Outgoing("http://catalogue.example/echo"))
    assert len(dialler.told) == 1


def test_behind_a_proxy_the_proxy_is_dialled_and_private_targets_are_still_refused(server: Any) -> None:
    dialler = Redirecting(server.server_port)
    policy = GatePolicy(proxy="http://proxy.example:3128")
    addresses = {"proxy.example": ["10.9.9.9"], "catalogue.example": [PUBLIC], "internal.example": ["10.0.0.8"]}
    fetcher = Gate(policy, lambda host, _port, _timeout_s: addresses[host], dialler)
    fetcher.request(Outgoing("http://catalogue.example/echo"))
    assert dialler.told == ["10.9.9.9"]
    assert server.seen[0][1] == "http://catalogue.example/echo"
    with pytest.raises(Refused, match=r"internal\.example"):
        fetcher.request(Outgoing("http://internal.example/"))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for catalogue.example, made by openssl."""
    folder = tmp_path_factory.mktemp("tls")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=catalogue.example", "-addext", "subjectAltName=DNS:catalogue.example"]
    command += ["-keyout", str(folder / "both.pem"), "-out", str(folder / "certificate.pem")]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    with (folder / "both.pem").open("a") as both:
        both.write((folder / "certificate.pem").read_text())
    return folder


def test_tls_is_verified_for_the_name_though_the_address_is_dialled(certificate: Path) -> None:
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trust.load_cert_chain(certificate / "both.pem")
    with serving(trust=trust) as server:
        dialler = Redirecting(server.server_port)
        resolver = answering([PUBLIC])
        trusting = Gate(GatePolicy(ca_file=certificate / "certificate.pem"), resolver, dialler)
        assert trusting.request(Outgoing("https://catalogue.example/echo")).status == 200
        with pytest.raises(Unavailable, match="for another name"):
            trusting.request(Outgoing("https://other.example/echo"))
        with pytest.raises(Unavailable, match="is not trusted"):
            Gate(resolver=resolver, dialler=dialler).request(Outgoing("https://catalogue.example/echo"))


def test_the_bomb_of_the_test_is_one() -> None:
    assert len(zlib.compress(bytes(200 * MIB), 1)) < MIB


def test_hosts_are_named_for_one_purpose_each() -> None:
    """An address that a user or a record gives never leads to a service that the operator named for something else."""
    settings = Settings(
        embedder=EmbedderSettings(runtime="remote", url="http://embedder.internal:1"),
        cross_encoder=CrossEncoderSettings(url="http://reranker.internal:2"),
        answers=AnswersSettings(url="http://name:password@model.internal:3/v1", model="m"),
        geocoder=GeocoderSettings(url="http://geocoder.internal:4"),
        access=AccessSettings(oidc_issuer="http://issuer.internal:5/", oidc_audience="sonde"),
        net=NetSettings(allowed_hosts=("catalogue.internal",), user_hosts=("papers.internal",)),
    )
    models = {f"{name}.internal:{port}" for port, name in enumerate(("embedder", "reranker", "model", "geocoder"), 1)}
    hosts = {purpose: gate_policy(settings, purpose).allowed_hosts for purpose in get_args(Purpose)}
    assert hosts["users"] == {"papers.internal"}
    assert hosts["records"] == {"catalogue.internal"}
    assert hosts["models"] == {"catalogue.internal", *models}
    assert hosts["tokens"] == {"catalogue.internal", "issuer.internal:5"}
    assert not any("issuer" in host for purpose in set(hosts) - {"tokens"} for host in hosts[purpose])


def test_a_reference_learns_nothing_of_names_of_our_network(server: Any) -> None:
    """A private host that answers, one that does not, and a name that nobody knows are the same sentence."""
    known = {"inside.example": ["127.0.0.1"], "silent.example": ["10.255.255.1"]}

    def resolve(host: str, port: int, timeout_s: float) -> list[str]:
        if host not in known:
            raise UnknownName(f"the name {host} is not known to the resolver")
        return known[host]

    said = set()
    for host in (*known, "nowhere.example", "127.0.0.1", "10.0.0.1", "[::1]"):
        with pytest.raises(DocumentRefused) as caught:
            fetch_pdf(f"http://{host}:{server.server_address[1]}/echo", Gate(resolver=resolve), 1000)
        said.add((caught.value.reason, str(caught.value)))
    assert said == {("unreachable", NOT_PUBLIC)}
