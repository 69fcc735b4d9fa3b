"""The queryable properties of a record: public names, and the index fields behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.json_types import Json

Kind = Literal["folded", "exact", "person", "number", "instant", "interval", "geometry"]
"""``folded`` text is compared without case and accents, ``exact`` text as written, ``person`` in any order of names."""


@dataclass(frozen=True, slots=True)
class Queryable:
    """One property. ``fields``: the fields with its value; the first that a record has counts.

    Only ``instant`` has more than one: a record's `updated` is its own date, else that of its metadata.
    """

    name: str
    kind: Kind
    fields: tuple[str, ...]
    title: str
    sortable: bool = False
    many: bool = False


_ALL = (
    Queryable("id", "exact", ("id",), "Id of the record", sortable=True),
    Queryable("externalIds", "folded", ("identifiers",), "File identifier or DOI", many=True),
    Queryable("source", "exact", ("source",), "Harvested catalogue", sortable=True),
    Queryable("type", "exact", ("type",), "dataset, series, service, document, ...", sortable=True),
    Queryable("title", "folded", ("title_sort",), "Title", sortable=True),
    Queryable("keywords", "folded", ("keywords.exact",), "Keyword as a whole", many=True),
    Queryable("themes", "folded", ("themes",), "ISO 19115 topic category", many=True),
    Queryable("organisation", "folded", ("contacts.organisation.exact",), "A contact's organisation", many=True),
    Queryable("person", "person", ("contacts.name",), "A contact: the first or the last name first", many=True),
    Queryable("language", "exact", ("languages",), "Language of the resource, ISO 639-1", many=True),
    Queryable("license", "exact", ("licence",), "Licence as the metadata give it"),
    Queryable("access", "exact", ("access",), "open or restricted"),
    Queryable("formats", "folded", ("formats",), "Distribution format", many=True),
    Queryable("media_type", "exact", ("links.media_type",), "Media type of a link", many=True),
    Queryable("provenance", "exact", ("provenance.kind",), "observation, simulation, projection, reanalysis, ..."),
    Queryable("parent", "folded", ("parent",), "Identifier of the parent record"),
    Queryable("shortName", "folded", ("names.short_names",), "Short name of the product", many=True),
    Queryable("platform", "folded", ("names.platforms",), "Satellite, ship, station or mission", many=True),
    Queryable("instrument", "folded", ("names.instruments",), "Instrument", many=True),
    Queryable("project", "folded", ("names.projects",), "Project or campaign", many=True),
    Queryable("variable", "folded", ("names.variables.name",), "Measured or modelled quantity", many=True),
    Queryable("processingLevel", "folded", ("names.processing_level",), "Level of processing: L2A"),
    Queryable("resolution", "number", ("resolution.metres",), "Ground resolution in metres", sortable=True),
    Queryable("scale", "number", ("resolution.scale_denominator",), "Map scale denominator", sortable=True),
    Queryable("created", "instant", ("dates.created", "dates.published"), "Created, else published", sortable=True),
    Queryable("updated", "instant", ("dates.modified", "dates.metadata"), "Modified, else its metadata", sortable=True),
    Queryable("time", "interval", ("time",), "When the resource is about", many=True),
    Queryable("geometry", "geometry", ("extent",), "Where the resource is about"),
)

QUERYABLES: dict[str, Queryable] = {queryable.name: queryable for queryable in _ALL}
SORTABLES: dict[str, Queryable] = {queryable.name: queryable for queryable in _ALL if queryable.sortable}

_OTHER_NAMES = {
    "sonde:source": "source",
    "sonde:provenance": "provenance",
    "sonde:access": "access",
    "recordId": "id",
    "language.code": "language",
    "licence": "license",
    "keyword": "keywords",
    "datetime": "time",
}


def find(name: str) -> Queryable | None:
    """The property with that name, or with its name in our answers."""
    return QUERYABLES.get(_OTHER_NAMES.get(name, name).removeprefix("properties."))


_JSON_TYPES: dict[Kind, Json] = {
    "folded": {"type": "string"},
    "exact": {"type": "string"},
    "person": {"type": "string"},
    "number": {"type": "number"},
    "instant": {"type": "string", "format": "date-time"},
    "interval": {"type": "string", "format": "date-time", "x-ogc-role": "primary-interval"},
    "geometry": {"format": "geometry-any", "x-ogc-role": "primary-geometry"},
}


def schema_of(queryable: Queryable) -> Json:
    """The property as JSON Schema, for /queryables and /sortables."""
    one_value = _JSON_TYPES[queryable.kind]
    if queryable.many and queryable.kind in ("folded", "exact", "person"):
        return {"title": queryable.title, "type": "array", "items": one_value}
    return {"title": queryable.title, **one_value}
