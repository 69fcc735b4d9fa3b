"""One parsed document with its hashes, stewards' overlays on it, and the decision about it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

import orjson

from core.json_types import Json, JsonMapping
from core.names import names_once, variables_once
from core.record import Overlay, Record, overlay_from_content
from es_gateway.client import Elasticsearch
from es_mappings.codecs.ledger import LedgerEntry
from es_mappings.codecs.records import to_document
from es_mappings.meta import SCHEMA_VERSION
from es_mappings.names import alias
from indexer.formats.recognition import FORMATS
from indexer.formats.registry import read, reader_tag
from indexer.plan.plan import Content, Decision, Document
from indexer.raw import RawRecord
from reading.concepts import NO_LISTS, ListKind, NameLists
from reading.kinds import infer_kind
from reading.title_areas import title_areas


def content_hash(content: bytes) -> str:
    """The hash of the bytes alone, as in ``native.hash`` and the natives index."""
    return hashlib.sha256(content).hexdigest()


def raw_hash(content: bytes, reading: str) -> str:
    """The hash of the bytes and of how they are read (format, reader's version): if unchanged, parsing is skipped."""
    digest = hashlib.sha256(reading.encode())
    digest.update(b"\0")
    digest.update(content)
    return digest.hexdigest()


def record_hash(document: JsonMapping) -> str:
    """The hash of the document to write, without harvest notes: if unchanged, the write is skipped."""
    return hashlib.sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).hexdigest()


def text_hash(text: str) -> str:
    """The hash of the embedder's text: if unchanged, with the same model, the vector stays."""
    return hashlib.sha256(text.encode()).hexdigest()


DIGEST_VERSION = 2
"""Increase this when what is inferred here (kind, area) changes, so that unchanged bytes are read again."""

_LEAST_CONFIDENCE = 0.5  # below this, the text mentions several kinds about equally

_READING = f"{SCHEMA_VERSION}.{DIGEST_VERSION}"


