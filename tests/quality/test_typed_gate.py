"""What people type keeps its figures, in a quick form (``typed_quick``): words and names without vectors.

The test half's questions with a right record in NCAR's RDA or the samples, over all 1,838 records of these two. Most of
these questions are names, which are not searched by meaning anyway. It fails where success@10 or nDCG@10 of all
questions falls more than .01 below ``typed/gate.json``, where a kind loses more than one question, or where a question
has no answer any more.
``python -m tests.quality.test_typed_gate`` writes today's figures.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from evaluation.collection import JudgedCollection
from evaluation.evaluate import KindResult, by_kind
from evaluation.metrics import measure
from evaluation.temporary_index import temporary_records
from evaluation.variants import Variant, ask_all, run_of
from search_api.search.ranking.config import default_config
from search_api.search.retrieval.serving import ServingResolver
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.evaluating import judged_collection
from sonde.wiring.models import Models
from sonde.wiring.search import search_pipeline
from tests.integration.hashing import Hashing
from tests.shared_data import shared_data

pytestmark = pytest.mark.elasticsearch

ALLOWED_LOSS = 0.01
_RECORD = Path(__file__).resolve().parent / "typed" / "gate.json"


def _collection() -> JudgedCollection:
    return judged_collection("typed_quick", shared_data("catalogues").parents[1], "test")


def _measured(client: Elasticsearch, collection: JudgedCollection) -> dict[str, KindResult]:
    with temporary_records(client, collection.records, Hashing("none")) as prefix:
        resolver = ServingResolver(client, prefix, Hashing)
        pipeline, _ = search_pipeline(client, prefix, Models(Settings()), default_config(), resolver=resolver)
        run = run_of(ask_all(pipeline, collection, Variant(algorithm="bm25", rerank=False), threads=2))
    return {one.kind: one for one in by_kind(run, collection, measure(run, collection.qrels))}


def test_typed_names_are_found_as_before(es_client: Elasticsearch) -> None:
    recorded = json.loads(_RECORD.read_text("utf-8"))
    found = _measured(es_client, _collection())
    assert {kind: one.questions for kind, one in found.items()} == {
        kind: one["questions"] for kind, one in recorded.items()
    }
    for kind, one in found.items():
        allowed = ALLOWED_LOSS if kind == "all" else max(ALLOWED_LOSS, 1 / one.questions)
        assert one.success_at_10 >= recorded[kind]["success_at_10"] - allowed - 1e-9, kind
        assert one.empty <= recorded[kind]["empty"], kind
    assert found["all"].ndcg_at_10 >= recorded["all"]["ndcg_at_10"] - ALLOWED_LOSS


def main() -> None:
    client = elasticsearch_client(Settings(), timeout_s=120.0)
    figures = {
        kind: {name: value if isinstance(value, int) else math.floor(value * 1e4) / 1e4 for name, value in said.items()}
        for kind, one in _measured(client, _collection()).items()
        if (said := {name: value for name, value in asdict(one).items() if name != "kind"})
    }
    _RECORD.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(_RECORD.read_text("utf-8"))


if __name__ == "__main__":
    main()
