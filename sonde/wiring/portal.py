"""Builds what pages and standards' views show: the portal's look, titles of catalogues, previews, granules."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from cachetools import TTLCache, cached

from core.errors import NotFound, SondeError
from core.json_types import JsonMapping
from core.record import Record
from es_gateway.client import Elasticsearch
from es_mappings.codecs.vectors import EXCEPT_VECTORS
from es_mappings.names import alias
from indexer.data_files.containers import missing_libraries
from indexer.data_files.messages import FileFault
from indexer.data_files.reader import DataLimits, HeaderReader
from indexer.formats.registry import read
from indexer.quality.quality import missing, score
from indexer.raw import RecordRefused
from net.gate import Gate
from search_api.catalogue.catalogues import SourceDescription
from search_api.catalogue.federation import CswQuery, FederatedCatalogue, Federation
from search_api.catalogue.granules.searches import GranuleSearches
from search_api.catalogue.linked_hosts import UnreadableData
from search_api.catalogue.pictures.reader import PictureReader
from search_api.catalogue.previews import Previews
from search_api.catalogue.related.citations import CitationEvents, EventService
from search_api.catalogue.rows.grids import Range
from search_api.catalogue.rows.tables import TableReader
from search_api.catalogue.rows.zarr import StoreParts
from search_api.http.responses import HttpPolicy
from search_api.page.shell import BaseLayer, PortalLook, SignIn
from search_api.stewards.insight import QualityOf, RecordQuality
from sonde.portal_settings import BaseLayerSettings
from sonde.settings import AccessSettings, Settings
from sonde.wiring.stewards import alert_secret
from workers.sources_file import source_entries

_STAC_API = "stac-api"
_SOURCES_KEPT_S = 60.0
_FEDERATION_S = 2.0
"""An answer waits no longer for other catalogues."""


def http_policy(settings: Settings) -> HttpPolicy:
    http = settings.http
    return HttpPolicy(
        settings.api.public_url,
        http.cors_origins,
        http.max_age_s,
        contact=http.contact,
        publisher=http.publisher,
    )


def portal_look(settings: Settings) -> PortalLook:
    portal = settings.portal
    accents = {"light": portal.accent, "dark": portal.accent_dark}
    files = {"logo": portal.logo, "favicon": portal.favicon, "font": portal.font_file}
    return PortalLook(
        portal.name,
        portal.tagline,
        portal.intro,
        portal.footer,
        tuple((link.title, link.url) for link in portal.links),
        {scheme: colour for scheme, colour in accents.items() if colour is not None},
        portal.font,
        portal.start_map,
        {f"{kind}{path.suffix.lower()}": path for kind, path in files.items() if path is not None},
        portal.frame_ancestors,
        portal.search_while_typing,
        _base_layer(portal.base_layer),
        _saves(settings),
        _sign_in(settings.access),
        portal.key_help,
        portal.layer_hosts,
    )


def _sign_in(access: AccessSettings) -> SignIn | None:
    if access.oidc_issuer is None or access.oidc_client is None:
        return None
    return SignIn(access.oidc_issuer, access.oidc_client, access.oidc_client_scopes)


def _saves(settings: Settings) -> frozenset[str]:
    if not alert_secret(settings):
        return frozenset()
    return frozenset(("feed", "mail") if settings.mail.host is not None else ("feed",))


def _base_layer(tiles: BaseLayerSettings | None) -> BaseLayer | None:
    if tiles is None:
        return None
    attribution_url = tiles.attribution_url or None
    return BaseLayer(tiles.name, tiles.attribution, attribution_url, tiles.xyz, tiles.min_zoom, tiles.max_zoom)


def source_descriptions(settings: Settings) -> dict[str, SourceDescription]:
    """Of the harvested catalogues by their id, from sources.yaml; empty if it cannot be read."""
    try:
        entries = source_entries(settings.harvest.sources).values()
        return {
            entry.id: SourceDescription(entry.title, entry.publisher, entry.description, entry.licence)
            for entry in entries
        }
    except SondeError:
        return {}


def granule_searches(settings: Settings, gate: Callable[[], Gate]) -> GranuleSearches:
    granules = settings.granules
    cache: TTLCache[object, dict[str, str]] = TTLCache(1, _SOURCES_KEPT_S)
    stac_apis = cached(cache, lock=threading.Lock())(lambda: _stac_apis(settings))
    return GranuleSearches(gate if settings.preview.enabled else None, stac_apis, granules.cmr_url)


def federation(settings: Settings, gate: Callable[[], Gate]) -> Federation:
    catalogues = [
        FederatedCatalogue(catalogue.id, catalogue.kind, catalogue.url, catalogue.title)
        for catalogue in settings.federation.catalogues
    ]
    return Federation(gate, catalogues, _FEDERATION_S, csw_records)


def csw_records(gate: Gate, url: str, query: CswQuery, timeout_s: float) -> tuple[list[Record], int]:
    """The hits of a CSW that a format's reader understands, and how many match. Raises SondeError."""
    from indexer.sources import csw_search  # only where a CSW is asked: the API knows no protocol of harvests

    found = csw_search.search(gate, url, csw_search.CswQuestion(query.words, query.area, query.limit), timeout_s)
    records: list[Record] = []
    for raw in found.records:
        with suppress(RecordRefused):
            records.append(read(raw, "federated"))
    return records, found.matched


