"""The cross-encoder reads a question and a candidate together, on ONNX Runtime or PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import structlog
from numpy.typing import NDArray

from core.batched import batched
from core.errors import ModelMissing
from core.ports import CrossEncoderCard
from encoders.imports import needs_torch, torch_imports
from encoders.onnx_session import Compute, OnnxSession, TokenIds, pad_inputs
from encoders.tokens import read_tokenizer
from encoders.torch_models import load_classifier

log = structlog.get_logger(__name__)
_TORCH_BATCH = 16


@dataclass(frozen=True, slots=True)
class Pairs:
    """``cut``: the number of shortened candidates; ``question_cut``: the tokens of the question that did not fit."""

    tokens: list[TokenIds]
    cut: int
    question_cut: int


class PairTokeniser:
    """``max_tokens`` of a pair, special tokens included. A question uses at most half of them."""

    def __init__(self, file: Path, max_tokens: int) -> None:
        self._tokenizer = read_tokenizer(file)
        self._text_tokens = max_tokens - self._tokenizer.num_special_tokens_to_add(True)

    def pairs(self, question: str, texts: Sequence[str]) -> Pairs:
        """One input per text, in order."""
        question_encoding = self._tokenizer.encode(question, add_special_tokens=False)
        whole_length = len(question_encoding.ids)
        question_encoding.truncate(min(whole_length, self._text_tokens // 2))
        text_tokens = self._text_tokens - len(question_encoding.ids)
        tokens, cut = [], 0
        for candidate in self._tokenizer.encode_batch(list(texts), add_special_tokens=False):
            cut += len(candidate.ids) > text_tokens
            candidate.truncate(text_tokens)
            pair = self._tokenizer.post_process(question_encoding, candidate)
            tokens.append(TokenIds(pair.ids, pair.type_ids))
        return Pairs(tokens, cut, whole_length - len(question_encoding.ids))


class Scorer:
    """Logits of tokenised pairs, in order: the common interface of the two runtimes."""

    def logits(self, pairs: Sequence[TokenIds]) -> NDArray[np.float32]:
        """(n,) for at least one pair."""
        raise NotImplementedError


class OnnxScorer(Scorer):
    def __init__(self, graph: Path, compute: Compute) -> None:
        """Raises ModelMissing if the graph cannot be opened."""
        self._session = OnnxSession(graph, compute)

    @staticmethod
    def first_of(graphs: Sequence[Path], compute: Compute, sample: TokenIds) -> OnnxScorer:
        """The first one that gives a logit for ``sample``. Raises ModelMissing with the reasons if none does."""
        reasons = []
        for graph in graphs:
            try:
                scorer = OnnxScorer(graph, compute)
                if np.isfinite(one_logit(scorer._session.try_run(sample))).all():
                    return scorer
                reason = "it gives no finite number"
            except ModelMissing as error:
                reason = str(error)
            log.warning("cross_encoder.graph_left_out", graph=str(graph), reason=reason)
            reasons.append(f"{graph.name}: {reason}")
        raise ModelMissing("; ".join(reasons))

    def logits(self, pairs: Sequence[TokenIds]) -> NDArray[np.float32]:
        return one_logit(self._session.map(pairs, lambda output, _mask: output))


class TorchScorer(Scorer):
    def __init__(self, folder: Path, compute: Compute) -> None:
        """Raises ModelMissing if the folder holds no sequence classifier."""
        self._model, self._device = _classifier(folder, compute), compute.device

    def logits(self, pairs: Sequence[TokenIds]) -> NDArray[np.float32]:
        import torch

        batches = []
        with torch.inference_mode():
            for batch in batched(pairs, _TORCH_BATCH):
                feed, _ = pad_inputs(batch)
                tensors = {name: torch.from_numpy(value).to(self._device) for name, value in feed.items()}
                batches.append(self._model(**tensors).float().cpu().numpy())
        return one_logit(np.concatenate(batches))


class ModelCrossEncoder:
    """core.ports.CrossEncoder."""

    def __init__(self, tokeniser: PairTokeniser, scorer: Scorer, card: CrossEncoderCard) -> None:
        self._tokeniser = tokeniser
        self._scorer = scorer
        self._card = card

    @property
    def card(self) -> CrossEncoderCard:
        return self._card

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """logits: (n,), higher is better, in the order of ``texts``.

        If a pair is longer than ``card.max_tokens`` the text is cut, and the event ``cross_encoder.cut`` counts it.
        """
        if not texts:
            return np.empty(0, dtype=np.float64)
        pairs = self._tokeniser.pairs(question, texts)
        if pairs.cut or pairs.question_cut:
            log.info("cross_encoder.cut", texts=len(texts), cut=pairs.cut, question_tokens_cut=pairs.question_cut)
        return self._scorer.logits(pairs.tokens).astype(np.float64)


def one_logit(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, 1) to (n,); the difference of two labels (irrelevant, relevant). Raises ModelMissing for more labels or
    states of tokens, which only a graph that Sonde did not export can have.
    """
    if logits.ndim == 1:
        return logits
    if logits.ndim != 2:
        raise ModelMissing("a cross-encoder gives one or two labels, this model gives states of tokens")
    if logits.shape[1] == 1:
        return logits[:, 0]
    if logits.shape[1] == 2:
        return logits[:, 1] - logits[:, 0]
    raise ModelMissing(f"a cross-encoder has one or two labels, this model has {logits.shape[1]}")


def _classifier(folder: Path, compute: Compute) -> Any:
    """On a processor in float32; on a GPU in the number type of the weights."""
    needs_torch(f"the model {folder}")
    with torch_imports:
        import torch
        import transformers  # noqa: F401  (imported under the lock; load_classifier uses it)
    if compute.threads is not None:
        torch.set_num_threads(compute.threads)
    options = {"dtype": torch.float32} if compute.device == "cpu" else {}
    return load_classifier(folder, **options).to(compute.device)
