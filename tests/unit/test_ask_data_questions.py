"""Questions that records answer: which data there are, and what a name means; in the page's six languages."""

from __future__ import annotations

import pytest

from search_api.ask.asked_value import AskedMeaning, asked_value
from search_api.ask.records import FoundRecords, asks_for_data, record_titles, with_records
from search_api.search.passages.retrieve import RetrievedPassages
from search_api.search.passages.values import FoundPassage


@pytest.mark.parametrize(
    "question",
    [
        "Which data sets have chlorophyll for the Baltic Sea?",
        "What datasets are there on landslides?",
        "Which wind measurements exist for Chile?",
        "Is there any lidar data over forests?",
        "Are there hourly observations of fog?",
        "Are there sediment cores from the Black Sea?",
        "Do you have seismic data from Nepal?",
        "Where can I find river discharge for the Rhine?",
        "Welche Klimadaten gibt es für Ghana?",
        "Gibt es Messungen der Schneehöhe?",
        "Wo finde ich die Pegel der Elbe?",
        "Quelles données existe-t-il sur les glaciers ?",
        "Y a-t-il des cartes de la végétation ?",
        "¿Qué datos hay sobre sequías?",
        "Dónde puedo encontrar mapas de suelos?",
        "Quali dati ci sono sulle frane?",
        "Quais dados existem sobre incêndios?",
    ],
)
def test_a_question_for_data_asks_for_records(question: str) -> None:
    assert asks_for_data(question)


@pytest.mark.parametrize(
    "question",
    [
        "How deep is the trench?",
        "What data were used to calibrate the model?",
        "Which measurements did the ship lose?",
        "What data are needed by the model?",
        "Why do the data have gaps?",
        "Welche Daten wurden verwendet?",
        "Quelle est la précision des données ?",
    ],
)
def test_other_questions_do_not(question: str) -> None:
    assert not asks_for_data(question)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is CHIRPS?", "CHIRPS"),
        ("What is the Argo array?", "Argo array"),
        ("What does GRACE stand for?", "GRACE"),
        ("Was ist der Niederschlagsindex?", "Niederschlagsindex"),
        ("Qu'est-ce que Copernicus ?", "Copernicus"),
        ("¿Qué es CHIRPS?", "CHIRPS"),
        ("Cos'è un ghiacciaio?", "ghiacciaio"),
        ("O que é CHIRPS?", "CHIRPS"),
    ],
)
def test_a_question_for_a_meaning_has_a_name(question: str, name: str) -> None:
    asked = asked_value(question)
    assert isinstance(asked, AskedMeaning)
    assert asked.name == name


@pytest.mark.parametrize(
    ("sentence", "match"),
    [
        ("CHIRPS is a quasi-global rainfall data set.", 1.0),
        ("CHIRPS (version 2) is the second of them.", 1.0),
        ("The Climate Hazards data (CHIRPS) are a blend of stations and images.", 1.0),
        ("CHIRPS sind die Daten von 1981 an.", 1.0),
        ("The CHIRPS domain is large.", 0.0),
        ("CHIRPS covers the tropics.", 0.0),
        ("CHIRPSX is a tool.", 0.0),
    ],
)
def test_a_definition_says_what_the_name_is(sentence: str, match: float) -> None:
    asked = asked_value("What is CHIRPS?")
    assert asked is not None
    assert asked.match(sentence) == match


def passage(relevance: float, name: str = "d") -> FoundPassage:
    return FoundPassage(name, "document", "text", relevance=relevance)


def record(relevance: float, name: str = "r") -> FoundPassage:
    return FoundPassage(name, "", "abstract", relevance=relevance, record=name, title=name.upper(), kind="record")


def merged(documents: list[FoundPassage], records: list[FoundPassage], count: int = 4, **more: bool) -> list[str]:
    found = RetrievedPassages(tuple(documents), (), ("dense",))
    both = with_records(
        found, FoundRecords(tuple(records), ("dense",)), 0.35, count, records_first=more.get("first", False)
    )
    assert both.degraded == ("dense",)
    assert [hit.number for hit in both.passages] == list(range(1, len(both.passages) + 1))
    return [hit.id for hit in both.passages]


def test_records_stand_between_passages_by_relevance_and_take_half_of_the_places() -> None:
    documents = [passage(0.9, "a"), passage(0.6, "b"), passage(0.5, "c"), passage(0.4, "d")]
    records = [record(0.8, "r1"), record(0.7, "r2"), record(0.65, "r3"), record(0.2, "r4")]
    assert merged(documents, records) == ["a", "r1", "r2", "b"]
    assert merged([], records) == ["r1", "r2", "r3"]
    assert merged(documents, records, first=True) == ["r1", "r2", "r3", "a"]


def test_without_anything_relevant_the_nearest_of_both_are_near_misses() -> None:
    documents = RetrievedPassages((), (passage(0.2),), ())
    both = with_records(documents, FoundRecords((record(0.3), record(0.1, "far"))), 0.35, 8, records_first=False)
    assert both.passages == ()
    assert [hit.id for hit in both.near_misses] == ["r", "d", "far"]


def test_titles_answer_with_the_number_of_their_record() -> None:
    hits = with_records(
        RetrievedPassages((passage(0.9),), (), ()), FoundRecords((record(0.5),)), 0.35, 8, records_first=True
    )
    (title,) = record_titles(hits.passages, 5)
    assert (title.text, title.citations) == ("R", (1,))
