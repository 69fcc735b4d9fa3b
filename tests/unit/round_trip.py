"""A record written in one of our forms and read again, compared field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import orjson
from lxml import etree

from core.record import Contact, Record
from indexer.formats.registry import read
from indexer.formats.splitting.split import split
from indexer.raw import RawRecord
from search_api.formats_out import dcat, dublin_core, iso19139, schema_org

ADDRESS = "https://sonde.example.org/collections/s/items/r"

FORMS: dict[str, Callable[[Record], bytes]] = {
    "iso19139": lambda record: etree.tostring(iso19139.metadata(record), encoding="utf-8"),
    "dcat": lambda record: dcat.record_text(record, ADDRESS, "turtle").encode(),
    "schema.org": lambda record: orjson.dumps(schema_org.dataset(record, ADDRESS)),
    "oai_dc": lambda record: etree.tostring(dublin_core.oai_dc(record, ADDRESS), encoding="utf-8"),
}


def again(record: Record, form: str) -> Record:
    content = FORMS[form](record)
    parts = [(record.name, record.content) for record in split(content).records] or [("", content)]
    assert len(parts) == 1
    return read(RawRecord(record.identifier, parts[0][1], "again"), record.source)


def lost(record: Record, form: str) -> dict[str, Any]:
    """Field -> what of it did not come in again."""
    before, after = dict(_said(record)), dict(_said(again(record, form)))
    return {name: missing for name, values in before.items() if (missing := values - after.get(name, frozenset()))}


def _said(record: Record) -> Iterator[tuple[str, frozenset[Any]]]:
    for name in ("identifier", "title", "abstract", "type", "licence", "access", "doi", "parent", "vertical"):
        value = getattr(record, name)
        yield name, frozenset() if value in (None, "") else frozenset({_text(value)})
    for name in ("alternate_titles", "languages", "themes", "times", "constraints", "formats"):
        yield name, frozenset(_text(one) for one in getattr(record, name))
    yield "keywords", frozenset(keyword.term for keyword in record.keywords)
    yield "vocabularies", frozenset((one.term, one.vocabulary) for one in record.keywords if one.vocabulary)
    yield "keyword URIs", frozenset((one.term, one.uri) for one in record.keywords if one.uri)
    yield "contacts", frozenset(_who(one) for one in record.contacts if one.name or one.organisation)
    yield "contact roles", frozenset((*_who(one), one.role) for one in record.contacts if one.role and any(_who(one)))
    yield "e-mails", frozenset(one.email for one in record.contacts if one.email and (one.name or one.organisation))
    yield "extents", frozenset(tuple(round(edge, 6) for edge in box.as_list()) for box in record.extents)
    yield "geometry", frozenset({"a polygon"}) if record.geometry else frozenset()
    yield "metres", frozenset({record.resolution.metres} - {None})
    yield "scale", frozenset({record.resolution.scale_denominator} - {None})
    yield "time step", frozenset({record.resolution.time_step} - {None})
    yield "lineage", frozenset({_text(record.provenance.lineage)} - {_text(None)})
    for name in ("derived_from", "generated_by", "attributed_to"):
        yield name, frozenset(getattr(record.provenance, name))
    yield "kind", frozenset({record.provenance.kind} - {"unknown"})
    yield "links", frozenset(link.href for link in record.links)
    yield "link relations", frozenset((link.href, link.rel) for link in record.links)
    yield "link names", frozenset((link.href, link.name) for link in record.links if link.name)
    yield "link descriptions", frozenset((link.href, link.description) for link in record.links if link.description)
    yield "link protocols", frozenset((link.href, link.protocol) for link in record.links if link.protocol)
    names = record.names
    for name in ("short_names", "platforms", "instruments", "projects"):
        yield name.replace("_", " "), frozenset(text.casefold() for text in getattr(names, name))
    yield "variables", frozenset(one.name.casefold() for one in names.variables)
    yield "standard names", frozenset(one.standard_name for one in names.variables if one.standard_name)
    yield "units", frozenset((one.name.casefold(), one.unit) for one in names.variables if one.unit)
    yield "processing level", frozenset({names.processing_level} - {None})
    yield "edition", frozenset({record.edition} - {None})
    for name in ("created", "published", "modified", "metadata"):
        yield f"date {name}", frozenset({getattr(record.dates, name)} - {None})


def _who(contact: Contact) -> tuple[str | None, str | None]:
    return contact.name, contact.organisation


def _text(value: Any) -> Any:
    return " ".join(value.split()) if isinstance(value, str) else value
