"""Nightly measurements of the judged questions of an installation, and the completeness of one record."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias

MOST_KEPT = 1_000
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 640, 240, 44, 16, 28


@dataclass(frozen=True, slots=True)
class Measurement:
    """``at``: ISO 8601. ``judged``: hash of questions and judgements; only equal ones are compared. ``fall``: the
    median nDCG@10 of the seven measurements before minus this one; 0 without earlier ones.
    """

    at: str
    judged: str
    questions: int
    ndcg_at_10: float
    recall_at_100: float
    fall: float
    model: str
    version: str


class MeasurementStore:
    """Stored in the index ``{prefix}-measurements``. Raises the errors of the gateway."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._index = alias(prefix, "measurements")

    def keep(self, measurement: Measurement) -> None:
        """Visible when this returns. Creates the index if necessary."""
        ensure_without_vectors(self._client, self._prefix, ("measurements",))
        self._client.index(index=self._index, document=asdict(measurement), refresh=True, require_alias=True)

    def latest(self, size: int = MOST_KEPT, judged: str | None = None) -> list[Measurement]:
        """Oldest first. ``judged``: only measurements with these judgements."""
        query: Json = {"match_all": {}} if judged is None else {"term": {"judged": judged}}
        answer = self._client.search(
            index=self._index, query=query, size=size, sort=[{"at": "desc"}], ignore_unavailable=True
        )
        return [Measurement(**hit["_source"]) for hit in reversed(answer.body["hits"]["hits"])]


def chart(measured: Sequence[Measurement]) -> str:
    """nDCG@10 over time as SVG. A new line begins where the judgements or the model changed."""
    lowest = min((measurement.ndcg_at_10 for measurement in measured), default=0.0)
    floor = max(0.0, round(lowest - 0.1, 1))
    points = [_point(place, measurement, len(measured), floor) for place, measurement in enumerate(measured)]
    lines = "".join(
        f'<polyline fill="none" stroke="currentColor" stroke-width="2" points="{" ".join(part)}"/>'
        for part in _line_segments(measured, points)
    )
    dots = "".join(
        f'<circle cx="{point.partition(",")[0]}" cy="{point.partition(",")[2]}" r="3" fill="currentColor">'
        f"<title>{html.escape(measurement.at[:10])}: {measurement.ndcg_at_10:.3f} ({measurement.questions} questions, "
        f"{html.escape(measurement.model)})</title></circle>"
        for measurement, point in zip(measured, points, strict=True)
    )
    marks = "".join(_grid_line(floor + step * (1.0 - floor) / 4, floor) for step in range(5))
    ends = f"{measured[0].at[:10]} to {measured[-1].at[:10]}" if measured else "nothing measured yet"
    title = html.escape(f"nDCG@10 of the judged questions, {ends}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{title}" '
        f'font-family="sans-serif" font-size="12" color="#1f5f8b"><title>{title}</title>{marks}{lines}{dots}'
        f'<text x="{_LEFT}" y="{_HEIGHT - 8}" fill="#555">{html.escape(ends)}</text></svg>'
    )


def _point(place: int, measurement: Measurement, count: int, floor: float) -> str:
    x = _LEFT + (_WIDTH - _LEFT - 12) * (place / (count - 1) if count > 1 else 0.5)
    return f"{x:.1f},{_height(measurement.ndcg_at_10, floor):.1f}"


def _height(value: float, floor: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1.0 - (value - floor) / (1.0 - floor or 1.0))


def _line_segments(measured: Sequence[Measurement], points: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = []
    before: tuple[str, str] | None = None
    for measurement, point in zip(measured, points, strict=True):
        if (measurement.judged, measurement.model) != before:
            parts.append([])
        parts[-1].append(point)
        before = (measurement.judged, measurement.model)
    return parts


def _grid_line(value: float, floor: float) -> str:
    y = _height(value, floor)
    return (
        f'<line x1="{_LEFT}" x2="{_WIDTH - 12}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ccc"/>'
        f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{value:.2f}</text>'
    )


@dataclass(frozen=True, slots=True)
class RecordQuality:
    """``completeness``: 0..1. ``missing`` and ``repaired`` as in the quality report of a source."""

    completeness: float
    missing: tuple[str, ...]
    repaired: tuple[str, ...]


QualityOf = Callable[[str], RecordQuality]
"""Of a record's id. Raises NotFound, also for one that the caller may not see."""
