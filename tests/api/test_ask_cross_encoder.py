"""A cross-encoder in answers: its share of the order, and a relevance on which both must agree."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from elasticsearch import Elasticsearch
from numpy.typing import NDArray

from core.ports import CrossEncoderCard
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.store import DocumentStore
from search_api.search.passages.retrieve import PassageRetriever, RetrievedPassages
from search_api.search.passages.values import AskRequest
from sonde.wiring.api import api_parts
from sonde.wiring.documents import document_parts
from tests.conftest import delete_indices
from tests.service import Service

TEXT = """# The Grumbach plots

## Methods

Soil moisture was measured with 42 sensors at depths of 5, 20 and 50 cm, which a laboratory calibrated before.

## Results

The mean soil moisture of the clay plots was 31.4 percent, measured with sensors that were buried in spring.

## Staff

Soil moisture was nobody's subject in the year before; the sensors were bought by Professor Amsel.
"""
QUESTION = "How many sensors measured soil moisture?"


@pytest.fixture(scope="module")
def service(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    prefix = f"sonde-test-{uuid.uuid4().hex[:12]}"
    service = Service(es_client, elasticsearch_url, prefix)
    service.prepare()
    parts = document_parts(service.settings, service.models, es_client)
    assert ingest(IncomingDocument(TEXT.encode(), "plots.md", "plots.md"), parts).entry.state == "ready"
    DocumentStore(es_client, prefix).refresh("public")
    yield service
    delete_indices(es_client, prefix)


@dataclass(frozen=True)
class ReadsWord:
    """A stub: a text with the word is likely to answer, any other unlikely."""

    word: str
    card: CrossEncoderCard
    logit: float = 3.0

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:  # noqa: ARG002
        return np.array([self.logit if self.word in text else -self.logit for text in texts])


def retrieved(service: Service, reader: ReadsWord | None) -> RetrievedPassages:
    answers = api_parts(service.settings, service.models).answerer._parts
    plain: PassageRetriever = answers.retriever
    parts = replace(plain.parts, cross_encoder=None if reader is None else lambda: reader)
    request = AskRequest(QUESTION, threshold=0.0)
    return replace(plain, parts=parts).retrieve(request, answers.resolver.resolve())


def test_relevance_is_the_geometric_mean_and_the_share_moves_the_order(service: Service) -> None:
    plain = {passage.id: passage for passage in retrieved(service, None).passages}
    read = retrieved(service, ReadsWord("Amsel", CrossEncoderCard("stub", 512))).passages
    assert len(read) == len(plain) == 3
    for passage in read:
        logit = 3.0 if "Amsel" in passage.text else -3.0
        expected = math.sqrt(plain[passage.id].relevance / (1.0 + math.exp(-logit)))
        assert passage.relevance == pytest.approx(expected)
        assert passage.signals["cross_encoder"] == pytest.approx(1.0 / (1.0 + math.exp(-logit)))
        own_share = 0.6 * plain[passage.id].score
        assert passage.score == pytest.approx(own_share + 0.4 / (1.0 + math.exp(-logit)))
    assert "Amsel" not in next(iter(plain.values())).text
    assert "Amsel" in read[0].text


def test_the_share_of_searches_is_not_that_of_answers(service: Service) -> None:
    card = CrossEncoderCard("stub", 512)
    own, other = (retrieved(service, ReadsWord("Amsel", replace(card, weight=weight))) for weight in (None, 0.01))
    assert own == other


def test_one_that_cannot_judge_changes_nothing(service: Service) -> None:
    card = CrossEncoderCard("stub", 512, judges=False)
    plain, read = retrieved(service, None).passages, retrieved(service, ReadsWord("Amsel", card)).passages
    assert [(one.id, one.relevance) for one in read] == [(one.id, one.relevance) for one in plain]
