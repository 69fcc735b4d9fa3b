"""Places and periods of a CKAN package, in the forms that ckanext-spatial, ckanext-dcat and portals use."""

from __future__ import annotations

from core.json_types import JsonMapping
from indexer.formats.draft import Draft
from indexer.formats.gathered_names import Kind
from indexer.formats.json_document import listed, objects_in, text_in, texts_in

EXTRA_LINKS = {"documentation": "describedby", "graphic-preview-file": "preview", "landing_page": "about"}

_EDGES = ("bbox-west-long", "bbox-south-lat", "bbox-east-long", "bbox-north-lat")
_SPANS = (
    ("temporal_start", "temporal_end"),
    ("temporal-extent-begin", "temporal-extent-end"),
    ("temporal_coverage-from", "temporal_coverage-to"),
    ("temporal_coverage_from", "temporal_coverage_to"),
    ("time_period_coverage_start", "time_period_coverage_end"),
)

_NAMES: tuple[tuple[str, Kind], ...] = (
    ("platform", "platform"), ("mission", "platform"), ("instrument", "instrument"), ("sensor", "instrument"),
    ("project", "project"), ("campaign", "project"), ("variable", "variable"), ("parameter", "variable"),
)  # fmt: skip


def extra_names(draft: Draft, package: JsonMapping) -> None:
    """Extras by the words that portals use for them, singular or plural; several names in one text by commas."""
    for name, kind in _NAMES:
        for text in [*texts_in(package.get(name)), *texts_in(package.get(f"{name}s"))]:
            for part in text.split(","):
                draft.names.of_kind(kind, part)
    draft.names.short_name(text_in(package.get("short_name")))
    for name in ("processing_level", "processing-level"):
        draft.names.level(text_in(package.get(name)))


def boxes(draft: Draft, package: JsonMapping) -> None:
    for place in listed(package.get("spatial")):
        _place(draft, place)
    for coverage in objects_in(package.get("spatial_coverage")):
        draft.keyword(text_in(coverage.get("text")), "location")
        if not any(_place(draft, coverage.get(name)) for name in ("geom", "bbox", "centroid")):
            uri = text_in(coverage.get("uri"))
            draft.keyword(uri.rstrip("/").rpartition("/")[2], "location", uri)
    if not draft.where.boxes and all(text_in(package.get(edge)) for edge in _EDGES):
        draft.where.box(*(text_in(package.get(edge)) for edge in _EDGES))
    for name in ("spatial_text", "spatial_uri"):
        draft.keyword(text_in(package.get(name)).rstrip("/").rpartition("/")[2], "location")


def _place(draft: Draft, place: object) -> bool:
    if isinstance(place, dict):
        return draft.where.geojson(place)
    text = text_in(place)
    if text.lstrip().startswith("{"):
        return draft.where.geojson_text(text)
    if draft.where.text(text):
        return True
    if text and not text.lower().startswith("http") and len(text) <= 100:
        draft.keyword(text, "location")
    return False


def spans(draft: Draft, package: JsonMapping) -> None:
    for coverage in objects_in(package.get("temporal_coverage")):
        draft.span(text_in(coverage.get("start")), text_in(coverage.get("end")))
    for begin, end in _SPANS:
        start, stop = text_in(package.get(begin)), text_in(package.get(end))
        if start or stop:
            draft.span(start, stop)
            return
    for name in ("temporal", "temporal_coverage", "temporal_text"):
        if isinstance(package.get(name), str) and draft.interval(package[name]):
            return
