"""CKAN's package JSON, with its extras, ckanext-spatial and ckanext-dcat, to Record."""

from __future__ import annotations

from core.json_types import Json, JsonMapping
from core.record import Record, Resolution
from indexer.formats.draft import RecordDraft
from indexer.formats.format import Format, Inspection, json_of
from indexer.formats.json_documents.parsing import as_list, objects_in, parse_inner_json, text_in, texts_in
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.names import NameKind
from indexer.formats.repair.resolution import distance_in, step_in
from indexer.raw import RawRecord, RecordRefused

_EXTRA_LINKS = {"documentation": "describedby", "graphic-preview-file": "preview", "landing_page": "about"}

_EDGES = ("bbox-west-long", "bbox-south-lat", "bbox-east-long", "bbox-north-lat")
_SPANS = (
    ("temporal_start", "temporal_end"), ("temporal-extent-begin", "temporal-extent-end"),
    ("temporal_coverage-from", "temporal_coverage-to"), ("temporal_coverage_from", "temporal_coverage_to"),
    ("time_period_coverage_start", "time_period_coverage_end"),
)  # fmt: skip

_NAMES: tuple[tuple[str, NameKind], ...] = (
    ("platform", "platform"), ("mission", "platform"), ("instrument", "instrument"), ("sensor", "instrument"),
    ("project", "project"), ("campaign", "project"), ("variable", "variable"), ("parameter", "variable"),
)  # fmt: skip
_KINDS_OF_DATE = {"publication": "published", "creation": "created", "revision": "modified"}
_NOT_OPEN = frozenset({"notspecified", "other-closed", "other-nc", ""})


def _add_names(draft: RecordDraft, package: JsonMapping) -> None:
    """Extras by the words that portals use for them, singular or plural; several names in one text by commas."""
    for name, kind in _NAMES:
        for text in [*texts_in(package.get(name)), *texts_in(package.get(f"{name}s"))]:
            for part in text.split(","):
                draft.names.add(kind, part)
    draft.names.add_short_name(text_in(package.get("short_name")))
    for name in ("processing_level", "processing-level"):
        draft.names.set_level(text_in(package.get(name)))


def _add_extents(draft: RecordDraft, package: JsonMapping) -> None:
    for place in as_list(package.get("spatial")):
        _add_place(draft, place)
    for coverage in objects_in(package.get("spatial_coverage")):
        draft.add_keyword(text_in(coverage.get("text")), "location")
        if not any(_add_place(draft, coverage.get(name)) for name in ("geom", "bbox", "centroid")):
            uri = text_in(coverage.get("uri"))
            draft.add_keyword(uri.rstrip("/").rpartition("/")[2], "location", uri)
    if not draft.places.boxes and all(text_in(package.get(edge)) for edge in _EDGES):
        draft.places.add_box(*(text_in(package.get(edge)) for edge in _EDGES))
    for name in ("spatial_text", "spatial_uri"):
        draft.add_keyword(text_in(package.get(name)).rstrip("/").rpartition("/")[2], "location")


def _add_place(draft: RecordDraft, place: object) -> bool:
    if isinstance(place, dict):
        return draft.places.add_geojson(place)
    text = text_in(place)
    if text.lstrip().startswith("{"):
        return draft.places.add_geojson_text(text)
    if draft.places.add_text(text):
        return True
    if text and not text.lower().startswith("http") and len(text) <= 100:
        draft.add_keyword(text, "location")
    return False


