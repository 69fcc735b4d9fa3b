"""Questions as scientists type them, over the judged NCAR records and as many others: what is found, what each case
asks for, and that every facet's count is what a click gives.

``keyword_open.tsv`` lists what does not hold yet. It is strict: what begins to hold must leave the list.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from evaluation.collection import JudgedCollection
from evaluation.collections.beir import questions_of
from evaluation.temporary_index import temporary_records
from evaluation.trec import read_qrels
from tests.quality.keyword_cases import CASES
from tests.service import Service
from tests.shared_data import shared_data

pytestmark = [pytest.mark.elasticsearch, pytest.mark.models, pytest.mark.timeout(900)]

OTHERS = 300
CLICKED = 30
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


def bare(record: str) -> str:
    """Without the source: the judgements name one source for both archives."""
    return record.partition(":")[2]


@pytest.fixture(scope="module")
def ncar(
    es_client: Elasticsearch, elasticsearch_url: str, whole_ncar: JudgedCollection, judged: dict[str, dict[str, int]]
) -> Iterator[Service]:
    """The records that are judged or that a case names, and every nth other one."""
    kept = {bare(record) for grades in judged.values() for record in grades} | {one.record for one in CASES}
    others = [record for record in whole_ncar.records if bare(record.id) not in kept]
    step = max(len(others) // OTHERS, 1)
    records = [record for record in whole_ncar.records if bare(record.id) in kept] + others[::step]
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


def test_every_listed_case_is_of_the_shared_list() -> None:
    rows = csv.reader((_folder() / "cases.tsv").read_text("utf-8").splitlines()[1:], delimiter="\t")
    assert {row[0] for row in rows} == {one.name for one in CASES}


def test_a_click_on_any_facet_value_gives_its_count_and_a_second_one_adds(
    ncar: Service, questions: dict[str, str]
) -> None:
    def asked(**parameters: Any) -> dict[str, Any]:
        return ncar.search(limit=1, rerank="false", **parameters)

    wrong, clicks = [], 0
    for text, algorithm in zip(list(questions.values())[:CLICKED], cycle(("hybrid", "bm25", "dense")), strict=False):
        question = {"q": text, "algorithm": algorithm}
        first = asked(**question, facets=FACETS)
        assert sum(one["count"] for one in first["sonde:facets"]["type"]["values"]) == first["sonde:total"], text
        for name, facet in first["sonde:facets"].items():
            for one in facet["values"]:
                assert one["count"] > 0
                found = asked(**question, **{facet["parameter"]: one["value"]})["sonde:total"]
                clicks += 1
                if found != one["count"]:
                    wrong.append((text, algorithm, name, one["value"], one["count"], found))
        wrong += _added(asked, question, first["sonde:facets"])
    assert wrong == []
    assert clicks >= 10 * CLICKED


def _added(asked: Any, question: dict[str, str], facets: dict[str, Any]) -> list[Any]:
    """Of each facet whose values add: the first value chosen, then the next one."""
    wrong = []
    for name, facet in facets.items():
        parameter = facet["parameter"]
        if parameter in REPLACING or len(facet["values"]) < 2:
            continue
        chosen = facet["values"][0]["value"]
        after = asked(**question, facets=name, **{parameter: chosen})
        rest = [one for one in after["sonde:facets"][name]["values"] if not one.get("chosen")]
        for one in rest[:1]:
            both = asked(**question, **{parameter: [chosen, one["value"]]})["sonde:total"]
            if both != after["sonde:total"] + one["count"]:
                wrong.append((question, name, chosen, one, after["sonde:total"], both))
    return wrong
