"""The list of protocols. A new one is a module with a ``PROTOCOL``, and one line in the list here.

The order matters only to ``sonde sources add``: the first protocol that recognises an answer, or whose question is
answered, is tried first.
"""

from __future__ import annotations

from core.json_types import JsonMapping
from indexer.raw import Source
from indexer.sources import (
    arcgis_hub,
    arcgis_portal,
    arcgis_server,
    ckan,
    cmr,
    csw,
    data_files,
    datacite,
    dcat,
    erddap,
    geonetwork,
    invenio,
    oai_pmh,
    ogc_records,
    sitemap,
    stac_api,
    stac_static,
    thredds,
    waf,
)
from indexer.sources.fetching import Fetcher
from indexer.sources.protocol import Protocol

_PROTOCOLS = (
    cmr.PROTOCOL,
    erddap.PROTOCOL,
    thredds.PROTOCOL,
    arcgis_server.PROTOCOL,
    arcgis_portal.PROTOCOL,
    arcgis_hub.PROTOCOL,
    csw.PROTOCOL,
    oai_pmh.PROTOCOL,
    ckan.PROTOCOL,
    dcat.PROTOCOL,
    stac_api.PROTOCOL,
    stac_static.PROTOCOL,
    invenio.PROTOCOL,
    datacite.PROTOCOL,
    sitemap.PROTOCOL,
    ogc_records.PROTOCOL,
    geonetwork.PROTOCOL,
    waf.PROTOCOL,
    data_files.PROTOCOL,
)
PROTOCOLS: dict[str, Protocol] = {protocol.name: protocol for protocol in _PROTOCOLS}


def open_source(type: str, fetcher: Fetcher, since: str | None, options: JsonMapping) -> Source:
    """The catalogue at the fetcher's address. ``since`` is ignored if the protocol cannot detect changes.

    Raises pydantic.ValidationError for invalid options.
    """
    protocol = PROTOCOLS[type]
    changes_since = since if protocol.incremental else None
    return protocol.open(fetcher, fetcher.url, changes_since, protocol.read_options(options))
