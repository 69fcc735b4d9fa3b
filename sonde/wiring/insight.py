"""Builds the query log and what stewards read of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.record import Record
from es_gateway.client import Elasticsearch, UnhurriedElasticsearch
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import WITHOUT
from es_mappings.names import alias
from search_api.search.ranking.config import RankingConfig
from search_api.search.ranking.signals.usage import Usage
from search_api.search.usage.log import LogPolicy, QueryLog
from search_api.search.usage.openings import LiveUsage, OpeningsReader, UsageTable, no_usage
from search_api.stewards.insight.questions import QuestionReader, RecordTexts
from sonde.settings import Settings

_MOST_TEXTS = 5_000


def query_log(settings: Settings, client: Elasticsearch) -> QueryLog:
    given = settings.queries
    secret = given.secret.get_secret_value().encode() if given.secret is not None else b""
    policy = LogPolicy(given.keep, given.days, secret)
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
        wanted = {"ids": {"values": list(ids)[:_MOST_TEXTS]}}
        found = client.search(index=alias(prefix, "records"), query=wanted, size=_MOST_TEXTS, source=WITHOUT)
        return [from_document(hit["_source"]) for hit in found.body["hits"]["hits"]]

    return texts
