"""The list of output formats. A new one is a module with a ``FORMAT``, and one line in the list here.

GeoJSON, original metadata and the record page are not in this list: they have their own views. Alternate links have
this order.
"""

from __future__ import annotations

from collections.abc import Callable

from search_api.formats_out import bibliography, dcat, dublin_core, iso19139
from search_api.formats_out.output_format import DcatFeed, OaiFormat, OutputFormat, ResultPage
from search_api.formats_out.result_lists import ATOM_FEED, CSV_TABLE
from search_api.formats_out.schema_org import CROISSANT, SCHEMA_ORG

_LISTED = (
    SCHEMA_ORG,
    CROISSANT,
    dcat.TURTLE,
    dcat.JSON_LD,
    dcat.RDF_XML,
    iso19139.FORMAT,
    dublin_core.FORMAT,
    ATOM_FEED,
    CSV_TABLE,
    *bibliography.FORMATS,
)
FORMATS: dict[str, OutputFormat] = {one.name: one for one in _LISTED}

OAI_DC = "oai_dc"


def record_formats() -> dict[str, OutputFormat]:
    """The formats of a single record, by ``f``."""
    return {name: format for name, format in FORMATS.items() if format.record is not None}


def result_writers() -> dict[str, tuple[str, Callable[[ResultPage], str]]]:
    """Media type and writer of a page of ``/search``, by ``f``."""
    return {name: (format.media_type, format.results) for name, format in FORMATS.items() if format.results is not None}


def oai_formats() -> dict[str, OaiFormat]:
    """By ``metadataPrefix``; Dublin Core, which every repository must support, first."""
    formats = [format.oai for format in FORMATS.values() if format.oai is not None]
    return {format.prefix: format for format in sorted(formats, key=lambda format: format.prefix != OAI_DC)}


def feed_writers() -> dict[str, tuple[str, DcatFeed]]:
    """Media type and writer of a page of ``/dcat``, by ``f``."""
    return {
        format.feed.name: (format.media_type, format.feed) for format in FORMATS.values() if format.feed is not None
    }
