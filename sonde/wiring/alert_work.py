"""Builds the matching and the sending of saved searches, for the workers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

from es_gateway.client import Elasticsearch
from search_api.stewards.alerts.matching import Matcher
from search_api.stewards.alerts.messages import MailServer
from search_api.stewards.alerts.notices import NoticeStore
from search_api.stewards.alerts.rights import AlertRecords
from search_api.stewards.alerts.sending import Sender, SendPolicy
from search_api.stewards.alerts.store import SavedSearchStore
from sonde.settings import Settings
from sonde.wiring.alerts import alert_secret, owner_rights
from sonde.wiring.curation import live_curation
from sonde.wiring.models import Models
from sonde.wiring.search import ranking_config, search_pipeline
from workers.parts import AlertWork


def mail_server(settings: Settings) -> MailServer | None:
    """None if the settings name none."""
    given = settings.mail
    if given.host is None:
        return None
    login = None
    if given.username is not None and given.password is not None:
        login = (given.username, given.password.get_secret_value())
    return MailServer(given.host, given.port, given.tls, login, given.sender, given.timeout_s)


def matcher(settings: Settings, client: Elasticsearch, models: Models) -> Matcher:
    """``client`` sees everything."""
    prefix = settings.index.prefix
    curation = live_curation(settings, client)
    curation.tick()
    pipeline, _ = search_pipeline(client, prefix, models, ranking_config(settings), curation=curation)
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
    work = _Lazily(settings, client, models)
    return AlertWork(lambda seconds: work.matcher.match(seconds), lambda seconds: work.sender.send(seconds))


@dataclass
class _Lazily:
    """Each part is made at its first task."""

    settings: Settings
    client: Elasticsearch
    models: Models

    @cached_property
    def matcher(self) -> Matcher:
        return matcher(self.settings, self.client, self.models)

    @cached_property
    def sender(self) -> Sender:
        return sender(self.settings, self.client, self.models)
