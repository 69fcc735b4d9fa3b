"""The table of docs/formats.md: which field of Record comes from where, made of ``fields.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files

from core.record import Record

BEGIN, END = "<!-- fields: begin -->", "<!-- fields: end -->"

_GROUPS = (
    ("iso19139", "iso19115-3", "fgdc"),
    ("dublin-core", "dcat", "datacite", "schema.org"),
    ("stac", "ogc-record", "ckan", "geoblacklight"),
    ("eml", "dif", "echo10", "umm-c"),
)
_ALWAYS = ("id", "source", "native_format", "warnings")
_PARTS = {
    "resolution": ("metres", "scale_denominator", "time_step"),
    "provenance": ("lineage", "kind", "derived_from", "generated_by", "attributed_to"),
}


def fields() -> dict[str, dict[str, str]]:
    """For each format the fields it fills and where from, in the order of Record."""
    stated = tomllib.loads(files("indexer.formats").joinpath("fields.toml").read_text(encoding="utf-8"))
    table = {}
    for name, said in stated.items():
        base = stated[said["based_on"]] if "based_on" in said else {}
        merged = {**base, **said}
        table[name] = {field: merged[field] for field in record_fields() if field in merged}
    return table


def record_fields() -> list[str]:
    """Every field of Record that a document can fill, the parts of resolution and provenance by their own names."""
    names = []
    for name in Record.__dataclass_fields__:
        if name not in _ALWAYS:
            names += [f"{name}.{part}" for part in _PARTS[name]] if name in _PARTS else [name]
    return names


def filled(record: Record) -> set[str]:
    """Those of ``record_fields`` that a record has beyond its defaults."""
    empty = Record(id="", source="", identifier="", title="")
    return {name for name in record_fields() if _value(record, name) != _value(empty, name)}


def _value(record: Record, name: str) -> object:
    holder, _, part = name.partition(".")
    value: object = getattr(record, holder)
    return getattr(value, part) if part else value


def markdown() -> str:
    """Tables of four formats each, one row per field."""
    table = fields()
    return "\n\n".join(_one_table(group, table) for group in _GROUPS)


def _one_table(group: tuple[str, ...], table: Mapping[str, Mapping[str, str]]) -> str:
    rows = [f"| `Record` | {' | '.join(f'`{name}`' for name in group)} |", f"|---|{'---|' * len(group)}"]
    for field in record_fields():
        cells = [table[name].get(field, "") for name in group]
        if any(cells):
            rows.append(f"| `{field}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def written_into(document: str) -> str:
    """The document with the table between its marks made anew."""
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{markdown()}\n{END}{after}"
