"""STAC 0.8 to 1.1: collections, items and catalogues, to Record."""

from __future__ import annotations

import math
from collections.abc import Iterator

from core.json_types import Json, JsonMapping
from core.record import Record, Resolution
from core.versions import SUCCESSOR
from indexer.formats.draft import RecordDraft
from indexer.formats.format import Format, Inspection, json_of
from indexer.formats.json_documents.parsing import as_list, first_object, objects_in, text_in, texts_in
from indexer.formats.readers.ogc_record import add_contacts, add_theme
from indexer.formats.repair.boxes import number
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.names import read_names, read_variables
from indexer.formats.repair.resolution import iso_duration, metres
from indexer.formats.repair.shapes import PlaceCollector
from indexer.raw import RawRecord, RecordRefused

_ROLES = {"producer": "originator", "licensor": "owner", "processor": "processor", "host": "distributor"}
_RELS = {
    "via": "about", "about": "about", "license": "license", "cite-as": "cite-as", "derived_from": "derived_from",
    "preview": "preview", "thumbnail": "preview", "describedby": "describedby", "service": "service",
    "service-desc": "service", "service-doc": "describedby", "wms": "service", "wmts": "service", "xyz": "service",
    "alternate": "alternate", "documentation": "describedby", "data": "download", "download": "download",
    SUCCESSOR: SUCCESSOR,
}  # fmt: skip
_NAVIGATION_RELS = frozenset(
    {"self", "root", "parent", "child", "item", "items", "collection", "next", "prev", "first", "last"}
)
_ASSET_RELS = {"thumbnail": "preview", "overview": "preview", "metadata": "describedby", "data": "download"}
_NO_LICENCE = frozenset({"proprietary", "various", "other"})
_DEGREES = frozenset({"", "4326", "4979", "CRS84", "OGC:CRS84", "EPSG:4326", "EPSG:4979"})  # 4326 where none is named


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: not JSON, or neither collection, item nor catalogue."""
    document = json_of(raw)
    types = ("Collection", "Catalog")
    if not isinstance(document, dict) or not ("stac_version" in document or document.get("type") in types):
        raise RecordRefused("it is JSON without stac_version: no STAC collection, item or catalogue")
    draft = RecordDraft(raw, source, "stac")
    draft.identifier = text_in(document.get("id"))
    is_item = document.get("type") == "Feature"
    draft.type = "dataset" if is_item else "collection" if "extent" not in document else "series"
    properties = first_object(document.get("properties")) if is_item else document
    _add_citation(draft, document, properties)
    if is_item:
        _add_item_extents(draft, document)
    else:
        _add_collection_extents(draft, document)
    _add_cube(draft, properties)
    for link in objects_in(document.get("links")):
        _add_link(draft, link)
    for name, asset in first_object(document.get("assets")).items():
        _add_asset(draft, str(name), asset)
    return draft.finish()


def _add_citation(draft: RecordDraft, document: JsonMapping, properties: JsonMapping) -> None:
    """Reads what collections have at the top and items have in their properties."""
    draft.edition = text_in(properties.get("version"))
    if properties is document:  # an item's id names one scene
        draft.names.add_possible_short_names(draft.identifier)
    read_names(draft.names, properties)
    draft.title = text_in(properties.get("title")) or text_in(document.get("title"))
    descriptions = (properties.get("description"), document.get("description"), properties.get("label:description"))
    draft.abstract = next((text for description in descriptions if (text := text_in(description))), "")
    draft.doi = doi_in(text_in(properties.get("sci:doi"))) or doi_in(text_in(document.get("sci:doi")))
    for term in [*texts_in(properties.get("keywords")), *texts_in(document.get("osc:variables"))]:
        draft.add_keyword(term)
    for theme in objects_in(properties.get("themes")):
        add_theme(draft, theme)
    for language in [properties.get("language"), *as_list(properties.get("languages"))]:
        draft.add_language(text_in(language.get("code") if isinstance(language, dict) else language))
    _add_contacts(draft, properties)
    _add_licence(draft, text_in(properties.get("license")) or text_in(document.get("license")))
    for name, kind in (("created", "created"), ("updated", "modified"), ("published", "published")):
        draft.add_date(kind, text_in(properties.get(name)))
    _add_acquisition(draft, properties)
    summaries = document.get("summaries")
    if isinstance(summaries, dict):
        _add_acquisition(draft, summaries)
        read_names(draft.names, summaries)
    if lineage := text_in(properties.get("processing:lineage")):
        draft.lineage.append(lineage)
    for name, version in first_object(properties.get("processing:software")).items():
        draft.add_activity(f"{name} {text_in(version)}".strip())


def _add_contacts(draft: RecordDraft, properties: JsonMapping) -> None:
    for provider in objects_in(properties.get("providers")):
        for role in texts_in(provider.get("roles")) or [""]:
            draft.add_contact("", text_in(provider.get("name")), role=_ROLES.get(role, role or None))
    add_contacts(draft, objects_in(properties.get("contacts")))


def _add_licence(draft: RecordDraft, licence: str) -> None:
    if not licence or licence.lower() in _NO_LICENCE:
        return
    draft.add_licence(licence)
    if not draft.has_licence:
        draft.add_constraint(licence)


def _add_acquisition(draft: RecordDraft, properties: JsonMapping) -> None:
    """Platforms, instruments and ground distance: from an item, or from a collection's summaries."""
    instruments = texts_in(properties.get("instruments"))
    platforms = texts_in(properties.get("platform"))
    for kind, terms in (
        ("platform", [*platforms, *texts_in(properties.get("constellation"))]),
        ("instrument", instruments),
        ("mission", [*texts_in(properties.get("mission")), *texts_in(properties.get("osc:missions"))]),
    ):
        for term in terms:
            draft.add_keyword(term, kind)
    distances = [
        number(text_in(value)) for value in [*as_list(properties.get("gsd")), *as_list(properties.get("eo:gsd"))]
    ]
    if isinstance(properties.get("gsd"), dict):
        distances.append(number(text_in(properties["gsd"].get("minimum"))))
    distances_known = [value for value in distances if math.isfinite(value) and value > 0]
    if distances_known and draft.resolution.metres is None:
        draft.resolution = Resolution(min(distances_known), None, draft.resolution.time_step)
    if any(name.startswith(("eo:", "sar:", "sat:", "view:")) for name in properties) and (platforms or instruments):
        draft.add_kind("observation")


