"""Why a hit stands where it stands: values for JSON, English sentences, and codes to say them in any language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.geo import compare
from core.hit import Signal
from core.time_overlap import overlap
from core.timespan import iso
from search_api.ranking.columns import Floats, Rows
from search_api.ranking.facts import resolution_metres
from search_api.ranking.rank import Ranking, measured
from search_api.ranking.spatial import sets_outside_back, wholly_outside

_YEAR_MS = 365.2425 * 86_400_000
_LATEST_DATE_MS = 9_999 * _YEAR_MS  # further away a month and a day say nothing


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence. ``code`` and ``values`` say the same without words: shares and scores 0..1, ``*_deg``, ``*_m``."""

    text: str
    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


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
    reasons = _reasons(ranking, name, index)
    return {
        "signal": name,
        "raw": measured(term.raw[index]),
        "normalised": counted,
        "weight": term.weight,
        "contribution": term.weight * counted,
        "reason": "; ".join(reason.text for reason in reasons),
        "reasons": [{"code": reason.code, **reason.values} for reason in reasons],
    }


def _reasons(ranking: Ranking, name: Signal, index: int) -> tuple[Reason, ...]:
    term = ranking.terms[name]
    if np.isnan(term.raw[index]):
        return (_silent(name, float(term.counted[index])),)
    if name == "spatial":
        return _spatial(ranking, index)
    return (_REASONS[name](ranking, index),)


def _silent(name: Signal, counted: float) -> Reason:
    if name == "cross_encoder":
        return Reason("not among those read with the question: adds nothing", "not_read")
    if name not in _SAYS_NOTHING:
        return Reason("not measured: adds nothing", "not_measured")
    return Reason(f"{_SAYS_NOTHING[name]}: counted as {counted:.2f}", "unknown", {"counted": counted})


def _lexical(name: Signal) -> Callable[[Ranking, int], Reason]:
    def reason(ranking: Ranking, index: int) -> Reason:
        raw, best = _own_and_best(ranking, name, index)
        return Reason(f"{_WHERE[name]}: {raw:.2f}, the best here has {best:.2f}", "score", {"raw": raw, "best": best})

    return reason


def _dense(name: Signal) -> Callable[[Ranking, int], Reason]:
    def reason(ranking: Ranking, index: int) -> Reason:
        raw, best = _own_and_best(ranking, name, index)
        said = f"{_WHERE[name]}: cosine {raw:.3f}, the best here has {best:.3f}"
        return Reason(said, "cosine", {"raw": raw, "best": best})

    return reason


def _own_and_best(ranking: Ranking, name: Signal, index: int) -> tuple[float, float]:
    raw = ranking.terms[name].raw
    return float(raw[index]), float(np.nanmax(raw))


def _cross_encoder(ranking: Ranking, index: int) -> Reason:
    raw = float(ranking.terms["cross_encoder"].raw[index])
    return Reason(f"read together with the question: {raw:.2f} of 1", "read", {"raw": raw})


def _spatial(ranking: Ranking, index: int) -> tuple[Reason, ...]:
    """Of the asked box and the record's box that share most, for each asked box; then whether it stands back."""
    rows = ranking.candidates.boxes.of_candidate(index)
    each = tuple(_place_reason(ranking, number, rows) for number in range(len(ranking.target.boxes)))
    return (*each, _STANDS_BACK) if _stands_back(ranking, rows) else each


def _stands_back(ranking: Ranking, rows: Floats) -> bool:
    target, config = ranking.target, ranking.config
    return sets_outside_back(target, config) and bool(wholly_outside(Rows.of(rows, [len(rows)]), target, config)[0])


