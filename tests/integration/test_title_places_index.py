"""The places of a catalogue's titles, from the records in a real Elasticsearch to the place of a question."""

from __future__ import annotations

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD

from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import refresh_title_places, try_refresh
from reading.gazetteer import Gazetteer
from search_api.search.understanding.title_places import CatalogueGazetteer, loaded_title_places

pytestmark = pytest.mark.elasticsearch

BOX = "-155.9,69.8,-155.8,69.9"


def _write(client: Elasticsearch, prefix: str, *, groups: list[str]) -> None:
    for number in range(3):
        record = {"title": f"Soil of Oumalik {number}", "abstract": "Measured at Oumalik.", "boxes": [BOX]}
        record |= {"access_groups": groups} if groups else {}
        client.index(index=f"{prefix}-records", id=f"s:{number}", document=record)


def test_titles_become_a_place_that_questions_know(es_client: Elasticsearch, prefix: str) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=("records", "vocabulary"))
    _write(es_client, prefix, groups=[])
    now = [0.0]
    places = loaded_title_places(es_client, prefix, lambda: now[0])
    gazetteer = CatalogueGazetteer(Gazetteer(), places)
    assert gazetteer.named("oumalik") is None

    assert refresh_title_places(es_client, prefix) == 1
    now[0] = 61.0
    name = gazetteer.named("oumalik")
    assert name is not None
    assert name.places[0].record_count == 3


def test_titles_of_restricted_records_give_no_place(es_client: Elasticsearch, prefix: str) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=("records", "vocabulary"))
    _write(es_client, prefix, groups=["inner"])
    assert refresh_title_places(es_client, prefix) == 0


def test_without_the_index_a_harvest_ends_all_the_same(es_client: Elasticsearch, prefix: str) -> None:
    ensure_indices(es_client, prefix, CARD, kinds=("records",))
    _write(es_client, prefix, groups=[])
    try_refresh(es_client, prefix)
    assert not es_client.indices.exists(index=f"{prefix}-vocabulary")
    assert loaded_title_places(es_client, prefix)().by_key == {}
