"""People and organisations as typed, and names that many records bear, over a real index."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from elasticsearch import Elasticsearch

from core.record import Contact, Record
from evaluation.temporary_index import temporary_records
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import default_config
from search_api.search.request import SearchRequest
from search_api.search.retrieval.serving import ServingResolver
from sonde.settings import Settings
from sonde.wiring.models import Models
from sonde.wiring.search import search_pipeline
from tests.integration.hashing import Hashing

PEOPLE = {
    "ice": Contact(name="Marta Quillfeder", organisation="Institute of Cold Rivers"),
    "mud": Contact(name="Quandt, Ole B.", organisation="Harbour College, Department of Mud"),
    "wind": Contact(name="Ines Ulrike van der Mole", organisation="TIDE"),
    "frost": Contact(name="Vladimir Zettergran", organisation="Georgia Institute of Frost"),
    "rain": Contact(name="Berta Müller", organisation=""),
}
TITLES = {
    "ice": "Ice thickness of rivers",
    "mud": "Mud of harbours",
    "wind": "Wind above dykes",
    "frost": "Frost depth of meadows",
    "rain": "Precipitation of hills",
}
MANY = 80


def _records() -> Iterator[Record]:
    for key, contact in PEOPLE.items():
        yield _record(key, TITLES[key], contacts=(contact,))
    yield _record("mudplain", "Mud of harbours and of plains")
    for number in range(MANY):
        yield _record(f"tide{number}", f"TIDE station {number} in PDF", formats=("PDF: Portable Document Format",))
    yield _record("rare", "ZEBU campaign: dykes")
    yield _record("frostplain", "Frost of plains and of dykes, NOT of harbours")
    yield _record("begun", "Dykes of JAVALINA")


def _record(key: str, title: str, **more: object) -> Record:
    return Record(id=f"t:{key}", source="t", identifier=f"{key}-0001", title=title, abstract="", **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def pipeline(es_client: Elasticsearch) -> Iterator[SearchPipeline]:
    with temporary_records(es_client, list(_records()), Hashing("one")) as prefix:
        resolver = ServingResolver(es_client, prefix, Hashing)
        yield search_pipeline(es_client, prefix, Models(Settings()), default_config(), resolver=resolver)[0]


def _ids(pipeline: SearchPipeline, question: str) -> list[str]:
    answer = pipeline.search(SearchRequest(q=question, algorithm="bm25", rerank=False))
    return [found.record.identifier.removesuffix("-0001") for found in answer.hits]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Marta Quillfeder", "ice"),
        ("Quillfeder, Marta", "ice"),
        ("quillfeder marta", "ice"),
        ("Quillfeder", "ice"),
        ("Ole Quandt", "mud"),
        ("Ole B. Quandt", "mud"),
        ("van der Mole, Ines Ulrike", "wind"),
        ("Institute of Cold Rivers", "ice"),
        ("Harbour College", "mud"),
        ("harbour college department of mud", "mud"),
        ("mud Ole Quandt", "mud"),
        ("mud of plains and harbours Harbour College", "mud"),
        ("Quillfeder, Marta: thickness", "ice"),
        ("frost Zettergran", "frost"),
        ("zettergran depth of meadows", "frost"),
        ("Zettergran dykes", "frost"),
        ("Zettergram dykes", "frost"),
        ("Zettergram", "frost"),
        ("Vladimir Zettergran", "frost"),
        ("Georgia Institute of Frost", "frost"),
        ("Mole dykes", "wind"),
    ],
)
def test_a_person_or_an_organisation_is_found_as_typed_and_beside_a_topic(
    pipeline: SearchPipeline, question: str, first: str
) -> None:
    assert _ids(pipeline, question)[0] == first


def test_of_two_that_fit_the_persons_own_comes_first(pipeline: SearchPipeline) -> None:
    assert _ids(pipeline, "mud plains")[0] == "mudplain"
    assert _ids(pipeline, "mud Quandt Ole")[0] == "mud"


@pytest.mark.parametrize("name", ["TIDE", "PDF"])
def test_a_name_of_many_records_does_not_lead_but_is_found_alone(pipeline: SearchPipeline, name: str) -> None:
    assert _ids(pipeline, f"mud harbours {name}")[0] in ("mud", "mudplain")
    assert _ids(pipeline, name)[0].startswith("tide")


def test_a_rare_name_leads(pipeline: SearchPipeline) -> None:
    assert _ids(pipeline, "wind ZEBU")[0] == "rare"


def test_a_format_leaves_the_topic(pipeline: SearchPipeline) -> None:
    read = pipeline.search(SearchRequest(q="mud harbours PDF", algorithm="bm25")).interpretation
    assert read.thematic == "mud harbours"
    assert [offer.mention.text for offer in read.offers] == ["PDF"]


@pytest.mark.parametrize("question", ["Vladimir Zettergran frost", "Georgia Institute of Frost meadows"])
def test_a_place_within_the_name_of_a_contact_is_not_read(pipeline: SearchPipeline, question: str) -> None:
    read = pipeline.search(SearchRequest(q=question, algorithm="bm25")).interpretation
    assert [name.is_contact for name in read.names] == [True]
    assert read.places == read.areas == ()
    assert pipeline.search(SearchRequest(q="frost Vladimir", algorithm="bm25")).interpretation.places


@pytest.mark.parametrize(
    ("question", "topic"),
    [("Müller", "Müller"), ("Niederschlag Berta Müller", "precipitation"), ("Abfall", "waste")],
    ids=["surname_with_a_stem", "beside_a_topic", "the_word_itself"],
)
def test_the_name_of_a_contact_is_not_translated(pipeline: SearchPipeline, question: str, topic: str) -> None:
    read = pipeline.search(SearchRequest(q=question, algorithm="bm25")).interpretation
    assert read.thematic == topic


def test_a_contact_is_no_unknown_word(pipeline: SearchPipeline) -> None:
    answer = pipeline.search(SearchRequest(q="Zettergran"))
    assert (answer.unknown_words, answer.did_you_mean) == ((), None)
    assert [found.record.identifier for found in answer.hits] == ["frost-0001"]


def test_a_misspelt_last_name_is_shown_as_such(pipeline: SearchPipeline) -> None:
    (name,) = pipeline.search(SearchRequest(q="Zettergram dykes", algorithm="bm25")).interpretation.names
    assert (name.how, name.keys) == ("spelling", ("zettergran",))


def test_a_beginning_of_a_name_does_not_lead_but_is_found_alone(pipeline: SearchPipeline) -> None:
    assert _ids(pipeline, "mud harbours Javali")[0] in ("mud", "mudplain")
    assert _ids(pipeline, "Javali") == ["begun"]


@pytest.mark.parametrize("question", ["mud AND harbours", "mud NOT plains"])
def test_operators_in_capitals_are_no_names(pipeline: SearchPipeline, question: str) -> None:
    assert pipeline.search(SearchRequest(q=question, algorithm="bm25")).interpretation.names == ()


@pytest.mark.parametrize("word", ["GMT", "hPa", "NOAA"])
def test_units_zones_and_agencies_leave_the_topic(pipeline: SearchPipeline, word: str) -> None:
    assert _ids(pipeline, f"mud harbours {word}")[:2] == _ids(pipeline, "mud harbours")[:2]
