"""Builds what stewards work with: rules in memory, their desk, the query log and what they read of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.record import Overlay, Record
from es_gateway.client import Elasticsearch, UnhurriedElasticsearch
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import WITHOUT
from es_mappings.names import alias
from indexer.write.push import rewrite
from search_api.search.curation import LiveRules
from search_api.search.curation_rules import CurationStore
from search_api.search.openings import LiveUsage, OpeningsReader, UsageTable, no_usage
from search_api.search.query_log import LogPolicy, QueryLog
from search_api.search.ranking.config import RankingConfig
from search_api.search.ranking.signals.record import Usage
from search_api.stewards.curation.desk import CurationDesk
from search_api.stewards.insight import QuestionReader, RecordTexts
from sonde.settings import Settings
from sonde.wiring.pushing import Pusher

_MOST_TEXTS = 5_000


def live_curation(settings: Settings, client: Elasticsearch) -> LiveRules:
    """Reads nothing yet."""
    return LiveRules(CurationStore(UnhurriedElasticsearch.over(client), settings.index.prefix))


def curation_desk(settings: Settings, client: Elasticsearch, pusher: Pusher, live: LiveRules) -> CurationDesk:
    return CurationDesk(CurationStore(client, settings.index.prefix), live, RecordOverlays(pusher))


@dataclass(frozen=True, slots=True)
class RecordOverlays:
    """Writes records with their overlays, one writer at a time, as pushed records are."""

    pusher: Pusher

    def apply(self, record: str, overlay: Overlay | None) -> None:
        """See search_api.stewards.curation.desk.OverlayWriter."""
        self.pusher.ready()
        with self.pusher.alone(record.partition(":")[0], record):
            rewrite(record, overlay, self.pusher.parts)


def query_log(settings: Settings, client: Elasticsearch) -> QueryLog:
    queries = settings.queries
    secret = queries.secret.get_secret_value().encode() if queries.secret is not None else b""
    policy = LogPolicy(queries.keep, queries.days, secret)
    return QueryLog(UnhurriedElasticsearch.over(client), settings.index.prefix, policy)


def question_reader(settings: Settings, client: Elasticsearch) -> QuestionReader:
    return QuestionReader(client, settings.index.prefix)


def usage_values(settings: Settings, client: Elasticsearch, config: RankingConfig) -> Callable[[], UsageTable]:
    """What was opened, as the ranking uses it; nothing where the operator or the ranking does not want it."""
    signal = config.records.find(Usage)
    if not settings.queries.rank or signal is None:
        return no_usage
    usage = LiveUsage(OpeningsReader(UnhurriedElasticsearch.over(client), settings.index.prefix), signal.evidence)
    usage.try_tick()
    return usage


def record_texts(client: Elasticsearch, prefix: str) -> RecordTexts:
    """Reads with the rights of the caller, if the client has them."""

    def texts(ids: Sequence[str]) -> list[Record]:
        if not ids:
            return []
        query = {"ids": {"values": list(ids)[:_MOST_TEXTS]}}
        answer = client.search(index=alias(prefix, "records"), query=query, size=_MOST_TEXTS, source=WITHOUT)
        return [from_document(hit["_source"]) for hit in answer.body["hits"]["hits"]]

    return texts
