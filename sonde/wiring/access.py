"""Builds the parts of access control from the settings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from core.access import Authenticator, Caller
from core.errors import SondeError
from core.timespan import utc_now
from es_gateway.client import Elasticsearch
from net.gate import Gate
from search_api.http.access.keys import Bearers, KeyAuthenticator, KeyStore
from search_api.http.limits import LimitPolicy
from sonde.settings import AccessSettings, Settings

if TYPE_CHECKING:
    from search_api.http.access.tokens import TokenAuthenticator


KEYS_CACHED = timedelta(seconds=10)
"""The API refuses a revoked key after this time at the latest."""

GRANULE_RATE = "60/minute"
"""Of one address: each of these requests asks another host."""


def authenticator(
    access: AccessSettings,
    client: Elasticsearch,
    prefix: str,
    gate: Callable[[], Gate],
    keys_cached: timedelta = KEYS_CACHED,
) -> Authenticator:
    """Accepts the keys of the index, and tokens if an issuer is set; opens no connection before its first use.

    Raises SondeError for an issuer without an audience: tokens for any other service would be accepted.
    """
    keys = KeyAuthenticator(KeyStore(client, prefix), keys_cached)
    return Bearers(keys, anonymous_caller(access), _tokens(access, gate))


def _tokens(access: AccessSettings, gate: Callable[[], Gate]) -> TokenAuthenticator | None:
    if access.oidc_issuer is None:
        return None
    if not access.oidc_audience:
        raise SondeError("SONDE_ACCESS__OIDC_ISSUER is set; name in SONDE_ACCESS__OIDC_AUDIENCE whom tokens are for.")
    from search_api.http.access.tokens import Issuer, IssuerKeys, TokenAuthenticator, TokenPolicy

    policy = TokenPolicy(
        issuer=access.oidc_issuer,
        audience=access.oidc_audience,
        subject_claim=access.oidc_subject_claim,
        groups_claim=access.oidc_groups_claim,
        scopes_claim=access.oidc_scopes_claim,
        scope_prefix=access.oidc_scope_prefix,
        given_scopes=frozenset(access.oidc_scopes),
    )
    issuer = Issuer(access.oidc_issuer, access.oidc_jwks_url)
    return TokenAuthenticator(policy, IssuerKeys(issuer, gate))


def anonymous_caller(access: AccessSettings) -> Caller:
    return Caller(scopes=frozenset(("search",)) if access.anonymous_search else frozenset())


def sharing_groups(keys: KeyStore, owner: str) -> frozenset[str] | None:
    """The groups with which the owner of a collection may share it now; None for an owner without keys."""
    return keys.groups_of(owner, "library", utc_now())


_COUNTING_TIMEOUT_S = 1


def limit_policy(settings: Settings) -> LimitPolicy:
    """Counts in the broker, so that all processes of the API count together."""
    access, broker = settings.limits, settings.broker_url
    return LimitPolicy(
        per_address=_rate(access.per_address),
        per_key=_rate(access.per_key),
        granules=GRANULE_RATE,
        model=_rate(access.model) if settings.answers.url is not None else None,
        storage=f"redis+{broker}" if broker.startswith("unix://") else broker,
        storage_options={"socket_timeout": _COUNTING_TIMEOUT_S, "socket_connect_timeout": _COUNTING_TIMEOUT_S},
        prefix=settings.index.prefix,
        proxies=access.proxies,
    )


def _rate(text: str) -> str | None:
    return None if text == "none" else text
