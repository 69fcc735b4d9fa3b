"""Access as the front door puts it together."""

from __future__ import annotations

from datetime import timedelta

from elasticsearch import Elasticsearch

from core.access import Authenticator, Caller
from search_api.access.authenticators import Bearers, KeyAuthenticator
from search_api.access.key_store import KeyStore
from sonde.settings import AccessSettings


def authenticator(given: AccessSettings, client: Elasticsearch, prefix: str) -> Authenticator:
    """Knows the keys of the index; opens nothing until it is asked."""
    keys = KeyAuthenticator(KeyStore(client, prefix), timedelta(seconds=given.key_memory_s))
    return Bearers(keys, anonymous_caller(given))


def anonymous_caller(given: AccessSettings) -> Caller:
    return Caller(scopes=frozenset(("search",)) if given.anonymous_search else frozenset())
