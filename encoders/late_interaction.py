"""A reranker that is trained here: encodes question and candidate separately and compares them token by token.

Has the interface of a cross-encoder: logits for a question and texts. A question is encoded once, not once for each
candidate, so 30 candidates cost 30 texts and not 30 pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import structlog
from numpy.typing import NDArray

from core.errors import ModelMissing
from core.json_types import Json
from core.ports import CrossEncoderCard
from encoders.onnx_session import Compute, OnnxSession, Output, Tokens
from encoders.tokens import Tokeniser
from encoders.windows import wanted, windowed

log = structlog.get_logger(__name__)

SCORING = "late-interaction"


@dataclass(frozen=True, slots=True)
class LateRecipe:
    """``max_tokens`` of a text and ``question_tokens`` of a question, special tokens included; ``scale`` maps -1..1 to
    a logit. ``graph`` is the file's name.
    """

    max_tokens: int
    question_tokens: int
    scale: float
    graph: str = "model.int8.onnx"

    @staticmethod
    def of(facts: Json) -> LateRecipe | None:
        """From a model's card; None for another type of model. Raises ModelMissing if the card is incomplete."""
        if facts.get("scoring") != SCORING:
            return None
        try:
            sizes = int(facts["max_tokens"]), int(facts["question_tokens"])
            return LateRecipe(*sizes, float(facts["scale"]), str(facts.get("graph", "model.int8.onnx")))
        except (KeyError, TypeError, ValueError):
            raise ModelMissing("the card of the reranker lacks max_tokens, question_tokens or scale") from None


class LateInteraction:
    """core.ports.CrossEncoder. The graph gives (n, tokens, dims + 1): unit vectors, and last each token's weight."""

    def __init__(self, graph: Path, recipe: LateRecipe, card: CrossEncoderCard, compute: Compute) -> None:
        """Raises ModelMissing if the graph cannot be opened."""
        self._card, self._recipe = card, recipe
        tokenizer = graph.parent / "tokenizer.json"
        self._texts = Tokeniser(tokenizer, min(recipe.max_tokens, card.max_tokens))
        self._questions = Tokeniser(tokenizer, recipe.question_tokens)
        self._session = OnnxSession(graph, compute)

    @property
    def card(self) -> CrossEncoderCard:
        return self._card

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """logits: (n,), higher is better, in the order of ``texts``.

        Of a text longer than ``card.max_tokens`` only one window is read: the one with most of the question's words, by
        the model's weights. The event ``cross_encoder.cut`` counts such texts.
        """
        if not texts:
            return np.empty(0, dtype=np.float64)
        ids = self._questions.ids([question])[0]
        asked, most = self._states(ids), self._texts.max_tokens
        worth = wanted(ids[1:-1], asked[1:-1, -1])
        whole = self._texts.whole(texts)
        if cut := sum(len(each) > most for each in whole):
            log.debug("cross_encoder.cut", texts=len(texts), cut=cut)
        inputs = [Tokens(windowed(each, worth, most)) for each in whole]
        scored = self._session.map(inputs, lambda states, _mask: _row(asked, states)).astype(np.float64)
        return np.asarray(scored * self._recipe.scale, dtype=np.float64)

    def _states(self, ids: Sequence[int]) -> Output:
        states: Output = self._session.map([Tokens(ids)], lambda states, _mask: states)[0]
        return states


def _row(asked: Output, states: Output) -> Output:
    """Only a GPU batch holds texts of different lengths, with padding that matches nothing."""
    return np.array([similarity(asked, one) for one in states], dtype=np.float32)


def similarity(question: Output, text: Output) -> float:
    """sum_i w_i max_j (q_i . d_j) / sum_i w_i, -1..1, of (tokens, dims + 1) states without padding.

    [CLS], the first, is matched only with [CLS]; [SEP], the last, is ignored. Khattab and Zaharia, SIGIR 2020.
    """
    vectors, weight = question[:-1, :-1], question[:-1, -1]
    others = text[:-1, :-1]
    best = np.empty(len(vectors), dtype=np.float32)
    best[0] = vectors[0] @ others[0]
    if len(vectors) > 1:
        best[1:] = (vectors[1:] @ others[1:].T).max(axis=1) if len(others) > 1 else -1.0
    return float((best * weight).sum() / weight.sum())
