"""Measures how much the readers read from a set of documents: fields read per format, and reasons for refusals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from indexer.formats.field_table import can_hold, filled_fields, record_fields, replace_between
from indexer.formats.json_documents.parsing import looks_like_json, objects_in, parse_json
from indexer.formats.refused import RecordRefused
from indexer.formats.registry import read
from indexer.raw import PassedOver, RawPage, RawRecord, Skipped

FIELDS = ("title", "abstract", "extents", "times")

_VALUE = rb"(?:\s[^>]*)?>\s*(?:<(?:\w+:)?(?:CharacterString|Anchor|para)[^>/]*>)?\s*[^<\s]"
_IN_XML = {  # patterns that show that a document states a field; independent of the readers
    "title": re.compile(rb"<(?:\w+:)?(?:title|Entry_Title|DataSetId)" + _VALUE),
    "abstract": re.compile(
        rb"<(?:\w+:)?(?:abstract|Abstract|Summary)" + _VALUE + rb"|<(?:dc:|dct:)?description" + _VALUE
    ),
}
_ANYWHERE = {
    "extents": re.compile(
        rb"<(?:\w+:)?westBoundLongitude>\s*(?:<[^>]*>)?\s*-?\d|<westbc>\s*-?\d|LowerCorner>\s*-?\d|pointLongitude>\s*-?\d"
        rb'|"bbox":\s*\[+\s*-?\d|"coordinates":\s*\[|ENVELOPE\s*\(|(?:POLYGON|POINT)\s*\(\(?|westlimit='
        rb"|[wW]estBoundingCoordinate\"?[>:]\s*-?\d|gRingLongitude>\s*-?\d|[Pp]oint_?Longitude>\s*-?\d"
        rb'|Westernmost_Longitude>\s*-?\d|\\"coordinates\\"|"bbox-west-long"'
    ),
    "times": re.compile(
        rb'(?:beginPosition|timePosition)[^>]*>\s*\d|<(?:begdate|caldate)>\s*\d|"interval":\s*\[+\s*"\d'
        rb'|"(?:datetime|start_datetime)":\s*"\d|(?:dct|dcterms):temporal[ >]|dateType="Collected"'
        rb'|"temporal(?:_start|_coverage|-extent-begin)?":\s*["\[{]|"dct_temporal_sm":\s*\[\s*"\d|<Start_Date>\s*\d'
        rb"|startDate|<calendarDate>\s*\d|Beginning_?Date_?Time\"?[>:]\s*\"?\d"
    ),
}
_PLACE = re.compile(r"^(?:entry|element) \d+ of [^:]*: ")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_HOLDERS = ("properties", "umm", "attributes", "result")


def states(content: bytes, name: str) -> bool:
    """Whether a document seems to state a field (of ``FIELDS``), judged without the readers."""
    if name in _ANYWHERE:
        return _ANYWHERE[name].search(content) is not None
    if not looks_like_json(content):
        return _IN_XML[name].search(content) is not None
    document = parse_json(content)
    holders = [document, *(document.get(inner) for inner in _HOLDERS)] if isinstance(document, dict) else []
    members = {str(key).lower(): value for holder in objects_in(holders) for key, value in holder.items()}
    return any(value for key, value in members.items() if _is_called(key, name))


def _is_called(key: str, name: str) -> bool:
    if name == "title":
        return key.rstrip("s").endswith(("title", "title_"))
    return key.endswith(("description", "descriptions", "notes", "abstract")) or "description_s" in key


@dataclass(slots=True)
class Survey:
    """Counts by format; ``stated`` and ``given`` by (format, field); refusals by reason, each with its documents.

    ``filled`` counts every field that records have beyond its default, also where ``stated`` does not count it.
    """

    documents: int = 0
    records: Counter[str] = field(default_factory=Counter)
    stated: Counter[tuple[str, str]] = field(default_factory=Counter)
    given: Counter[tuple[str, str]] = field(default_factory=Counter)
    filled: Counter[tuple[str, str]] = field(default_factory=Counter)
    missed: list[tuple[str, str, str]] = field(default_factory=list)
    refused: dict[str, list[str]] = field(default_factory=dict)
    passed_over: Counter[str] = field(default_factory=Counter)

    def share(self) -> float:
        """Of the fields that documents state, the share that the records give; 1.0 where nothing is stated."""
        stated = sum(self.stated.values())
        return sum(self.given.values()) / stated if stated else 1.0

    def skip(self, member: Skipped) -> None:
        """A file or member that cannot be read."""
        self.documents += 1
        self.refused.setdefault(member.reason, []).append(member.origin)

    def pass_over(self, other: PassedOver) -> None:
        """Files and members that are no metadata."""
        self.passed_over[other.reason] += other.count

    def add_record(self, raw: RawRecord) -> None:
        """Reads a document that is already split."""
        self.documents += 1
        try:
            record = read(raw, "survey")
        except RecordRefused as refused:
            self._refuse(raw, refused)
            return
        self.records[record.native_format] += 1
        self.filled.update((record.native_format, name) for name in filled_fields(record))
        for name in FIELDS:
            if states(raw.content, name):
                self.stated[record.native_format, name] += 1
                if getattr(record, name):
                    self.given[record.native_format, name] += 1
                else:
                    self.missed.append((record.native_format, name, raw.origin))

    def _refuse(self, raw: RawRecord, refused: RecordRefused) -> None:
        reason = str(refused).removeprefix("no reader knows this format: ")
        self.refused.setdefault(reason, []).append(raw.origin)


def survey_of(pages: Iterable[RawPage]) -> Survey:
    """Of everything that a source's pages name: records, what could not be read, and what was passed over."""
    result = Survey()
    for page in pages:
        for raw in page.records:
            result.add_record(raw)
        for member in page.skipped:
            result.skip(member)
        for other in page.passed_over:
            result.pass_over(other)
    return result


