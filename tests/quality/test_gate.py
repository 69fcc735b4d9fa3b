"""The gate: the served order is no worse than the figures in ``gate.json`` (``python -m tests.quality.test_gate``).

Two sets: the samples' questions over the samples, and every fifth NCAR test question over the records judged for these
and every fourth other record of the committed quick subset (both by sorted id), since the subset as a whole would take
the time of the suite to embed. It fails where nDCG@10 falls more than .01 below the record.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from core.ports import Embedder
from evaluation.collection import JudgedCollection, half_of
from evaluation.collections import ncar, samples
from evaluation.metrics import HEADLINE, measure
from evaluation.temporary_index import temporary_records
from evaluation.trec import Run
from evaluation.variants import Variant, ask_all, run_of
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import default_config
from sonde.settings import ElasticsearchSettings, EmbedderSettings, Settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.models import Models
from sonde.wiring.search import search_pipeline
from tests.quality.ncar_archives import quick_subset
from tests.shared_data import shared_data

pytestmark = [pytest.mark.elasticsearch, pytest.mark.models, pytest.mark.timeout(900)]

ALLOWED_LOSS = 0.01

_HERE = Path(__file__).resolve().parent
_RECORD = _HERE / "gate.json"
_EVERY_QUESTION, _EVERY_OTHER = 5, 4
_SERVED = Variant()  # what ships


def quick_ncar(every: JudgedCollection) -> JudgedCollection:
    """Every fifth test question; the records judged for them, and every fourth other one of the quick subset."""
    whole = half_of(every, "test", _HERE / "ncar" / "split.tsv")
    questions = sorted(whole.questions, key=lambda question: question.id)[::_EVERY_QUESTION]
    asked = whole.with_questions({question.id for question in questions})
    judged = {document for grades in asked.qrels.values() for document in grades}
    others = sorted(quick_subset() - judged)[::_EVERY_OTHER]
    return asked.with_documents(judged | set(others))


@contextmanager
def _pipeline(client: Elasticsearch, models: Models, collection: JudgedCollection) -> Iterator[SearchPipeline]:
    embedder: Embedder = models.embedder()
    fixed = collection.as_of_ms
    with temporary_records(client, collection.records, embedder) as prefix:
        clock = (lambda: fixed) if fixed is not None else None
        pipeline, _ = search_pipeline(client, prefix, models, default_config(), now_ms=clock)
        yield pipeline


def _run(client: Elasticsearch, models: Models, collection: JudgedCollection) -> Run:
    with _pipeline(client, models, collection) as pipeline:
        return run_of(ask_all(pipeline, collection, _SERVED, threads=2))


def _settings(url: str) -> Settings:
    return Settings(
        elasticsearch=ElasticsearchSettings(url=url),
        embedder=EmbedderSettings(runtime="onnx-int8"),
    )


def right_first(run: Run, collection: JudgedCollection) -> float:
    """Share of the questions whose first hit is a right answer (grade 2)."""
    first = [run[question.id][:1] for question in collection.questions]
    grades = [collection.qrels[question.id] for question in collection.questions]
    return sum(grade.get(hit[0][0]) == 2 for hit, grade in zip(first, grades, strict=True) if hit) / len(grades)


def recorded(name: str, measure_name: str = HEADLINE) -> float:
    figure: float = json.loads(_RECORD.read_text("utf-8"))[name][measure_name]
    return figure


@pytest.fixture(scope="module")
def models(elasticsearch_url: str) -> Models:
    return Models(_settings(elasticsearch_url))


def test_the_samples_questions(es_client: Elasticsearch, models: Models) -> None:
    collection = samples.load(_HERE.parents[1] / "samples")
    run = _run(es_client, models, collection)
    # The aim is .9 and is not reached (docs/quality/figures.md); until then no question may be lost.
    assert right_first(run, collection) >= recorded("samples", "right_first")
    assert measure(run, collection.qrels).means[HEADLINE] >= recorded("samples") - ALLOWED_LOSS


def test_questions_of_place_and_time(es_client: Elasticsearch, models: Models, judged_ncar: JudgedCollection) -> None:
    collection = quick_ncar(judged_ncar)
    run = _run(es_client, models, collection)
    assert measure(run, collection.qrels).means[HEADLINE] >= recorded("ncar_quick") - ALLOWED_LOSS


def main() -> None:
    """Records today's figures: ``SONDE_ELASTICSEARCH__URL=... python -m tests.quality.test_gate``."""
    settings = _settings(Settings().elasticsearch_url)
    client, own = elasticsearch_client(settings, timeout_s=120.0), Models(settings)
    figures: dict[str, dict[str, float]] = {}
    for name, collection in (
        ("samples", samples.load(_HERE.parents[1] / "samples")),
        ("ncar_quick", quick_ncar(ncar.load(shared_data("catalogues").parent, _HERE / "ncar"))),
    ):
        run = _run(client, own, collection)
        figures[name] = {
            HEADLINE: round(measure(run, collection.qrels).means[HEADLINE], 4),
            "questions": len(collection.questions),
            "records": len(collection.records),
        }
        if name == "samples":
            figures[name]["right_first"] = math.floor(right_first(run, collection) * 1e4) / 1e4
    _RECORD.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(_RECORD.read_text("utf-8"))


if __name__ == "__main__":
    main()
