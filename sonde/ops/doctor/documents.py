"""Checks of documents: which could not be read, OCR, the confined process that reads them, the folder of uploads."""

from __future__ import annotations

import os

from core.document import PUBLIC
from core.json_types import JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.names import alias
from indexer.documents.index.retries import READING
from indexer.documents.parse.confinement import hide_from_children
from indexer.documents.parse.isolation import confinement_here
from indexer.documents.parse.pdf.tesseract import installed_languages, ocr_problem
from sonde.ops.doctor.finding import State
from sonde.settings import Settings
from sonde.wiring.part_watch import ocr_of

_NAMED = 5
_BY_DEFECT = ("crashed", "interrupted")


def parked_documents(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """A warning if Sonde itself failed on a document; documents that cannot be read are only counted.

    Users' documents are shown by id, because their names are private.
    """
    index = alias(prefix, "documents")
    if not client.indices.exists_alias(name=index):
        return "ok", "none yet"
    answer = client.search(
        index=index,
        query={"term": {"state": "failed"}},
        aggs={"reasons": {"terms": {"field": "reason", "size": 30}}},
        post_filter={"terms": {"reason": list(_BY_DEFECT)}},
        sort=[{"updated": "desc"}],
        size=_NAMED,
        source_includes=["name", "owner", "reason"],
        track_total_hits=True,
    ).body
    reasons = {bucket["key"]: bucket["doc_count"] for bucket in answer["aggregations"]["reasons"]["buckets"]}
    parked = sum(reasons.get(reason, 0) for reason in _BY_DEFECT)
    others = ", ".join(f"{count} {reason}" for reason, count in reasons.items() if reason not in _BY_DEFECT)
    if not parked:
        older = _read_before(client, index)
        return "ok", f"none is parked; not read for reasons of their own: {others or 'none'}{older}"
    shown = ", ".join(_named(hit) for hit in answer["hits"]["hits"])
    more = f" and {parked - _NAMED} more" if parked > _NAMED else ""
    return "warning", (
        f"{parked} parked, because Sonde failed on them; they are not searchable: {shown}{more}. "
        "After an upgrade, Sonde reads users' and linked documents again automatically; "
        "`sonde ingest --retry FILE` reads a file now. The log says `document.crashed` with the place: please report it"
    )


def ocr(settings: Settings) -> tuple[State, str]:
    """A warning if OCR is wanted, and this machine cannot do it."""
    wanted = ocr_of(settings)
    lacks = ocr_problem(wanted)
    if lacks:
        return "warning", f"on this machine {lacks}"
    if wanted.command is None:
        return "ok", "turned off: scanned pages are not read (SONDE_DOCUMENTS__OCR)"
    return "ok", f"tesseract; languages: {', '.join(installed_languages(wanted.command))}"


def confined() -> tuple[State, str]:
    """A warning if a document that takes over its reader could do more here than read itself."""
    hide_from_children()  # as a worker does
    confinement = confinement_here()
    if confinement is None:
        return "warning", "the process that reads documents could not be tried: see the log of a worker"
    open_ways = [
        phrase
        for holds, phrase in (
            (confinement.network_closed, "use the network"),
            (confinement.secrets_hidden, "read the environment of the worker, with its passwords"),
            (
                confinement.files_limited,
                "read the files of its user (no Landlock in this kernel or container)",
            ),
        )
        if not holds
    ]
    if open_ways:
        return "warning", f"a document that takes over the process which reads it could {'; '.join(open_ways)}"
    return "ok", "they are read without network, and without sight of other files and processes"


def _read_before(client: Elasticsearch, index: str) -> str:
    """Public documents read by an older reader: files cannot be fetched again, their owner must ingest them."""
    older = client.count(
        index=index,
        query={
            "bool": {
                "filter": [{"term": {"state": "ready"}}, {"term": {"owner": PUBLIC}}],
                "must_not": {"prefix": {"recipe": f"{READING}:"}},
            }
        },
    )["count"]
    if not older:
        return ""
    return (
        f"; {older} for everybody were read by an older reader: `sonde ingest` reads the same files again, "
        "a harvest those that records link to"
    )


def _named(hit: JsonMapping) -> str:
    source = hit["_source"]
    name = source["name"] if source["owner"] == PUBLIC else f"a user's document {hit['_id']}"
    return f"{name} ({source['reason']})"


def library(settings: Settings) -> tuple[State, str]:
    uploads = settings.library
    if not uploads.enabled:
        return "ok", "uploads are off"
    folder = uploads.folder
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        return "broken", f"{folder} cannot be written to, so uploads fail: correct its rights, or SONDE_LIBRARY__FOLDER"
    return "ok", f"files of users go to {uploads.folder}"