def markdown(survey: Survey) -> str:
    """The table by format, and the refusals by the start of their reason."""
    names = ("title", "abstract", "extent", "period")
    rows = [
        f"| format | records | {' | '.join(f'{name} given / stated' for name in names)} |",
        "|---|---|---|---|---|---|",
    ]
    for kind, count in sorted(survey.records.items()):
        cells = [f"{survey.given[kind, name]} / {survey.stated[kind, name]}" for name in FIELDS]
        rows.append(f"| `{kind}` | {count} | {' | '.join(cells)} |")
    return "\n".join([*rows, "", *_refusals(survey)])


def _refusals(survey: Survey) -> list[str]:
    groups: Counter[str] = Counter()
    for reason, origins in survey.refused.items():
        groups[_group(reason)] += len(origins)
    counted = sorted(groups.items(), key=lambda counted_reason: (-counted_reason[1], counted_reason[0]))
    rows = ["| refused | documents |", "|---|---|", *(f"| {reason} | {count} |" for reason, count in counted)]
    if survey.passed_over:
        others = sorted(survey.passed_over.items(), key=lambda counted_reason: (-counted_reason[1], counted_reason[0]))
        rows += ["", "| passed over | files and members |", "|---|---|"]
        rows += [f"| {reason} | {count} |" for reason, count in others]
    return rows


def by_field(survey: Survey) -> str:
    """How many records of each format have each field, and the refusals; formats in alphabet."""
    kinds = sorted(survey.records)
    rows = [
        f"| field | {' | '.join(f'`{kind}`' for kind in kinds)} |",
        f"|---|{'---|' * len(kinds)}",
        f"| records | {' | '.join(str(survey.records[kind]) for kind in kinds)} |",
    ]
    for name in record_fields():
        cells = [_cell(survey, kind, name) for kind in kinds]
        if any(cells):
            rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join([*rows, "", _LEGEND, *(["", *_refusals(survey)] if survey.refused or survey.passed_over else [])])


_LEGEND = "Empty: the format has no place for it. `type` counts where it is not dataset, `access` where it is not open."


def _cell(survey: Survey, kind: str, name: str) -> str:
    """The number of records, with its share where it is neither none nor all."""
    count, records = survey.filled[kind, name], survey.records[kind]
    if count == 0:
        return "0" if can_hold(kind, name) else ""
    return str(count) if count == records else f"{count} ({_percent(count / records)})"


def _percent(share: float) -> str:
    """Whole percents; a share that is neither none nor all is never written as one of them."""
    return "<1%" if share < 0.01 else ">99%" if share > 0.99 else f"{share:.0%}"


def _group(reason: str) -> str:
    """A reason without the parts that differ between documents and members."""
    reason = _PLACE.sub("", _QUOTED.sub("…", reason))
    if reason.startswith("its root element is"):
        return "a root element that no reader knows (WPS, SOS, WaterML, Atom, XML Schema, MARC, GM03, ...)"
    for start in (
        "it is not well-formed",
        "the server answered with an exception",
        "the server answered with an OAI-PMH error",
    ):
        if reason.startswith(start):
            return start + (" XML, JSON or RDF" if start.startswith("it is not") else "")
    if reason.startswith("it is JSON that starts with"):
        return "JSON of no known shape (data as GeoJSON, OWS contexts)"
    return reason


def with_tables(document: str, survey: Survey) -> str:
    """The document with new tables between its marks."""
    return replace_between("survey", document, markdown(survey))