def table_reader(settings: Settings, gate: Callable[[], Gate]) -> TableReader:
    """Switched off with previews (``SONDE_PREVIEW__ENABLED``): it asks hosts that metadata name."""
    return TableReader(gate if settings.preview.enabled else None, None if missing_libraries() else _StoreReader)


class _StoreReader:
    """Reads Zarr stores in the process that reads data files, within smaller limits."""

    def __init__(self) -> None:
        self._reader = HeaderReader(DataLimits(seconds=30.0, memory_bytes=1 << 30, fetched_bytes=64 << 20))

    def read_slabs(self, store: StoreParts, slabs: Mapping[str, Sequence[Range]]) -> JsonMapping:
        try:
            return self._reader.read_slabs(store, slabs)
        except FileFault as fault:
            raise UnreadableData(f"The Zarr store cannot be read: {fault}.") from None

    def close(self) -> None:
        self._reader.close()


def picture_reader(settings: Settings, gate: Callable[[], Gate]) -> PictureReader:
    """Switched off as ``table_reader``."""
    return PictureReader(gate if settings.preview.enabled else None)


def _stac_apis(settings: Settings) -> dict[str, str]:
    """The addresses of the harvested STAC APIs by source; empty if sources.yaml cannot be read."""
    try:
        entries = source_entries(settings.harvest.sources).values()
        return {entry.id: str(entry.url) for entry in entries if entry.type == _STAC_API and entry.url}
    except SondeError:
        return {}


def previews(settings: Settings, gate: Callable[[], Gate]) -> Previews:
    return Previews(gate if settings.preview.enabled else None)


def citation_events(settings: Settings, gate: Callable[[], Gate]) -> CitationEvents:
    citations = settings.citations
    service = None if citations.events_url is None else EventService(str(citations.events_url))
    return CitationEvents(service, gate)


def record_quality(client: Elasticsearch, prefix: str) -> QualityOf:
    """Reads with the rights of the caller, if the client has them."""

    def quality(record: str) -> RecordQuality:
        query_by_id = {"ids": {"values": [record]}}
        hits = client.search(index=alias(prefix, "records"), query=query_by_id, size=1, source=EXCEPT_VECTORS).body[
            "hits"
        ]["hits"]
        if not hits:
            raise NotFound(f"There is no record {record!r}.")
        document = hits[0]["_source"]
        return RecordQuality(round(score(document), 3), missing(document), tuple(document.get("warnings", ())))

    return quality
