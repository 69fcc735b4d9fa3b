"""Converts a harvest run to a document of the runs index, and back: counts, refusals, durations, position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Literal

from core.json_types import Json, JsonMapping

RunState = Literal["running", "complete", "failed", "interrupted", "refused_removal"]
UNFINISHED: tuple[RunState, ...] = ("running", "interrupted")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A document without a record. ``kept``: an earlier good version stays in service."""

    origin: str
    reason: str
    kept: bool = False


@dataclass(frozen=True, slots=True)
class WarningKind:
    """Warnings that differ only in names and numbers: their count, and some origins with their text.

    A report stores them under the text of the first one.
    """

    count: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Length of the embedded texts compared with the model's limit; text beyond it is not in the vector.

    ``beyond`` sums the tokens over the limit, ``longest`` is the longest text.
    """

    read: int = 0
    texts: int = 0
    longer: int = 0
    beyond: int = 0
    longest: int = 0

    @property
    def longer_share(self) -> float:
        """0..1; 0 if nothing was embedded."""
        return self.longer / self.texts if self.texts else 0.0

    def with_texts(self, read: int, lengths: list[int]) -> TokenCounts:
        over = [length - read for length in lengths if length > read]
        return TokenCounts(
            read,
            self.texts + len(lengths),
            self.longer + len(over),
            self.beyond + sum(over),
            max([self.longest, *lengths]),
        )


@dataclass(frozen=True, slots=True)
class Counts:
    """Documents by outcome (``seen`` is their sum), and the actions on them.

    ``passed_over``: files and members beside them that are no records; a warning names each kind.
    """

    seen: int = 0
    new: int = 0
    changed: int = 0
    moved: int = 0
    same: int = 0
    refused: int = 0
    duplicates: int = 0
    failed: int = 0
    embedded: int = 0
    reused: int = 0
    warned: int = 0
    removed: int = 0
    without_vector: int = 0
    passed_over: int = 0


@dataclass(frozen=True, slots=True)
class RunReport:
    """One run of one source. Times are ISO 8601 in UTC; ``took_ms`` by stage; ``position`` is the source's.

    ``since``: only later changes were requested; None for a full run, the only kind that sweeps.
    """

    id: str
    source: str
    state: RunState
    started: str
    heartbeat: str
    trigger: str = "cli"
    worker: str = ""
    since: str | None = None
    finished: str | None = None
    slices: int = 0
    position: str | None = None
    total: int | None = None
    message: str | None = None
    counts: Counts = field(default_factory=Counts)
    tokens: TokenCounts = field(default_factory=TokenCounts)
    took_ms: Mapping[str, int] = field(default_factory=dict)
    refusals: tuple[Refusal, ...] = ()
    failures: tuple[Refusal, ...] = ()
    warnings: Mapping[str, WarningKind] = field(default_factory=dict)

    @property
    def unfinished(self) -> bool:
        return self.state in UNFINISHED


def to_document(report: RunReport) -> Json:
    """Without the id and unknown fields."""
    body = asdict(report)
    del body["id"]
    body["warnings"] = [{"kind": kind, **asdict(warning)} for kind, warning in report.warnings.items()]
    return {name: value for name, value in body.items() if value is not None}


def from_document(id: str, source: JsonMapping) -> RunReport:
    """The report that ``to_document`` wrote; members that were not fetched have their defaults."""
    body = {name: value for name, value in source.items() if name in _PLAIN_MEMBERS}
    return RunReport(
        id=id,
        counts=Counts(**source.get("counts", {})),
        tokens=TokenCounts(**source.get("tokens", {})),
        refusals=tuple(Refusal(**refusal) for refusal in source.get("refusals", ())),
        failures=tuple(Refusal(**failure) for failure in source.get("failures", ())),
        warnings={
            warning["kind"]: WarningKind(warning["count"], tuple(warning["examples"]))
            for warning in source.get("warnings", ())
        },
        **body,
    )


_PLAIN_MEMBERS = {member.name for member in fields(RunReport)} - {
    "id",
    "counts",
    "tokens",
    "refusals",
    "failures",
    "warnings",
}