def _add_collection_extents(draft: RecordDraft, document: JsonMapping) -> None:
    extent = first_object(document.get("extent"))
    spatial, temporal = extent.get("spatial"), extent.get("temporal")
    boxes = as_list(spatial.get("bbox")) if isinstance(spatial, dict) else as_list(spatial)
    if boxes and not isinstance(boxes[0], list):
        boxes = [boxes]
    # If there are several boxes, the first encloses the others.
    for box in boxes[1:] if len(boxes) > 2 else boxes:
        draft.places.add_numbers(box)
    spans = as_list(temporal.get("interval")) if isinstance(temporal, dict) else as_list(temporal)
    if isinstance(temporal, list) and temporal and not isinstance(temporal[0], list):
        spans = [temporal]
    for span in spans[1:] if len(spans) > 2 else spans:
        if isinstance(span, list) and len(span) == 2:
            draft.add_span(text_in(span[0]), text_in(span[1]))
    draft.parent = next(_related_addresses(document, "parent"), None) if "parent" not in document else None


def _add_item_extents(draft: RecordDraft, document: JsonMapping) -> None:
    bounds = PlaceCollector()
    bounds.add_numbers(document.get("bbox"))
    if draft.places.add_geojson(document.get("geometry")):
        draft.places.confirm_with(bounds)
    else:
        draft.places.add_numbers(document.get("bbox"))
    properties = first_object(document.get("properties"))
    start, end = text_in(properties.get("start_datetime")), text_in(properties.get("end_datetime"))
    start = start or text_in(properties.get("dtr:start_datetime"))
    end = end or text_in(properties.get("dtr:end_datetime"))
    moment = text_in(properties.get("datetime"))
    if start or end:
        draft.add_span(start, end)
    elif moment:
        draft.add_span(moment, moment)
    draft.parent = text_in(document.get("collection")) or next(_related_addresses(document, "collection"), None)


def _related_addresses(document: JsonMapping, rel: str) -> Iterator[str]:
    """Absolute addresses of a relation; a parent that is also the root is left out."""
    roots = {text_in(link.get("href")) for link in objects_in(document.get("links")) if link.get("rel") == "root"}
    for link in objects_in(document.get("links")):
        href = text_in(link.get("href"))
        if link.get("rel") == rel and href.lower().startswith("http") and href not in roots:
            yield href


