"""Builds saved searches: the desk of the API, the matching and the sending of the workers."""

from __future__ import annotations

from functools import cache, partial

from es_gateway.client import Elasticsearch
from search_api.http.access.keys import KeyStore
from search_api.search.flow import SearchPipeline
from search_api.stewards.alerts.desk import AlertDesk, AlertPolicy, AlertRecords, OwnerRights
from search_api.stewards.alerts.matching import Matcher
from search_api.stewards.alerts.messages import MailServer
from search_api.stewards.alerts.notices import NoticeStore
from search_api.stewards.alerts.sending import Sender, SendPolicy
from search_api.stewards.alerts.store import SavedSearchStore
from sonde.settings import Settings
from sonde.wiring.curation import live_curation
from sonde.wiring.models import Models
from sonde.wiring.search import ranking_config, search_pipeline
from workers.config import AlertWork


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
