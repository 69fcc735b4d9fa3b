"""Measures the running index by the judged questions of the settings, keeps it, and tells the operator of a fall."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import structlog

from core.errors import SondeError
from core.timespan import now_iso
from es_gateway.client import Elasticsearch
from evaluation.collections.beir import questions_of
from evaluation.live import LiveResult, ask_live, fall, live_result
from evaluation.trec import read_qrels
from evaluation.variants import Variant
from search_api.search.flow import SearchPipeline
from search_api.stewards.alerts.messages import MailEnvelope
from search_api.stewards.insight import Measurement, MeasurementStore
from sonde import __version__
from sonde.settings import Settings
from sonde.wiring.models import Models
from sonde.wiring.search import ranking_config, search_pipeline
from sonde.wiring.stewards import live_curation, mail_server

log = structlog.get_logger(__name__)


def live_pipeline(settings: Settings, client: Elasticsearch, models: Models) -> SearchPipeline:
    """The pipeline that serves, with the stewards' rules of now."""
    curation = live_curation(settings, client)
    curation.tick()
    return search_pipeline(client, settings.index.prefix, models, ranking_config(settings), curation=curation)[0]


def measure_live(settings: Settings, client: Elasticsearch, models: Models) -> Measurement:
    """Asks the judged questions of the settings, and keeps the measures. Raises SondeError without questions."""
    judged_files = settings.evaluation
    if judged_files.queries is None or judged_files.qrels is None:
        raise SondeError("Name the judged questions in SONDE_EVALUATION__QUERIES and SONDE_EVALUATION__QRELS.")
    store = MeasurementStore(client, settings.index.prefix)
    pipeline = live_pipeline(settings, client, models)
    measured_at = now_iso()
    result = live_result(
        ask_live(pipeline, questions_of(judged_files.queries), Variant()), read_qrels(judged_files.qrels), measured_at
    )
    judgements_hash = _fingerprint(judged_files.queries, judged_files.qrels)
    earlier_results = [_result(earlier) for earlier in store.latest(judged=judgements_hash)]
    model = pipeline.parts.resolver.resolve().records.meta.embedding_model
    numbers = result.questions, result.ndcg_at_10, result.recall_at_100
    measurement = Measurement(measured_at, judgements_hash, *numbers, fall(result, earlier_results), model, __version__)
    store.keep(measurement)
    log.info(
        "answers.measured", ndcg_at_10=measurement.ndcg_at_10, fall=measurement.fall, questions=measurement.questions
    )
    if measurement.fall > judged_files.fall:
        _send_fall_notice(settings, measurement)
    return measurement


def _send_fall_notice(settings: Settings, measurement: Measurement) -> None:
    """The metric shows the fall too, so a mail server that is down hides nothing."""
    server, to = mail_server(settings), settings.mail.operator
    if server is None or to is None:
        return
    id = hashlib.sha256(f"{settings.index.prefix} {measurement.at}".encode()).hexdigest()[:40]
    envelope = MailEnvelope(id, to, server.sender, settings.portal.name, datetime.now(UTC))
    text = (
        f"nDCG@10 of the {measurement.questions} judged questions is {measurement.ndcg_at_10:.4f}, "
        f"{measurement.fall:.4f} below the median of the last seven measurements.\n\n"
        "Look at what changed: sources, rules, models.\n"
        f"{settings.api_url}/insight/measurements?f=svg\n"
    )
    try:
        server.send(envelope.message(f"{envelope.name}: the answers became worse by {measurement.fall:.3f}", text))
    except SondeError as error:
        log.warning("answers.fall_not_mailed", reason=str(error))


def _fingerprint(queries: Path, qrels: Path) -> str:
    return hashlib.sha256(queries.read_bytes() + b"\0" + qrels.read_bytes()).hexdigest()[:16]


def _result(measurement: Measurement) -> LiveResult:
    return LiveResult(measurement.at, measurement.questions, measurement.ndcg_at_10, measurement.recall_at_100)