def _add_link(draft: RecordDraft, link: JsonMapping) -> None:
    rel, href = text_in(link.get("rel")), text_in(link.get("href"))
    if rel == "derived_from":
        draft.add_source(href)
    if rel == "license":
        draft.add_licence(href, text_in(link.get("title")))
    if rel == "cite-as":
        draft.doi = draft.doi or doi_in(href)
    if rel in _NAVIGATION_RELS or not href.lower().startswith(("http", "ftp", "s3:", "gs:")):
        return  # structure of the catalogue, or relative to an unknown address
    link_rel = _RELS.get(rel, "related")
    draft.add_link(href, link_rel, media_type=text_in(link.get("type")), name=text_in(link.get("title")))


def _add_asset(draft: RecordDraft, name: str, asset: object) -> None:
    if not isinstance(asset, dict):
        return
    read_variables(draft.names, asset)
    media_type = text_in(asset.get("type"))
    draft.add_format(media_type)
    href = text_in(asset.get("href"))
    if not href.lower().startswith(("http", "ftp", "s3:", "gs:")):
        return
    roles = [name, *texts_in(asset.get("roles"))]
    rel = next((asset_rel for role in roles if (asset_rel := _ASSET_RELS.get(role))), "download")
    draft.add_link(href, rel, media_type=media_type, name=text_in(asset.get("title")) or name)


def _add_cube(draft: RecordDraft, properties: JsonMapping) -> None:
    """Fills box, period and resolution where the document's usual members do not give them."""
    dimensions = properties.get("cube:dimensions")
    axes = [axis for axis in dimensions.values() if isinstance(axis, dict)] if isinstance(dimensions, dict) else []
    if not draft.places.boxes:
        _add_cube_box(draft, axes)
    for axis in axes:
        if axis.get("type") == "temporal":
            _add_cube_time(draft, axis)
    if draft.resolution.metres is None:
        steps = [step for axis in _ground_axes(axes) if (step := _step_m(axis)) is not None]
        draft.resolution = Resolution(
            min(steps, default=None), draft.resolution.scale_denominator, draft.resolution.time_step
        )


def _ground_axes(axes: list[Json]) -> Iterator[Json]:
    for axis in axes:
        if axis.get("type") == "spatial" and axis.get("axis") in ("x", "y"):
            yield axis


def _add_cube_box(draft: RecordDraft, axes: list[Json]) -> None:
    """Only for axes in degrees: a projected cube gives its place in its geometry."""
    ends = {axis["axis"]: as_list(axis.get("extent")) for axis in _ground_axes(axes) if _in_degrees(axis)}
    x, y = ends.get("x", []), ends.get("y", [])
    if len(x) == len(y) == 2:
        draft.places.add_box(x[0], y[0], x[1], y[1])


def _add_cube_time(draft: RecordDraft, axis: JsonMapping) -> None:
    ends = as_list(axis.get("extent"))
    if not draft.has_times and len(ends) == 2 and any(ends):
        draft.add_span(text_in(ends[0]), text_in(ends[1]))
    step = iso_duration(text_in(axis.get("step")))
    if step and draft.resolution.time_step is None:
        draft.resolution = Resolution(draft.resolution.metres, draft.resolution.scale_denominator, step)


def _step_m(axis: JsonMapping) -> float | None:
    """The distance between two values in metres, degrees at the equator; None where irregular or of an unknown unit."""
    step = abs(number(text_in(axis.get("step"))))
    unit = text_in(axis.get("unit")) or ("degree" if _in_degrees(axis) else "")
    return metres(step, unit) if math.isfinite(step) and step > 0 else None


def _in_degrees(axis: JsonMapping) -> bool:
    system = axis.get("reference_system")
    if isinstance(system, dict):
        code = first_object(system.get("id")).get("code")
        return code is not None and text_in(code) in _DEGREES
    return text_in(system).upper() in _DEGREES


def _recognises(inspection: Inspection) -> bool:
    members = inspection.members
    if "stac_version" in members:
        return "id" in members
    return members.get("type") in ("Collection", "Catalog") and {"id", "links"} <= members.keys()


FORMAT = Format("stac", 4, read, _recognises, "`stac_version`: item, collection, catalogue, 0.8 to 1.1", json_of)
