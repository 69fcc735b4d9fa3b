"""OGC API - Records, Part 1: a record as a GeoJSON feature, to Record."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from core.json_types import JsonMapping
from core.record import Record, Resolution
from core.versions import SUCCESSOR
from indexer.formats.draft import RecordDraft
from indexer.formats.format import Format, Inspection, json_of
from indexer.formats.json_documents.parsing import as_list, first_object, objects_in, text_in, texts_in
from indexer.formats.repair.boxes import number
from indexer.formats.repair.links import doi_in, is_message_channel
from indexer.formats.repair.names import read_names
from indexer.formats.repair.resolution import iso_duration
from indexer.raw import RawRecord, RecordRefused

_RELS = {
    "item": "download", "items": "download", "enclosure": "download", "data": "download", "thumbnail": "preview",
    "icon": "preview", "canonical": "about",
    "describedby": "describedby", "service-desc": "service", "search": "search",
}  # fmt: skip
_NAVIGATION_RELS = frozenset({"self", "root", "parent", "collection", "next", "prev", "first", "last", "alternate"})
_ISO_THEMES = ("topiccategory", "md_topiccategory", "19115")
_RESTRICTED_WORDS = ("restricted", "non-public", "confidential")


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: not JSON, not a feature, or a feature without properties."""
    document = json_of(raw)
    if not isinstance(document, dict) or not isinstance(document.get("properties"), dict):
        raise RecordRefused("it is JSON without properties: no record of OGC API - Records")
    properties = document["properties"]
    draft = RecordDraft(raw, source, "ogc-record")
    _add_citation(draft, document, properties)
    add_contacts(draft, [*objects_in(properties.get("contacts")), *objects_in(properties.get("providers"))])
    if isinstance(properties.get("publisher"), str):
        draft.add_contact("", properties["publisher"], role="publisher")
    _add_extents_and_times(draft, document, properties)
    _add_terms(draft, properties)
    for link in [
        *objects_in(document.get("links")),
        *objects_in(properties.get("associations")),
        *objects_in(properties.get("links")),
    ]:
        _add_link(draft, link)
    return draft.finish()


def _add_citation(draft: RecordDraft, document: JsonMapping, properties: JsonMapping) -> None:
    external = [text_in(item.get("value")) for item in objects_in(properties.get("externalIds"))]
    external += [text_in(item.get("value")) for item in objects_in(properties.get("externalId"))]
    draft.identifier = text_in(document.get("id")) or text_in(properties.get("identifier")) or next(iter(external), "")
    texts = [*external, text_in(properties.get("identifier")), text_in(properties.get("doi"))]
    draft.doi = next((doi for text in texts if (doi := doi_in(text))), None)
    draft.edition = text_in(properties.get("version"))
    read_names(draft.names, properties)
    draft.names.add_possible_short_names(*external)
    draft.title = text_in(properties.get("title")) or text_in(properties.get("name"))
    draft.abstract = text_in(properties.get("description")) or text_in(properties.get("abstract"))
    draft.set_type(text_in(properties.get("type")))
    in_themes = {
        text_in(item.get("id"))
        for theme in objects_in(properties.get("themes"))
        for item in objects_in(theme.get("concepts"))
    }
    for term in texts_in(properties.get("keywords")):
        if term not in in_themes:  # many services repeat their themes' terms there
            draft.add_keyword(term)
    for theme in objects_in(properties.get("themes")):
        add_theme(draft, theme)
    for language in [properties.get("language"), *as_list(properties.get("resourceLanguages"))]:
        draft.add_language(text_in(language.get("code") if isinstance(language, dict) else language))
    for form in as_list(properties.get("formats")):
        draft.add_format(text_in(form.get("name") or form.get("mediaType") if isinstance(form, dict) else form))
    for name, kind in (
        ("created", "created"),
        ("updated", "modified"),
        ("published", "published"),
        ("issued", "published"),
    ):
        draft.add_date(kind, text_in(properties.get(name)))
    draft.add_date("metadata", text_in(properties.get("recordUpdated")) or text_in(properties.get("record-updated")))
    for lineage in (properties.get("lineage"), properties.get("provenance")):
        if text := text_in(lineage):
            draft.lineage.append(text)


def add_theme(draft: RecordDraft, theme: JsonMapping) -> None:
    scheme = text_in(theme.get("scheme"))
    for concept in as_list(theme.get("concepts")):
        if isinstance(concept, dict):
            term = text_in(concept.get("title")) or text_in(concept.get("name")) or text_in(concept.get("id"))
            uri = text_in(concept.get("url"))
        else:
            term, uri = text_in(concept), ""
        if any(name in scheme.lower() for name in _ISO_THEMES):
            draft.add_theme(term)
        else:
            draft.add_keyword(term, scheme, uri)


def add_contacts(draft: RecordDraft, contacts: Iterable[JsonMapping]) -> None:
    for contact in contacts:
        draft.add_contact(
            text_in(contact.get("name")),
            text_in(contact.get("organization")),
            role=next(_roles(contact), None),
            email=_email(contact),
        )


