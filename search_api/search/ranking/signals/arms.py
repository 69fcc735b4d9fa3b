"""Signals of retrieval: the score of each arm, the best of all arms, and models that read only the best candidates.

A weight is a share of the text score. An arm that did not run is left out and the others share its weight.

A passage's relevance is a logistic curve of the cosine, of the share of the question's words in the passage, and of
their late interaction, fitted on train halves of judged questions.
``AnswerRelevance`` is an absolute score of a hit: how probable it is that the record answers the question, whatever the
other hits are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from core.hit import SignalName
from core.ports import CosineScale
from search_api.search.ranking.candidates import AnyColumn, Column, Flags, Floats, first, floats, number
from search_api.search.ranking.numbers import check_finite, check_not_negative, check_positive, check_shares
from search_api.search.ranking.signals.signal import MeasuredSignal, RankingInput, Reason, percent, unknown_reason


@dataclass(frozen=True, slots=True)
class ArmSignal(ABC):
    """One arm of the search; its raw scores come with the candidates."""

    name: ClassVar[SignalName]
    columns: ClassVar[tuple[AnyColumn, ...]] = ()
    where: ClassVar[str]
    """What the arm searches, for the explanation."""
    weight: float

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        raw = inputs.candidates.arms.get(self.name)
        return None if raw is None else MeasuredSignal(raw, self.weight * self.share(inputs), least=self.least(inputs))

    def share(self, _inputs: RankingInput, /) -> float:
        """The share of its weight that the arm has for this question."""
        return 1.0

    @abstractmethod
    def least(self, inputs: RankingInput, /) -> float:
        """The theoretical minimum of the score."""

    @abstractmethod
    def reasons(self, inputs: RankingInput, raw: Floats, index: int, /) -> tuple[Reason, ...]: ...

    def silence(self, _counted: float) -> Reason:
        return Reason("not measured: adds nothing", "not_measured")


class Words(ArmSignal):
    """BM25, a sum of positive weights."""

    def share(self, inputs: RankingInput) -> float:
        return inputs.words_share

    def least(self, _inputs: RankingInput) -> float:
        return 0.0

    def reasons(self, _inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        value, best = float(raw[index]), float(np.nanmax(raw))
        text = (
            f"{self.where}: {percent(value / best)} of what the best hit has" if best > 0.0 else f"{self.where}: none"
        )
        return (Reason(text, "score", {"raw": value, "best": best}),)


class Meaning(ArmSignal):
    """A cosine."""

    def least(self, inputs: RankingInput) -> float:
        return inputs.cosines.floor

    def best(self, _inputs: RankingInput, raw: Floats, /) -> float:
        return float(np.nanmax(raw))

    def reasons(self, inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        value, best = float(raw[index]), self.best(inputs, raw)
        share = max(value, 0.0) / best if best > 0.0 else 1.0
        text = f"{self.where}: {percent(share)} as near to the question as the best hit"
        return (Reason(text, "cosine", {"raw": value, "best": best, "share": share}),)


class Bm25(Words):
    name = "bm25"
    where = "words in the record"


class PassageBm25(Words):
    """A record has its best passage's."""

    name = "passage_bm25"
    where = "words in its documents"


class Dense(Meaning):
    name = "dense"
    where = "meaning of the record"


class PassageDense(Meaning):
    """A record has its best passage's. One without passages counts by its own text, which is the same scale.

    Else a few documents about something else would be the best of their arm, and pass every record that has none.
    """

    name = "passage_dense"
    where = "meaning of a passage"

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        measured = super().measure(inputs)
        return None if measured is None else replace(measured, compared=self._or_own_text(inputs, measured.raw))

    def best(self, inputs: RankingInput, raw: Floats) -> float:
        return float(np.nanmax(self._or_own_text(inputs, raw)))

    @staticmethod
    def _or_own_text(inputs: RankingInput, raw: Floats) -> Floats:
        text = inputs.candidates.arms.get("dense")
        return raw if text is None else np.where(np.isnan(raw), text, raw)

    def silence(self, counted: float) -> Reason:
        if counted == 0.0:
            return super().silence(counted)
        return unknown_reason("it has no documents: counts as its own text", counted)