def reading_tag(*reading_options: str) -> str:
    """A tag for all current readers and these options of a source: when it changes, the files are read again."""
    readers = (f"{name}/{reader.version}" for name, reader in sorted(FORMATS.items()))
    return hashlib.sha256("\n".join((_READING, *readers, *reading_options)).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class ParsedRecord:
    """A record ready to be written: ``document`` is its stored form without vector and harvest notes."""

    record: Record
    document: JsonMapping
    content: Content


def identify(raw: RawRecord, source: str, lists: NameLists = NO_LISTS, overlay: str = "") -> Document:
    """What is known before parsing. ``overlay``: the tag of the record's overlay."""
    reading = f"{_READING}/{reader_tag(raw)}"
    if overlay:
        reading += f"/{overlay}"
    if lists.version:
        reading += f"/{lists.version}"
    if raw.access_groups:  # access is part of the record: after a change it is written again
        reading += f"/{'/'.join(raw.access_groups)}"
    return Document(source, raw.native_id, raw.origin, raw_hash(raw.content, reading), raw.container)


def parse(raw: RawRecord, source: str, lists: NameLists = NO_LISTS) -> ParsedRecord:
    """With the names of the loaded ``lists``. Raises indexer.raw.RecordRefused with the reason.

    Raises ValueError for a document whose access is not settled: it must never count as public.
    """
    if raw.access_groups is None:
        raise ValueError(f"nobody settled who may see {raw.origin}")
    record = replace(with_listed_names(with_inferences(read(raw, source)), lists), access_groups=raw.access_groups)
    return _with_hashes(record if raw.record_id is None else replace(record, id=raw.record_id))


def with_id(parsed_record: ParsedRecord, id: str) -> ParsedRecord:
    """The same record with another id than its identifier's."""
    record_with_id = _with_hashes(replace(parsed_record.record, id=id))
    return replace(record_with_id, content=replace(record_with_id.content, wanted_id=parsed_record.record.id))


def with_record(parsed_record: ParsedRecord, record: Record) -> ParsedRecord:
    """The same document read as another version of its record."""
    record_with_hashes = _with_hashes(record)
    return replace(
        record_with_hashes,
        content=replace(
            record_with_hashes.content,
            wanted_id=parsed_record.content.wanted_id,
            conflict=parsed_record.content.conflict,
        ),
    )


def _with_hashes(record: Record) -> ParsedRecord:
    document = to_document(record)
    hashes = (record_hash(document), text_hash(record.embedding_text))
    content = Content(record.id, *hashes, len(record.warnings), record.access_groups, record.edition)
    return ParsedRecord(record, document, content)


def with_inferences(record: Record) -> Record:
    """The record with what its texts say about its kind of data and its area, where the metadata do not state them."""
    return with_title_area(with_kind(record))


def with_title_area(record: Record) -> Record:
    """The record with the boxes of the places that its title names, if it has no extent."""
    is_placed = bool(record.extents) or record.geometry is not None
    language = record.languages[0] if record.languages else None
    return replace(record, estimated_extents=() if is_placed else title_areas().boxes(record.title, language))


def with_kind(record: Record) -> Record:
    """The record with its kind of data inferred from its text if the metadata do not state it."""
    if record.provenance.kind != "unknown":
        return record
    kind, confidence = infer_kind(record.title, record.abstract, record.provenance.lineage)
    if kind == "unknown" or confidence < _LEAST_CONFIDENCE:
        return record
    return replace(record, provenance=replace(record.provenance, kind=kind, kind_source="text"))


def with_listed_names(record: Record, lists: NameLists) -> Record:
    """The record with the lists' names; what it writes differently moves to ``names.written``, so that it is found."""
    if not lists.names:
        return record
    names = record.names
    other_names: dict[str, None] = {}

    def listed_name(kind: ListKind, name: str) -> str:
        list_name = lists.preferred(kind, name) or name
        if list_name != name:
            other_names.setdefault(name)
        return list_name

    renamed_names = replace(
        names,
        platforms=names_once(listed_name("platforms", listed) for listed in names.platforms),
        instruments=names_once(listed_name("instruments", listed) for listed in names.instruments),
        projects=names_once(listed_name("projects", listed) for listed in names.projects),
        variables=variables_once(
            replace(listed, name=listed_name("variables", listed.name)) for listed in names.variables
        ),
    )
    return replace(record, names=replace(renamed_names, written=tuple(other_names)))


_MAX_OVERLAYS = 10_000


def overlays_of(client: Elasticsearch, prefix: str, source: str) -> Mapping[str, Overlay]:
    """By record; empty if there are none. A failure is raised: without its overlay a record must not be written."""
    query = {
        "bool": {
            "filter": [{"term": {"kind": "overlays"}}, {"term": {"draft": ""}}, {"prefix": {"record": f"{source}:"}}]
        }
    }
    answer = client.search(index=alias(prefix, "curation"), query=query, size=_MAX_OVERLAYS, ignore_unavailable=True)
    return {hit["_source"]["record"]: overlay_from_content(hit["_source"]["content"]) for hit in answer["hits"]["hits"]}


def overlay_tag(overlay: Overlay | None) -> str:
    """Part of how a document is read, so that a changed overlay reads it again; empty without one."""
    return "" if overlay is None else hashlib.sha256(repr(overlay).encode()).hexdigest()[:16]


def overlaid(parsed_record: ParsedRecord, overlay: Overlay | None) -> ParsedRecord:
    if overlay is None:
        return parsed_record
    return with_record(parsed_record, with_title_area(overlay.on(parsed_record.record)))


@dataclass(frozen=True, slots=True)
class Item:
    """``parsed`` is set if the document was parsed; ``vectors``: the fields that the embedder made."""

    raw: RawRecord
    stored: LedgerEntry | None
    decision: Decision
    parsed: ParsedRecord | None = None
    vectors: Json | None = None
    is_repeat: bool = False  # this run has already counted a document of the same native id


@dataclass(frozen=True, slots=True)
class RejectedItem:
    """An item that Elasticsearch refused, with its reason."""

    item: Item
    reason: str