def _roles(contact: JsonMapping) -> Iterator[str]:
    for role in as_list(contact.get("roles")) or as_list(contact.get("role")):
        if text := text_in(role.get("name") if isinstance(role, dict) else role):
            yield text


def _email(contact: JsonMapping) -> str:
    inner_email = first_object(contact.get("contactInfo")).get("email")
    for email in [*as_list(contact.get("emails")), *as_list(contact.get("email")), *as_list(inner_email)]:
        if text := text_in(email.get("value") or email.get("work") if isinstance(email, dict) else email):
            return text
    return ""


def _add_extents_and_times(draft: RecordDraft, document: JsonMapping, properties: JsonMapping) -> None:
    extent = first_object(properties.get("extent"))  # before version 1.0
    if not draft.places.add_geojson(document.get("geometry")):
        boxes = [document.get("bbox"), *as_list(first_object(extent.get("spatial")).get("bbox"))]
        for box in boxes:
            draft.places.add_numbers(box)
    time = document.get("time")
    time = properties.get("time") if time is None else time
    if isinstance(time, dict):
        _add_time(draft, time)
    elif isinstance(time, str):
        draft.add_interval(time)
    elif text := text_in(properties.get("datetime")):
        draft.add_interval(text)
    elif isinstance(extent.get("temporal"), dict):
        _add_time(draft, extent["temporal"])
    metres = [
        number(text_in(value)) for value in [properties.get("resolution"), properties.get("gsd")] if value is not None
    ]
    distances = [value for value in metres if math.isfinite(value) and value > 0]
    if distances:
        draft.resolution = Resolution(min(distances), None, draft.resolution.time_step)


def _add_time(draft: RecordDraft, time: JsonMapping) -> None:
    interval = as_list(time.get("interval")) if time.get("interval") is not None else []
    value = time.get("interval")
    if isinstance(value, list) and len(value) == 2 and not isinstance(value[0], list):
        draft.add_span(text_in(value[0]), text_in(value[1]))
    else:
        for span in interval:
            if isinstance(span, list) and len(span) == 2:
                draft.add_span(text_in(span[0]), text_in(span[1]))
    for name in ("date", "timestamp"):
        if moment := text_in(time.get(name)):
            draft.add_span(moment, moment)
    step = iso_duration(text_in(time.get("resolution")))
    if step:
        draft.resolution = Resolution(draft.resolution.metres, None, step)


def _add_terms(draft: RecordDraft, properties: JsonMapping) -> None:
    licence = text_in(properties.get("license"))
    draft.add_licence(licence)
    if licence and not draft.has_licence:
        draft.add_constraint(licence)
    for name in ("rights", "accessRights", "accessConstraints"):
        for text in texts_in(properties.get(name)):
            draft.add_constraint(text)
            if text.lower().strip() in _RESTRICTED_WORDS:
                draft.access = "restricted"


def _add_link(draft: RecordDraft, link: JsonMapping) -> None:
    rel, href = text_in(link.get("rel")), text_in(link.get("href"))
    if rel == "license":
        draft.add_licence(href)
    if rel in ("derivedFrom", "derived_from", "source", "via"):
        draft.add_source(href)
    if rel == "collection" and text_in(link.get("title")):
        draft.parent = draft.parent or text_in(link.get("title"))
    if rel in _NAVIGATION_RELS or not href:
        return
    protocol = text_in(link.get("protocol"))
    link_rel = _RELS.get(rel, rel if rel in ("about", "download", "preview", "license", "service", SUCCESSOR) else None)
    if is_message_channel(href):
        link_rel = "service"
    if link_rel is None and protocol.upper().startswith(("OGC:", "ESRI:")):
        link_rel = "service"
    draft.add_link(
        href,
        link_rel,
        protocol=protocol,
        media_type=text_in(link.get("type")),
        name=text_in(link.get("name")) or text_in(link.get("title")),
        description=text_in(link.get("description")) or text_in(link.get("channel")),
    )


_MEMBERS = frozenset({
    "type", "description", "abstract", "recordUpdated", "record-updated", "themes", "keywords", "externalIds",
    "contacts"
})  # fmt: skip


def _recognises(inspection: Inspection) -> bool:
    """A feature with the properties of a record; STAC items and OpenSearch answers can have them too."""
    members = inspection.members
    properties = members.get("properties")
    if members.get("type") != "Feature" or not isinstance(properties, dict) or "offerings" in properties:
        return False
    if "stac_version" in members and "id" in members:
        return False
    conforms = " ".join(texts_in(members.get("conformsTo")))
    return "ogcapi-records" in conforms or ("title" in properties and bool(properties.keys() & _MEMBERS))


FORMAT = Format("ogc-record", 6, read, _recognises, "a GeoJSON feature of OGC API - Records", json_of)
