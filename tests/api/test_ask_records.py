"""``POST /ask`` over records: abstracts and titles answer beside documents, and a refusal offers the search."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.store import DocumentStore
from sonde.wiring.documents import document_parts
from tests.conftest import delete_indices
from tests.service import Service

REPORT = b"""# The Zwackelmoor gauge

The Zwackelmoor gauge was moved to the eastern shore in May 2014. It measures the level of the lake every 10 minutes.
"""


@pytest.fixture(scope="module")
def service(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    filled = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    filled.harvest()
    parts = document_parts(filled.settings, filled.models, es_client)
    assert ingest(IncomingDocument(REPORT, "gauge.md", "gauge.md"), parts).entry.state == "ready"
    DocumentStore(es_client, filled.prefix).refresh("public")
    yield filled
    delete_indices(es_client, filled.prefix)


def ask(service: Service, question: str, **body: Any) -> dict[str, Any]:
    answer = service.http.post("/ask", json={"question": question, **body})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.get_json()
    return found


def test_an_abstract_answers_and_opens_its_record(service: Service) -> None:
    answer = ask(service, "What is GEBCO?")
    assert answer["mode"] == "extractive"
    cited = answer["passages"][answer["sentences"][0]["citations"][0] - 1]
    assert (cited["kind"], cited["document"], cited["record"]) == ("record", None, "samples:gebco-2024")
    assert cited["href"].endswith("/records/samples:gebco-2024")
    assert answer["sentences"][0]["text"] in " ".join(cited["text"].split())
    assert answer["links"] == []


@pytest.mark.parametrize(
    ("question", "record"),
    [
        ("Which data sets have rainfall for Australia?", "samples:agcd-rainfall-australia"),
        ("Are there ice cores from Greenland?", "samples:gisp2-ice-core"),
        ("Gibt es Daten zur Meerestemperatur der Nordsee?", "samples:bsh-nordsee-sst"),
    ],
)
def test_a_question_for_data_is_answered_by_titles(service: Service, question: str, record: str) -> None:
    answer = ask(service, question)
    assert answer["mode"] == "extractive"
    by_number = {passage["number"]: passage for passage in answer["passages"]}
    listed = [by_number[sentence["citations"][0]] for sentence in answer["sentences"]]
    assert record in [passage["record"] for passage in listed]
    assert len(listed) <= 5
    assert [passage["title"] for passage in listed] == [sentence["text"] for sentence in answer["sentences"]]


def test_a_record_of_another_place_does_not_answer(service: Service) -> None:
    answer = ask(service, "Which data sets have rainfall for Australia?")
    assert "samples:chirps-v2-africa-monthly" not in [passage["record"] for passage in answer["passages"]]


def test_documents_answer_what_they_say(service: Service) -> None:
    answer = ask(service, "When was the Zwackelmoor gauge moved?")
    assert "May 2014" in answer["sentences"][0]["text"]
    first = answer["passages"][0]
    assert first["kind"] == "text"
    assert first["href"].endswith(f"/documents/{first['document']}")


def test_a_question_of_documents_reads_no_records(service: Service) -> None:
    document = ask(service, "When was the Zwackelmoor gauge moved?")["passages"][0]["document"]
    limited = ask(service, "What is GEBCO?", document=document, threshold=0.0)
    assert {passage["kind"] for passage in limited["passages"]} <= {"text"}
    by_record = ask(service, "What does GEBCO cover?", record="samples:gebco-2024", threshold=0.0)
    assert {passage["record"] for passage in by_record["passages"]} == {"samples:gebco-2024"}


@pytest.mark.parametrize("question", ["Who won the football world cup?", "Which data sets have wages of teachers?"])
def test_a_refusal_offers_the_search(service: Service, question: str) -> None:
    answer = ask(service, question)
    assert answer["refused"]
    assert [link["rel"] for link in answer["links"]] == ["search", "search"]
    page, api = (link["href"] for link in answer["links"])
    assert "/?q=" in page
    path = api.split("localhost", 1)[1]
    assert service.http.get(path).status_code == 200
