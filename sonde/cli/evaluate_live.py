"""`sonde evaluate --live`: the judged questions of this installation against the index that serves."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from evaluation.asking import Variant
from evaluation.collections.beir import questions_of
from evaluation.live import ask_live, earlier, fall, keep, live_result
from evaluation.trec import read_qrels
from sonde.cli.screen import say
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.measuring import live_pipeline, measure_live
from sonde.wiring.models import Models

_TIMEOUT_S = 30.0


def evaluate_live(queries: Path, qrels: Path, variant: Variant, history: Path | None, out: Path | None) -> float:
    """How far nDCG@10 fell below its usual value, with the stewards' rules; prints and keeps the measures."""
    settings = load_settings()
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True)
    pipeline = live_pipeline(settings, client, Models(settings))
    before = earlier(history) if history is not None else []
    at = datetime.now(UTC).isoformat(timespec="seconds")
    result = live_result(ask_live(pipeline, questions_of(queries), variant), read_qrels(qrels), at)
    fallen = fall(result, before)
    if history is not None:
        keep(history, result)
    if out is not None:
        out.write_text(json.dumps({**asdict(result), "fall": fallen}), "utf-8")
    say(f"{result.questions} questions: nDCG@10 {result.ndcg_at_10:.4f}, R@100 {result.recall_at_100:.4f}")
    return fallen


def has_judged_questions() -> bool:
    """Whether the settings name them, so that the workers ask them each night."""
    given = load_settings().evaluation
    return given.queries is not None and given.qrels is not None


def evaluate_as_at_night() -> float:
    """The judged questions of the settings; the history is in the index, beside the nights'."""
    settings = load_settings()
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True)
    found = measure_live(settings, client, Models(settings))
    say(f"{found.questions} questions: nDCG@10 {found.ndcg_at_10:.4f}, R@100 {found.recall_at_100:.4f}")
    return found.fall
