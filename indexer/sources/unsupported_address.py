"""Says in one sentence what an address is, if it is no catalogue that Sonde harvests, and what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from core.json_types import JsonMapping
from indexer.formats.json_documents.parsing import first_members
from indexer.formats.recognition import recognise
from indexer.sources.protocol import FirstAnswer

_FIRST = 200_000
AUTH = "write the entry into sources.yaml yourself, with `auth` (docs/stewards/sources-and-schedules.md)"
_HARVESTED = (
    "CSW, OAI-PMH, CKAN, STAC, OGC API, DCAT (data.json, RDF), THREDDS, ERDDAP, ArcGIS, CMR, a sitemap, or a listing "
    "of metadata files (WAF) or data files"
)


def describe_address(answer: FirstAnswer) -> str:
    """Never empty; asked only if no protocol was found at the address or below it."""
    return next(description for describe in _DESCRIPTIONS if (description := describe(answer)) is not None)


def erddap_base(url: str) -> str | None:
    """``https://host/erddap`` of an address of an ERDDAP."""
    parts = urlsplit(url)
    base, separator, _ = parts.path.partition("/erddap")
    return f"{parts.scheme}://{parts.netloc}{base}{separator}" if separator else None


def _erddap(answer: FirstAnswer) -> str | None:
    base = erddap_base(answer.url)
    if not answer.html or (base is None and b"erddap" not in answer.content[:_FIRST].lower()):
        return None
    root = base or "https://.../erddap"
    return (
        f"this is a page of an ERDDAP: add its folder of metadata ({root}/metadata/iso19115/xml/) or its sitemap "
        f"({root}/sitemap.xml)"
    )


def _service(answer: FirstAnswer) -> str | None:
    root = answer.root
    if not root.endswith("Capabilities"):
        return None
    contents = "of a service for data or maps" if root == "Capabilities" else f"({root})"
    return (
        f"this is the capabilities document {contents}, not a catalogue: add the catalogue that describes the service, "
        "for example its CSW"
    )


def _feed(answer: FirstAnswer) -> str | None:
    if answer.root in ("feed", "rss", "OpenSearchDescription"):
        return (
            f"this is a feed or a description of a search ({answer.root}), not a catalogue; Sonde harvests {_HARVESTED}"
        )
    return None


def _record(answer: FirstAnswer) -> str | None:
    name = recognise(answer.content).format
    if name is None:
        return None
    return f"this is a single metadata record ({name}), not a catalogue: save it, and run `sonde harvest FILE`"


def _page(answer: FirstAnswer) -> str | None:
    if not answer.html:
        return None
    start = answer.content[:_FIRST].lower()
    if b'type="password"' in start or b"type='password'" in start:
        return f"this is a login page, so it needs credentials: {AUTH}"
    return (
        "this is a web page, not a catalogue: look on it for the address of its CSW, OAI-PMH, CKAN, STAC or OGC API, "
        "its sitemap, or its folder of metadata files (WAF); if it is itself a list of such files, write an entry with "
        "`type: waf` and `options: {any_page: true}`"
    )


def _any_answer(answer: FirstAnswer) -> str | None:
    if answer.root:
        return f"this is XML with the root element {answer.root}, not a catalogue; Sonde harvests {_HARVESTED}"
    if answer.json:
        return f"{_json(answer.json)}; Sonde harvests {_HARVESTED}"
    return f"this is neither a web page, XML, JSON nor RDF, but a file; Sonde harvests {_HARVESTED}"


def _json(document: JsonMapping) -> str:
    return f"this is JSON that starts with {first_members(document)}, not a catalogue"


_DESCRIPTIONS: tuple[Callable[[FirstAnswer], str | None], ...] = (
    _erddap, _service, _feed, _record, _page, _any_answer,
)  # fmt: skip
