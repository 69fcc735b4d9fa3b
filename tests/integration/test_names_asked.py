"""Names as people type them, over a real index: exactly, begun, with any separator or version, misspelt; acronyms."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator

import pytest
from elasticsearch import Elasticsearch

from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.sources.folder import FolderSource
from search_api.search.answer import Answer
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import default_config
from search_api.search.request import ALL_PARTS, SearchRequest
from search_api.search.retrieval.serving import ServingResolver
from sonde.settings import IndexSettings, Settings
from sonde.wiring.api import Models, search_pipeline
from tests.conftest import delete_indices
from tests.integration.hashing import Hashing

_OWN = "sonde-test-"
_RECORDS = {
    "a": ("MOD11_L2", "006", "Swath temperature of the land, 1 km"),
    "b": ("MOD11_L2", "061", "Swath temperature of the land, 1 km"),
    "c": ("MOD11_L2_NRT", "061", "Swath temperature of the land, near real time"),
    "d": ("TOGASND", "1", "TOGA COARE soundings of the western Pacific"),
    "e": ("SMOIST", "2", "Evapotranspiration of crops"),
    "f": ("HEAT1", "1", "Daily heat of the surface: Land Surface Warmth Index (LSWI) of towns"),
    "g": ("HEAT2", "1", "Night heat of the surface: Land Surface Warmth Index (LSWI) of fields"),
    "h": ("WARMTH", "1", "The land surface warmth index of lakes"),
    "i": ("ONCE", "1", "Only Record Saying Such (ORSS)"),
    "j": ("DRIFTS", "1", "Snow of the high plateau"),
    "k": ("OSUDUST", "1", "Oregon State University dust transport output"),
    "l": ("DUSTREC", "1", "Dust transport observed in Oregon"),
    "m": ("UODUST", "1", "University of Oregon dust transport output"),
}
_ABSTRACTS = {"j": "Gain of snow by condensation of vapour."}


@pytest.fixture(scope="module")
def pipeline(es_client: Elasticsearch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchPipeline]:
    folder, prefix = tmp_path_factory.mktemp("named"), f"{_OWN}{uuid.uuid4().hex[:12]}"
    for key, (name, version, title) in _RECORDS.items():
        record = {
            "ShortName": name,
            "Version": version,
            "EntryTitle": title,
            "Abstract": _ABSTRACTS.get(key, f"{title}."),
        }
        (folder / f"{key}.json").write_text(json.dumps(record), "utf-8")
    ensure_indices(es_client, prefix, Hashing("one").card)
    report = harvest("nasa", FolderSource(folder), HarvestParts(es_client, prefix, Hashing))
    assert report.counts.new == len(_RECORDS), report.message
    resolver = ServingResolver(es_client, prefix, Hashing)
    models = Models(Settings(index=IndexSettings(prefix=prefix)))
    yield search_pipeline(es_client, prefix, models, default_config(), resolver=resolver)[0]
    delete_indices(es_client, prefix)


def _ask(pipeline: SearchPipeline, question: str) -> Answer:
    return pipeline.search(SearchRequest(q=question, algorithm="bm25", rerank=False))


def _versions(answer: Answer) -> list[tuple[str, str | None]]:
    return [(found.record.names.short_names[0], found.record.edition) for found in answer.hits]


@pytest.mark.parametrize("question", ["MOD11_L2", "mod11 l2", "mod11l2", "MOD 11 L2", "mod11-l2"])
def test_a_product_stands_first_the_newest_version_before_the_others_and_then_its_kin(
    pipeline: SearchPipeline, question: str
) -> None:
    answer = _ask(pipeline, question)
    assert _versions(answer)[:3] == [("MOD11_L2", "061"), ("MOD11_L2", "006"), ("MOD11_L2_NRT", "061")]
    assert [(one.mention.text, one.how) for one in answer.interpretation.names] == [(question, "exact")]


@pytest.mark.parametrize("question", ["MOD11_L2 V006", "mod11_l2 006", "MOD11_L2.006", "mod11 l2 version 6"])
def test_a_version_behind_it_is_read(pipeline: SearchPipeline, question: str) -> None:
    assert _versions(_ask(pipeline, question))[0] == ("MOD11_L2", "006")


@pytest.mark.parametrize(
    ("question", "first", "how"),
    [
        ("togacoare", "TOGASND", "exact"),
        ("TOGA_COARE", "TOGASND", "exact"),
        ("evapot", "SMOIST", "beginning"),
        ("togasn", "TOGASND", "beginning"),
        ("condensa", "DRIFTS", "beginning"),
        ("snow condensa", "DRIFTS", "beginning"),
        ("TOGASDN", "TOGASND", "spelling"),
    ],
)
def test_parts_and_slips_find_it_and_the_answer_says_how(
    pipeline: SearchPipeline, question: str, first: str, how: str
) -> None:
    answer = _ask(pipeline, question)
    assert _versions(answer)[0][0] == first
    assert [one.how for one in answer.interpretation.names] == [how]


def test_a_typing_error_in_a_word_of_the_topic_is_corrected_before_the_search(pipeline: SearchPipeline) -> None:
    answer = _ask(pipeline, "evapotranspirtion")
    assert _versions(answer)[0][0] == "SMOIST"
    assert answer.corrected_from == "evapotranspirtion"


@pytest.mark.parametrize("question", ["cond", "condensa frindle", "evapot wibble spudge"])
def test_short_beginnings_of_words_in_abstracts_and_beginnings_beside_unknown_words_are_not_read(
    pipeline: SearchPipeline, question: str
) -> None:
    answer = _ask(pipeline, question)
    assert not any(one.how == "beginning" for one in answer.interpretation.names)
    assert answer.hits == ()


def test_a_name_that_no_record_bears_is_said_to_be_unknown_and_finds_nothing(pipeline: SearchPipeline) -> None:
    answer = _ask(pipeline, "QZX77_K9")
    assert [one.how for one in answer.interpretation.names] == ["unknown"]
    assert answer.hits == ()


def test_an_acronym_that_two_records_define_is_read_both_ways(pipeline: SearchPipeline) -> None:
    answer = _ask(pipeline, "LSWI")
    assert [(one.mention.source, [label.text for label in one.synonyms]) for one in answer.interpretation.terms] == [
        ("catalogue", ["land surface warmth index"])
    ]
    found = [name for name, _ in _versions(answer)]
    assert set(found[:2]) == {"HEAT1", "HEAT2"}
    assert found[2] == "WARMTH"
    words = _ask(pipeline, "land surface warmth index")
    assert [label.text for one in words.interpretation.terms for label in one.synonyms] == ["lswi"]


def test_one_that_a_single_record_defines_counts_for_nothing(pipeline: SearchPipeline) -> None:
    assert _ask(pipeline, "ORSS").interpretation.terms == ()


def test_readings_can_be_taken_away(pipeline: SearchPipeline) -> None:
    request = SearchRequest(q="LSWI mod11_l2", algorithm="bm25", interpret=ALL_PARTS - {"names", "terms"})
    read = pipeline.search(request).interpretation
    assert (read.names, read.terms) == ((), ())


def test_a_place_in_the_name_of_an_institution_is_not_the_place_of_the_data(pipeline: SearchPipeline) -> None:
    request = SearchRequest(q="dust transport in Oregon", algorithm="bm25", rerank=False, explain=True)
    counted = {}
    for found in pipeline.search(request).hits:
        assert found.explanation is not None
        signals = {part["signal"]: part["normalised"] for part in found.explanation["signals"]}
        counted[found.record.names.short_names[0]] = signals["spatial"]
    assert counted["DUSTREC"] > counted["OSUDUST"] == counted["UODUST"]
