"""Shows a quality report as a page for data stewards: plain HTML, no script, nothing loaded from elsewhere."""

from __future__ import annotations

from html import escape

from indexer.quality.quality import Finding, QualityReport

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
{spread}{missing}{links}{repaired}{refused}
</body></html>
"""


def page(report: QualityReport) -> str:
    """The whole document; everything from the catalogue is escaped."""
    return _PAGE.format(
        source=escape(report.source),
        records=report.records,
        completeness=report.completeness,
        spread=_spread(report.spread),
        missing=_table("What is missing", report.missing, "records without"),
        links=_links(report),
        repaired=_table("What was repaired or left out", report.repaired, "times"),
        refused=_table("What could not be read", report.refused, "documents"),
    )


def _links(report: QualityReport) -> str:
    if report.links_checked is None:
        return ""
    told = f"<p>{report.links} links, last looked at until {escape(report.links_checked[:10])}.</p>"
    return _table("Links that lead nowhere", report.broken_links, "links") + told


def _spread(counts: tuple[int, ...]) -> str:
    rows = "".join(
        f"<tr><td>{count}</td><td>{10 * tenth} to {10 * tenth + 10} %</td></tr>"
        for tenth, count in enumerate(counts)
        if count
    )
    return (
        f"<h2>Records by completeness</h2><table><tr><th>records</th><th>score</th></tr>{rows}</table>" if rows else ""
    )


def _table(title: str, findings: tuple[Finding, ...], unit: str) -> str:
    if not findings:
        return ""
    rows = "".join(
        f"<tr><td>{finding.count}</td><td>{escape(finding.told)}</td><td>{_examples(finding)}</td></tr>"
        for finding in findings
    )
    head = f"<tr><th>{escape(unit)}</th><th></th><th>for example</th></tr>"
    return f"<h2>{escape(title)}</h2><table>{head}{rows}</table>"


def _examples(finding: Finding) -> str:
    return "<br>".join(f"<code>{escape(example)}</code>" for example in finding.examples)
