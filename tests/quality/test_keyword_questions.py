"""Questions as scientists type them, over the judged NCAR records and as many others: what is found, what each case
asks for, and that every facet's count is what a click gives.

``keyword_open.tsv`` lists what does not hold yet. It is strict: what begins to hold must leave the list.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from evaluation.collection import JudgedCollection
from evaluation.collections.beir import questions_of
from evaluation.collections.ncar import load_keywords
from evaluation.temporary_index import temporary_records
from evaluation.trec import read_qrels
from tests.quality.keyword_cases import CASES
from tests.quality.ncar_archives import all_ids, bare, cut_archives, keyword_ids
from tests.service import Service
from tests.shared_data import shared_data

pytestmark = [pytest.mark.elasticsearch, pytest.mark.models, pytest.mark.timeout(900)]

CLICKED = 30
ADDED = 4  # of the facets of a question
FIRST = 5
FACETS = "type,source,organisation,keyword,theme,provenance,licence,format,decade,region,platform,instrument,project"
REPLACING = ("datetime", "place")
_OPEN = Path(__file__).resolve().parent / "keyword_open.tsv"


def _open(kind: str) -> frozenset[str]:
    rows = csv.reader(_OPEN.read_text("utf-8").splitlines(), delimiter="\t")
    return frozenset(row[1] for row in rows if row and row[0] == kind)


def _folder() -> Path:
    return shared_data("judged", "keyword_questions")


@pytest.fixture(scope="module")
def judged() -> dict[str, dict[str, int]]:
    return {question: dict(grades) for question, grades in read_qrels(_folder() / "qrels.tsv").items()}


@pytest.fixture(scope="module")
def questions() -> dict[str, str]:
    return {question.id: question.text for question in questions_of(_folder() / "questions.jsonl")}


@pytest.fixture(scope="module")
def ncar(es_client: Elasticsearch, elasticsearch_url: str, judged_ncar: JudgedCollection) -> Iterator[Service]:
    """The records that are judged or that a case names, and every nth other one."""
    named, others = keyword_ids()
    records = [record for ids in (named, others) for record in judged_ncar.records if bare(record.id) in ids]
    embedder = Service(es_client, elasticsearch_url, "sonde-test").models.embedder()
    with temporary_records(es_client, records, embedder) as prefix:
        yield Service(es_client, elasticsearch_url, prefix)


def test_a_right_record_is_among_the_first_five(
    ncar: Service, questions: dict[str, str], judged: dict[str, dict[str, int]]
) -> None:
    right = {name: {bare(id) for id, grade in judged.get(name, {}).items() if grade >= 2} for name in questions}
    asked = {name: text for name, text in questions.items() if right[name]}
    assert len(asked) >= 40
    missed = {name for name, text in asked.items() if not set(ncar.ids(text, limit=FIRST)) & right[name]}
    assert missed == _open("question"), {name: asked[name] for name in missed ^ _open("question")}


def test_each_case_holds_or_is_listed(ncar: Service) -> None:
    failing = {one.name for one in CASES if not one.holds(ncar.search(one.asked, limit=10, **one.parameters))}
    assert failing == _open("case")


def test_the_judged_records_are_read_as_a_collection(tmp_path: Path) -> None:
    named, _ = keyword_ids()
    collection = load_keywords(cut_archives(tmp_path / "data", named))
    assert len(set(map(bare, all_ids()))) == 10_875, "no id is in both archives, which get one source here"
    assert {record.id for record in collection.records} == {f"ncar:{id}" for id in named}
    assert len(collection.questions) == 55
    assert sum(map(len, collection.qrels.values())) == 649
    assert collection.qrels["k2"]["ncar:edu.ucar.eol::391.014"] == 3
    assert {grade for grades in collection.qrels.values() for grade in grades.values()} == {0, 1, 2, 3}


def test_every_listed_case_is_of_the_shared_list() -> None:
    rows = csv.reader((_folder() / "cases.tsv").read_text("utf-8").splitlines()[1:], delimiter="\t")
    assert {row[0] for row in rows} == {one.name for one in CASES}


def test_a_click_on_a_facet_value_gives_its_count_and_a_second_one_adds(
    ncar: Service, questions: dict[str, str]
) -> None:
    """Of each question one value of every facet, and a second click on some: each is a whole search."""

    def asked(**parameters: Any) -> dict[str, Any]:
        return ncar.search(limit=1, rerank="false", **parameters)

    wrong, clicks, draw = [], 0, Random(CLICKED)
    for text, algorithm in zip(list(questions.values())[:CLICKED], cycle(("hybrid", "bm25", "dense")), strict=False):
        question = {"q": text, "algorithm": algorithm}
        first = asked(**question, facets=FACETS)
        assert sum(one["count"] for one in first["sonde:facets"]["type"]["values"]) == first["sonde:total"], text
        filled = {name: facet for name, facet in first["sonde:facets"].items() if facet["values"]}
        for name, facet in filled.items():
            assert all(one["count"] > 0 for one in facet["values"])
            one = draw.choice(facet["values"])
            found = asked(**question, **{facet["parameter"]: one["value"]})["sonde:total"]
            clicks += 1
            if found != one["count"]:
                wrong.append((text, algorithm, name, one["value"], one["count"], found))
        adding = [name for name in filled if _adds(filled[name])]
        wrong += _added(asked, question, {name: filled[name] for name in draw.sample(adding, min(ADDED, len(adding)))})
    assert wrong == []
    assert clicks >= 10 * CLICKED


def _adds(facet: dict[str, Any]) -> bool:
    return facet["parameter"] not in REPLACING and len(facet["values"]) > 1


def _added(asked: Any, question: dict[str, str], facets: dict[str, Any]) -> list[Any]:
    """Of each facet: the first value chosen, then the next one."""
    wrong = []
    for name, facet in facets.items():
        parameter, chosen = facet["parameter"], facet["values"][0]["value"]
        after = asked(**question, facets=name, **{parameter: chosen})
        rest = [one for one in after["sonde:facets"][name]["values"] if not one.get("chosen")]
        for one in rest[:1]:
            both = asked(**question, **{parameter: [chosen, one["value"]]})["sonde:total"]
            if both != after["sonde:total"] + one["count"]:
                wrong.append((question, name, chosen, one, after["sonde:total"], both))
    return wrong
