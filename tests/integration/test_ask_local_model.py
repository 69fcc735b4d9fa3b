"""Answers by a real, small language model: its stream, limits, the check of its sentences, and quotes without it.

The model seldom answers rightly: these tests show that nothing reaches a reader which no passage supports.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from elasticsearch import Elasticsearch
from flask.testing import FlaskClient

from encoders.language_model import ChatEndpoint, RemoteLanguageModel
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.store import DocumentStore
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.search.passages.values import REFUSAL
from sonde.model_settings import AnswersSettings
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from sonde.wiring.models import Models
from tests.conftest import delete_indices
from tests.servers.local_model import MODEL, local_model
from tests.service import Service

REPORT = b"""# The Zwackelmoor survey

The Zwackelmoor survey counted 42 springs in May 2014. The water of the springs had a mean temperature of 8.5 degrees.
"""
QUESTION = "How many springs did the Zwackelmoor survey count?"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with local_model() as url:
        yield url


@pytest.fixture(scope="module")
def service(address: str, es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    filled = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    filled.prepare()
    parts = document_parts(filled.settings, filled.models, es_client)
    assert ingest(IncomingDocument(REPORT, "survey.md", "survey.md"), parts).entry.state == "ready"
    DocumentStore(es_client, filled.prefix).refresh("public")
    yield filled
    delete_indices(es_client, filled.prefix)


def client(service: Service, url: str, max_tokens: int = 24) -> FlaskClient:
    answers = AnswersSettings(url=url, model=MODEL, max_tokens=max_tokens, timeout_s=120.0)
    net = service.settings.net.model_copy(update={"allowed_hosts": (urlsplit(url).netloc,)})
    settings = service.settings.model_copy(update={"answers": answers, "net": net})
    return create_app(api_parts(settings, Models(settings))).test_client()


def pieces(address: str, max_tokens: int) -> list[str]:
    gate = Gate(GatePolicy(allowed_hosts=frozenset((urlsplit(address).netloc,))))
    model = RemoteLanguageModel(ChatEndpoint(address, MODEL, timeout_s=120.0, max_tokens=max_tokens), gate)
    return list(model.stream([{"role": "user", "content": "Write three sentences about rivers."}]))


def test_the_answer_arrives_in_pieces_and_ends_at_the_limit(address: str) -> None:
    short, longer = pieces(address, 8), pieces(address, 24)
    assert 1 < len(short) <= 9
    assert len(short) < len(longer) <= 25
    assert "".join(longer).startswith("".join(short))


def test_no_answer_without_a_supported_sentence_is_shown(service: Service, address: str) -> None:
    headers = {"Accept": "text/event-stream"}
    with client(service, address).post("/ask", json={"question": QUESTION}, headers=headers) as answer:
        blocks = [block.split("\ndata: ", 1) for block in answer.get_data(as_text=True).strip().split("\n\n")]
    events = [(name.removeprefix("event: "), json.loads(data)) for name, data in blocks]
    whole, shown = events[-1][1], "".join(data["text"] for name, data in events if name == "text")
    assert events[0][0] == "passages"
    if whole["mode"] == "model":
        assert any(sentence["supported"] for sentence in whole["sentences"])
        assert shown.strip() == whole["answer"]
    elif whole["mode"] == "extractive":
        assert whole["degraded"] == ["language_model_support"]
        assert all(sentence["text"] in REPORT.decode() for sentence in whole["sentences"])
    else:
        assert whole["answer"] == REFUSAL
        assert whole["sentences"] == []


def test_quotes_answer_where_the_model_is_gone(service: Service) -> None:
    with local_model() as url:
        gone = client(service, url)
    answer = gone.post("/ask", json={"question": QUESTION}).get_json()
    assert (answer["mode"], answer["degraded"]) == ("extractive", ["language_model"])
    assert "42 springs" in answer["answer"]
