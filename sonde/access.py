"""Access as the front door puts it together."""

from __future__ import annotations

from datetime import timedelta

from elasticsearch import Elasticsearch

from core.access import Authenticator, Caller
from search_api.access.authenticators import Bearers, KeyAuthenticator
from search_api.access.key_store import KeyStore
from sonde.settings import AccessSettings, Settings
from workers.registry import load_sources


def authenticator(given: AccessSettings, client: Elasticsearch, prefix: str) -> Authenticator:
    """Knows the keys of the index; opens nothing until it is asked."""
    keys = KeyAuthenticator(KeyStore(client, prefix), timedelta(seconds=given.key_memory_s))
    return Bearers(keys, anonymous_caller(given))


def anonymous_caller(given: AccessSettings) -> Caller:
    return Caller(scopes=frozenset(("search",)) if given.anonymous_search else frozenset())


def groups_of_source(settings: Settings, source: str) -> tuple[str, ...]:
    """Who alone may see the source's records, as sources.yaml says now; empty: everybody.

    Raises SondeError where the file is there and cannot be read: then nobody knows, and nothing may be written openly.
    """
    if not settings.harvest.sources.exists():
        return ()
    config = load_sources(settings.harvest.sources).get(source)
    return () if config is None else tuple(config.access.restricted_to)
