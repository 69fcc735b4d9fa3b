"""Headers of data files (``indexer.data_files``) to Record: the attributes of CF and ACDD, and their coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from core.json_types import JsonMapping
from core.record import Record, Resolution
from indexer.formats.draft import RecordDraft
from indexer.formats.format import Format, Inspection, json_of
from indexer.formats.json_documents.parsing import first_object, objects_in, text_in, texts_in, to_bytes
from indexer.formats.repair.boxes import number
from indexer.formats.repair.links import doi_in, media_type_of
from indexer.formats.repair.resolution import metres, step_in
from indexer.raw import RawRecord, RecordRefused

MARK = "sonde:dataFile"
_VERSION = 1
_ABSTRACTS = ("summary", "abstract", "description", "Description", "comment", "ImageDescription")
_LINEAGE = ("history", "source", "lineage", "processing", "Software")
_DATES = {
    "date_created": "created", "creation_date": "created", "DateTime": "created", "date_issued": "published",
    "date_modified": "modified", "date_metadata_modified": "metadata", "date": "published",
}  # fmt: skip
_LICENCES = ("license", "licence", "rights", "Copyright", "license_url", "use_constraints")
_DOIS = ("doi", "DOI", "identifier_product_doi", "id", "references", "citation")
_KEYWORDS = (
    "keywords", "keyword", "experiment", "experiment_id", "source_id", "model_id", "region", "sea_name", "mip_era",
)  # fmt: skip
_PARTIES = (
    ("creator_name", "creator_institution", "creator_email", "author"),
    ("author", "", "author_email", "author"),
    ("Artist", "", "", "author"),
    ("principal_investigator", "", "", "principalInvestigator"),
    ("contributor_name", "", "", "contributor"),
    ("publisher_name", "publisher_institution", "publisher_email", "publisher"),
    ("contact", "", "contact_email", "pointOfContact"),
    ("", "institution", "", "owner"),
)  # fmt: skip
_EDGES = tuple(f"geospatial_{name}" for name in ("lon_min", "lat_min", "lon_max", "lat_max"))
_DIFFERENCE_DEG = 1.0
_MOST_DESCRIBED = 40
_CMOR_DATE = re.compile(r"(\d{4}):(\d{2}):(\d{2}) ")
_ENDINGS = (
    ".nc", ".nc3", ".nc4", ".zarr", ".h5", ".hdf5", ".he5", ".tif", ".tiff", ".gpkg", ".csv", ".tsv", ".tab", ".cdf",
    ".grib", ".grib1", ".grib2", ".grb", ".grb1", ".grb2", ".gb2",
)  # fmt: skip


def document_of(name: str, size: int | None, header: JsonMapping) -> bytes:
    """The JSON document of a file's header; the same file gives the same bytes."""
    return to_bytes({MARK: _VERSION, "name": name, **({"size": size} if size is not None else {}), **header})


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: no header of a data file."""
    header = json_of(raw)
    if not isinstance(header, dict) or MARK not in header:
        raise RecordRefused("it is JSON without the header of a data file")
    attributes = first_object(header.get("attributes"))
    draft = RecordDraft(raw, source, "data-file")
    draft.identifier = raw.native_id
    _add_texts(draft, header, attributes)
    _add_parties(draft, attributes)
    _add_terms(draft, attributes)
    _add_place(draft, header, attributes)
    _add_times(draft, header, attributes)
    _add_variables(draft, header)
    draft.warnings += texts_in(header.get("warnings"))
    if raw.origin.startswith("http"):
        draft.add_link(raw.origin, "download", media_type=media_type_of(raw.origin))
    return draft.finish()


def _text(attributes: JsonMapping, *names: str) -> str:
    return next((text for name in names if name and (text := text_in(attributes.get(name)))), "")


def _add_texts(draft: RecordDraft, header: JsonMapping, attributes: JsonMapping) -> None:
    name = text_in(header.get("name"))
    words = _words_of(name)
    draft.title = _text(attributes, "title", "Title", "TITLE")
    if not draft.title:
        draft.title = words
        draft.warnings.append("title: none given, the file's name is used")
    draft.add_alternate_title(words)
    draft.names.add_possible_short_names(_text(attributes, "short_name", "ShortName"))
    texts = [text for name in _ABSTRACTS if (text := _text(attributes, name))]
    if not texts:
        draft.warnings.append("abstract: none given, a list of the variables and the format is used")
    draft.abstract = "\n\n".join(dict.fromkeys([*texts, *_facts(header, attributes)]))
    draft.lineage += [text for name in _LINEAGE if (text := _text(attributes, name))]
    draft.edition = _text(attributes, "product_version", "version", "Version")
    draft.doi = next((doi for name in _DOIS if (doi := doi_in(_text(attributes, name))) is not None), None)
    for name in ("metadata_link", "infoUrl", "further_info_url", "references"):
        if _text(attributes, name).startswith("http"):
            draft.add_link(_text(attributes, name).split()[0], "describedby")
    for name, kind in _DATES.items():
        draft.add_date(kind, _CMOR_DATE.sub(r"\1-\2-\3T", _text(attributes, name)))
    draft.add_format(text_in(header.get("format")))
    draft.add_language(_text(attributes, "language", "lang"))


def _words_of(name: str) -> str:
    """``tas_day_MPI-ESM_1990.nc`` is ``tas day MPI-ESM 1990``."""
    stem = PurePosixPath(name).stem if name.lower().endswith(_ENDINGS) else name
    return " ".join(re.split(r"[_\s+]+", stem)).strip() or name


def _facts(header: JsonMapping, attributes: JsonMapping) -> Iterator[str]:
    """Sentences for readers and searches: what is in the file, and how it is written."""
    variables = [_described(variable) for variable in objects_in(header.get("variables"))]
    if variables:
        yield f"Variables: {'; '.join(variables[:_MOST_DESCRIBED])}."
    for layer in objects_in(header.get("layers")):
        yield _layer_sentence(layer)
    conventions = _text(attributes, "Conventions", "conventions")
    parts = [text_in(header.get("format")) + (f" ({conventions})" if conventions else "")]
    size, rows = header.get("size"), header.get("rows")
    parts += [f"{rows:,} rows"] if isinstance(rows, int) else []
    parts += [f"reference system {header['crs']}"] if isinstance(header.get("crs"), str) else []
    parts += [_size_text(size)] if isinstance(size, int) else []
    yield f"File: {', '.join(parts)}."


def _described(variable: JsonMapping) -> str:
    stated = first_object(variable.get("attributes"))
    name = text_in(variable.get("name"))
    words = _text(stated, "long_name", "standard_name", "description").replace("_", " ")
    inside = [name] if words and words != name else []
    inside += [unit] if (unit := _text(stated, "units")) and unit != "1" else []
    return (words or name) + (f" ({', '.join(inside)})" if inside else "")


def _layer_sentence(layer: JsonMapping) -> str:
    count = layer.get("features")
    words = f"{text_in(layer.get('type')) or 'layer'} layer {text_in(layer.get('title'))}".capitalize()
    sentence = f"{words}{f', {count:,} features' if isinstance(count, int) else ''}"
    columns = texts_in(layer.get("columns"))[:_MOST_DESCRIBED]
    sentence += f": {', '.join(columns)}" if columns else ""
    description = text_in(layer.get("description"))
    return f"{sentence}.{f' {description}' if description else ''}"


def _size_text(size: int) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def _add_parties(draft: RecordDraft, attributes: JsonMapping) -> None:
    for name, organisation, email, role in _PARTIES:
        organisation_text, email_text = _text(attributes, organisation), _text(attributes, email)
        names = [part.strip() for part in re.split(r"[;\n]", _text(attributes, name)) if part.strip()]
        for party in names or ([""] if organisation_text else []):
            draft.add_contact(party, organisation_text, role=role, email=email_text if len(names) < 2 else "")


def _add_terms(draft: RecordDraft, attributes: JsonMapping) -> None:
    vocabulary = _text(attributes, "keywords_vocabulary") or None
    for name in _KEYWORDS:
        text = _text(attributes, name)
        for term in re.split(r"[;,\n]", text) if name.startswith("keyword") else [text]:
            draft.add_keyword(term, vocabulary if name == "keywords" else None)
    for name, kind in (
        ("project", "project"),
        ("platform", "platform"),
        ("instrument", "instrument"),
        ("sensor", "instrument"),
    ):
        for term in re.split(r"[;,]", _text(attributes, name)):
            draft.add_keyword(term, kind)
    draft.names.set_level(_text(attributes, "processing_level"))
    for name in _LICENCES:
        draft.add_constraint(_text(attributes, name))
        draft.add_licence(_text(attributes, name))


def _add_place(draft: RecordDraft, header: JsonMapping, attributes: JsonMapping) -> None:
    stated = [number(text_in(attributes.get(name))) for name in _EDGES]
    is_stated = all(edge == edge for edge in stated)
    boxes = [header["extent"]] if "extent" in header else list(header.get("extents") or ())
    for box in boxes:
        draft.places.add_numbers(box)
    if not boxes and is_stated:
        draft.places.add_box(*stated)
    elif boxes and is_stated and _differs(boxes[0], stated):
        stated_text = ", ".join(f"{edge:g}" for edge in stated)
        draft.warnings.append(
            f"extent: its attributes say {stated_text}; its coordinates say something else, and are used"
        )
    vertical = header.get("vertical")
    if isinstance(vertical, dict):
        low, high = (number(text_in(vertical.get(end))) for end in ("minimum", "maximum"))
        draft.add_vertical(low, high, text_in(vertical.get("unit")) or "m")
    else:
        sign = -1.0 if _text(attributes, "geospatial_vertical_positive").lower() == "down" else 1.0
        low, high = (number(_text(attributes, f"geospatial_vertical_{end}")) for end in ("min", "max"))
        draft.add_vertical(sign * low, sign * high, _text(attributes, "geospatial_vertical_units") or "m")


def _differs(box: object, stated: Iterable[float]) -> bool:
    """Latitudes more than a degree apart, or longitudes that differ however they are written."""
    if not isinstance(box, list) or len(box) != 4:
        return False
    west, south, east, north = stated
    turns = [abs((first - second + 180.0) % 360.0 - 180.0) for first, second in ((box[0], west), (box[2], east))]
    is_global: bool = box[0] == -180.0 and box[2] == 180.0 and east - west > 360.0 - 20.0
    widths = [] if is_global else turns
    return bool(max(abs(box[1] - south), abs(box[3] - north), *widths, 0.0) > _DIFFERENCE_DEG)


def _add_times(draft: RecordDraft, header: JsonMapping, attributes: JsonMapping) -> None:
    times = header.get("times")
    step = _text(attributes, "time_coverage_resolution", "frequency")
    if isinstance(times, dict):
        draft.add_span(text_in(times.get("start")), text_in(times.get("end")))
        step = text_in(times.get("step")) or step
    else:
        start, end = _text(attributes, "time_coverage_start"), _text(attributes, "time_coverage_end")
        if start or end:
            draft.add_span(start, end, duration="" if start and end else _text(attributes, "time_coverage_duration"))
    stated = first_object(header.get("resolution"))
    distance = metres(number(text_in(stated.get("value"))), text_in(stated.get("unit")))
    draft.resolution = Resolution(metres=distance, time_step=step_in(step) if step else None)


def _add_variables(draft: RecordDraft, header: JsonMapping) -> None:
    for variable in objects_in(header.get("variables")):
        attributes = first_object(variable.get("attributes"))
        name = text_in(variable.get("name")).rpartition("/")[2]
        draft.names.add_variable(name, _text(attributes, "standard_name"), _text(attributes, "units"))


def _resource(raw: RawRecord) -> JsonMapping | None:
    header = json_of(raw)
    return header if isinstance(header, dict) else None


def _recognises(inspection: Inspection) -> bool:
    return MARK in inspection.members


_FOUND_BY = "member `sonde:dataFile`, which Sonde writes for the header of a data file"
FORMAT = Format("data-file", 3, read, _recognises, _FOUND_BY, _resource)
