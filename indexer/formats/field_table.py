"""The table in docs/stewards/formats.md: for each format, where each field of Record comes from (``fields.json``)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from core.batched import batched
from core.record import Record

_AT_ONCE = 4  # formats in one table
_ALWAYS = ("id", "source", "native_format", "warnings")
_PARTS = {
    "resolution": ("metres", "scale_denominator", "time_step"),
    "names": ("short_names", "platforms", "instruments", "variables", "projects", "processing_level"),
    "provenance": ("lineage", "kind", "derived_from", "generated_by", "attributed_to"),
}


@cache
def field_sources() -> dict[str, dict[str, str]]:
    """For each format, its fields and their origin. ISO 19115-2 is read as ISO 19139."""
    sources: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("fields.json").read_text("utf-8"))
    return sources


def can_hold(name: str, field: str) -> bool:
    """Whether a format has a place for a field of Record."""
    return field in field_sources().get("iso19139" if name == "iso19115-2" else name, ())


def record_fields() -> list[str]:
    """Every field of Record that a document can fill; the parts of resolution and provenance have their own names."""
    names = []
    for name in Record.__dataclass_fields__:
        if name not in _ALWAYS:
            names += [f"{name}.{part}" for part in _PARTS[name]] if name in _PARTS else [name]
    return names


def filled_fields(record: Record) -> set[str]:
    """The fields of ``record_fields`` in which a record differs from its defaults."""
    empty_record = Record(id="", source="", identifier="", title="")
    return {name for name in record_fields() if _value(record, name) != _value(empty_record, name)}


def _value(record: Record, name: str) -> object:
    holder, _, part = name.partition(".")
    value: object = getattr(record, holder)
    return getattr(value, part) if part else value


def markdown() -> str:
    """Tables of four formats each, one row per field."""
    table = field_sources()
    return "\n\n".join(_one_table(group, table) for group in batched(list(table), _AT_ONCE))


def _one_table(group: Sequence[str], table: Mapping[str, Mapping[str, str]]) -> str:
    rows = [f"| `Record` | {' | '.join(f'`{name}`' for name in group)} |", f"|---|{'---|' * len(group)}"]
    for field in record_fields():
        cells = [table[name].get(field, "") for name in group]
        if any(cells):
            rows.append(f"| `{field}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def with_table(document: str) -> str:
    return replace_between("fields", document, markdown())


def page_marks(name: str) -> tuple[str, str]:
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def replace_between(name: str, page: str, text: str) -> str:
    """The page with ``text`` between the marks with that name; without marks, at the end of the page."""
    begin, end = page_marks(name)
    text_before, _, text_after = page.partition(begin)
    return f"{text_before}{begin}\n{text}\n{end}{text_after.partition(end)[2]}"
