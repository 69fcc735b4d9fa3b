"""Settings for the standards' views: titles of catalogues, headers of answers, previews."""

from __future__ import annotations

import threading
from collections.abc import Callable

from cachetools import TTLCache

from core.errors import SondeError
from net.gate import Gate
from search_api.catalogue.granules.searches import GranuleLimits, GranuleSearches
from search_api.catalogue.listing.catalogues import SourceDescription
from search_api.catalogue.previews import PreviewLimits, Previews
from search_api.http.responses import HttpPolicy
from search_api.page.portal import BaseLayer, PortalLook
from sonde.settings import Settings
from sonde.wiring.alerts import alert_secret
from workers.sources_file import source_entries

_STAC_API = "stac-api"
_SOURCES_KEPT_S = 60.0


def http_policy(settings: Settings) -> HttpPolicy:
    given = settings.http
    return HttpPolicy(
        settings.api.public_url,
        given.cors_origins,
        given.max_age_s,
        given.etag,
        given.contact,
        given.publisher,
        given.compress,
    )


def portal_look(settings: Settings) -> PortalLook:
    given, tiles = settings.portal, settings.portal.base_layer
    accents = {"light": given.accent, "dark": given.accent_dark}
    files = {"logo": given.logo, "favicon": given.favicon, "font": given.font_file}
    return PortalLook(
        given.name,
        given.tagline,
        given.intro,
        given.footer,
        tuple((one.title, one.url) for one in given.links),
        {scheme: colour for scheme, colour in accents.items() if colour is not None},
        given.font,
        given.start_map,
        {f"{kind}{path.suffix.lower()}": path for kind, path in files.items() if path is not None},
        given.frame_ancestors,
        given.search_while_typing,
        None
        if tiles is None
        else BaseLayer(
            tiles.name, tiles.attribution, tiles.attribution_url or None, tiles.xyz, tiles.min_zoom, tiles.max_zoom
        ),
        _saves(settings),
    )


def _saves(settings: Settings) -> frozenset[str]:
    if not alert_secret(settings):
        return frozenset()
    return frozenset(("feed", "mail") if settings.mail.host is not None else ("feed",))


def source_descriptions(settings: Settings) -> dict[str, SourceDescription]:
    """Of the harvested catalogues by their id, from sources.yaml; empty if it cannot be read."""
    try:
        entries = source_entries(settings.harvest.sources).values()
        return {one.id: SourceDescription(one.title, one.publisher, one.description, one.licence) for one in entries}
    except SondeError:
        return {}


def granule_searches(settings: Settings, gate: Callable[[], Gate]) -> GranuleSearches:
    given = settings.granules
    limits = GranuleLimits(timeout_s=given.timeout_s, cache_s=given.kept_s)
    kept: TTLCache[str, dict[str, str]] = TTLCache(1, _SOURCES_KEPT_S)
    lock = threading.Lock()

    def stac_apis() -> dict[str, str]:
        with lock:
            if "all" not in kept:
                kept["all"] = _stac_apis(settings)
            return kept["all"]

    return GranuleSearches(gate if given.enabled else None, stac_apis, given.cmr_url, limits)


def _stac_apis(settings: Settings) -> dict[str, str]:
    """The addresses of the harvested STAC APIs by source; empty if sources.yaml cannot be read."""
    try:
        entries = source_entries(settings.harvest.sources).values()
        return {one.id: str(one.url) for one in entries if one.type == _STAC_API and one.url}
    except SondeError:
        return {}


def previews(settings: Settings, gate: Callable[[], Gate]) -> Previews:
    given = settings.preview
    limits = PreviewLimits(given.max_mib * 1024 * 1024, given.timeout_s)
    return Previews(gate if given.enabled else None, limits)
