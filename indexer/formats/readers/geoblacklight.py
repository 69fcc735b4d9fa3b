"""GeoBlacklight 1.0 and Aardvark (OpenGeoMetadata) to Record."""

from __future__ import annotations

from collections.abc import Iterator

from core.json_types import JsonMapping
from core.record import Record
from indexer.formats.draft import RecordDraft
from indexer.formats.format import Format, Inspection, json_of
from indexer.formats.json_documents.parsing import objects_in, parse_inner_json, text_in, texts_in
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.shapes import PlaceCollector
from indexer.raw import RawRecord, RecordRefused

_REFERENCES = {
    "http://schema.org/downloadurl": "download",
    "http://schema.org/url": "about",
    "http://schema.org/thumbnailurl": "preview",
    "http://www.opengis.net/def/servicetype/ogc/wms": "service",
    "http://www.opengis.net/def/servicetype/ogc/wfs": "service",
    "http://www.opengis.net/def/servicetype/ogc/wcs": "service",
    "http://www.opengis.net/def/servicetype/ogc/wmts": "service",
    "http://lccn.loc.gov/sh85035852": "describedby",
    "http://www.w3.org/1999/xhtml": "describedby",
    "http://iiif.io/api/image": "preview",
    "http://iiif.io/api/presentation#manifest": "preview",
}
_METADATA = ("csdgm", "isotc211", "mods", "loc.gov/mods")
_TYPES = {"datasets": "dataset", "collections": "collection", "maps": "map", "web services": "service"}


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: not JSON, or neither version of the schema."""
    document = json_of(raw)
    if not isinstance(document, dict):
        raise RecordRefused("it is JSON without a document of GeoBlacklight")
    is_aardvark = "dct_title_s" in document
    if not is_aardvark and "dc_title_s" not in document and "layer_slug_s" not in document:
        raise RecordRefused("it is JSON with neither dct_title_s nor dc_title_s")
    draft = RecordDraft(raw, source, "aardvark" if is_aardvark else "geoblacklight")
    _add_citation(draft, document)
    _add_contacts(draft, document)
    _add_extents_and_times(draft, document)
    _add_terms(draft, document)
    _add_links(draft, document)
    return draft.finish()


def _first_texts(document: JsonMapping, *names: str) -> list[str]:
    """The texts of the first field that has any: the two versions differ in prefix and suffix."""
    return next((texts for name in names if (texts := texts_in(document.get(name)))), [])


def _first_text(document: JsonMapping, *names: str) -> str:
    return next(iter(_first_texts(document, *names)), "")


def _add_citation(draft: RecordDraft, document: JsonMapping) -> None:
    draft.identifier = _first_text(document, "layer_slug_s", "id", "dc_identifier_s", "dct_identifier_sm")
    texts = [*_first_texts(document, "dct_identifier_sm", "dc_identifier_s")]
    draft.doi = next((doi for text in texts if (doi := doi_in(text))), None)
    draft.title = _first_text(document, "dct_title_s", "dc_title_s")
    for other_title in _first_texts(document, "dct_alternative_sm"):
        draft.add_alternate_title(other_title)
    draft.abstract = "\n\n".join(_first_texts(document, "dct_description_sm", "dc_description_s"))
    for kind in reversed(_first_texts(document, "gbl_resourceClass_sm", "dc_type_s", "dc_type_sm")):
        draft.set_type(_TYPES.get(kind.lower(), kind))
    for code in _first_texts(document, "dct_language_sm", "dc_language_s", "dc_language_sm"):
        draft.add_language(code)
    _add_keywords(draft, document)
    for text in _first_texts(document, "dct_format_s", "dc_format_s"):
        draft.add_format(text)
    draft.add_date("published", _first_text(document, "dct_issued_s", "dct_issued_dt"))
    draft.add_date("metadata", _first_text(document, "gbl_mdModified_dt", "layer_modified_dt"))
    draft.parent = next(
        iter([*_first_texts(document, "dct_isPartOf_sm"), *_first_texts(document, "pcdm_memberOf_sm")]), None
    )
    for name in ("dct_source_sm", "dct_isVersionOf_sm"):
        for text in texts_in(document.get(name)):
            draft.add_source(text)
    draft.lineage += texts_in(document.get("dct_provenance_sm"))


def _add_keywords(draft: RecordDraft, document: JsonMapping) -> None:
    for name, vocabulary in (
        ("dc_subject_sm", None),
        ("dct_subject_sm", None),
        ("dcat_keyword_sm", None),
        ("gbl_resourceType_sm", "resource type"),
        ("dct_spatial_sm", "location"),
    ):
        for term in texts_in(document.get(name)):
            draft.add_keyword(term, vocabulary)
    for theme in _first_texts(document, "dcat_theme_sm"):
        draft.add_theme(theme)


def _add_contacts(draft: RecordDraft, document: JsonMapping) -> None:
    for name in _first_texts(document, "dct_creator_sm", "dc_creator_sm"):
        draft.add_contact(name, role="author")
    for name in _first_texts(document, "dct_publisher_sm", "dc_publisher_sm", "dc_publisher_s"):
        draft.add_contact("", name, role="publisher")
    for name in _first_texts(document, "schema_provider_s", "dct_provenance_s"):
        draft.add_contact("", name, role="distributor")
    for name in texts_in(document.get("dct_rightsHolder_sm")):
        draft.add_contact("", name, role="rightsHolder")


def _add_extents_and_times(draft: RecordDraft, document: JsonMapping) -> None:
    for name in ("locn_geometry", "dcat_bbox", "solr_geom", "georss_box_s", "georss_polygon_s"):
        places = (
            PlaceCollector() if draft.places.boxes else draft.places
        )  # the second statement only confirms the first
        text = _first_text(document, name)
        if name.startswith("georss"):
            places.add_geo_rss(text)
        elif text:
            places.add_coordinates(text)
        if places is not draft.places:
            draft.places.confirm_with(places)
            draft.places.warnings.extend(warning for warning in places.warnings if "left out" in warning)
    periods = [*_first_texts(document, "gbl_dateRange_drsim"), *_first_texts(document, "dct_temporal_sm")]
    are_used = [draft.add_interval(text) for text in periods]
    if not any(are_used):
        for year in _first_texts(document, "gbl_indexYear_im", "solr_year_i"):
            draft.add_interval(year)


def _add_terms(draft: RecordDraft, document: JsonMapping) -> None:
    draft.add_licence(*_first_texts(document, "dct_license_sm"))
    for text in texts_in(document.get("dct_rights_sm")):
        draft.add_constraint(text)
    access = _first_text(document, "dct_accessRights_s", "dc_rights_s")
    draft.restrict_by_code(access)
    if access.lower() not in ("public", "restricted", ""):
        draft.add_constraint(access)


def _add_links(draft: RecordDraft, document: JsonMapping) -> None:
    for kind, href, label in _references(_first_text(document, "dct_references_s", "dct_references")):
        rel = _REFERENCES.get(kind.lower().rstrip("/"))
        if rel is None and any(word in kind.lower() for word in _METADATA):
            rel = "describedby"
        protocol = kind.rpartition("/")[2].upper() if "serviceType/ogc" in kind else ""
        draft.add_link(href, rel, protocol=f"OGC:{protocol}" if protocol else None, name=label)
    identifier = _first_text(document, "dc_identifier_s")
    if identifier.lower().startswith("http"):
        draft.add_link(identifier, "about")


def _references(json_text: str) -> Iterator[tuple[str, str, str]]:
    """Kind, address and label of each reference, from JSON inside a text."""
    if not json_text:
        return
    try:
        references = parse_inner_json(json_text)
    except RecordRefused:
        return
    for kind, value in references.items() if isinstance(references, dict) else ():
        if isinstance(value, str):
            yield kind, value, ""
        else:
            yield from ((kind, text_in(item.get("url")), text_in(item.get("label"))) for item in objects_in(value))
            yield from ((kind, item, "") for item in value if isinstance(item, str))


def _recognises(inspection: Inspection) -> bool:
    member_names = inspection.members.keys()
    return bool(member_names & {"dct_title_s", "dc_title_s"}) or {"layer_slug_s", "dct_provenance_s"} <= member_names


FORMAT = Format("geoblacklight", 4, read, _recognises, "`dc_title_s` (1.0) or `dct_title_s` (Aardvark)", json_of)
