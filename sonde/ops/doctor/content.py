"""Examines what the service holds: documents, and what stewards look after."""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import cast

from pydantic import ValidationError

from core.document import PUBLIC
from core.json_types import JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.names import alias
from indexer.confinement import hide_from_children
from indexer.documents.index.attempts import READING
from indexer.documents.parse.isolation import confinement_here
from indexer.documents.parse.pdf.tesseract import installed_languages, ocr_problem
from search_api.search.curation_rules import CurationStore, StoredRule
from search_api.stewards.alerts.notices import NoticeStore
from search_api.stewards.alerts.store import SavedSearchStore
from search_api.stewards.insight import MeasurementStore
from sonde.ops.doctor.finding import State
from sonde.settings import Settings
from sonde.wiring.part_watch import ocr_of

_MOST_NAMED = 5
_BY_DEFECT = ("crashed", "interrupted")


def parked_documents(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """A warning if Sonde itself failed on a document; documents that cannot be read are only counted.

    Users' documents are shown by id, because their names are private.
    """
    index = alias(prefix, "documents")
    if not client.indices.exists_alias(name=index):
        return "ok", "none yet"
    answer = client.search(
        index=index,
        query={"term": {"state": "failed"}},
        aggs={"reasons": {"terms": {"field": "reason", "size": 30}}},
        post_filter={"terms": {"reason": list(_BY_DEFECT)}},
        sort=[{"updated": "desc"}],
        size=_MOST_NAMED,
        source_includes=["name", "owner", "reason"],
        track_total_hits=True,
    ).body
    reasons = {bucket["key"]: bucket["doc_count"] for bucket in answer["aggregations"]["reasons"]["buckets"]}
    parked_count = sum(reasons.get(reason, 0) for reason in _BY_DEFECT)
    other_reasons = ", ".join(f"{count} {reason}" for reason, count in reasons.items() if reason not in _BY_DEFECT)
    if not parked_count:
        older = _read_before(client, index)
        return "ok", f"none failed because of Sonde; unreadable files: {other_reasons or 'none'}{older}"
    examples = ", ".join(_name_of(hit) for hit in answer["hits"]["hits"])
    more_note = f" and {parked_count - _MOST_NAMED} more" if parked_count > _MOST_NAMED else ""
    return "warning", (
        f"{parked_count} parked, because Sonde failed on them; they are not searchable: {examples}{more_note}. "
        "After an upgrade, Sonde reads users' and linked documents again automatically; "
        "`sonde ingest --retry FILE` reads a file now. The log says `document.crashed` with the place: please report it"
    )


def ocr(settings: Settings) -> tuple[State, str]:
    """A warning if OCR is wanted, and this machine cannot do it."""
    ocr_settings = ocr_of(settings)
    lacks = ocr_problem(ocr_settings)
    if lacks:
        return "warning", f"on this machine {lacks}"
    if ocr_settings.command is None:
        return "ok", "turned off: scanned pages are not read (SONDE_DOCUMENTS__OCR)"
    return "ok", f"tesseract; languages: {', '.join(installed_languages(ocr_settings.command))}"


def document_confinement() -> tuple[State, str]:
    """A warning if a document that takes over its reader could do more here than read itself."""
    hide_from_children()  # as a worker does
    confinement = confinement_here()
    if confinement is None:
        return "warning", "the process that reads documents could not be tried: see the log of a worker"
    missing_protections = [
        phrase
        for holds, phrase in (
            (confinement.network_closed, "use the network"),
            (confinement.secrets_hidden, "read the environment of the worker, with its passwords"),
            (
                confinement.files_limited,
                "read the files of its user (no Landlock in this kernel or container)",
            ),
        )
        if not holds
    ]
    if missing_protections:
        return (
            "warning",
            f"a document that takes over the process which reads it could {'; '.join(missing_protections)}",
        )
    return "ok", "documents are read without network, and without access to other files and processes"


def _read_before(client: Elasticsearch, index: str) -> str:
    """Public documents read by an older reader: files cannot be fetched again, their owner must ingest them."""
    older = client.count(
        index=index,
        query={
            "bool": {
                "filter": [{"term": {"state": "ready"}}, {"term": {"owner": PUBLIC}}],
                "must_not": {"prefix": {"recipe": f"{READING}:"}},
            }
        },
    )["count"]
    if not older:
        return ""
    return (
        f"; {older} for everybody were read by an older reader: `sonde ingest` reads the same files again, "
        "a harvest those that records link to"
    )


def _name_of(hit: JsonMapping) -> str:
    source = hit["_source"]
    name = source["name"] if source["owner"] == PUBLIC else f"a user's document {hit['_id']}"
    return f"{name} ({source['reason']})"


def library(settings: Settings) -> tuple[State, str]:
    uploads = settings.library
    if not uploads.enabled:
        return "ok", "uploads are off"
    folder = uploads.folder
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        return "broken", f"{folder} cannot be written to, so uploads fail: correct its rights, or SONDE_LIBRARY__FOLDER"
    return "ok", f"files of users go to {uploads.folder}"


_LATE = timedelta(days=1, hours=12)


def curation_rules(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """Counts the live rules; names those that cannot be read, and records that are gone."""
    rules = CurationStore(client, prefix).rules(draft="")
    if not rules:
        return "ok", "no rules"
    unreadable = [rule.key.document for rule in rules if not _is_readable(rule)]
    if unreadable:
        return (
            "warning",
            f"{len(unreadable)} rules cannot be read and do not count: {', '.join(unreadable[:_MOST_NAMED])}",
        )
    counts = ", ".join(f"{count} {kind}" for kind, count in Counter(rule.key.kind for rule in rules).items())
    lost_records = _lost_records(client, prefix, rules)
    if lost_records:
        return "warning", f"{counts}; they name records that are not there: {', '.join(lost_records[:_MOST_NAMED])}"
    return "ok", counts


def query_log(client: Elasticsearch, settings: Settings) -> tuple[State, str]:
    """The number of questions that are kept."""
    kept_queries = settings.queries
    answer = client.options(ignore_status=404).count(index=alias(settings.index.prefix, "queries")).body
    count = int(answer.get("count", 0))
    if kept_queries.keep == "off":
        return "ok", f"nothing is kept of questions{f'; {count} of earlier days are left' if count else ''}"
    return "ok", f"keeps {kept_queries.keep} for {kept_queries.days} days: {count} questions"


def _is_readable(rule: StoredRule) -> bool:
    try:
        return rule.rule is not None
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
    failed_count = sum(delivery["count"] for delivery in deliveries if delivery["state"] == "failed")
    text = f"{count} saved searches, {failed_count} failed deliveries in 60 days"
    if count and last is not None and datetime.fromisoformat(last.until) < datetime.now(UTC) - _LATE:
        return "warning", f"{text}; not matched since {last.until[:16]}: look at beat and the harvest worker"
    return ("warning" if failed_count else "ok"), text


def measured_answers(client: Elasticsearch, settings: Settings) -> tuple[State, str]:
    """Warns of a fall, and of files that are not there."""
    evaluation = settings.evaluation
    if evaluation.queries is None or evaluation.qrels is None:
        return "ok", "no judged questions are named"
    missing_files = [str(path) for path in (evaluation.queries, evaluation.qrels) if not path.exists()]
    if missing_files:
        return "broken", f"{', '.join(missing_files)} is missing: SONDE_EVALUATION__QUERIES and __QRELS name the files"
    latest = MeasurementStore(client, settings.index.prefix).latest(1)
    if not latest:
        return "ok", "not measured yet"
    (last,) = latest
    text = f"nDCG@10 {last.ndcg_at_10:.4f} of {last.questions} questions at {last.at[:16]}"
    return ("warning", f"{text}, {last.fall:.4f} below the usual") if last.fall > evaluation.fall else ("ok", text)
