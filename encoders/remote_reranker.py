"""A reranker behind an address: Text Embeddings Inference's ``/rerank``, or Cohere's variant (vLLM, Jina)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.batched import batched
from core.errors import ModelMissing, Unavailable
from core.json_types import Json
from core.ports import CrossEncoderCard
from encoders.reranker import OpenGate, Reranker
from encoders.specs import CrossEncoderSpec
from net.errors import BadStatus, Refused
from net.exchange import Outgoing
from net.gate import Gate
from net.targets import host_of

_BATCH = 32  # the default limit of Text Embeddings Inference
_MAX_TOKENS = 512
_SURE = 1e-6  # limits probabilities, so that their logits are finite


@dataclass(frozen=True, slots=True)
class RerankEndpoint:
    """``url`` up to and including ``/v1`` (or ``/v2``) for Cohere's variant, else the root of a TEI server."""

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    timeout_s: float = 10.0

    @property
    def address(self) -> str:
        bare = self.url.rstrip("/")
        return bare if bare.endswith("/rerank") else f"{bare}/rerank"

    @property
    def gives_probabilities(self) -> bool:
        """Cohere's variant does; TEI returns logits on request."""
        return self.address.removesuffix("/rerank").endswith(("/v1", "/v2"))

    def body(self, question: str, texts: Sequence[str]) -> Json:
        if self.gives_probabilities:
            return {"model": self.model, "query": question, "documents": list(texts), "top_n": len(texts)}
        return {"query": question, "texts": list(texts), "raw_scores": True, "truncate": True}


class RemoteReranker:
    """core.ports.CrossEncoder."""

    def __init__(self, endpoint: RerankEndpoint, gate: Gate, card: CrossEncoderCard) -> None:
        self._endpoint = endpoint
        self._gate = gate
        self._card = card

    @property
    def card(self) -> CrossEncoderCard:
        return self._card

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """logits: (n,), in the order of ``texts``. Raises Unavailable for whatever the endpoint does wrong."""
        found = [self._ask(question, batch) for batch in batched(texts, _BATCH)]
        return np.concatenate(found) if found else np.empty(0, dtype=np.float64)

    def _ask(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        given = self._endpoint
        outgoing = Outgoing.of_json(given.address, given.body(question, texts), given.key, given.timeout_s)
        try:
            answer = self._gate.request(outgoing).expect_ok().parsed()
        except (BadStatus, Refused) as error:
            raise Unavailable(str(error)) from error
        return self._read(answer, len(texts))

    def _read(self, answer: Any, expected: int) -> NDArray[np.float64]:
        """Scores in input order: each item has its ``index``, and servers sort by score."""
        probabilities = self._endpoint.gives_probabilities
        try:
            items = sorted(answer["results"] if probabilities else answer, key=lambda item: int(item["index"]))
            scores = np.asarray(
                [item["relevance_score" if probabilities else "score"] for item in items], dtype=np.float64
            )
        except (KeyError, TypeError, ValueError):
            raise Unavailable(f"{self._host} does not answer as a rerank endpoint") from None
        if [int(item["index"]) for item in items] != list(range(expected)) or not np.isfinite(scores).all():
            raise Unavailable(f"{self._host} did not give one score for each of {expected} texts")
        return self._logits(scores) if probabilities else scores

    def _logits(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if scores.min() < 0 or scores.max() > 1:
            raise Unavailable(f"{self._host} gave scores that are no probabilities")
        sure = np.clip(scores, _SURE, 1 - _SURE)
        logits: NDArray[np.float64] = np.log(sure / (1 - sure))
        return logits

    @property
    def _host(self) -> str:
        return host_of(self._endpoint.address)


def _load(spec: CrossEncoderSpec, open_gate: OpenGate) -> RemoteReranker:
    if not spec.url:
        raise ModelMissing("the reranker is remote, but SONDE_CROSS_ENCODER__URL names no address for it")
    endpoint = RerankEndpoint(spec.url, str(spec.name), spec.key, spec.timeout_s)
    card = CrossEncoderCard(str(spec.name), spec.max_tokens or _MAX_TOKENS, weight=spec.weight)
    return RemoteReranker(endpoint, open_gate(), card)


RERANKER = Reranker("remote", _load)
