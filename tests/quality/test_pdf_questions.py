"""The short form of the question set: three files, their questions, the figures the whole set must reach."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from elasticsearch import Elasticsearch

from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.store import DocumentStore
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from tests.conftest import delete_indices
from tests.quality.pdf_questions import load_questions, measure
from tests.service import Service
from tests.shared_data import shared_data

FILES = ("goce-2011.pdf", "10.21105.jose.00037.pdf", "10.21105.jose.00090.pdf")


@pytest.fixture
def service(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    one = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    one.prepare()
    yield one
    delete_indices(es_client, one.prefix)


def test_the_set_is_large_enough_and_names_files_that_are_there() -> None:
    questions = load_questions()
    assert sum(asked.file is not None for asked in questions) >= 120
    assert sum(asked.file is None for asked in questions) >= 10
    assert len({asked.question for asked in questions}) == len(questions)
    for file in {asked.file for asked in questions if asked.file is not None}:
        assert shared_data("pdfs", file).is_file()


def test_questions_over_three_files_find_their_pages_and_others_are_refused(service: Service) -> None:
    reading = document_parts(service.settings, service.models, service.client)
    names = {}
    for file in FILES:
        entry = ingest(IncomingDocument(shared_data("pdfs", file).read_bytes(), file, file), reading).entry
        names[entry.id] = file
    DocumentStore(service.client, service.prefix).refresh("public")
    parts = api_parts(service.settings, service.models)
    report = measure(parts.answerer, parts.serving, names)
    assert report["questions"] >= 20
    assert report["recall@1"] >= 0.9
    assert report["recall@8"] >= 0.95
    assert report["answered_wrongly"] == []
