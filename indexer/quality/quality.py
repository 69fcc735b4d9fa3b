"""Measures the quality of a source's records: completeness, missing fields, repairs and refusals, with examples."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from html import escape

from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.codecs.runs import RunReport
from es_mappings.names import alias
from indexer.harvest.report import warning_kind
from indexer.quality.links import latest_links
from indexer.store.ledger import Ledger, scan
from indexer.store.runs import Runs

_EXAMPLES = 5
_PASSED_OVER = "passed over: "  # begins the warnings of a harvest about what it did not read
_LONG_ENOUGH = 100  # characters of a useful abstract

WEIGHTS: Mapping[str, float] = {
    "a title": 0.10,
    "an abstract": 0.15,
    "an extent": 0.15,
    "a period": 0.15,
    "keywords": 0.10,
    "a contact": 0.10,
    "a licence or constraints": 0.10,
    "a link": 0.10,
    "a date": 0.05,
}
"""The fields that count, and their share of the score; they add up to 1."""
SHORT_ABSTRACT = f"an abstract of under {_LONG_ENOUGH} characters"
"""It counts as no abstract in the score, and has its own name in the report."""

_FIELDS = (
    "id", "title", "abstract", "boxes", "geometry", "spans", "keywords.term", "contacts", "licence", "constraints",
    "links.href", "dates", "warnings",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class QualityFinding:
    """A number of records with the same finding; ``examples`` are some ids.

    ``what`` is the text for the first one; if ``has_variants``, the others differ from it in names and numbers.
    """

    what: str
    count: int
    examples: tuple[str, ...]
    has_variants: bool = False

    @property
    def problem(self) -> str:
        """Of a missing field: what the records are without, or with what too short they are."""
        return f"with {self.what}" if self.what == SHORT_ABSTRACT else f"without {self.what}"

    @property
    def sentence(self) -> str:
        return f"{self.what} (and others like it)" if self.has_variants else self.what


@dataclass(frozen=True, slots=True)
class QualityReport:
    """``completeness``: mean score, 0..1. ``spread``: records by tenth of the score, lowest first.

    ``broken_links`` are from the last complete check, which ended at ``links_checked``; None if there was none.
    ``passed_over``: files and members that the last full harvest did not read because they are no metadata.
    """

    source: str
    records: int
    completeness: float
    spread: tuple[int, ...]
    missing: tuple[QualityFinding, ...]
    repaired: tuple[QualityFinding, ...]
    refused: tuple[QualityFinding, ...]
    broken_links: tuple[QualityFinding, ...] = ()
    links_checked: str | None = None
    links: int = 0
    passed_over: tuple[QualityFinding, ...] = ()

    def as_dict(self) -> Json:
        return asdict(self)


def missing(document: JsonMapping) -> tuple[str, ...]:
    """The fields of WEIGHTS that a record (in its stored form) lacks, or SHORT_ABSTRACT."""
    abstract = document.get("abstract") or ""
    values = {
        "a title": document.get("title"),
        SHORT_ABSTRACT if abstract else "an abstract": len(abstract) >= _LONG_ENOUGH,
        "an extent": document.get("boxes") or document.get("geometry"),
        "a period": document.get("spans"),
        "keywords": document.get("keywords"),
        "a contact": document.get("contacts"),
        "a licence or constraints": document.get("licence") or document.get("constraints"),
        "a link": document.get("links"),
        "a date": document.get("dates"),
    }
    return tuple(name for name, is_present in values.items() if not is_present)


def score(document: JsonMapping) -> float:
    """The sum of the weights of its fields, 0..1."""
    return 1.0 - sum(WEIGHTS["an abstract" if name == SHORT_ABSTRACT else name] for name in missing(document))


def measure(client: Elasticsearch, prefix: str, source: str) -> QualityReport:
    """Reads every record of the source. Raises core.errors.Unavailable."""
    index = alias(prefix, "records")
    client.indices.refresh(index=f"{index},{alias(prefix, 'ledger')}")
    hits = scan(client, index, {"term": {"source": source}}, list(_FIELDS))
    refused_findings = _CountedFindings()
    for entry in Ledger(client, prefix).find(
        {"bool": {"filter": [{"term": {"source": source}}, {"terms": {"state": ["refused", "skipped"]}}]}}
    ):
        kept_note = "its last good version stays" if entry.record_in_index is not None else "it is not in the index"
        refused_findings.add(f"{entry.reason or 'no reason given'}; {kept_note}", entry.origin)
    report = summary(source, (quality_report["_source"] for quality_report in hits), refused_findings.findings())
    passed_over = _passed_over(Runs(client, prefix).last_complete(source, full=True))
    return replace(_with_links(report, latest_links(client, prefix, source)), passed_over=passed_over)


def _passed_over(run: RunReport | None) -> tuple[QualityFinding, ...]:
    """By reason, as the harvest reported them."""
    if run is None:
        return ()
    kinds = {kind: warning for kind, warning in run.warnings.items() if kind.startswith(_PASSED_OVER)}
    return tuple(
        QualityFinding(
            kind.removeprefix(_PASSED_OVER),
            warning.count,
            tuple(example.partition(f": {_PASSED_OVER}")[0] for example in warning.examples),
        )
        for kind, warning in sorted(kinds.items(), key=lambda item: -item[1].count)
    )


def _with_links(report: QualityReport, link_check: RunReport | None) -> QualityReport:
    if link_check is None:
        return report
    broken_links = _CountedFindings()
    for refusal in link_check.refusals:
        broken_links.add(refusal.reason, refusal.origin)
    return replace(
        report, broken_links=broken_links.findings(), links_checked=link_check.finished, links=link_check.counts.seen
    )


def summary(
    source: str, documents: Iterable[JsonMapping], refused_findings: tuple[QualityFinding, ...] = ()
) -> QualityReport:
    """The report over stored documents. Pure."""
    gaps, repairs = _CountedFindings(), _CountedFindings()
    spread = [0] * 10
    total, records = 0.0, 0
    for document in documents:
        records += 1
        value = score(document)
        total += value
        spread[min(int(value * 10 + 1e-9), 9)] += 1
        for field_name in missing(document):
            gaps.add(field_name, document["id"])
        for warning in document.get("warnings", ()):
            repairs.add(warning, document["id"])
    mean = total / records if records else 0.0
    return QualityReport(source, records, mean, tuple(spread), gaps.findings(), repairs.findings(), refused_findings)


@dataclass(slots=True)
class _CountedFindings:
    """Counts by kind: the text of the first one, the number, whether others differ, and the first examples by id."""

    first: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    kinds_with_variants: set[str] = field(default_factory=set)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, finding_text: str, example: str) -> None:
        kind = warning_kind(finding_text)
        if self.first.setdefault(kind, finding_text) != finding_text:
            self.kinds_with_variants.add(kind)
        self.counts[kind] = self.counts.get(kind, 0) + 1
        examples = self.examples.setdefault(kind, [])
        if example not in examples:
            insort(examples, example)
            del examples[_EXAMPLES:]

    def findings(self) -> tuple[QualityFinding, ...]:
        """The most frequent first."""
        kinds_sorted = sorted(self.counts, key=lambda kind: (-self.counts[kind], self.first[kind]))
        return tuple(
            QualityFinding(
                self.first[kind], self.counts[kind], tuple(self.examples[kind]), kind in self.kinds_with_variants
            )
            for kind in kinds_sorted
        )


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{source}: quality of the metadata</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ccc; vertical-align: top; }}
td:first-child {{ text-align: right; white-space: nowrap; }}
code {{ overflow-wrap: anywhere; }}
</style></head><body>
<h1>{source}</h1>
<p>{records} records in service; completeness {completeness:.0%} on average.</p>
{spread}{missing}{links}{repaired}{refused}{passed_over}
</body></html>
"""


