"""The doctor's result for one part, and its advice if a server does not answer correctly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

import redis

from es_gateway.errors import ElasticsearchError, NoTls, TimedOut
from local_stack.state import USER, password_file
from sonde.settings import Settings

State = Literal["ok", "warning", "broken"]
_UNAUTHORISED, _FORBIDDEN = 401, 403


@dataclass(frozen=True, slots=True)
class Finding:
    """One part: its state and, if it has a problem, what to do."""

    part: str
    state: State
    message: str


def span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def of_elasticsearch(error: ElasticsearchError, settings: Settings) -> str:
    """What to do about a failure of Elasticsearch. Names the relevant settings; no password."""
    url = settings.elasticsearch_url
    if error.status is not None:
        return _refused(error, settings)
    if isinstance(error, NoTls):
        return (
            f"TLS with {_place(url)} fails: does it use https, and is its certificate signed by the CA of "
            "SONDE_ELASTICSEARCH__CA_CERTS?"
        )
    if isinstance(error, TimedOut):
        return f"{_place(url)} did not answer in time: is it overloaded, or behind a firewall that drops packets?"
    return f"nobody answers at {_place(url)}: start it (`sonde up`), or set SONDE_ELASTICSEARCH__URL"


def of_broker(error: redis.RedisError, settings: Settings) -> str:
    """As above, for the broker."""
    place = _place(settings.broker_url)
    if isinstance(error, redis.AuthenticationError) or "NOAUTH" in str(error) or "WRONGPASS" in str(error):
        return f"{place} refuses the password: SONDE_BROKER__URL is redis://:PASSWORD@HOST:PORT/0"
    if isinstance(error, redis.TimeoutError):
        return f"{place} did not answer in time: does it use TLS (rediss://), or is there a firewall?"
    if isinstance(error, redis.ConnectionError):
        return f"nobody answers at {place} (searches continue): start it (`sonde up`), or set SONDE_BROKER__URL"
    return f"{place} answers {error}"


def _refused(error: ElasticsearchError, settings: Settings) -> str:
    status = error.status
    if status == _UNAUTHORISED:
        own_password_file = password_file(settings.stack.folder)
        own_indices = (
            f"; the node of `sonde up` has the user {USER} with the password in {own_password_file}"
            if own_password_file.exists()
            else ""
        )
        return (
            "it requires a login: set SONDE_ELASTICSEARCH__API_KEY, or SONDE_ELASTICSEARCH__USERNAME and "
            f"SONDE_ELASTICSEARCH__PASSWORD{own_indices}"
        )
    if status == _FORBIDDEN:
        prefix = settings.index.prefix
        return f"the login has too few rights: its role needs monitor, and read, write, manage on {prefix}-*"
    return f"it answers {status}: {error.reason}"


def _place(url: str) -> str:
    """Host and port, without a password before them."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname or parts.path)
