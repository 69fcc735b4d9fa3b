"""Builds what stewards and saved searches need: rules in memory, their desk, the query log, alerts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from core.record import Overlay, Record
from es_gateway.client import Elasticsearch, NoDeadlineElasticsearch
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import EXCEPT_VECTORS
from es_mappings.names import alias
from indexer.write.push import rewrite
from search_api.http.access.keys import KeyStore
from search_api.search.curation import LiveRules
from search_api.search.curation_rules import CurationStore
from search_api.search.flow import SearchPipeline
from search_api.search.openings import LiveUsage, OpeningsReader, UsageTable, no_usage
from search_api.search.query_log import LogPolicy, QueryLog
from search_api.search.ranking.config import RankingConfig
from search_api.search.ranking.signals.record import Usage
from search_api.stewards.alerts.desk import AlertDesk, AlertPolicy, AlertRecords, OwnerRights
from search_api.stewards.alerts.matching import Matcher
from search_api.stewards.alerts.messages import MailServer
from search_api.stewards.alerts.notices import NoticeStore
from search_api.stewards.alerts.sending import Sender, SendPolicy
from search_api.stewards.alerts.store import SavedSearchStore
from search_api.stewards.curation.desk import CurationDesk
from search_api.stewards.insight import QuestionReader, RecordTexts
from sonde.settings import Settings
from sonde.wiring.models import Models
from sonde.wiring.pushing import Pusher
from sonde.wiring.search import ranking_config, search_pipeline
from workers.config import AlertWork

_MOST_TEXTS = 5_000


def live_curation(settings: Settings, client: Elasticsearch) -> LiveRules:
    """Reads nothing yet."""
    return LiveRules(CurationStore(NoDeadlineElasticsearch.over(client), settings.index.prefix))


def curation_desk(settings: Settings, client: Elasticsearch, pusher: Pusher, live: LiveRules) -> CurationDesk:
    return CurationDesk(CurationStore(client, settings.index.prefix), live, RecordOverlays(pusher))


@dataclass(frozen=True, slots=True)
class RecordOverlays:
    """Writes records with their overlays, one writer at a time, as pushed records are."""

    pusher: Pusher

    def apply(self, record: str, overlay: Overlay | None) -> None:
        """See search_api.stewards.curation.desk.OverlayWriter."""
        self.pusher.ready()
        with self.pusher.exclusive(record.partition(":")[0], record):
            rewrite(record, overlay, self.pusher.parts)


def query_log(settings: Settings, client: Elasticsearch) -> QueryLog:
    queries = settings.queries
    secret = queries.secret.get_secret_value().encode() if queries.secret is not None else b""
    policy = LogPolicy(queries.keep, queries.days, secret)
    return QueryLog(NoDeadlineElasticsearch.over(client), settings.index.prefix, policy)


def question_reader(settings: Settings, client: Elasticsearch) -> QuestionReader:
    return QuestionReader(client, settings.index.prefix)


def usage_values(settings: Settings, client: Elasticsearch, config: RankingConfig) -> Callable[[], UsageTable]:
    """What was opened, as the ranking uses it; nothing where the operator or the ranking does not want it."""
    signal = config.records.find(Usage)
    if not settings.queries.rank or signal is None:
        return no_usage
    usage = LiveUsage(OpeningsReader(NoDeadlineElasticsearch.over(client), settings.index.prefix), signal.evidence)
    usage.try_tick()
    return usage


def record_texts(client: Elasticsearch, prefix: str) -> RecordTexts:
    """Reads with the rights of the caller, if the client has them."""

    def texts(ids: Sequence[str]) -> list[Record]:
        if not ids:
            return []
        query = {"ids": {"values": list(ids)[:_MOST_TEXTS]}}
        answer = client.search(index=alias(prefix, "records"), query=query, size=_MOST_TEXTS, source=EXCEPT_VECTORS)
        return [from_document(hit["_source"]) for hit in answer.body["hits"]["hits"]]

    return texts


def alert_policy(settings: Settings) -> AlertPolicy:
    return AlertPolicy(alert_secret(settings), settings.alerts.most, mails=settings.mail.host is not None)


def alert_desk(settings: Settings, pipeline: SearchPipeline, client: Elasticsearch) -> AlertDesk:
    """``client`` sees everything."""
    prefix = settings.index.prefix
    return AlertDesk(
        pipeline,
        SavedSearchStore(client, prefix),
        NoticeStore(client, prefix),
        AlertRecords(client, prefix),
        owner_rights(settings, client),
        alert_policy(settings),
    )


def owner_rights(settings: Settings, client: Elasticsearch) -> OwnerRights:
    return OwnerRights(KeyStore(client, settings.index.prefix).list)


def alert_secret(settings: Settings) -> bytes:
    """Empty: there are no saved searches."""
    secret = settings.alerts.secret
    return b"" if secret is None else secret.get_secret_value().encode()


def mail_server(settings: Settings) -> MailServer | None:
    """None if the settings name none."""
    mail = settings.mail
    if mail.host is None:
        return None
    login = None
    if mail.username is not None and mail.password is not None:
        login = (mail.username, mail.password.get_secret_value())
    return MailServer(mail.host, mail.port, mail.tls, login, mail.sender)


def matcher(settings: Settings, client: Elasticsearch, models: Models) -> Matcher:
    """``client`` sees everything."""
    prefix = settings.index.prefix
    curation = live_curation(settings, client)
    curation.tick()
    pipeline, _ = search_pipeline(
        client, prefix, models, ranking_config(settings), curation=curation, finds_people=settings.access.people
    )
    rights = owner_rights(settings, client)
    return Matcher(
        client, prefix, pipeline, SavedSearchStore(client, prefix), NoticeStore(client, prefix), rights.current
    )


def sender(settings: Settings, client: Elasticsearch, models: Models) -> Sender:
    prefix = settings.index.prefix
    policy = SendPolicy(settings.api_url, alert_secret(settings), settings.portal.name, settings.mail.sender)
    return Sender(
        SavedSearchStore(client, prefix),
        NoticeStore(client, prefix),
        AlertRecords(client, prefix),
        owner_rights(settings, client).current,
        partial(models.gates, "users"),
        mail_server(settings),
        policy,
    )


def alert_work(settings: Settings, client: Elasticsearch, models: Models) -> AlertWork | None:
    """None if the operator keeps no saved searches. Loads no model yet."""
    if not alert_secret(settings):
        return None
    # Each part is made at its first task.
    matching = cache(partial(matcher, settings, client, models))
    sending = cache(partial(sender, settings, client, models))
    return AlertWork(lambda seconds: matching().match(seconds), lambda seconds: sending().send(seconds))
