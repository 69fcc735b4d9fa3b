"""``GET /search``: how a question is read and widened, and what is folded and spread, on the real service."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from core.geo import BBox
from core.record import Contact, Record
from core.timespan import TimeSpan
from es_mappings.codecs.records import to_document
from es_mappings.names import alias
from reading.concepts import Concept, Label, NamedVocabulary
from search_api.search.understanding.vocabularies import VocabularyStore
from tests.conftest import delete_indices
from tests.service import SAMPLES, Service

_PLACE = BBox(10.0, 40.0, 12.0, 42.0)
_WHEN = TimeSpan.from_iso("1990", "2000")


def record(source: str, number: str, title: str, **more: Any) -> Record:
    given: dict[str, Any] = {"contacts": (Contact(organisation="Agency"),), "extents": (_PLACE,), "times": (_WHEN,)}
    return Record(f"{source}:{number}", source, f"{source}-{number}", title, **(given | more))


DAILY = [record("a", f"sst{day:02d}", f"Buoy temperature, 2003-05-{day:02d}") for day in range(1, 31)]
OTHERS = [record("a", f"other{n}", f"Buoy temperature of the {name} coast") for n, name in enumerate("wxyz")]
COPIES = [
    record("a", "ferry", "Ferry box salinity transects", doi="10.1/ferry"),
    record("b", "ferry", "Ferry box salinity transects (copy)", doi="10.1/ferry"),
    record("c", "ferry", "FERRY-BOX salinity transects"),
    record("d", "ferry", "Ferry box salinity transects", extents=(BBox(50.0, 0.0, 51.0, 1.0),)),
]


@pytest.fixture(scope="module")
def catalogue(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    """Thirty siblings, four others beside them, one data set in three catalogues, and one that only looks like it."""
    prefix = f"sonde-test-{uuid.uuid4().hex[:12]}"
    service = Service(es_client, elasticsearch_url, prefix)
    try:
        service.prepare()
        lines: list[dict[str, Any]] = []
        for one in (*DAILY, *OTHERS, *COPIES, record("a", "rain", "Precipitation of the hills")):
            lines += [{"index": {"_id": one.id}}, to_document(one)]
        done = es_client.bulk(index=alias(prefix, "records"), operations=lines, refresh=True)
        assert not done.body["errors"]
        VocabularyStore(es_client, prefix).save(
            NamedVocabulary("ours", (Concept("urn:x", (Label("sky water", "en"), Label("precipitation", "en"))),)),
            "2026-01-01T00:00:00Z",
        )
        yield service
    finally:
        delete_indices(es_client, prefix)


def ids(service: Service, q: str, **parameters: Any) -> list[str]:
    return [feature["id"] for feature in service.search(q, algorithm="bm25", **parameters)["features"]]


def test_siblings_do_not_fill_the_page(catalogue: Service) -> None:
    page = ids(catalogue, "buoy temperature")
    siblings = [one for one in page if one.startswith("a:sst")]
    assert {one for one in page if one.startswith("a:other")} == {other.id for other in OTHERS}
    assert len(siblings) == 6  # three, the four others, and three more since nothing else is there
    assert sum(one.startswith("a:sst") for one in page[:7]) == 3
    together = ids(catalogue, "buoy temperature", diversity="off", limit=30)
    assert sum(one.startswith("a:sst") for one in together) >= 26


def test_pages_of_a_spread_answer_hold_each_hit_once_and_the_total_stays(catalogue: Service) -> None:
    address, seen, totals = "/search?q=buoy+temperature&algorithm=bm25&limit=4", [], set()
    while address is not None:
        answer = catalogue.http.get(address).get_json()
        seen += [feature["id"] for feature in answer["features"]]
        totals.add(answer["numberMatched"])
        address = next((link["href"] for link in answer["links"] if link["rel"] == "next"), None)
    assert totals == {34}
    assert sorted(seen) == sorted(one.id for one in (*DAILY, *OTHERS))


def test_a_data_set_of_three_catalogues_is_shown_once(catalogue: Service) -> None:
    answer = catalogue.search("ferry box salinity", algorithm="bm25")
    groups = {frozenset([feature["id"], *feature.get("sonde:folded", [])]) for feature in answer["features"]}
    # c has neither the DOI nor the title of b, but says what a says; d lies elsewhere and is another data set.
    assert groups == {frozenset(("a:ferry", "b:ferry", "c:ferry")), frozenset(("d:ferry",))}
    assert answer["numberMatched"] == 2
    assert sorted(ids(catalogue, "ferry box salinity", group="none")) == ["a:ferry", "b:ferry", "c:ferry", "d:ferry"]


def test_a_loaded_vocabulary_finds_what_is_called_otherwise(catalogue: Service) -> None:
    answer = catalogue.search("sky water", algorithm="bm25")
    assert [feature["id"] for feature in answer["features"]] == ["a:rain"]
    (term,) = answer["sonde:interpretation"]["terms"]
    assert (term["text"], term["span"], term["source"], term["confidence"]) == ("sky water", [0, 9], "ours", 0.9)
    assert (term["concept"], term["synonyms"]) == ("urn:x", [{"label": "precipitation", "language": "en"}])


@pytest.mark.parametrize("off", [{"expand": "off"}, {"interpret": "none"}, {"interpret": "place,time"}])
def test_widening_is_switched_off_by_either_parameter(catalogue: Service, off: dict[str, str]) -> None:
    answer = catalogue.search("sky water", algorithm="bm25", **off)
    assert (answer["numberMatched"], answer["sonde:interpretation"]["terms"]) == (0, [])


def test_a_german_question_finds_english_records_by_their_words(samples: Service) -> None:
    widened = samples.search("Gletscher in der Schweiz", algorithm="bm25", limit=20)
    words = samples.search("Gletscher in der Schweiz", algorithm="bm25", expand="off", limit=20)
    titles = [feature["properties"]["title"] for feature in widened["features"]]
    assert any("Randolph Glacier" in title for title in titles)
    assert not any("Randolph Glacier" in feature["properties"]["title"] for feature in words["features"])


@pytest.mark.parametrize("algorithm", ["hybrid", "bm25", "dense"])
@pytest.mark.parametrize("question", ["the of and", "what is it", "?!", "!!! ??? ...", "der die das"])
def test_small_words_or_signs_alone_find_nothing(samples: Service, question: str, algorithm: str) -> None:
    answer = samples.search(question, algorithm=algorithm, facets="type")
    assert (answer["numberMatched"], answer["features"]) == (0, [])
    assert (
        answer["sonde:facets"]["type"]
        == samples.search("zzzzzz", algorithm="bm25", facets="type")["sonde:facets"]["type"]
    )


@pytest.mark.parametrize("question", ["", "*", "  "])
def test_no_question_lists_what_passes_the_filters(samples: Service, question: str) -> None:
    assert samples.search(question)["numberMatched"] == 169
    services = samples.search(question, type="service", limit=100)["features"]
    assert {feature["properties"]["type"] for feature in services} == {"service"}


@pytest.mark.parametrize("algorithm", ["hybrid", "bm25", "dense"])
@pytest.mark.parametrize(
    "question", ["Greenland", "in Greenland", "since 2015", "in Greenland since 2015", "recent", "global"]
)
def test_only_a_place_or_a_period_is_answered_too(samples: Service, question: str, algorithm: str) -> None:
    assert samples.search(question, algorithm=algorithm)["numberReturned"] > 0


def test_a_parameter_wins_over_the_question(samples: Service) -> None:
    answer = samples.search("temperature in Peru", place="Germany", limit=100)
    for feature in answer["features"]:
        boxes = feature["properties"]["sonde:boxes"]
        assert any(w > e or (w <= 15.1 and e >= 5.8 and s <= 55.2 and n >= 47.2) for w, s, e, n in boxes)
    assert answer["sonde:interpretation"]["places"][0]["name"] == "Peru"  # read all the same, and shown


def test_place_and_bbox_contradict_each_other(samples: Service) -> None:
    answer = samples.http.get("/search", query_string={"q": "rain", "place": "Berlin", "bbox": "-81,-18,-68,0"})
    assert (answer.status_code, answer.get_json()["parameter"]) == (400, "place")


def test_every_part_of_an_interpretation_says_where_it_stands_and_who_found_it(samples: Service) -> None:
    question = "daily satellite observations of rainfall north of Italy since 2010, 1 km, 10.17882/42182"
    read = samples.search(question)["sonde:interpretation"]
    parts = ("places", "relations", "times", "scales", "kinds", "identifiers", "terms")
    for name in parts:
        assert read[name], name
        for part in read[name]:
            assert question[slice(*part["span"])] == part["text"]
            assert part["source"]
            assert 0 < part["confidence"] <= 1
    off = samples.search(question, interpret="none")["sonde:interpretation"]
    assert [name for name in parts if off[name]] == ["identifiers"]  # an identifier is looked up, not interpreted


def test_a_pasted_page_is_read_and_answered(samples: Service) -> None:
    page = json.dumps({"q": "soil moisture and rainfall, glacier, river discharge in Kenya since 1990; " * 30})[:1900]
    assert samples.http.get("/search", query_string={"q": page, "rerank": "false"}).status_code == 200


def test_widening_helps_the_words_of_the_samples_questions(samples: Service) -> None:
    """Right records among the first five by words alone, over all questions."""
    lines = (SAMPLES.parent / "questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]

    def right(expand: str) -> int:
        found = (samples.ids(q["q"], algorithm="bm25", expand=expand, limit=5) for q in questions)
        return sum(len(set(ids) & set(q["right"])) for q, ids in zip(questions, found, strict=True))

    assert right("on") > right("off")


@pytest.mark.parametrize("question", ["PM2.5", "PM 2.5", "PM2.5 (daily)"])
def test_a_name_with_a_dot_means_what_its_synonym_means(samples: Service, question: str) -> None:
    def asked(text: str) -> Any:
        return samples.http.get("/search", query_string={"q": text, "limit": 50, "rerank": "false"}).get_json()

    found = asked(question)
    read, other = found["sonde:interpretation"], asked("fine dust")["sonde:interpretation"]
    assert [term["concept"] for term in read["terms"]] == [term["concept"] for term in other["terms"]]
    assert read["names"] == []  # a name that no record bears would leave nothing
    assert found["features"]
