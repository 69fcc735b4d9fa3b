"""The relevance of a passage to a question, as one calibrated number between 0 and 1.

A logistic curve of the cosine, of the share of the question's words in the passage, and of their late interaction,
fitted on train halves of judged questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.candidates import AnyColumn, Column, Floats, first, floats, number
from search_api.search.ranking.numbers import check_finite, check_not_negative
from search_api.search.ranking.signals.arms import PassageDense
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, unknown_reason

COVERED: Column[float, Floats] = Column("covered", (), lambda fields: number(first(fields, "covered")), floats)
"""0..1: the share of the question's weight that occurs in the text. Not a doc value: the reader of the texts adds
it.
"""

INTERACTION: Column[float, Floats] = Column(
    "interaction", (), lambda fields: number(first(fields, "interaction")), floats
)
"""-1..1: the late interaction with the question, NaN for a text without token vectors. Added like ``COVERED``."""

FOREIGN: Column[float, Floats] = Column("foreign", (), lambda fields: number(first(fields, "foreign")), floats)
"""1 for a text in another language than the question's, where the embedder reads both; else NaN. Added as above."""


@dataclass(frozen=True, slots=True)
class Curve:
    """``bias`` and the weights of cosine, share of words and late interaction."""

    bias: float
    cosine: float
    words: float
    interaction: float = 0.0

    def __post_init__(self) -> None:
        check_finite({"bias": self.bias, "cosine": self.cosine, "words": self.words, "interaction": self.interaction})

    def at(self, cosine: Floats, words: Floats, interaction: Floats) -> Floats:
        """0..1."""
        logit = self.bias + self.cosine * cosine + self.words * words + self.interaction * interaction
        result: Floats = 1.0 / (1.0 + np.exp(-logit))
        return result


@dataclass(frozen=True, slots=True)
class Relevance:
    """``by_tokens``: the curve of a passage with token vectors; ``by_words``: of one without; ``alone``: of all
    passages where no embedder reads the question; ``across``: of one with token vectors in another language than the
    question, whose words are then no sign of anything.
    """

    name: ClassVar[SignalName] = "relevance"
    columns: ClassVar[tuple[AnyColumn, ...]] = (COVERED, INTERACTION, FOREIGN)
    weight: float
    by_words: Curve
    by_tokens: Curve
    alone: Curve
    across: Curve

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        """A passage that meaning did not find, though it searched, is taken to mean what it says."""
        covered, met = inputs.candidates[COVERED], inputs.candidates[INTERACTION]
        nothing = np.zeros(len(covered))
        cosines = inputs.candidates.arms.get(PassageDense.name)
        if cosines is None:
            return MeasuredSignal.or_neutral(self.alone.at(nothing, covered, nothing), self.weight, 0.0)
        felt = np.where(np.isnan(cosines), covered, _above(inputs.cosine_floor, cosines))
        plain, seen = self.by_words.at(felt, covered, nothing), np.nan_to_num(met)
        raw = np.where(np.isnan(met), plain, self.by_tokens.at(felt, covered, seen))
        foreign = ~np.isnan(inputs.candidates[FOREIGN]) & ~np.isnan(met)
        across = np.maximum(raw, self.across.at(felt, nothing, seen))
        return MeasuredSignal.or_neutral(np.where(foreign, across, raw), self.weight, 0.0)

    def reasons(self, inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        own, covered = float(raw[index]), float(inputs.candidates[COVERED][index])
        text = f"holds {covered * 100:.0f} % of the question's words by weight: relevance {own:.2f} of 1"
        return (Reason(text, "relevance", {"raw": own, "covered": covered}),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("its text was not read", counted)


def _above(floor: float, cosines: Floats) -> Floats:
    """The curves were fitted on cosines of which unlike texts have some 0. A model whose cosines all lie high (E5) says
    where they begin, and is read from there on.
    """
    begins = max(floor, 0.0)
    return (cosines - begins) / (1.0 - begins)
