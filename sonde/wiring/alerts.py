"""Builds the desk of saved searches, for the API."""

from __future__ import annotations

from es_gateway.client import Elasticsearch
from search_api.http.access.keys import KeyStore
from search_api.search.flow import SearchPipeline
from search_api.stewards.alerts.desk import AlertDesk, AlertPolicy
from search_api.stewards.alerts.notices import NoticeStore
from search_api.stewards.alerts.rights import AlertRecords, OwnerRights
from search_api.stewards.alerts.store import SavedSearchStore
from sonde.settings import Settings


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
    return OwnerRights(KeyStore(client, settings.index.prefix).list, settings.alerts.token_days)


def alert_secret(settings: Settings) -> bytes:
    """Empty: nobody saves searches here."""
    given = settings.alerts.secret
    return b"" if given is None else given.get_secret_value().encode()
