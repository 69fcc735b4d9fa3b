"""What is stored of each kind comes back as it was, and fits the mapping of its index."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args

import pytest

from core.document import DocumentEntry, Passage, WhereWhen
from core.geo import BBox
from core.names import Names, Variable
from core.ports import EmbedderCard
from core.record import Contact, Keyword, Link, Provenance, Record
from core.timespan import TimeSpan
from es_mappings import loader
from es_mappings.codecs import ledger, passages, records, runs
from es_mappings.names import IndexKind

RECORD = Record(
    id="s:a",
    source="s",
    identifier="a",
    title="Rain",
    abstract="Of many years.",
    type="dataset",
    keywords=(Keyword("rain", "gcmd", "urn:x"),),
    themes=("climate",),
    contacts=(Contact(organisation="Bureau", name="A. Body", role="author"), Contact(organisation="Bureau")),
    extents=(BBox(170.0, -10.5, -170.0, 10.25),),
    times=(TimeSpan(None, 1_000), TimeSpan(2_000, None)),
    provenance=Provenance("by hand", "observation", None, ("urn:b",), (), ()),
    licence="CC-BY-4.0",
    access="restricted",
    access_groups=("staff",),
    links=(Link(href="https://e.org/a.nc", media_type="application/x-netcdf"),),
    names=Names(("RAIN_1",), ("Terra",), ("MODIS",), (Variable("rain", "rainfall_rate", "mm"),), ("GEWEX",), "L3"),
    edition="2",
    native_format="iso19139",
)
PASSAGE = Passage("d#1", "d", 1, "It rained.", "s:a", "public", "text", ("1 Results", "1.1 Rain"), "results", 3, 4)
OWN = WhereWhen(("Rome",), (BBox(12.0, 41.0, 13.0, 42.0),), (TimeSpan(0, 86_400_000),), "en")
ENTRY = ledger.LedgerEntry(
    "s", "a", "current", "a.xml", raw_hash="r", record="s:a", record_hash="h", text_hash="t", embedding_model="one",
    warnings=2, first_seen="2026-01-01T00:00:00Z", claims="s:b", access_groups=["staff"],
)  # fmt: skip
DOCUMENT = DocumentEntry(
    "d", "public", "/a.pdf", "a.pdf", "ready", record="s:a", bytes=0, authors=("A. Body",), tables=({"csv": "a,b"},),
    front_source={"title": "page"}, registered={"doi": "10.1/x"}, coverage=0.5, warnings=("page 2",),
    took_ms={"parse": 1.5},
)  # fmt: skip
RUN = runs.RunReport(
    "r", "s", "complete", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z", total=3, position="p",
    counts=runs.Counts(seen=3, new=3), tokens=runs.TokenCounts(256, 3, 1, 10, 266), took_ms={"plan": 5},
    refusals=(runs.Refusal("a.xml", "no title"),), failures=(runs.Refusal("b.xml", "409", kept=True),),
    warnings={"date # is odd": runs.WarningKind(2, ("a.xml: date 1 is odd",))},
)  # fmt: skip


def _stored(document: Mapping[str, Any]) -> dict[str, Any]:
    """As it comes back from Elasticsearch."""
    back: dict[str, Any] = json.loads(json.dumps(document))
    return back


def _fits(kind: IndexKind, document: Mapping[str, Any]) -> bool:
    known = loader.mapping(kind, EmbedderCard("any", 2, 256, -1.0))["properties"]
    return set(document) <= set(known)


def test_a_record() -> None:
    document = records.to_document(RECORD)
    assert records.from_document(_stored(document)) == RECORD
    assert _fits("records", document)
    assert document["names"]["keys"] == ["rain1", "rain12", "terra", "modis", "gewex"]


@pytest.mark.parametrize("content", [b"", b"<a/>", bytes(range(256)) * 100])
def test_original_bytes(content: bytes) -> None:
    native = ledger.Native(content, "iso19139", "s", "text/xml", "a.xml", "h")
    document = ledger.native_to_document(native)
    assert ledger.native_from_document(_stored(document)) == native
    assert _fits("natives", document)


def test_original_bytes_are_unpacked_no_further_than_allowed() -> None:
    document = ledger.native_to_document(ledger.Native(bytes(10_000_000)))
    assert len(ledger.native_from_document(document, most_bytes=1_000).content) == 1_000


@pytest.mark.parametrize("damaged", [{}, {"content_zlib": "x"}, {"content_zlib": "AAAA"}])
def test_damaged_bytes_are_named(damaged: dict[str, Any]) -> None:
    with pytest.raises(ledger.NativeUnreadable):
        ledger.native_from_document(damaged)


def test_a_ledger_entry() -> None:
    document = ledger.to_document(ENTRY)
    assert ledger.from_document(_stored(document)) == ENTRY
    assert _fits("ledger", document)
    assert {field.name for field in fields(ENTRY)} <= set(loader.properties("ledger"))


def test_a_passage_with_what_it_has_of_its_record() -> None:
    document = passages.to_document(
        PASSAGE, "Rain", "Rain Results", OWN, passages.inherited(RECORD), {"vector": [0.6, 0.8]}
    )
    assert passages.from_document("d#1", _stored(document)) == (PASSAGE, "Rain")
    assert [records.box_from_text(text) for text in document["own_boxes"]] == list(OWN.boxes)
    assert [records.span_from_text(text) for text in document["own_spans"]] == list(OWN.spans)
    assert [records.box_from_text(text) for text in document["boxes"]] == list(RECORD.extents)
    assert document["organisations"] == ["Bureau"]
    assert _fits("passages", document)
    assert _fits("library", document)


def test_what_passages_inherit_is_listed_once() -> None:
    assert set(passages.inherited(RECORD)) == {"record", "access_groups", *passages.INHERITED}


def test_a_documents_entry() -> None:
    document = passages.entry_to_document(DOCUMENT)
    assert passages.entry_from_document("d", _stored(document)) == DOCUMENT
    assert _fits("documents", document)
    assert {field.name for field in fields(DOCUMENT)} - {"id"} <= set(loader.properties("documents"))


def test_a_run() -> None:
    document = runs.to_document(RUN)
    assert runs.from_document("r", _stored(document)) == RUN
    assert _fits("runs", document)
    assert {*get_args(runs.RunState)} >= set(runs.UNFINISHED)


def test_members_of_a_later_version_are_left_out() -> None:
    later = {"of_a_later_version": 1}
    assert ledger.from_document({**ledger.to_document(ENTRY), **later}) == ENTRY
    assert passages.entry_from_document("d", {**passages.entry_to_document(DOCUMENT), **later}) == DOCUMENT
    assert runs.from_document("r", {**runs.to_document(RUN), **later}) == RUN
    assert records.from_document({**records.to_document(RECORD), **later}) == RECORD
