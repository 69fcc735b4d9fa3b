"""`sonde evaluate --live`: the judged questions of this installation against the index that serves."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from evaluation.collections.beir import questions_of
from evaluation.live import ask_live, earlier, fall, keep, live_result
from evaluation.trec import read_qrels
from evaluation.variants import Variant
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.curation import live_curation
from sonde.wiring.models import Models
from sonde.wiring.search import ranking_config, search_pipeline

_TIMEOUT_S = 30.0


def evaluate_live(queries: Path, qrels: Path, variant: Variant, history: Path | None, out: Path | None) -> float:
    """How far nDCG@10 fell below its usual value, with the stewards' rules; prints and keeps the measures."""
    settings = load_settings()
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True)
    curation = live_curation(settings, client)
    curation.tick()
    config, models = ranking_config(settings), Models(settings)
    pipeline, _ = search_pipeline(client, settings.index.prefix, models, config, curation=curation)
    before = earlier(history) if history is not None else []
    at = datetime.now(UTC).isoformat(timespec="seconds")
    result = live_result(ask_live(pipeline, questions_of(queries), variant), read_qrels(qrels), at)
    fallen = fall(result, before)
    if history is not None:
        keep(history, result)
    if out is not None:
        out.write_text(json.dumps({**asdict(result), "fall": fallen}), "utf-8")
    click.echo(f"{result.questions} questions: nDCG@10 {result.ndcg_at_10:.4f}, R@100 {result.recall_at_100:.4f}")
    return fallen
