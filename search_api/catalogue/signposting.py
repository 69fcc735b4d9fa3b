"""Signposting: typed links in the header ``Link``, by which machines find a record's identifier, files and metadata.

FAIR Signposting Profile, level 1 (https://signposting.org/FAIR/): the page of a record is the landing page, its other
formats are the metadata resources.
"""

from __future__ import annotations

import re

from core.record import Record
from search_api.formats_out.iris import iri
from search_api.formats_out.licences import licence_url
from search_api.formats_out.schema_org import DOWNLOADS, type_of

_MOST_FILES = 20
_LONGEST = 500
"""Servers and proxies refuse long headers: more files, and longer addresses, are only in the record's ``links``."""

_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)


def landing_links(record: Record, metadata: list[tuple[str, str]]) -> list[str]:
    """Those of the record's page; ``metadata``: addresses and media types of its other formats."""
    return [
        *([_written(f"https://doi.org/{record.doi}", "cite-as")] if record.doi else []),
        _written("https://schema.org/AboutPage", "type"),
        _written(f"https://schema.org/{type_of(record)}", "type"),
        *_licence(record),
        *_files(record),
        *(_written(address, "describedby", media_type) for address, media_type in metadata),
    ]


def metadata_links(record: Record, page: str) -> list[str]:
    """Those of a metadata format: back to the page, and the licence of what it describes."""
    return [_written(page, "describes", "text/html"), *_licence(record)]


def _licence(record: Record) -> list[str]:
    address = licence_url(record.licence)
    return [_written(address, "license")] if address and len(address) <= _LONGEST else []


def _files(record: Record) -> list[str]:
    files = [(iri(link.href) or "", link.media_type) for link in record.links if link.rel in DOWNLOADS]
    short = [one for one in files if 0 < len(one[0]) <= _LONGEST]
    return [_written(address, "item", media_type) for address, media_type in short[:_MOST_FILES]]


def _written(address: str, rel: str, media_type: str | None = None) -> str:
    """``address`` is percent-encoded. A text that is no media type is left out: it could end the header's value."""
    known = media_type is not None and _MEDIA_TYPE.fullmatch(media_type)
    return f'<{iri(address)}>; rel="{rel}"' + (f'; type="{media_type}"' if known else "")
