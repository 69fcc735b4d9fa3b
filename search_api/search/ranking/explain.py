"""Explains the rank of a hit: values for JSON, English sentences, and codes for translation."""

from __future__ import annotations

import numpy as np

from core.hit import SignalName
from core.json_types import Json
from search_api.search.ranking.rank import BOOST, Ranking, measured
from search_api.search.ranking.signals.arms import CrossEncoderReading
from search_api.search.ranking.signals.signal import Reason
from search_api.search.ranking.signals.spatial import Spatial

_COMBINERS_OWN = Reason("what the score starts from", "base")
_OF_THE_SOURCE = Reason("a steward raised or lowered the source", "source_boost")


def explain(ranking: Ranking, position: int) -> Json:
    """The hit at ``position`` (0 is the best): its score and each signal's part in it, largest first.

    The contributions (weight x counted) add up to the score, except where the `hausdorff` mode decided the order, by
    ``distance_deg``, or a steward did, by a ``pin``. Raises IndexError past the end.
    """
    index = int(ranking.order[position])
    parts = [_part(ranking, name, index) for name in ranking.terms]
    explanation: Json = {
        "id": ranking.candidates.ids[index],
        "rank": position + 1,
        "score": float(ranking.score[index]),
        "ordered_by": _ordered_by(ranking, position),
        "signals": sorted(parts, key=lambda part: (-part["contribution"], part["signal"])),
    }
    if ranking.distance_deg is not None:
        explanation["distance_deg"] = float(ranking.distance_deg[index])
    if position < len(ranking.pins):
        explanation["pin"] = ranking.pins[position].as_json()
    return explanation


def _ordered_by(ranking: Ranking, position: int) -> str:
    """What decided this position: beyond a window, the order of the previous stage applies."""
    if position < len(ranking.pins):
        return "pin"
    if ranking.ordered_by == "hausdorff" and position - len(ranking.pins) < _hausdorff_window(ranking):
        return "hausdorff"
    reader = ranking.terms.get(CrossEncoderReading.name)
    was_read = reader is not None and not np.isnan(reader.raw[ranking.order[position]])
    return "cross_encoder" if was_read else "fused"


def _hausdorff_window(ranking: Ranking) -> int:
    spatial = ranking.ranker.find(Spatial)
    return spatial.hausdorff_window if spatial is not None else 0


def _part(ranking: Ranking, name: SignalName, index: int) -> Json:
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


def _reasons(ranking: Ranking, name: SignalName, index: int) -> tuple[Reason, ...]:
    term, signal = ranking.terms[name], ranking.ranker.signals.get(name)
    if signal is None:
        return (_OF_THE_SOURCE if name == BOOST else _COMBINERS_OWN,)
    if np.isnan(term.raw[index]):
        return (signal.silence(float(term.counted[index])),)
    return signal.reasons(ranking.inputs, term.raw, index)