def _add_times(draft: RecordDraft, package: JsonMapping) -> None:
    for coverage in objects_in(package.get("temporal_coverage")):
        draft.add_span(text_in(coverage.get("start")), text_in(coverage.get("end")))
    for begin, end in _SPANS:
        start, stop = text_in(package.get(begin)), text_in(package.get(end))
        if start or stop:
            draft.add_span(start, stop)
            return
    for name in ("temporal", "temporal_coverage", "temporal_text"):
        if isinstance(package.get(name), str) and draft.add_interval(package[name]):
            return


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: not JSON, or no package in it."""
    document = json_of(raw)
    if isinstance(document, dict) and isinstance(document.get("result"), dict):
        document = document["result"]
    if not isinstance(document, dict) or not (document.keys() & {"name", "id", "title"}):
        raise RecordRefused("it is JSON without a CKAN package")
    package = with_extras(document)
    draft = RecordDraft(raw, source, "ckan")
    _add_citation(draft, package)
    _add_contacts(draft, package)
    _add_extents(draft, package)
    _add_times(draft, package)
    _add_terms(draft, package)
    _add_distribution(draft, package)
    return draft.finish()


def with_extras(package: JsonMapping) -> Json:
    """The package with its extras as members; existing members of the package are kept."""
    extras = {
        str(extra["key"]): _parse_extra(extra.get("value"))
        for extra in objects_in(package.get("extras"))
        if "key" in extra
    }
    members = {name: value for name, value in package.items() if value not in (None, "", [], {})}
    return {**extras, **members}


def _parse_extra(value: object) -> object:
    """Parses an extra that holds JSON as text, for example a list."""
    if isinstance(value, str) and value[:1] in "[{" and len(value) < 1_000_000:
        try:
            return parse_inner_json(value)
        except RecordRefused:
            return value
    return value


def _add_citation(draft: RecordDraft, package: JsonMapping) -> None:
    identifiers = [text_in(package.get(name)) for name in ("guid", "identifier", "id", "name", "uri")]
    draft.identifier = next((text for text in identifiers if text), "")
    draft.doi = next((doi for text in [text_in(package.get("doi")), *identifiers] if (doi := doi_in(text))), None)
    draft.edition = text_in(package.get("version"))
    _add_names(draft, package)
    draft.title = _translated_text(package, "title")
    draft.add_alternate_title(text_in(package.get("alternate_title")))
    _add_translations(draft, package)
    draft.abstract = _translated_text(package, "notes") or text_in(package.get("description"))
    draft.set_type(text_in(package.get("resource-type")) or text_in(package.get("dcat_type")))
    if text_in(package.get("type")) in ("dataset_series", "service", "dataservice"):
        draft.set_type(text_in(package.get("type")).replace("_", ""))
    for tag in as_list(package.get("tags")):
        draft.add_keyword(text_in(tag.get("display_name") or tag.get("name") if isinstance(tag, dict) else tag))
    for group in objects_in(package.get("groups")):
        draft.add_keyword(text_in(group.get("title")) or text_in(group.get("display_name")), "group")
    for theme in texts_in(package.get("theme")):
        draft.add_theme(theme)
    for code in [*texts_in(package.get("language")), *texts_in(package.get("metadata-language"))]:
        draft.add_language(code)
    _add_dates(draft, package)
    for name in ("lineage", "provenance"):
        draft.lineage += texts_in(package.get(name))
    for text in texts_in(package.get("source")):
        draft.add_source(text)
    series = texts_in(package.get("in_series")) or texts_in(package.get("parent_identifier"))
    draft.parent = next(iter(series), None)


def _add_translations(draft: RecordDraft, package: JsonMapping) -> None:
    """Titles and keywords as objects with a member for each language."""
    for name in ("title", "title_translated"):
        for title in next(objects_in(package.get(name)), {}).values():
            draft.add_alternate_title(text_in(title))
    for terms in next(objects_in(package.get("keywords")), {}).values():
        for term in texts_in(terms):
            draft.add_keyword(term)


def _add_dates(draft: RecordDraft, package: JsonMapping) -> None:
    for name, kind in (
        ("issued", "published"),
        ("created", "created"),
        ("modified", "modified"),
        ("metadata_modified", "metadata"),
        ("metadata-date", "metadata"),
    ):
        draft.add_date(kind, text_in(package.get(name)))
    for date in objects_in(package.get("dataset-reference-date")):
        of_type = _KINDS_OF_DATE.get(text_in(date.get("type")))
        if of_type is not None:
            draft.add_date(of_type, text_in(date.get("value")))
    if not package.get("issued"):
        draft.add_date("created", text_in(package.get("metadata_created")))


def _translated_text(package: JsonMapping, name: str) -> str:
    return text_in(package.get(name)) or text_in(package.get(f"{name}_translated"))


def _add_contacts(draft: RecordDraft, package: JsonMapping) -> None:
    draft.add_contact(text_in(package.get("author")), role="author", email=text_in(package.get("author_email")))
    for role, name in (("author", "creator"), ("publisher", "publisher"), ("pointOfContact", "contact")):
        for party in objects_in(package.get(name)):
            draft.add_contact(
                *(("", text_in(party.get("name"))) if role == "publisher" else (text_in(party.get("name")), "")),
                role=role,
                email=text_in(party.get("email")),
            )
        label, email = text_in(package.get(f"{name}_name")), text_in(package.get(f"{name}_email"))
        draft.add_contact(*(("", label) if role == "publisher" else (label, "")), role=role, email=email)
    for party in objects_in(package.get("responsible-party")):
        draft.add_contact("", text_in(party.get("name")), role=next(iter(texts_in(party.get("roles"))), None))
    maintainer = text_in(package.get("maintainer"))
    draft.add_contact(maintainer, role="pointOfContact", email=text_in(package.get("maintainer_email")))
    organization = package.get("organization")
    if isinstance(organization, dict):
        draft.add_contact("", text_in(organization.get("title")) or text_in(organization.get("name")), role="owner")


def _add_terms(draft: RecordDraft, package: JsonMapping) -> None:
    names = [text_in(package.get(name)) for name in ("license_url", "license_id", "license_title", "licence")]
    if text_in(package.get("license_id")).lower() not in _NOT_OPEN or names[0]:
        draft.add_licence(*names)
    for text in [names[2], *texts_in(package.get("licence")), *texts_in(package.get("rights"))]:
        draft.add_constraint(text)
    for name in ("access_constraints", "use_constraints", "access_rights", "accessLevel"):
        for text in texts_in(package.get(name)):
            if not text.lower().startswith("http") and text.lower() != "public":
                draft.add_constraint(text)
            draft.restrict_by_code(text)
    if package.get("private") is True:
        draft.access = "restricted"


def _add_distribution(draft: RecordDraft, package: JsonMapping) -> None:
    if (url := text_in(package.get("url"))).lower().startswith("http"):
        draft.add_link(url, "about")
    for resource in objects_in(package.get("resources")):
        form = text_in(resource.get("format"))
        draft.add_format(form)
        draft.add_link(
            text_in(resource.get("url")) or text_in(resource.get("download_url")),
            _rel(form, text_in(resource.get("url_type"))),
            protocol=text_in(resource.get("resource_locator_protocol")),
            media_type=text_in(resource.get("mimetype")),
            name=text_in(resource.get("name")),
            description=text_in(resource.get("description")),
        )
    for name, rel in _EXTRA_LINKS.items():
        for href in texts_in(package.get(name)):
            if href.lower().startswith("http"):
                draft.add_link(href, rel)
    distance = distance_in(
        text_in(package.get("spatial-resolution")) or f"{text_in(package.get('spatial_resolution_in_meters'))} m"
    )
    step = step_in(text_in(package.get("temporal_resolution")))
    draft.resolution = Resolution(distance, None, step)


def _rel(form: str, kind: str) -> str | None:
    if form.upper() in ("WMS", "WFS", "WCS", "WMTS", "API", "ARCGIS GEOSERVICES REST API", "ESRI REST", "SPARQL"):
        return "service"
    if form.upper() in ("HTML", "WEB PAGE"):
        return "related"
    return "download" if form or kind == "upload" else None


_MEMBERS = frozenset({"resources", "notes", "extras", "license_id", "metadata_modified", "owner_org", "tags"})


def _recognises(inspection: Inspection) -> bool:
    package = inspection.members.get("result", inspection.members)
    if not isinstance(package, dict) or "@type" in package:
        return False
    return bool(package.keys() & {"name", "id"}) and len(package.keys() & _MEMBERS) >= 2


FORMAT = Format(
    "ckan",
    6,
    read,
    _recognises,
    "a package of CKAN's action API",
    lambda raw: with_extras(json_of(raw).get("result", json_of(raw))),
)
