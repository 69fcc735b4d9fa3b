"""Adds up the counts of a run's report."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field

from core.json_types import Json
from es_mappings.codecs.runs import Counts, Refusal, RunReport, TokenCounts, WarningKind

_NAMED = 1000  # refusals and failures in the report; the ledger and the log have all of them
_EXAMPLES = 3
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|‘[^’]*’|“[^”]*”")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,:/-]\d+)*")


def warning_kind(text: str) -> str:
    """A warning without its names and numbers, for grouping."""
    return _NUMBER.sub("#", _QUOTED.sub("…", text))


@dataclass(slots=True)
class Tally:
    """The counts of a run; starts with the stored report of an earlier slice."""

    counts: dict[str, int]
    took_ms: dict[str, float]
    tokens: TokenCounts
    refusals: list[Refusal]
    failures: list[Refusal]
    warnings: dict[str, WarningKind]
    _first: dict[str, str] = field(default_factory=dict)  # an example text for each kind

    def __post_init__(self) -> None:
        self._first = {warning_kind(text): text for text in self.warnings}

    @classmethod
    def of(cls, report: RunReport) -> Tally:
        return cls(
            asdict(report.counts),
            dict(report.took_ms),
            report.tokens,
            list(report.refusals),
            list(report.failures),
            dict(report.warnings),
        )

    def add(self, name: str, number: int = 1) -> None:
        self.counts[name] += number

    def uncount(self, number: int) -> None:
        """Takes back documents that were counted twice: the second time they were the same."""
        number = min(number, self.counts["same"])
        if number > 0:
            self.add("seen", -number)
            self.add("same", -number)

    def took(self, stage: str, seconds: float) -> None:
        self.took_ms[stage] = self.took_ms.get(stage, 0.0) + 1000.0 * seconds

    def refuse(self, refusal: Refusal) -> None:
        self.add("refused")
        if len(self.refusals) < _NAMED:
            self.refusals.append(refusal)

    def fail(self, failure: Refusal) -> None:
        self.add("failed")
        if len(self.failures) < _NAMED:
            self.failures.append(failure)

    def pass_over(self, origin: str, reason: str, count: int) -> None:
        self.add("passed_over", count)
        self.warn(origin, f"passed over: {reason}", count)

    def warn(self, origin: str, text: str, count: int = 1) -> None:
        kind = self._first.setdefault(warning_kind(text), text)
        before = self.warnings.get(kind, WarningKind(0, ()))
        examples = before.examples
        if len(examples) < _EXAMPLES:
            examples = (*examples, f"{origin}: {text}")
        self.warnings[kind] = WarningKind(before.count + count, examples)

    def parts(self) -> Json:
        """The fields of a RunReport that this counts."""
        return {
            "counts": Counts(**self.counts),
            "tokens": self.tokens,
            "took_ms": {stage: round(spent) for stage, spent in self.took_ms.items()},
            "refusals": tuple(self.refusals),
            "failures": tuple(self.failures),
            "warnings": dict(self.warnings),
        }
