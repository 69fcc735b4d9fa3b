"""Why a hit stands where it stands, as plain values for JSON and sentences for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.geo import compare
from core.hit import Signal
from core.time_overlap import overlap
from core.timespan import iso
from search_api.ranking.candidates import resolution_metres
from search_api.ranking.rank import Ranking, measured

_YEAR_MS = 365.2425 * 86_400_000
_LATEST_DATE_MS = 9_999 * _YEAR_MS  # further away a month and a day say nothing


def explain(ranking: Ranking, position: int) -> dict[str, Any]:
    """The hit at ``position`` (0 is the best): its score and each signal's part in it, largest first.

    The contributions (weight x counted) add up to the score, except where the `hausdorff` mode ordered last: there
    ``distance_deg`` gave the place. Raises IndexError past the end.
    """
    index = int(ranking.order[position])
    parts = [_part(ranking, name, index) for name in ranking.terms]
    explanation: dict[str, Any] = {
        "id": ranking.candidates.ids[index],
        "rank": position + 1,
        "score": float(ranking.score[index]),
        "ordered_by": _ordered_by(ranking, position),
        "signals": sorted(parts, key=lambda part: (-part["contribution"], part["signal"])),
    }
    if ranking.distance_deg is not None:
        explanation["distance_deg"] = float(ranking.distance_deg[index])
    return explanation


def _ordered_by(ranking: Ranking, position: int) -> str:
    """What gave this position its order: beyond a window, the order of the stage before holds."""
    if ranking.ordered_by == "hausdorff" and position < ranking.config.hausdorff_window:
        return "hausdorff"
    reader = ranking.terms.get("cross_encoder")
    was_read = reader is not None and not np.isnan(reader.raw[ranking.order[position]])
    return "cross_encoder" if was_read else "fused"


def _part(ranking: Ranking, name: Signal, index: int) -> dict[str, Any]:
    term = ranking.terms[name]
    counted = float(term.counted[index])
    return {
        "signal": name,
        "raw": measured(term.raw[index]),
        "normalised": counted,
        "weight": term.weight,
        "contribution": term.weight * counted,
        "reason": _reason(ranking, name, index),
    }


def _reason(ranking: Ranking, name: Signal, index: int) -> str:
    term = ranking.terms[name]
    if np.isnan(term.raw[index]):
        return _SILENT.get(name, "not measured: adds nothing").format(counted=term.counted[index])
    return _REASONS[name](ranking, index)


def _lexical(name: Signal) -> Callable[[Ranking, int], str]:
    def reason(ranking: Ranking, index: int) -> str:
        raw = ranking.terms[name].raw
        return f"{_WHERE[name]}: {raw[index]:.2f}, the best here has {np.nanmax(raw):.2f}"

    return reason


def _dense(name: Signal) -> Callable[[Ranking, int], str]:
    def reason(ranking: Ranking, index: int) -> str:
        raw = ranking.terms[name].raw
        return f"{_WHERE[name]}: cosine {raw[index]:.3f}, the best here has {np.nanmax(raw):.3f}"

    return reason


def _cross_encoder(ranking: Ranking, index: int) -> str:
    return f"read together with the question: {ranking.terms['cross_encoder'].raw[index]:.2f} of 1"


def _spatial(ranking: Ranking, index: int) -> str:
    """Of the asked box and the record's box that share most."""
    rows = ranking.candidates.boxes.of_candidate(index)
    sentences = [_place_sentence(ranking, number, rows) for number in range(len(ranking.target.boxes))]
    return "; ".join(sentences)


def _place_sentence(ranking: Ranking, number: int, rows: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    asked, target = ranking.target.boxes[number], ranking.target
    name = target.place or "the asked place"
    if len(target.boxes) > 1:
        name = f"{name} ({number + 1} of {len(target.boxes)})"
    comparison = compare(asked, rows)
    best = int(np.argmax(comparison.query_share + comparison.box_share))
    if comparison.overlap_km2[best] <= 0.0:
        return f"lies outside {name}, {comparison.hausdorff_deg.min():.1f} degrees off (Hausdorff)"
    if comparison.box_share[best] >= 0.999 and comparison.query_share[best] < 0.01:
        return f"lies inside {name}"
    covered, ratio = comparison.query_share[best], comparison.box_km2[best] / comparison.query_km2
    return f"covers {_percent(covered)} of {name}; its own area is {_times(ratio)} it"


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %" if share >= 0.01 else "less than 1 %"


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio >= 0.1 else f"{ratio * 100:.2g} % of"


def _temporal(ranking: Ranking, index: int) -> str:
    target, rows = ranking.target, ranking.candidates.spans.of_candidate(index)
    span = target.bounded_span
    if span is None or len(rows) == 0:
        return f"how recent: {ranking.terms['temporal'].raw[index]:.2f} of 1"
    asked = f"{_year(span.start_ms, '..')} to {_year(span.end_ms, 'now')}"
    shares = overlap(span, rows, target.moment_ms)
    if shares.asked_share is None:
        return f"{_percent(float(shares.span_share.max()))} of its time lies in {asked}"
    if shares.asked_share.max() == 0.0:
        return f"lies outside {asked}"
    return f"covers {_percent(float(shares.asked_share.max()))} of {asked}"


def _year(instant: int | None, open_end: str) -> str:
    if instant is None:
        return open_end
    if abs(instant) > _LATEST_DATE_MS:
        return f"year {instant / _YEAR_MS + 1970:.4g}"
    return iso(instant).split("T")[0]


def _resolution(ranking: Ranking, index: int) -> str:
    own, target = ranking.candidates.resolution_m[index], ranking.target
    said = f"{own:g} m" if not np.isnan(own) else "its extent or time step"
    if not target.asks_resolution:
        return f"{said} against what the size of the place leads to expect"
    asked = resolution_metres(target.resolution)
    wanted = [f"{asked:g} m"] if asked is not None else []
    wanted += [word for word in (target.resolution.time_step, target.level) if word]
    return f"{said} against {', '.join(wanted)}"


def _kind(ranking: Ranking, index: int) -> str:
    return f"{ranking.candidates.kinds[index]}, asked for {ranking.target.kind}"


_WHERE: dict[Signal, str] = {
    "bm25": "words in the record",
    "passage_bm25": "words in its documents",
    "dense": "meaning of the record",
    "passage_dense": "meaning of a passage",
    "sparse": "learned terms",
}
_SILENT: dict[Signal, str] = {
    "spatial": "says nothing of its extent: counted as {counted:.2f}",
    "temporal": "says nothing of its time: counted as {counted:.2f}",
    "resolution": "says nothing of its resolution: counted as {counted:.2f}",
    "kind": "its kind is not known: counted as {counted:.2f}",
    "cross_encoder": "not among those read with the question: adds nothing",
}
_REASONS: dict[Signal, Callable[[Ranking, int], str]] = {
    "bm25": _lexical("bm25"),
    "passage_bm25": _lexical("passage_bm25"),
    "sparse": _lexical("sparse"),
    "dense": _dense("dense"),
    "passage_dense": _dense("passage_dense"),
    "cross_encoder": _cross_encoder,
    "spatial": _spatial,
    "temporal": _temporal,
    "resolution": _resolution,
    "kind": _kind,
}
