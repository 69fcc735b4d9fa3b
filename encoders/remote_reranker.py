"""A reranker behind an address: Text Embeddings Inference's ``/rerank``, or the form of Cohere and Jina (and vLLM)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.batched import batched
from core.errors import ModelMissing, Unavailable
from core.json_types import Json
from core.ports import CrossEncoderCard
from encoders.specs import CrossEncoderSpec, OpenGate, Reranker
from net.errors import BadStatus, Refused
from net.exchange import Outgoing
from net.gate import Gate
from net.targets import host_of

_TEI_BATCH = 32  # the default limit of Text Embeddings Inference
_BATCH = 64  # the limit of jina-reranker-v3, which reads all documents of a request together
_MAX_TOKENS = 512
_LEAST_PROBABILITY = 1e-6  # limits probabilities, so that their logits are finite
_VERSION_PATH = re.compile(r"/v\d+$")


@dataclass(frozen=True, slots=True)
class RerankEndpoint:
    """``url``: the root of a TEI server; for the form of Cohere and Jina up to the version (``/v1``, ``/v2``). Either
    may end in ``/rerank``.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    timeout_s: float = 10.0

    @property
    def address(self) -> str:
        return f"{self._base}/rerank"

    @property
    def batch(self) -> int:
        """How many texts go in one request."""
        return _BATCH if self._is_versioned else _TEI_BATCH

    def body(self, question: str, texts: Sequence[str]) -> Json:
        """TEI gives logits on request. Jina returns all texts unless ``return_documents`` is false.

        Cohere's v2 lacks this field.
        """
        if not self._is_versioned:
            return {"query": question, "texts": list(texts), "raw_scores": True, "truncate": True}
        body = {"model": self.model, "query": question, "documents": list(texts), "top_n": len(texts)}
        return body if self._base.endswith("/v2") else {**body, "return_documents": False}

    @property
    def _base(self) -> str:
        return self.url.rstrip("/").removesuffix("/rerank")

    @property
    def _is_versioned(self) -> bool:
        return _VERSION_PATH.search(self._base) is not None


class RemoteReranker:
    """core.ports.CrossEncoder."""

    def __init__(self, endpoint: RerankEndpoint, gate: Gate, card: CrossEncoderCard) -> None:
        self._endpoint = endpoint
        self._gate = gate
        self._card = card
        self._gives_logits = False

    @property
    def card(self) -> CrossEncoderCard:
        return self._card

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """logits: (n,), in the order of ``texts``. Raises Unavailable for whatever the endpoint does wrong.

        A ``relevance_score`` is a probability, whose logit is returned; but if one ever lies outside 0..1 (Jina's v3
        gives cosines, vLLM may give logits), it and all later ones are returned as they are.
        """
        if not texts:
            return np.empty(0, dtype=np.float64)
        batches = batched(texts, self._endpoint.batch)
        answers = [_scores(self._ask(question, batch), len(batch), self._host) for batch in batches]
        scores = np.concatenate([scores for scores, _ in answers])
        if not all(is_relevance for _, is_relevance in answers) or self._are_logits(scores):
            return scores
        return logits(scores)

    def _are_logits(self, scores: NDArray[np.float64]) -> bool:
        """Once true, it stays true: the logits of one answer may all lie in 0..1 by chance."""
        self._gives_logits = self._gives_logits or bool(scores.min() < 0 or scores.max() > 1)
        return self._gives_logits

    def _ask(self, question: str, texts: Sequence[str]) -> Any:
        endpoint = self._endpoint
        outgoing = Outgoing.of_json(endpoint.address, endpoint.body(question, texts), endpoint.key, endpoint.timeout_s)
        try:
            return self._gate.request(outgoing).expect_ok().parsed()
        except (BadStatus, Refused) as error:
            raise Unavailable(str(error)) from error

    @property
    def _host(self) -> str:
        return host_of(self._endpoint.address)


def _scores(answer: Any, count: int, host: str) -> tuple[NDArray[np.float64], bool]:
    """Scores in the order of the texts, and whether they are relevance scores (``{"results": [...]}``) and not logits
    (TEI's list). Each item has its ``index``; servers sort by score.
    """
    is_relevance = isinstance(answer, dict)
    name = "relevance_score" if is_relevance else "score"
    try:
        items = sorted(answer["results"] if is_relevance else answer, key=lambda item: int(item["index"]))
        indices = [int(item["index"]) for item in items]
        scores = np.asarray([item[name] for item in items], dtype=np.float64)
    except (KeyError, TypeError, ValueError):
        raise Unavailable(f"{host} does not answer as a rerank endpoint") from None
    if indices != list(range(count)) or not np.isfinite(scores).all():
        raise Unavailable(f"{host} did not give one score for each of {count} texts")
    return scores, is_relevance


def logits(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(p / (1 - p)), finite also for 0 and 1."""
    bounded = np.clip(probabilities, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
    values: NDArray[np.float64] = np.log(bounded / (1 - bounded))
    return values


def _load(spec: CrossEncoderSpec, open_gate: OpenGate) -> RemoteReranker:
    if not spec.url:
        raise ModelMissing("the reranker is remote, but SONDE_CROSS_ENCODER__URL names no address for it")
    endpoint = RerankEndpoint(spec.url, str(spec.name), spec.key, spec.timeout_s)
    card = CrossEncoderCard(str(spec.name), spec.max_tokens or _MAX_TOKENS, weight=spec.weight)
    return RemoteReranker(endpoint, open_gate(), card)


RERANKER = Reranker("remote", _load)
