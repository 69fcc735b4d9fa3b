"""What the weighted sums share: the arms make a text score of weight 1, to which the other signals add.

A candidate that an arm did not measure (NaN) gets nothing from that arm, as if it had the arm's minimum. Retrieval
completes the arms first (a candidate outside an arm's window gets its score in a second, id-filtered search). A score
that is still missing means that there is nothing to measure: a record without passages, or without the question's
words. An arm that measured no candidate at all did not run: it is left out and the others share its weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.columns import Floats
from search_api.search.ranking.combiners.combiner import Term, Terms
from search_api.search.ranking.signals.signal import Measured

Scaled = Callable[[Measured], Floats]
"""An arm's raw scores (n,) as 0..1; NaN stays NaN."""


def weighted_sum(measured: Mapping[SignalName, Measured], scaled: Scaled) -> Terms:
    """The terms, with weights that sum to 1 (unchanged if all are 0).

    An arm that was not counted keeps weight 0, so that its signal is shown.
    """
    arms = {name: one for name, one in measured.items() if one.counted is None}
    weights = shared_weights(
        {name: one.raw for name, one in arms.items()}, {name: one.weight for name, one in arms.items()}
    )
    terms: dict[SignalName, Term] = {}
    for name, one in measured.items():
        if one.counted is None:
            terms[name] = Term(one.raw, np.nan_to_num(scaled(one)), weights.get(name, 0.0))
        else:
            terms[name] = Term(one.raw, one.counted, one.weight)
    everything = math.fsum(term.weight for term in terms.values())
    if everything == 0.0:
        return terms
    return {name: replace(term, weight=term.weight / everything) for name, term in terms.items()}


def shared_weights(arms: Mapping[SignalName, Floats], weights: Mapping[SignalName, float]) -> dict[SignalName, float]:
    """The weights of the arms that ran, sum 1, by name; empty if none ran or all weights are 0."""
    ran = [name for name in sorted(arms) if weights.get(name, 0.0) > 0.0 and not np.isnan(arms[name]).all()]
    total = math.fsum(weights[name] for name in ran)
    return {name: weights[name] / total for name in ran}