def _place_reason(ranking: Ranking, number: int, rows: Floats) -> Reason:
    asked, target = ranking.target.boxes[number], ranking.target
    name = target.place or "the asked place"
    values: dict[str, Any] = {"place": target.place}
    if len(target.boxes) > 1:
        name = f"{name} ({number + 1} of {len(target.boxes)})"
        values |= {"number": number + 1, "of": len(target.boxes)}
    comparison = compare(asked, rows)
    best = int(np.argmax(comparison.query_share + comparison.box_share))
    if comparison.overlap_km2[best] <= 0.0:
        off = float(comparison.hausdorff_deg.min())
        said = f"lies outside {name}, {off:.1f} degrees off (Hausdorff)"
        return Reason(said, "outside_place", {**values, "distance_deg": off})
    if comparison.box_share[best] >= 0.999 and comparison.query_share[best] < 0.01:
        return Reason(f"lies inside {name}", "inside_place", values)
    covered, ratio = float(comparison.query_share[best]), float(comparison.box_km2[best] / comparison.query_km2)
    said = f"covers {_percent(covered)} of {name}; its own area is {_times(ratio)} it"
    return Reason(said, "covers_place", {**values, "share": covered, "area_ratio": ratio})


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %" if share >= 0.01 else "less than 1 %"


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio >= 0.1 else f"{ratio * 100:.2g} % of"


def _temporal(ranking: Ranking, index: int) -> Reason:
    target, rows = ranking.target, ranking.candidates.spans.of_candidate(index)
    span = target.bounded_span
    if span is None or len(rows) == 0:
        raw = float(ranking.terms["temporal"].raw[index])
        return Reason(f"how recent: {raw:.2f} of 1", "recency", {"raw": raw})
    start, end = _year(span.start_ms), _year(span.end_ms)
    asked, values = f"{start or '..'} to {end or 'now'}", {"start": start, "end": end}
    shares = overlap(span, rows, target.moment_ms)
    if shares.asked_share is None:
        share = float(shares.span_share.max())
        said = f"{_percent(share)} of its time lies in {asked}"
        return Reason(said, "inside_period", {**values, "share": share})
    share = float(shares.asked_share.max())
    if share == 0.0:
        return Reason(f"lies outside {asked}", "outside_period", values)
    return Reason(f"covers {_percent(share)} of {asked}", "covers_period", {**values, "share": share})


def _year(instant: int | None) -> str | None:
    if instant is None:
        return None
    if abs(instant) > _LATEST_DATE_MS:
        return f"year {instant / _YEAR_MS + 1970:.4g}"
    return iso(instant).split("T")[0]


def _resolution(ranking: Ranking, index: int) -> Reason:
    own, target = ranking.candidates.resolution_m[index], ranking.target
    own_m = None if np.isnan(own) else float(own)
    said = f"{own:g} m" if own_m is not None else "its extent or time step"
    if not target.asks_resolution:
        text = f"{said}, compared with what a region of this size needs"
        return Reason(text, "resolution_expected", {"own_m": own_m})
    asked = resolution_metres(target.resolution)
    words = [word for word in (target.resolution.time_step, target.level) if word]
    wanted = [*([f"{asked:g} m"] if asked is not None else []), *words]
    values = {"own_m": own_m, "asked_m": asked, "asked": words}
    return Reason(f"{said} against {', '.join(wanted)}", "resolution_asked", values)


def _kind(ranking: Ranking, index: int) -> Reason:
    own, asked = ranking.candidates.kinds[index], ranking.target.kind
    return Reason(f"{own}, asked for {asked}", "kind", {"own": own, "asked": asked})


_STANDS_BACK = Reason("lies wholly outside the asked place: stands back behind what lies inside it", "stands_back")
_WHERE: dict[Signal, str] = {
    "bm25": "words in the record",
    "passage_bm25": "words in its documents",
    "dense": "meaning of the record",
    "passage_dense": "meaning of a passage",
    "sparse": "learned terms",
}
_SAYS_NOTHING: dict[Signal, str] = {
    "spatial": "says nothing of its extent",
    "temporal": "says nothing of its time",
    "resolution": "says nothing of its resolution",
    "kind": "its kind is not known",
}
_REASONS: dict[Signal, Callable[[Ranking, int], Reason]] = {
    "bm25": _lexical("bm25"),
    "passage_bm25": _lexical("passage_bm25"),
    "sparse": _lexical("sparse"),
    "dense": _dense("dense"),
    "passage_dense": _dense("passage_dense"),
    "cross_encoder": _cross_encoder,
    "temporal": _temporal,
    "resolution": _resolution,
    "kind": _kind,
}
