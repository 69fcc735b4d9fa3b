"""Measures how much the readers read from a set of documents: fields read per format, and reasons for refusals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.record import Record
from indexer.formats.field_table import can_hold, filled_fields, record_fields, replace_between
from indexer.formats.registry import read, stated_fields
from indexer.formats.stated_fields import FIELDS
from indexer.raw import PassedOver, RawPage, RawRecord, RecordRefused, SkippedMember

NAMES = {"title": "title", "abstract": "abstract", "extents": "extent", "times": "period"}
_ABOUT = {"title": "title:", "abstract": "abstract:", "extents": "extent:", "times": "time:"}
_PLACE = re.compile(r"^(?:entry|element) \d+ of [^:]*: ")
_QUOTED_TEXT = re.compile(r"'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class MissedField:
    """A field that a document states and its record lacks; ``reasons`` are the reader's warnings about it."""

    origin: str
    format: str
    name: str
    reasons: tuple[str, ...]


@dataclass(slots=True)
class Survey:
    """Counts by format. ``stated_counts`` and ``read_counts`` are by (format, field); ``refusals`` have the documents
    of each reason.

    ``filled_counts`` counts every field that records have beyond its default, also fields without a stated count.
    """

    documents: int = 0
    records: Counter[str] = field(default_factory=Counter)
    stated_counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    read_counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    filled_counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    missed_fields: list[MissedField] = field(default_factory=list)
    refusals: dict[str, list[str]] = field(default_factory=dict)
    passed_over: Counter[str] = field(default_factory=Counter)
    origins_passed_over: dict[str, list[str]] = field(default_factory=dict)

    def share(self) -> float:
        """Of the fields that documents state, the share that the records give; 1.0 where nothing is stated."""
        stated_count = self.stated_counts.total()
        return self.read_counts.total() / stated_count if stated_count else 1.0

    def skip(self, member: SkippedMember) -> None:
        """A file or member that cannot be read."""
        self.documents += 1
        self.refusals.setdefault(member.reason, []).append(member.origin)

    def pass_over(self, passed_over: PassedOver) -> None:
        """Files and members that are no metadata."""
        self.passed_over[passed_over.reason] += passed_over.count
        self.origins_passed_over.setdefault(passed_over.reason, []).extend((passed_over.origin, *passed_over.others))

    def add_record(self, raw: RawRecord) -> None:
        self.documents += 1
        try:
            record = read(raw, "survey")
        except RecordRefused as refusal:
            self._refuse(raw, refusal)
            return
        self.records[record.native_format] += 1
        self.filled_counts.update((record.native_format, name) for name in filled_fields(record))
        given_fields = frozenset(name for name in FIELDS if getattr(record, name))
        fields_stated = stated_fields(raw)
        for name in given_fields if fields_stated is None else fields_stated:
            self.stated_counts[record.native_format, name] += 1
            if name in given_fields:
                self.read_counts[record.native_format, name] += 1
            else:
                self.missed_fields.append(
                    MissedField(raw.origin, record.native_format, name, _warnings_of(record, name))
                )

    def _refuse(self, raw: RawRecord, refusal: RecordRefused) -> None:
        reason = str(refusal).removeprefix("no reader knows this format: ")
        self.refusals.setdefault(reason, []).append(raw.origin)


def _warnings_of(record: Record, name: str) -> tuple[str, ...]:
    return tuple(warning for warning in record.warnings if warning.startswith(_ABOUT[name]))


def survey_of(pages: Iterable[RawPage]) -> Survey:
    """Of everything that a source's pages name: records, what could not be read, and what was passed over."""
    result = Survey()
    for page in pages:
        for raw in page.records:
            result.add_record(raw)
        for member in page.skipped:
            result.skip(member)
        for passed_over in page.passed_over:
            result.pass_over(passed_over)
    return result


def markdown(survey: Survey) -> str:
    """The table by format, and the refusals by the start of their reason."""
    rows = [
        f"| format | records | {' | '.join(f'{NAMES[name]} read / stated' for name in FIELDS)} |",
        "|---|---|---|---|---|---|",
    ]
    for kind, count in sorted(survey.records.items()):
        cells = [f"{survey.read_counts[kind, name]} / {survey.stated_counts[kind, name]}" for name in FIELDS]
        rows.append(f"| `{kind}` | {count} | {' | '.join(cells)} |")
    return "\n".join([*rows, *_refusals(survey)])


def _refusals(survey: Survey) -> list[str]:
    groups: Counter[str] = Counter()
    for reason, origins in survey.refusals.items():
        groups[_group(reason)] += len(origins)
    counted_reasons = sorted(groups.items(), key=lambda counted_reason: (-counted_reason[1], counted_reason[0]))
    passed_over_reasons = sorted(
        survey.passed_over.items(), key=lambda counted_reason: (-counted_reason[1], counted_reason[0])
    )
    tables = [
        ("| refused | documents |", counted_reasons),
        ("| passed over | files and members |", passed_over_reasons),
    ]
    rows: list[str] = []
    for head, lines in tables:
        if lines:
            rows += ["", head, "|---|---|", *(f"| {reason} | {count} |" for reason, count in lines)]
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
    return "\n".join([*rows, "", _LEGEND, *_refusals(survey)])


_LEGEND = "Empty: the format has no place for it. `type` counts where it is not dataset, `access` where it is not open."


def _cell(survey: Survey, kind: str, name: str) -> str:
    """The number of records, with its share where it is neither none nor all."""
    count, records = survey.filled_counts[kind, name], survey.records[kind]
    if count == 0:
        return "0" if can_hold(kind, name) else ""
    return str(count) if count == records else f"{count} ({_percent(count / records)})"


def _percent(share: float) -> str:
    """Whole percents; a share that is neither none nor all is never written as one of them."""
    return "<1%" if share < 0.01 else ">99%" if share > 0.99 else f"{share:.0%}"


def _group(reason: str) -> str:
    """A reason without the parts that differ between documents and members."""
    reason = _PLACE.sub("", _QUOTED_TEXT.sub("…", reason))
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
    return replace_between("survey", document, markdown(survey))
