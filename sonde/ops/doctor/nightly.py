"""Whether saved searches are matched and told, and whether the answers are measured."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from es_gateway.client import Elasticsearch
from search_api.stewards.alerts.notices import NoticeStore
from search_api.stewards.alerts.store import SavedSearchStore
from search_api.stewards.insight.measurements import MeasurementStore
from sonde.ops.doctor.finding import State
from sonde.settings import Settings

_LATE = timedelta(days=1, hours=12)


def saved_searches(client: Elasticsearch, settings: Settings) -> tuple[State, str]:
    """Warns of a round that is late, of failed deliveries, and of mails without a server."""
    prefix = settings.index.prefix
    count = SavedSearchStore(client, prefix).count()
    if settings.alerts.secret is None:
        return "ok", f"off{f'; {count} of earlier are left' if count else ''}"
    notices = NoticeStore(client, prefix)
    last, deliveries = notices.round(), notices.counts()
    failed = sum(one["count"] for one in deliveries if one["state"] == "failed")
    said = f"{count} saved searches, {failed} failed deliveries in 60 days"
    if count and last is not None and datetime.fromisoformat(last.until) < datetime.now(UTC) - _LATE:
        return "warning", f"{said}; not matched since {last.until[:16]}: look at beat and the harvest worker"
    return ("warning" if failed else "ok"), said


def measured_answers(client: Elasticsearch, settings: Settings) -> tuple[State, str]:
    """Warns of a fall, and of files that are not there."""
    given = settings.evaluation
    if given.queries is None or given.qrels is None:
        return "ok", "no judged questions are named"
    missing = [str(path) for path in (given.queries, given.qrels) if not path.exists()]
    if missing:
        return "broken", f"{', '.join(missing)} is missing: SONDE_EVALUATION__QUERIES and __QRELS name the files"
    latest = MeasurementStore(client, settings.index.prefix).latest(1)
    if not latest:
        return "ok", "not measured yet"
    (last,) = latest
    said = f"nDCG@10 {last.ndcg_at_10:.4f} of {last.questions} questions at {last.at[:16]}"
    return ("warning", f"{said}, {last.fall:.4f} below the usual") if last.fall > given.fall else ("ok", said)