COVERED: Column[float, Floats] = Column("covered", (), lambda fields: number(first(fields, "covered")), floats)
"""0..1: the share of the question's weight that occurs in the text. Not a doc value: the reader of the texts adds
it.
"""

SENTENCE: Column[float, Floats] = Column("sentence", (), lambda fields: number(first(fields, "sentence")), floats)
"""0..1: the same share of the one sentence of the text that has most. Added like ``COVERED``."""

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
    """How relevant a passage is to the question, by a curve for each case.

    ``by_tokens``: for a passage with token vectors. ``by_words``: for one without. ``words_only``: for all passages if
    no embedder reads the question. ``other_language``: for a passage with token vectors in another language than the
    question, where equal words say nothing; only for an embedder whose unlike texts were measured, since the curve was
    fitted to such a one.

    ``sentence_share``: how much of the order the best sentence's share of words decides: words that stand together
    answer more than the same words over the whole text. It has no part in the relevance itself.
    """

    name: ClassVar[SignalName] = "relevance"
    columns: ClassVar[tuple[AnyColumn, ...]] = (COVERED, SENTENCE, INTERACTION, FOREIGN)
    weight: float
    sentence_share: float
    by_words: Curve
    by_tokens: Curve
    words_only: Curve
    other_language: Curve

    def __post_init__(self) -> None:
        check_not_negative(weight=self.weight)
        check_shares(sentence_share=self.sentence_share)

    def measure(self, inputs: RankingInput) -> MeasuredSignal | None:
        """A passage that the search by meaning missed has its share of words as its cosine."""
        covered, interaction = inputs.candidates[COVERED], inputs.candidates[INTERACTION]
        nothing = np.zeros(len(covered))
        cosines = inputs.candidates.arms.get(PassageDense.name)
        if cosines is None:
            return MeasuredSignal.or_neutral(self.words_only.at(nothing, covered, nothing), self.weight, 0.0)
        cosine = np.where(np.isnan(cosines), covered, inputs.cosines.likeness(cosines))
        by_words, token_scores = self.by_words.at(cosine, covered, nothing), np.nan_to_num(interaction)
        raw = np.where(np.isnan(interaction), by_words, self.by_tokens.at(cosine, covered, token_scores))
        foreign = ~np.isnan(inputs.candidates[FOREIGN]) & ~np.isnan(interaction)
        if inputs.cosines.unlike is not None:
            raw = np.where(foreign, np.maximum(raw, self.other_language.at(cosine, nothing, token_scores)), raw)
        return MeasuredSignal(raw, self.weight, self._in_order(raw, inputs.candidates[SENTENCE], foreign))

    def _in_order(self, relevance: Floats, sentence: Floats, foreign: Flags) -> Floats:
        by_sentence = (1.0 - self.sentence_share) * relevance + self.sentence_share * sentence
        return np.where(foreign | np.isnan(sentence), relevance, by_sentence)

    def reasons(self, inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        relevance, covered = float(raw[index]), float(inputs.candidates[COVERED][index])
        text = f"holds {covered * 100:.0f} % of the question's words by weight: relevance {relevance:.2f} of 1"
        return (Reason(text, "relevance", {"raw": relevance, "covered": covered}),)

    def silence(self, counted: float) -> Reason:
        return unknown_reason("its text was not read", counted)


@dataclass(frozen=True, slots=True)
class BestOnly:
    """``weight``: its share of the score; ``depth``: how many of the best it reads."""

    columns: ClassVar[tuple[AnyColumn, ...]] = ()
    weight: float
    depth: int

    def __post_init__(self) -> None:
        check_shares(weight=self.weight)
        check_positive(depth=self.depth)

    def measure(self, _inputs: RankingInput) -> MeasuredSignal | None:
        """Not with the others: its own stage measures it later."""
        return None


@dataclass(frozen=True, slots=True)
class LateInteraction(BestOnly):
    """``weight``: its share of the score; ``depth``: how many of the best it compares.

    ``long_weight``: its share if the topic has at least ``long_words`` words: of a keyword or two, words and meaning
    tell enough, and a sentence says more by its context.

    It is measured after the others are combined: :mod:`search_api.search.ranking.rank`.
    """

    name: ClassVar[SignalName] = "late_interaction"
    long_weight: float
    long_words: int

    def __post_init__(self) -> None:
        BestOnly.__post_init__(self)
        check_shares(long_weight=self.long_weight)
        check_positive(long_words=self.long_words)

    def share(self, topic_words: int) -> float:
        """Its share of the score for a topic of so many words."""
        return self.long_weight if topic_words >= self.long_words else self.weight

    def reasons(self, _inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        value = float(raw[index])
        return (Reason(f"compared word by word with the question: {percent(value)}", "interaction", {"raw": value}),)

    def silence(self, counted: float) -> Reason:
        return Reason("its words were not compared one by one", "no_interaction", {"counted": counted})


def best_scores(raw: Floats) -> Floats:
    """(k,) 0..1 of the best k, best first. What was not measured (NaN) counts as its neighbours do, so that it neither
    gains nor loses.
    """
    places, measured = np.arange(len(raw)), ~np.isnan(raw)
    return np.interp(places, places[measured], np.clip(raw[measured], 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class CrossEncoderReading(BestOnly):
    """``weight``: lambda, its share of the final score if the model's card has none. ``depth``: how many of the
    best it reads. It is measured after the others are combined: :mod:`search_api.search.ranking.rank`.
    """

    name: ClassVar[SignalName] = "cross_encoder"

    def reasons(self, _inputs: RankingInput, raw: Floats, index: int) -> tuple[Reason, ...]:
        value = float(raw[index])
        return (Reason(f"read together with the question: {value:.2f} of 1", "read", {"raw": value}),)

    def silence(self, _counted: float) -> Reason:
        return Reason("not among those read with the question: adds nothing", "not_read")


@dataclass(frozen=True, slots=True)
class AnswerRelevance:
    """A curve of the best cosine of record and passages, and of whether the record has the question's words.

    ``by_tokens``: with late interaction; ``by_words``: for a hit where that was not measured. Fitted on judged
    collections and on nonsense. Hits below ``weak`` are weak matches; if no record has some word of the topic, those
    below ``weak_with_unknown``.
    """

    by_words: Curve
    by_tokens: Curve
    weak: float
    weak_with_unknown: float

    def __post_init__(self) -> None:
        check_shares(weak=self.weak, weak_with_unknown=self.weak_with_unknown)

    def of(self, signals: Mapping[SignalName, float | None], cosines: CosineScale, *, has_words: bool) -> float:
        """0..1. ``cosines``: how the embedder's are read."""
        return self.of_each([signals], cosines, [has_words])[0]

    def of_each(
        self, signals: Sequence[Mapping[SignalName, float | None]], cosines: CosineScale, has_words: Sequence[bool]
    ) -> list[float]:
        """The same of each hit of a page."""
        measured = [
            np.array([by_name.get(name) for by_name in signals], dtype=np.float64)
            for name in (Dense.name, PassageDense.name)
        ]
        nearest = cosines.likeness(np.fmax(*measured))  # NaN: not measured
        cosine, words = np.fmax(nearest, 0.0), np.array(has_words, dtype=np.float64)
        interaction = np.array([by_name.get(LateInteraction.name) for by_name in signals], dtype=np.float64)
        counted = np.maximum(np.nan_to_num(interaction), 0.0)
        by_words, by_tokens = self.by_words.at(cosine, words, counted), self.by_tokens.at(cosine, words, counted)
        relevance: list[float] = np.where(np.isnan(interaction), by_words, by_tokens).tolist()
        return relevance

    def least(self, *, is_word_unknown: bool) -> float:
        """The relevance below which all hits of a page are weak matches."""
        return self.weak_with_unknown if is_word_unknown else self.weak
