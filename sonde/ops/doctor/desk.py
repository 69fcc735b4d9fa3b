"""Whether the stewards' rules can be read and still fit the records, and what the query log holds."""

from __future__ import annotations

from collections import Counter
from typing import cast

from pydantic import ValidationError

from es_gateway.client import Elasticsearch
from es_mappings.names import alias
from search_api.search.curation.rules import StoredRule
from search_api.search.curation.store import CurationStore
from sonde.ops.doctor.finding import State
from sonde.settings import Settings

_NAMED = 5


def curation_rules(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """Counts the live rules; names those that cannot be read, and records that are gone."""
    rules = CurationStore(client, prefix).rules(draft="")
    if not rules:
        return "ok", "no rules"
    unreadable = [one.key.document for one in rules if not _is_readable(one)]
    if unreadable:
        return "warning", f"{len(unreadable)} rules cannot be read and do not count: {', '.join(unreadable[:_NAMED])}"
    counts = ", ".join(f"{count} {kind}" for kind, count in Counter(one.key.kind for one in rules).items())
    lost = _lost_records(client, prefix, rules)
    if lost:
        return "warning", f"{counts}; they name records that are not there: {', '.join(lost[:_NAMED])}"
    return "ok", counts


def query_log(client: Elasticsearch, settings: Settings) -> tuple[State, str]:
    """The number of questions that are kept."""
    given = settings.queries
    found = client.options(ignore_status=404).count(index=alias(settings.index.prefix, "queries")).body
    count = int(found.get("count", 0))
    if given.keep == "off":
        return "ok", f"nothing is kept of questions{f'; {count} of earlier days are left' if count else ''}"
    return "ok", f"keeps {given.keep} for {given.days} days: {count} questions"


def _is_readable(kept: StoredRule) -> bool:
    try:
        return kept.rule is not None
    except ValidationError:
        return False


def _lost_records(client: Elasticsearch, prefix: str, rules: list[StoredRule]) -> list[str]:
    named = sorted({str(one.content["record"]) for one in rules if one.content and "record" in one.content})
    if not named:
        return []
    found = client.options(ignore_status=404).mget(index=alias(prefix, "records"), ids=named, source=False).body
    docs = cast("list[dict[str, object]]", found.get("docs", []))
    return [str(one["_id"]) for one in docs if not one.get("found")]
