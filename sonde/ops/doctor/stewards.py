"""Checks of stewards' work: rules, the query log, saved searches and the measured answers."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import cast

from pydantic import ValidationError

from es_gateway.client import Elasticsearch
from es_mappings.names import alias
from search_api.search.curation_rules import CurationStore, StoredRule
from search_api.stewards.alerts.notices import NoticeStore
from search_api.stewards.alerts.store import SavedSearchStore
from search_api.stewards.insight import MeasurementStore
from sonde.ops.doctor.finding import State
from sonde.settings import Settings

_NAMED = 5
_LATE = timedelta(days=1, hours=12)


def curation_rules(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """Counts the live rules; names those that cannot be read, and records that are gone."""
    rules = CurationStore(client, prefix).rules(draft="")
    if not rules:
        return "ok", "no rules"
    unreadable = [rule.key.document for rule in rules if not _is_readable(rule)]
    if unreadable:
        return "warning", f"{len(unreadable)} rules cannot be read and do not count: {', '.join(unreadable[:_NAMED])}"
    counts = ", ".join(f"{count} {kind}" for kind, count in Counter(rule.key.kind for rule in rules).items())
    lost = _lost_records(client, prefix, rules)
    if lost:
        return "warning", f"{counts}; they name records that are not there: {', '.join(lost[:_NAMED])}"
    return "ok", counts


def query_log(client: Elasticsearch, settings: Settings) -> tuple[State, str]:
    """The number of questions that are kept."""
    kept_queries = settings.queries
    counted = client.options(ignore_status=404).count(index=alias(settings.index.prefix, "queries")).body
    count = int(counted.get("count", 0))
    if kept_queries.keep == "off":
        return "ok", f"nothing is kept of questions{f'; {count} of earlier days are left' if count else ''}"
    return "ok", f"keeps {kept_queries.keep} for {kept_queries.days} days: {count} questions"


def _is_readable(stored: StoredRule) -> bool:
    try:
        return stored.rule is not None
    except ValidationError:
        return False


def _lost_records(client: Elasticsearch, prefix: str, rules: list[StoredRule]) -> list[str]:
    records = sorted({str(doc.content["record"]) for doc in rules if doc.content and "record" in doc.content})
    if not records:
        return []
    answer = client.options(ignore_status=404).mget(index=alias(prefix, "records"), ids=records, source=False).body
    docs = cast("list[dict[str, object]]", answer.get("docs", []))
    return [str(doc["_id"]) for doc in docs if not doc.get("found")]


def saved_searches(client: Elasticsearch, settings: Settings) -> tuple[State, str]:
    """Warns of a round that is late, of failed deliveries, and of mails without a server."""
    prefix = settings.index.prefix
    count = SavedSearchStore(client, prefix).count()
    if settings.alerts.secret is None:
        return "ok", f"off{f'; {count} of earlier are left' if count else ''}"
    notices = NoticeStore(client, prefix)
    last, deliveries = notices.round(), notices.counts()
    failed = sum(delivery["count"] for delivery in deliveries if delivery["state"] == "failed")
    text = f"{count} saved searches, {failed} failed deliveries in 60 days"
    if count and last is not None and datetime.fromisoformat(last.until) < datetime.now(UTC) - _LATE:
        return "warning", f"{text}; not matched since {last.until[:16]}: look at beat and the harvest worker"
    return ("warning" if failed else "ok"), text


def measured_answers(client: Elasticsearch, settings: Settings) -> tuple[State, str]:
    """Warns of a fall, and of files that are not there."""
    judged = settings.evaluation
    if judged.queries is None or judged.qrels is None:
        return "ok", "no judged questions are named"
    missing = [str(path) for path in (judged.queries, judged.qrels) if not path.exists()]
    if missing:
        return "broken", f"{', '.join(missing)} is missing: SONDE_EVALUATION__QUERIES and __QRELS name the files"
    latest = MeasurementStore(client, settings.index.prefix).latest(1)
    if not latest:
        return "ok", "not measured yet"
    (last,) = latest
    text = f"nDCG@10 {last.ndcg_at_10:.4f} of {last.questions} questions at {last.at[:16]}"
    return ("warning", f"{text}, {last.fall:.4f} below the usual") if last.fall > judged.fall else ("ok", text)
