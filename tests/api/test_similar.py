"""`/items/ID/similar`: the ranking core with a record as the question."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from core.geo import BBox
from core.record import Keyword, Record
from es_mappings.codecs.records import to_document
from es_mappings.names import concrete
from search_api.search.flow import SearchPipeline
from search_api.search.parts import RecordCaches
from search_api.search.ranking.config import Ranker, default_config
from search_api.search.ranking.signals.arms import Bm25
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.request import SearchRequest
from search_api.search.similar import characteristic_text, similar
from sonde.wiring.search import search_pipeline
from tests.conftest import delete_indices
from tests.service import Service

ALPS, ANDES = BBox(6, 44, 15, 48), BBox(-75, -40, -65, -10)
ASKED = Record(
    "a:asked",
    "a",
    "asked",
    "Snow depth of alpine stations",
    "Daily snow depth by hand.",
    extents=(ALPS,),
    doi="10.1/asked",
)
RECORDS = (
    ASKED,
    Record("b:double", "b", "other", ASKED.title, ASKED.abstract, extents=(ALPS,), doi="10.1/asked"),
    Record("a:near", "a", "near", "Depth of snow at stations in the Alps", "Daily.", extents=(ALPS,)),
    Record("a:far", "a", "far", "Depth of snow at stations in the Alps", "Daily. ", extents=(ANDES,)),
    Record("a:words", "a", "words", "Snow depth", "Not embedded yet.", extents=(ALPS,)),
    Record("a:else", "a", "else", "Ozone over Borneo", "Soundings of the upper air."),
)
NOT_EMBEDDED = ("a:words",)


@pytest.fixture(scope="module")
def service(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    one = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    one.prepare()
    vectors = one.models.embedder().embed([record.embedding_text for record in RECORDS], "document")
    for record, vector in zip(RECORDS, vectors, strict=True):
        document = to_document(record)
        if record.id not in NOT_EMBEDDED:
            document["vector"] = vector.tolist()
        es_client.index(index=concrete(one.prefix, "records", 1), id=record.id, document=document)
    es_client.indices.refresh(index=concrete(one.prefix, "records", 1))
    yield one
    delete_indices(es_client, one.prefix)


def found(service: Service, record: str, limit: int = 10) -> list[dict[str, Any]]:
    answer = service.http.get(f"/collections/all/items/{record}/similar", query_string={"limit": limit})
    assert answer.status_code == 200, answer.get_data(as_text=True)
    features: list[dict[str, Any]] = answer.get_json()["features"]
    return features


def ids(features: list[dict[str, Any]]) -> list[str]:
    return [one["id"] for one in features]


def test_neither_the_record_nor_its_data_set_from_elsewhere_is_similar_to_it(service: Service) -> None:
    assert not {"a:asked", "b:double"} & set(ids(found(service, "a:asked")))


def test_of_two_that_say_the_same_the_one_in_the_same_place_comes_first(service: Service) -> None:
    order = ids(found(service, "a:asked"))
    assert order.index("a:near") < order.index("a:far") < order.index("a:else")


def test_a_cosine_is_said_where_it_was_measured(service: Service) -> None:
    said = {one["id"]: one["sonde:similarity"] for one in found(service, "a:asked")}
    assert said["a:words"] is None
    assert said["a:near"] > said["a:else"] > -1.0


def test_a_record_without_a_vector_has_similar_ones_by_its_words(service: Service) -> None:
    features = found(service, "a:words")
    assert set(ids(features)) >= {"a:asked", "a:near"}
    assert {one["sonde:similarity"] for one in features} == {None}


def test_at_most_so_many(service: Service) -> None:
    assert ids(found(service, "a:asked", 1)) == ids(found(service, "a:asked"))[:1]


def test_its_numbers_are_those_of_the_configuration(service: Service) -> None:
    pipeline, _ = search_pipeline(service.client, service.prefix, service.models, default_config())
    parts = pipeline.parts
    vector = service.models.embedder().embed([ASKED.embedding_text], "document")[0].tolist()
    ranker = parts.config.similar.without(Spatial, Bm25)
    without_words = replace(parts, config=replace(parts.config, similar=ranker))
    narrow = replace(parts, config=replace(parts.config, similar=replace(parts.config.similar, max_results=2)))
    assert [one.id for one, _ in similar(without_words, ASKED, vector, 10)][-1] == "a:words"
    assert len(similar(narrow, ASKED, vector, 10)) == 2


def test_a_search_before_it_changes_nothing(service: Service) -> None:
    """Both remember what they read of the same records."""
    pipeline, _ = search_pipeline(service.client, service.prefix, service.models, default_config())
    parts = replace(pipeline.parts, config=replace(default_config(), similar=_other_signals(default_config().similar)))
    vector = service.models.embedder().embed([ASKED.embedding_text], "document")[0].tolist()
    fresh = similar(replace(parts, caches=RecordCaches()), ASKED, vector, 10)
    SearchPipeline(parts).search(SearchRequest("snow depth"))
    assert similar(parts, ASKED, vector, 10) == fresh


def _other_signals(ranker: Ranker) -> Ranker:
    """The same signals in another order, so that their columns are in another order too."""
    return replace(ranker, signals=dict(reversed(list(ranker.signals.items()))))


def test_the_first_different_words_of_title_keywords_and_abstract_are_searched_for() -> None:
    record = Record("a:1", "a", "1", "Snow of Snow", "Daily of hand", keywords=(Keyword("ice cover"),))
    assert characteristic_text(record, 5) == "Snow of ice cover Daily"
