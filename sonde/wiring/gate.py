"""Builds the gates for outgoing requests from the settings: one for each purpose, with the hosts named for it alone.

A host with a private address may be asked only for what it was named for: an address that a user or a record gives
never leads to the model server, the issuer of tokens or a private catalogue.
"""

from __future__ import annotations

import threading
from typing import Literal
from urllib.parse import urlsplit

from net.gate import Gate, GatePolicy
from sonde import __version__
from sonde.settings import Settings

Purpose = Literal["models", "tokens", "registries", "records", "users"]
"""``records``: addresses that harvested metadata give; ``users``: those of references and webhooks."""


def gate_policy(settings: Settings, purpose: Purpose | None = None) -> GatePolicy:
    """The default limits, with the hosts of one purpose; None: of everything that the operator's settings name."""
    own: dict[Purpose, tuple[str | None, ...]] = {
        "models": (settings.geocoder.url, settings.embedder.url, settings.cross_encoder.url, settings.answers.url),
        "tokens": (settings.access.oidc_issuer, settings.access.oidc_jwks_url),
        "registries": (settings.registries.crossref_url, settings.registries.datacite_url),
        "records": (),
        "users": (),
    }
    named = [url for urls in own.values() for url in urls] if purpose is None else own[purpose]
    listed = settings.net.user_hosts if purpose == "users" else settings.net.allowed_hosts
    contact = f" ({settings.net.contact})" if settings.net.contact else ""
    return GatePolicy(
        allowed_hosts=frozenset((*listed, *(_host_of(url) for url in named if url))),
        user_agent=f"Sonde/{__version__}{contact}",
    )


def _host_of(url: str) -> str:
    """``host:port`` without the name and password that an address may hold."""
    return urlsplit(url).netloc.rpartition("@")[2]


class Gates:
    """The gates of one process, each made at its first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._made: dict[Purpose, Gate] = {}

    def __call__(self, purpose: Purpose) -> Gate:
        with self._lock:
            if purpose not in self._made:
                self._made[purpose] = Gate(gate_policy(self._settings, purpose))
            return self._made[purpose]
