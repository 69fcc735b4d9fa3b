"""Which protocols there are: each source type with its options, and how one is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pydantic import ConfigDict, TypeAdapter

from indexer.raw import Source
from indexer.sources.ckan import CkanOptions, CkanSource
from indexer.sources.csw import CswOptions, CswSource
from indexer.sources.datacite import DataCiteOptions, DataCiteSource
from indexer.sources.dcat import DcatOptions, DcatSource
from indexer.sources.fetching import Fetcher
from indexer.sources.geonetwork import GeoNetworkOptions, GeoNetworkSource
from indexer.sources.invenio import InvenioOptions, InvenioSource
from indexer.sources.oai_pmh import OaiOptions, OaiSource
from indexer.sources.ogc_records import OgcOptions, OgcSource
from indexer.sources.sitemap import SitemapOptions, SitemapSource
from indexer.sources.stac_api import StacApiSource, StacOptions
from indexer.sources.stac_static import StacStaticSource
from indexer.sources.waf import WafOptions, WafSource

SourceType = Literal[
    "csw", "oai-pmh", "ogc-records", "stac-api", "stac", "ckan", "dcat", "waf", "sitemap", "geonetwork", "datacite",
    "invenio",
]  # fmt: skip
TYPES: tuple[SourceType, ...] = get_args(SourceType)


@dataclass(frozen=True, slots=True)
class Protocol:
    """``options`` is the dataclass that an entry's ``options`` must fit; ``incremental``: it can tell what changed."""

    open: Callable[[Fetcher, str, str | None, Any], Source]
    options: type[Any]
    incremental: bool

    def read_options(self, given: Mapping[str, Any]) -> Any:
        """Raises pydantic.ValidationError, naming each option that is unknown or wrong."""
        return TypeAdapter(self.options, config=None).validate_python(dict(given), strict=None)


def _strict(options: type[Any]) -> type[Any]:
    """Unknown options are refused: they are most likely typing errors."""
    options.__pydantic_config__ = ConfigDict(extra="forbid")
    return options


PROTOCOLS: Mapping[SourceType, Protocol] = {
    "csw": Protocol(CswSource, _strict(CswOptions), incremental=True),
    "oai-pmh": Protocol(OaiSource, _strict(OaiOptions), incremental=True),
    "ogc-records": Protocol(OgcSource, _strict(OgcOptions), incremental=False),
    "stac-api": Protocol(StacApiSource, _strict(StacOptions), incremental=False),
    "stac": Protocol(StacStaticSource, _strict(StacOptions), incremental=True),
    "ckan": Protocol(CkanSource, _strict(CkanOptions), incremental=True),
    "dcat": Protocol(DcatSource, _strict(DcatOptions), incremental=True),
    "waf": Protocol(WafSource, _strict(WafOptions), incremental=True),
    "sitemap": Protocol(SitemapSource, _strict(SitemapOptions), incremental=True),
    "geonetwork": Protocol(GeoNetworkSource, _strict(GeoNetworkOptions), incremental=True),
    "datacite": Protocol(DataCiteSource, _strict(DataCiteOptions), incremental=True),
    "invenio": Protocol(InvenioSource, _strict(InvenioOptions), incremental=True),
}


def open_source(type: SourceType, fetcher: Fetcher, since: str | None, options: Mapping[str, Any]) -> Source:
    """The catalogue at the fetcher's address. ``since`` is left out where the protocol cannot tell what changed.

    Raises pydantic.ValidationError for wrong options.
    """
    protocol = PROTOCOLS[type]
    wanted = since if protocol.incremental else None
    return protocol.open(fetcher, fetcher.url, wanted, protocol.read_options(options))
