"""Documents that records link to: fetches them through the gate, reads them and joins them to their record.

Follows links to PDFs, and landing pages if the source is configured so: the PDF that a page names as its own (the
``citation_pdf_url`` of publishers) or, without one, the page itself.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit

import lxml.html
import structlog
from lxml import etree

from core.document import PUBLIC, UNREAD, DocumentEntry, Follow
from core.errors import SondeError
from core.record import Link, Record
from core.timespan import now_iso
from es_gateway.client import Elasticsearch
from es_mappings.codecs.records import from_document
from es_mappings.names import alias
from indexer.documents.index.attempts import is_outdated, is_settled, refusal_by_defect, sonde_version
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.steps import IngestParts
from indexer.documents.index.store import DocumentStore
from indexer.documents.parse.limits import DocumentRefused
from indexer.documents.parse.read_html import page_and_encoding
from indexer.store.ledger import scan
from net.exchange import Outgoing
from net.gate import Gate

log = structlog.get_logger(__name__)

_PDF = "application/pdf"
_PAGES = ("text/html", "application/xhtml+xml")
_LANDING_RELS = ("about", "describedby", "canonical", "cite-as", "item", "documentation")
_MOST_LINKS = 10  # of one record


@dataclass(frozen=True, slots=True)
class FollowResult:
    """How many documents became ready, how many failed, and whether time ran out before the last record."""

    ready: int
    failed: int
    more: bool


def follow_links(source: str, follow: Follow, parts: IngestParts, gate: Gate, *, seconds: float) -> FollowResult:
    """Reads unread documents that records of the source link to. Idempotent.

    A document with a failure that may pass is retried once in the next run, then skipped with its reason. If Sonde
    itself failed on a document, it waits for another version. A document read by an older reader is fetched and read
    again. Raises core.errors.Unavailable if Elasticsearch does not answer.
    """
    if follow == "none":
        return FollowResult(0, 0, False)
    store = DocumentStore(parts.client, parts.prefix)
    started = time.monotonic()
    ready_count = failed_count = 0
    for record in _linking_records(parts.client, parts.prefix, source):
        for link in document_links(record, follow):
            if _is_settled(store.of_origin(PUBLIC, link.href), record.id):
                continue
            if time.monotonic() - started > seconds:
                return FollowResult(ready_count, failed_count, True)
            left_s = max(0.0, seconds - (time.monotonic() - started))
            entry = _read_link(record, link, parts, gate, store, left_s)
            ready_count += entry.state == "ready"
            failed_count += entry.state == "failed"
            if entry.state in UNREAD:
                return FollowResult(ready_count, failed_count, True)
    return FollowResult(ready_count, failed_count, False)


def document_links(record: Record, follow: Follow) -> list[Link]:
    """PDFs, and with ``landing`` also pages about the record; each address once."""
    links = [link for link in record.links if is_pdf(link) or (follow == "landing" and is_landing(link))]
    return list({link.href: link for link in links if follow != "none"}.values())[:_MOST_LINKS]


def is_pdf(link: Link) -> bool:
    if not link.href.startswith(("http://", "https://")):
        return False
    return link.media_type == _PDF or _path(link.href).lower().endswith(".pdf")


def _path(href: str) -> str:
    """The path; empty for an invalid address (``http://[x``)."""
    try:
        return urlsplit(href).path
    except ValueError:
        return ""


def is_landing(link: Link) -> bool:
    if not link.href.startswith(("http://", "https://")):
        return False
    return link.media_type in _PAGES or (link.media_type is None and link.rel in _LANDING_RELS)


def pdf_of_page(content: bytes, address: str) -> str | None:
    """The PDF that a landing page names as its own; None if it names none or is not a page."""
    page, encoding = page_and_encoding(content)
    parser = lxml.html.HTMLParser(no_network=True, huge_tree=False, encoding=encoding)
    try:
        root = lxml.html.document_fromstring(page, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
    for meta in root.iter("meta"):
        if str(meta.get("name", "")).lower() == "citation_pdf_url" and meta.get("content"):
            return urljoin(address, str(meta.get("content")))
    return None


def _linking_records(client: Elasticsearch, prefix: str, source: str) -> Iterator[Record]:
    query = {"bool": {"filter": [{"term": {"source": source}}, {"exists": {"field": "links.href"}}]}}
    for hit in scan(client, alias(prefix, "records"), query):
        yield from_document(hit["_source"])


def _is_settled(entries: list[DocumentEntry], record: str) -> bool:
    """Whether this link of this record needs no further reading: read by the current reader, or failed permanently."""
    return any(is_settled(entry) and not is_outdated(entry) for entry in entries if entry.record == record)


def _read_link(
    record: Record, link: Link, parts: IngestParts, gate: Gate, store: DocumentStore, seconds: float
) -> DocumentEntry:
    """The document, as far as it is read in this time."""
    try:
        data = _fetch(link, gate, parts.limits.max_bytes)
    except SondeError as error:
        return _fetch_failed(record, link, DocumentRefused("unreachable", str(error)), store)
    except Exception as error:  # noqa: BLE001 - an address or a page that our own code failed at
        return _fetch_failed(record, link, refusal_by_defect(error), store)
    name = unquote(_path(link.href).rsplit("/", 1)[-1]) or link.name or record.title
    return ingest(IncomingDocument(data, link.href, name[:200], record=record.id), parts, seconds=seconds).entry


def _fetch(link: Link, gate: Gate, max_bytes: int) -> bytes:
    answer = gate.request(Outgoing(link.href, max_bytes=max_bytes)).expect_ok()
    if is_pdf(link) or answer.headers.get("content-type", "").startswith(_PDF):
        return answer.content
    pdf_address = pdf_of_page(answer.content, answer.url)
    if pdf_address is None:
        return answer.content
    return gate.request(Outgoing(pdf_address, max_bytes=max_bytes)).expect_ok().content


def _fetch_failed(record: Record, link: Link, refusal: DocumentRefused, store: DocumentStore) -> DocumentEntry:
    id = hashlib.sha256(f"{PUBLIC}\n{record.id}\n{link.href}".encode()).hexdigest()[:32]
    earlier_entry = store.entry(id)
    entry = DocumentEntry(
        id=id,
        owner=PUBLIC,
        origin=link.href,
        name=link.name or link.href.rsplit("/", 1)[-1],
        state="failed",
        record=record.id,
        source=record.source,
        reason=refusal.reason,
        message=str(refusal)[:500],
        version=sonde_version(),
        attempts=1 + (earlier_entry.attempts if earlier_entry is not None else 0),
        created=earlier_entry.created if earlier_entry is not None else now_iso(),
        updated=now_iso(),
    )
    store.put_entry(entry)
    log.warning("document.fetch_failed", record=record.id, reason=refusal.reason, attempts=entry.attempts)
    return entry
