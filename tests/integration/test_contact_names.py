"""People and organisations of contacts, as people type their names; a portal may switch people off."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator

import pytest
from elasticsearch import Elasticsearch

from core.errors import InvalidInput
from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.sources.folder import FolderSource
from search_api.search.filtering.cql2 import parse
from search_api.search.filtering.translate import clause_of
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import default_config
from search_api.search.request import Filters, SearchRequest
from search_api.search.retrieval.serving import ServingResolver
from search_api.search.suggester import NameSuggestion, contact_suggestions
from sonde.settings import IndexSettings, Settings
from sonde.wiring.models import Models
from sonde.wiring.search import search_pipeline
from tests.conftest import delete_indices
from tests.integration.hashing import Hashing

_CREATORS = {
    "a": ("Quillfeather, Tamsin A.", "Institute of Marsh Physics"),
    "b": ("Tamsin A. Quillfeather", "Institute of Marsh Physics"),
    "c": ("Quillfeather, Rufus", "Harbour Observatory"),
    "d": ("Oddny Vestergaard", "Harbour Observatory"),
    "e": ("Marsh Data Support", "Marsh Archive"),
}


@pytest.fixture(scope="module")
def prefix(es_client: Elasticsearch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder, prefix = tmp_path_factory.mktemp("contacts"), f"sonde-test-{uuid.uuid4().hex[:12]}"
    for key, (name, organisation) in _CREATORS.items():
        record = {
            "@context": "https://schema.org",
            "@type": "Dataset",
            "@id": key,
            "name": f"Peat cores, part {key}",
            "description": f"Peat of bog number {key}.",
            "creator": {"@type": "Person", "name": name, "affiliation": organisation},
        }
        (folder / f"{key}.json").write_text(json.dumps(record), "utf-8")
    ensure_indices(es_client, prefix, Hashing("one").card)
    report = harvest("bogs", FolderSource(folder), HarvestParts(es_client, prefix, Hashing))
    assert report.counts.new == len(_CREATORS), report.message
    yield prefix
    delete_indices(es_client, prefix)


def _pipeline(es_client: Elasticsearch, prefix: str, *, finds_people: bool = True) -> SearchPipeline:
    models, resolver = Models(Settings(index=IndexSettings(prefix=prefix))), ServingResolver(es_client, prefix, Hashing)
    return search_pipeline(es_client, prefix, models, default_config(), resolver=resolver, finds_people=finds_people)[0]


def _keys(pipeline: SearchPipeline, question: str, people: tuple[str, ...] = ()) -> set[str]:
    hits = pipeline.search(SearchRequest(question, algorithm="bm25", filters=Filters(people=people))).hits
    return {hit.record.title[-1] for hit in hits}


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("Tamsin Quillfeather", "ab"),
        ("Tamsin A. Quillfeather", "ab"),
        ("Quillfeather, T.", "ab"),
        ("T. Quillfeather", "ab"),
        ("T.A. Quillfeather", "ab"),
        ("Quillfeather T", "ab"),
        ("R. Quillfeather", "c"),
        ("quillfeather", "abc"),
        ("Harbour Observatory", "cd"),
    ],
)
def test_a_contact_is_found_in_each_usual_form(es_client: Elasticsearch, prefix: str, typed: str, keys: str) -> None:
    assert _keys(_pipeline(es_client, prefix), typed) == set(keys)


def test_initials_of_nobody_find_nobody(es_client: Elasticsearch, prefix: str) -> None:
    assert (
        not _pipeline(es_client, prefix).search(SearchRequest("Z. Quillfeather", algorithm="bm25")).interpretation.names
    )


@pytest.mark.parametrize("name", ["Tamsin A. Quillfeather", "quillfeather, tamsin a.", "Tamsin Quillfeather"])
def test_people_filter_whatever_name_is_first(es_client: Elasticsearch, prefix: str, name: str) -> None:
    assert _keys(_pipeline(es_client, prefix), "", (name,)) == {"a", "b"}


@pytest.mark.parametrize(
    ("expression", "keys"),
    [
        ("person = 'Tamsin Quillfeather'", "ab"),
        ("person IN ('Quillfeather, Rufus', 'Oddny Vestergaard')", "cd"),
        ("person = 'Tamsin Quillfeather' AND organisation = 'Harbour Observatory'", ""),
        ("NOT person = 'Tamsin Quillfeather'", "cde"),
    ],
)
def test_people_are_a_property_of_filters(es_client: Elasticsearch, prefix: str, expression: str, keys: str) -> None:
    filters = Filters(expression=(clause_of(parse(expression, "cql2-text")),))
    hits = _pipeline(es_client, prefix).search(SearchRequest("", filters=filters)).hits
    assert {hit.record.title[-1] for hit in hits} == set(keys)


def test_people_have_no_order() -> None:
    with pytest.raises(InvalidInput):
        clause_of(parse("person > 'Tamsin'", "cql2-text"))


def test_people_are_counted_under_one_form(es_client: Elasticsearch, prefix: str) -> None:
    facet = (
        _pipeline(es_client, prefix)
        .search(SearchRequest("peat", algorithm="bm25", facets=("person",)))
        .facets["person"]
    )
    assert {(value.value, value.label): value.count for value in facet.values} == {
        ("tamsin a. quillfeather", "Tamsin A. Quillfeather"): 2,
        ("rufus quillfeather", "Rufus Quillfeather"): 1,
        ("oddny vestergaard", "Oddny Vestergaard"): 1,
    }


def test_people_and_organisations_are_suggested(es_client: Elasticsearch, prefix: str) -> None:
    index = ServingResolver(es_client, prefix, Hashing).resolve().records.index

    def suggestions(typed: str, *, finds_people: bool = True) -> list[NameSuggestion]:
        return contact_suggestions(es_client, index, typed, 5, finds_people=finds_people)

    assert suggestions("quill")[0] == NameSuggestion("Tamsin A. Quillfeather", "person", 2)
    assert suggestions("harb") == [NameSuggestion("Harbour Observatory", "organisation", 2)]
    assert suggestions("quill", finds_people=False) == []


def test_a_portal_without_people_finds_only_organisations(es_client: Elasticsearch, prefix: str) -> None:
    pipeline = _pipeline(es_client, prefix, finds_people=False)
    assert _keys(pipeline, "Tamsin Quillfeather") == set()
    assert _keys(pipeline, "Harbour Observatory") == {"c", "d"}
    for request in (
        SearchRequest("peat", filters=Filters(people=("Rufus Quillfeather",))),
        SearchRequest("peat", facets=("person",)),
        SearchRequest("peat", filters=Filters(expression=(clause_of(parse("person = 'Rufus'", "cql2-text")),))),
    ):
        with pytest.raises(InvalidInput):
            pipeline.search(request)