def quality_page(report: QualityReport) -> str:
    """The whole document; everything from the catalogue is escaped."""
    return _PAGE.format(
        source=escape(report.source),
        records=report.records,
        completeness=report.completeness,
        spread=_spread(report.spread),
        missing=_table("What is missing", tuple(replace(gap, what=gap.problem) for gap in report.missing), "records"),
        links=_links(report),
        repaired=_table("What was repaired or left out", report.repaired, "times"),
        refused=_table("What could not be read", report.refused, "documents"),
        passed_over=_table("What is no metadata and was passed over", report.passed_over, "files"),
    )


def _links(report: QualityReport) -> str:
    if report.links_checked is None:
        return ""
    links_html = f"<p>{report.links} links, last looked at until {escape(report.links_checked[:10])}.</p>"
    return _table("Links that lead nowhere", report.broken_links, "links") + links_html


def _spread(counts: tuple[int, ...]) -> str:
    rows = "".join(
        f"<tr><td>{count}</td><td>{10 * tenth} to {10 * tenth + 10} %</td></tr>"
        for tenth, count in enumerate(counts)
        if count
    )
    return (
        f"<h2>Records by completeness</h2><table><tr><th>records</th><th>score</th></tr>{rows}</table>" if rows else ""
    )


def _table(title: str, findings: tuple[QualityFinding, ...], unit: str) -> str:
    if not findings:
        return ""
    rows = "".join(
        f"<tr><td>{quality_finding.count}</td><td>{escape(quality_finding.sentence)}</td><td>{_examples(quality_finding)}</td></tr>"
        for quality_finding in findings
    )
    head = f"<tr><th>{escape(unit)}</th><th></th><th>for example</th></tr>"
    return f"<h2>{escape(title)}</h2><table>{head}{rows}</table>"


def _examples(quality_finding: QualityFinding) -> str:
    return "<br>".join(f"<code>{escape(example)}</code>" for example in quality_finding.examples)
