"""The short form of `sonde chaos malformed`: whatever is sent is answered, soon and not by 500, over real sockets."""

from __future__ import annotations

import io
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from wsgiref.types import WSGIApplication

import pytest
from elasticsearch import Elasticsearch
from flask import Flask
from werkzeug.serving import make_server

from core.access import ALL_SCOPES, Caller
from lab.malformed.makers import RECORD, make_request
from lab.malformed.sender import BAD, FAMILIES, MalformedRequest, ask, ask_all, count_verdicts
from search_api.app import create_app
from sonde.document_settings import LibrarySettings
from sonde.settings import BrokerSettings
from sonde.wiring.api import api_parts
from tests.conftest import delete_indices
from tests.service import Service

SEED = 7
REQUESTS = 12 * len(FAMILIES)
_ASKED = MalformedRequest(0, "query", b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")


class Trusting:
    """Everybody may do everything, as the command's own key may."""

    def identify(self, _bearer: str | None) -> Caller:
        return Caller("somebody", ALL_SCOPES)


@pytest.fixture(scope="module")
def app(
    samples: Service, es_client: Elasticsearch, broker_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Flask]:
    """An API that may be written to, on indices of its own, with one good record."""
    own = Service(es_client, samples.url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    library = LibrarySettings(folder=tmp_path_factory.mktemp("library"))
    settings = own.settings.model_copy(update={"broker": BrokerSettings(url=broker_url), "library": library})
    made_app = create_app(replace(api_parts(settings, samples.models), authenticator=Trusting()))
    put = made_app.test_client().put("/collections/fuzz/items/rain-1", json=RECORD)
    assert put.status_code == 201, put.get_data(as_text=True)
    yield made_app
    delete_indices(es_client, own.prefix)


@contextmanager
def served(app: WSGIApplication) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.timeout(240)
def test_whatever_is_sent_is_answered_and_never_by_500(app: Flask) -> None:
    requests = [make_request(number, SEED, "") for number in range(REQUESTS)]
    with served(app) as url:
        found = list(ask_all(url, requests, clients=4, hang_s=60))
    assert [(one.request.number, one.status, one.request.description) for one in found if one.verdict in BAD] == []
    table = count_verdicts(found)
    assert set(table) == set(FAMILIES)
    assert sum(verdicts["answered"] for verdicts in table.values()) > 12, "else nothing gets past the first check"
    assert sum(verdicts["refused"] for verdicts in table.values()) > 50


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"question":' * 20_000])
@pytest.mark.parametrize("path", ["/ask", "/embeddings", "/stac/search"])
def test_a_body_that_nests_too_deeply_is_400(app: Flask, path: str, body: bytes) -> None:
    answer = app.test_client().post(path, data=body, content_type="application/json")
    assert (answer.status_code, "nested too deeply" in answer.get_json()["detail"]) == (400, True)


def test_a_file_without_a_name_and_a_form_of_too_many_parts_are_refused(app: Flask) -> None:
    http = app.test_client()
    text = http.post("/library/documents", data={"file": "%PDF-1.7"}, content_type="multipart/form-data")
    assert (text.status_code, text.get_json()["parameter"]) == (400, "file")
    parts = {f"p{number}": (io.BytesIO(b"x"), "a.txt") for number in range(1_100)}
    many = http.post("/library/documents", data=parts, content_type="multipart/form-data")
    assert (many.status_code, "1,000 parts" in many.get_json()["detail"]) == (413, True)


def test_a_request_is_made_again_from_its_number() -> None:
    first, again, other = make_request(12, 1, "k"), make_request(12, 1, "k"), make_request(12, 2, "k")
    assert first == again
    assert first != other
    assert "secret" not in make_request(2, 1, "sonde_secret").description


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "answered"),
        (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "refused"),
        (b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n", "failed"),
        (b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", "failed"),
        (b"HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n", "turned away"),
        (b"", "no answer"),
        (None, "hang"),
    ],
)
def test_what_came_is_judged(answer: bytes | None, verdict: str) -> None:
    """By a server that says the given bytes; None: nothing at all, and it keeps the line open."""
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            line, _ = server.accept()
            with line:
                line.recv(1 << 16)
                if answer is None:
                    done.wait(60)
                else:
                    line.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        came = ask(f"http://127.0.0.1:{server.getsockname()[1]}", _ASKED, 1.0 if answer is None else 60.0)
        done.set()
        thread.join(60)
    assert came.verdict == verdict
