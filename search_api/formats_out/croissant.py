"""Croissant 1.0 (ML Commons): the record as schema.org, with its files as a machine-learning library loads them.

Only records with files have it. What a file holds (Croissant's RecordSet) is not known from metadata. The data set is
declared as live: catalogues seldom state checksums, and their files can change.
"""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from core.json_types import Json
from core.record import Link, Record
from search_api.formats_out.bibliography import bibtex
from search_api.formats_out.citation import of_record
from search_api.formats_out.iris import iri
from search_api.formats_out.output_format import OutputFormat
from search_api.formats_out.schema_org import DOWNLOADS, dataset

_VERSION = "http://mlcommons.org/croissant/1.0"
_CONTEXT: Json = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context of the specification, word for word: its tools compare it."""

_UNKNOWN_TYPE = "application/octet-stream"


def has_files(record: Record) -> bool:
    return any(_is_file(link) for link in record.links)


def croissant(record: Record, address: str) -> Json:
    """The record as JSON-LD; ``address`` is its page. Its files have the order of its links, and each its own name."""
    said = dataset(record, address)
    names: set[str] = set()
    files = [_file(link, names) for link in record.links if _is_file(link)]
    return {
        **said,
        "@context": _CONTEXT,
        "@type": "Dataset",
        "conformsTo": _VERSION,
        "description": record.abstract or record.title,
        "citeAs": bibtex([of_record(record, address)]).strip(),
        "keywords": [keyword.term for keyword in record.keywords],  # readers refuse terms with a vocabulary
        "isLiveDataset": True,
        "distribution": files,
    }


def _is_file(link: Link) -> bool:
    scheme = urlsplit(link.href.strip()).scheme.lower()
    return link.rel in DOWNLOADS and scheme in ("http", "https", "ftp") and iri(link.href) is not None


def _file(link: Link, names: set[str]) -> Json:
    """``names``: those of earlier files; the new one is added."""
    address = iri(link.href)
    base = link.name or unquote(PurePosixPath(urlsplit(link.href).path).name) or "data"
    name = next(
        one for one in (base, *(f"{base} ({number})" for number in range(2, len(names) + 3))) if one not in names
    )
    names.add(name)
    said = {
        "@type": "cr:FileObject",
        "@id": f"file-{len(names)}",  # readers refuse spaces, escaped ones too
        "name": name,
        "description": link.description,
        "contentUrl": address,
        "encodingFormat": link.media_type or _UNKNOWN_TYPE,
    }
    return {key: value for key, value in said.items() if value}


FORMAT = OutputFormat(
    "croissant",
    "application/ld+json",
    "Croissant",
    record=lambda record, address: json.dumps(croissant(record, address)),
    offered=has_files,
)
