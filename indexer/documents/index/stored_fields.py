"""The fields beside a document's text: its metadata, its tables with units, each passage's places and times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from core.document import DocumentEntry, WhereWhen
from core.json_types import Json
from indexer.documents.parse.limits import MEDIA_TYPES
from indexer.documents.parse.model import ReadDocument, Table
from reading.places import PlaceReader
from reading.sentences import detect_language
from reading.times import TimeReader

_UNITS_WITH_PREFIX = "m|g|s|L|l|Pa|W|J|V|Hz|mol|bar|Sv|Bq|K|Gal|t|yr"
_ONLY_PREFIXED = "A|B|N|S|T|a|eq"  # alone, such a letter is rather a symbol or the mark of a note
_BARE = (
    r"%|‰|per mil|percent|ppm|ppb|ppt|psu|dB|pH units|NTU|°C|°F|° C|ºC|deg C|degrees? Celsius|°|deg|degrees?|h|hr"
    r"|hours?|min|minutes?|d|days?|months?|years?|yrs?|ha|acres?|ft|feet|in|inch(?:es)?|mi|miles?|lb|cfs|gal|mgal"
    r"|metres?|meters?|kilomet(?:re|er)s?|tons?|tonnes?|kWh|TU|μS|µS|mmHg|dpm|cps|counts"
)
_POWER = r"(?:\^?[-−–]?\d|[²³⁻¹]+)?"
_SIMPLE_UNIT = rf"(?:(?:[TGMkhdcmnpμµ]?(?:{_UNITS_WITH_PREFIX})|[TGMkhdcmnpμµ](?:{_ONLY_PREFIXED})|{_BARE}){_POWER})"
_UNIT = re.compile(rf"(?:10\^?\d+ ?)?{_SIMPLE_UNIT}(?:\s*(?:/|·|\*|per| )\s*{_SIMPLE_UNIT}){{0,3}}")
_UNIT_IN_HEADER = re.compile(
    r"[(\[]([^()\[\]]{1,30})[)\]]\s*\d?$|,\s*(?:in\s+)?([^,()\[\]]{1,30})$|\bin\s+([^,()\[\]]{1,30})$"
)
_UNIT_OF_ALL_COLUMNS = re.compile(r"[(\[](?:all )?(?:values |units )?(?:are )?in ([^()\[\]]{1,30})[)\]]", re.IGNORECASE)


def unit_of(head: str) -> str | None:
    """The unit at the end of a column's header; None if it states none that is known."""
    match = _UNIT_IN_HEADER.search(head.strip())
    unit = next((group for group in match.groups() if group), None) if match is not None else None
    return _known_unit(unit)


def units(heads: Sequence[str], caption: str = "") -> tuple[str | None, ...]:
    """One for each column: its header's, else the one that the caption gives for all of the columns but the first."""
    match = _UNIT_OF_ALL_COLUMNS.search(caption)
    common_unit = _known_unit(match[1]) if match is not None else None
    return tuple(unit_of(head) or (common_unit if place else None) for place, head in enumerate(heads))


def _known_unit(text: str | None) -> str | None:
    unit_text = (text or "").strip().removeprefix("in ").strip()
    return unit_text if unit_text and _UNIT.fullmatch(unit_text) else None


def stored_table(table: Table) -> Json:
    """Caption, size and cells as CSV; the page, each column's unit (empty: none stated), and how sure the reader is."""
    return {
        "caption": table.caption,
        "rows": len(table.rows),
        "columns": table.columns,
        "header_rows": table.header_rows,
        "csv": table.csv(),
        "units": [unit or "" for unit in units(table.heads, table.caption)],
        "sure": table.confidence,
        "found_by": table.found_by,
        **({"page": table.page} if table.page is not None else {}),
    }


def with_document(entry: DocumentEntry, document: ReadDocument) -> DocumentEntry:
    """The entry with what the document states; a reference list's values fill the gaps."""
    front = document.front
    return replace(
        entry,
        media_type=entry.media_type or MEDIA_TYPES[document.format],
        title=front.title or entry.title,
        authors=front.authors or entry.authors,
        affiliations=front.affiliations,
        doi=front.doi or entry.doi,
        journal=front.journal or entry.journal,
        published=front.published or entry.published,
        front_source=front.source,
        references=document.references,
        pages=document.pages or None,
        ocr_pages=len(document.ocr_pages),
        blank_pages=len(document.blank_pages),
        coverage=document.coverage,
        warnings=document.warnings,
        tables=tuple(map(stored_table, document.tables)),
    )


T = TypeVar("T")

_SURE = 0.5
_MAX_VALUES = 20
_WRITTEN_KINDS = ("explicit", "period")  # a relative time ("last year") needs a date that the document does not give


@dataclass(frozen=True, slots=True)
class PassageReader:
    """Reads the text of passages with the gazetteer and the time reader for questions."""

    places: PlaceReader
    times: TimeReader

    def read(self, text: str) -> WhereWhen:
        language = detect_language(text)
        times = [time for time in self.times.read(text, language) if time.confidence >= _SURE]
        times = [time for time in times if time.kind in _WRITTEN_KINDS]
        places = [place for place in self.places.read(text, language) if place.confidence >= _SURE]
        places = [place for place in places if not any(t.start < place.end and place.start < t.end for t in times)]
        return WhereWhen(
            tuple(_distinct([place.place.name for place in places])),
            tuple(_distinct([place.place.bbox for place in places])),
            tuple(_distinct([time.span for time in times])),
            language,
        )


def _distinct(values: Sequence[T]) -> list[T]:
    return list(dict.fromkeys(values))[:_MAX_VALUES]
