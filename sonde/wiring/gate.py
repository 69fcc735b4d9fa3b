"""Builds the gate for outgoing requests from the settings."""

from __future__ import annotations

from urllib.parse import urlsplit

from net.gate import GatePolicy
from sonde import __version__
from sonde.settings import Settings


def gate_policy(settings: Settings) -> GatePolicy:
    """The gate's default limits; the operator's own services may have private addresses."""
    issuer = (settings.access.oidc_issuer, settings.access.oidc_jwks_url)
    services = (settings.geocoder.url, settings.embedder.url, settings.cross_encoder.url, settings.answers.url)
    tiles = settings.portal.base_layer.wmts if settings.portal.base_layer else ""
    registries = (settings.registries.crossref_url, settings.registries.datacite_url)
    named = (*services, *issuer, *registries, tiles)
    own = [urlsplit(url).netloc for url in named if url]
    contact = f" ({settings.net.contact})" if settings.net.contact else ""
    return GatePolicy(
        allowed_hosts=frozenset((*settings.net.allowed_hosts, *own)), user_agent=f"Sonde/{__version__}{contact}"
    )
