"""What the portal's ini file says."""

from __future__ import annotations

from functools import lru_cache

import ckan.plugins.toolkit as tk
from ckanext.sonde.asking import Address, Sonde


def sonde() -> Sonde:
    """The Sonde of the ini file; the same one each time, so that it remembers when to leave it alone."""
    config = tk.config
    return _sonde(
        config["ckanext.sonde.url"],
        config["ckanext.sonde.source"],
        config.get("ckanext.sonde.key") or None,
        float(config["ckanext.sonde.timeout"]),
        int(config["ckanext.sonde.window"]),
        float(config["ckanext.sonde.rest"]),
    )


def public_url() -> str | None:
    """Where browsers reach Sonde, without a slash at the end; None if the portal shows no page of Sonde's."""
    url = str(tk.config.get("ckanext.sonde.public_url") or "").rstrip("/")
    return url or None


def mode() -> str:
    return str(tk.config["ckanext.sonde.mode"])


@lru_cache(maxsize=4)
def _sonde(url: str, source: str, key: str | None, timeout_s: float, window: int, rest_s: float) -> Sonde:
    return Sonde(Address(url, source, key, timeout_s, window), rest_s)
