"""What records are called is counted as facets, filters searches and listings, and answers an older index too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.sources.folder import FolderSource
from reading.concepts import Concept, Label, NamedVocabulary
from search_api.search.answer import Answer
from search_api.search.ranking.config import default_config
from search_api.search.request import FacetName, Filters, SearchRequest
from search_api.search.retrieval.serving import ServingResolver
from search_api.search.suggester import NameSuggestion, index_suggestions
from search_api.search.understanding.vocabularies import VocabularyStore
from search_api.search.views.geojson import feature
from sonde.settings import IndexSettings, Settings
from sonde.wiring.api import Models, search_pipeline
from sonde.wiring.search import loaded_name_lists
from tests.integration.hashing import Hashing

_FACETS: tuple[FacetName, ...] = ("platform", "instrument", "project", "variable", "processing_level")


def _collection(name: str, platform: str, level: str) -> str:
    return json.dumps(
        {
            "ShortName": name, "Version": "006", "EntryTitle": f"{name} aerosol", "Abstract": "Aerosol over land.",
            "Platforms": [{"ShortName": platform, "Instruments": [{"ShortName": "MODIS"}]}],
            "Projects": [{"ShortName": "EOS"}], "ProcessingLevel": {"Id": level},
            "ScienceKeywords": [{"Category": "EARTH SCIENCE", "Topic": "ATMOSPHERE", "Term": "AEROSOLS"}],
        }
    )  # fmt: skip


def _search(client: Elasticsearch, prefix: str, filters: Filters) -> Answer:
    resolver = ServingResolver(client, prefix, Hashing)
    models = Models(Settings(index=IndexSettings(prefix=prefix)))
    pipeline, _ = search_pipeline(client, prefix, models, default_config(), resolver=resolver)
    return pipeline.search(SearchRequest(q="aerosol", algorithm="bm25", filters=filters, facets=_FACETS))


@pytest.fixture
def filled(es_client: Elasticsearch, prefix: str, tmp_path: Path) -> str:
    for name, platform, level in (("MOD04_L2", "Terra", "2"), ("MYD04_3K", "Aqua", "3")):
        (tmp_path / f"{name}.json").write_text(_collection(name, platform, level), "utf-8")
    ensure_indices(es_client, prefix, Hashing("one").card)
    report = harvest("nasa", FolderSource(tmp_path), HarvestParts(es_client, prefix, Hashing))
    assert (report.state, report.counts.new) == ("complete", 2), report.message
    return prefix


def test_names_are_facets_and_each_filters(es_client: Elasticsearch, filled: str) -> None:
    everything = _search(es_client, filled, Filters())
    counted = {name: {one.value: one.count for one in facet.values} for name, facet in everything.facets.items()}
    assert counted == {
        "platform": {"aqua": 1, "terra": 1},
        "instrument": {"modis": 2},
        "project": {"eos": 2},
        "variable": {"aerosols": 2},
        "processing_level": {"l2": 1, "l3": 1},
    }
    only = _search(es_client, filled, Filters(platforms=("TERRA",), variables=("Aerosols",)))
    assert [found.record.names.short_names for found in only.hits] == [("MOD04_L2",)]
    assert feature(only.hits[0].record)["properties"]["sonde:names"] == {
        "shortNames": ["MOD04_L2"],
        "platforms": ["Terra"],
        "instruments": ["MODIS"],
        "variables": [{"name": "AEROSOLS"}],
        "projects": ["EOS"],
        "processingLevel": "L2",
    }


def test_a_loaded_list_gives_every_spelling_one_value_and_a_new_list_reads_the_same_files_again(
    es_client: Elasticsearch, prefix: str, tmp_path: Path
) -> None:
    spellings = ("AQUA", "Aqua satellite", "Earth Observing System, Aqua")
    for number, platform in enumerate(spellings):
        (tmp_path / f"{number}.json").write_text(_collection(f"A{number}", platform, "2"), "utf-8")
    ensure_indices(es_client, prefix, Hashing("one").card)
    source, parts = FolderSource(tmp_path), HarvestParts(es_client, prefix, Hashing)
    harvest("nasa", source, parts)
    aqua = Concept("p:1", (Label("Aqua", "en"), Label("Earth Observing System, Aqua", "en")))
    VocabularyStore(es_client, prefix).save(NamedVocabulary("gcmd-platforms", (aqua,)), "2026-01-01T00:00:00+00:00")
    parts = replace(parts, name_lists=loaded_name_lists(es_client, prefix))
    assert harvest("nasa", source, parts).counts.changed == 3
    assert harvest("nasa", source, parts).counts.changed == 0
    found = _search(es_client, prefix, Filters(platforms=("Aqua",)))
    assert [(one.value, one.count) for one in found.facets["platform"].values] == [("Aqua", 3)]  # as it was chosen
    for spelling in spellings:
        own = _search(es_client, prefix, Filters(platforms=(spelling,)))
        assert next(one.record.names.platforms for one in own.hits) == ("Aqua",)
    keys = es_client.count(index=f"{prefix}-records", query={"term": {"names.keys": "aquasatellite"}}).body["count"]
    assert keys == 1


def test_names_are_suggested_whatever_their_separators_and_nonsense_is_not(
    es_client: Elasticsearch, filled: str
) -> None:
    for typed in ("MOD04 l", "mod04_l2", "mod-04", "MOD0"):
        found = index_suggestions(es_client, f"{filled}-records", typed, 5)
        assert found.names[0] == NameSuggestion("mod04_l2", "short_name", 1)
    names = {
        typed: index_suggestions(es_client, f"{filled}-records", typed, 5).names
        for typed in ("terr", "modi", "xq", "—", "m")
    }
    assert names["terr"] == [NameSuggestion("terra", "platform", 1)]
    assert names["modi"] == [NameSuggestion("modis", "instrument", 2)]
    assert not any(names[typed] for typed in ("xq", "—", "m"))


def test_keys_are_kept_for_ranking(es_client: Elasticsearch, filled: str) -> None:
    found = es_client.search(
        index=f"{filled}-records", query={"term": {"names.keys": "mod04l2006"}}, docvalue_fields=["names.keys"]
    )
    hits = found.body["hits"]["hits"]
    assert [hit["_source"]["edition"] for hit in hits] == ["006"]
    assert {"mod04l2", "terra", "modis", "eos"} <= set(hits[0]["fields"]["names.keys"])
