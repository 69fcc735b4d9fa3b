"""A user's upload on real parts: queued by the API, read by a worker's process, found by its owner alone."""

from __future__ import annotations

import io
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from celery_process import celery_process
from elasticsearch import Elasticsearch
from flask.testing import FlaskClient

from sonde.document_settings import LibrarySettings
from sonde.settings import BrokerSettings, Settings
from sonde.wiring.api import api_parts
from sonde.wiring.workers import worker_config
from tests.conftest import delete_indices
from tests.library_users import app_of
from tests.pdf_files import PdfPage, paragraph, pdf
from tests.service import Service
from workers.celery_client import celery_client
from workers.config import REPAIR_LIBRARY_TASK

pytestmark = [pytest.mark.elasticsearch, pytest.mark.broker]

_PATIENCE_S = 150.0
ANNA = {"Authorization": "Bearer anna"}
BERTA = {"Authorization": "Bearer berta"}
PAPER = pdf([PdfPage(paragraph(72, 100, ["The Quellmoos lysimeter lost 417 mm of water in 2019."]))])
QUESTION = {"question": "How much water did the Quellmoos lysimeter lose?", "scope": "mine"}


@pytest.fixture
def settings(es_client: Elasticsearch, elasticsearch_url: str, broker_url: str, tmp_path: Path) -> Iterator[Settings]:
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    service.prepare()
    more = {"broker": BrokerSettings(url=broker_url), "library": LibrarySettings(folder=tmp_path / "files")}
    yield service.settings.model_copy(update=more)
    delete_indices(es_client, service.prefix)
    with redis.Redis.from_url(broker_url) as client:
        for key in client.scan_iter(f"{service.prefix}:*"):
            client.delete(key)


@pytest.fixture
def worker(settings: Settings, tmp_path: Path) -> Iterator[None]:
    """``celery -A sonde.celery_app worker`` of the queue ``library``, as an installation runs it."""
    own = {"SONDE_LIBRARY__FOLDER": str(settings.library.folder)}
    with celery_process("worker", "-Q", "library", "-c", "1", settings=settings, more=own, folder=tmp_path):
        yield


def state(client: FlaskClient, address: str) -> str:
    return str(client.get(address, headers=ANNA).json["state"])


@pytest.mark.timeout(240)
@pytest.mark.usefixtures("worker")
def test_an_upload_becomes_ready_is_found_by_its_owner_and_is_gone_when_deleted(
    settings: Settings, tmp_path: Path
) -> None:
    celery_client(worker_config(settings)).send_task(REPAIR_LIBRARY_TASK)  # as beat does every ten seconds
    client = app_of(api_parts(settings)).test_client()
    sent = client.post("/library/documents", data={"file": (io.BytesIO(PAPER), "moss.pdf")}, headers=ANNA)
    assert (sent.status_code, sent.json["state"]) == (202, "queued")
    here = f"/library/documents/{sent.json['id']}"

    end = time.monotonic() + _PATIENCE_S
    while (found := state(client, here)) not in ("ready", "failed") and time.monotonic() < end:
        time.sleep(0.2)
    assert found == "ready"
    end = time.monotonic() + 30.0  # a passage is searchable after the index's next refresh
    while client.post("/ask", json=QUESTION, headers=ANNA).json["refused"] and time.monotonic() < end:
        time.sleep(0.2)
    assert "417 mm" in client.post("/ask", json=QUESTION, headers=ANNA).json["answer"]

    query = {"q": "Quellmoos lysimeter water", "scope": "both"}
    (mine,) = client.get("/search", query_string=query, headers=ANNA).json["features"]
    assert mine["id"] == f"library:{sent.json['id']}"
    assert client.get("/search", query_string=query, headers=BERTA).json["features"] == []
    assert client.post("/ask", json=QUESTION, headers=BERTA).json["refused"]
    assert client.post("/ask", json={**QUESTION, "scope": "public"}).json["passages"] == []

    assert client.delete(here, headers=ANNA).status_code == 204
    assert client.get("/search", query_string=query, headers=ANNA).json["features"] == []
    assert list((settings.library.folder).glob("*/*")) == []
    said = (tmp_path / "worker.log").read_text()
    assert "Task sonde.read_document[" in said
    assert "Task sonde.tidy_library[" not in said, "an idle worker writes no line for each look around"
