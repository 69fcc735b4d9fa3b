"""Models behind an address, called through the gate: an embedder of the OpenAI style (``/v1/embeddings``: TEI, vLLM,
Ollama, ...), and a reranker (``/rerank`` of Text Embeddings Inference, or the form of Cohere and Jina, and vLLM).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.batched import batched
from core.errors import ModelMissing, Unavailable
from core.json_types import Json
from core.ports import CrossEncoderCard, EmbedderCard, Encoded, TextKind, Vectors
from encoders.embedder import with_instruction
from encoders.pooling import unit
from encoders.specs import CrossEncoderSpec, OpenGate, Reranker
from encoders.tokens import Tokeniser
from net.errors import BadStatus, Refused
from net.exchange import Outgoing
from net.gate import Gate
from net.targets import host_of

_BATCH = 64
# English text has about four characters to a token, dense technical text three: the estimate is rather too high.
_CHARACTERS_PER_TOKEN = 3
_INPUT_TYPES: dict[TextKind, str] = {"query": "query", "document": "passage"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """``url`` up to and including ``/v1``, or the full address of the call.

    ``says_input_type``: whether each call has ``input_type`` (``query`` or ``passage``), for servers whose model treats
    them differently. It is not part of OpenAI's interface, and some servers refuse unknown members.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    timeout_s: float = 60.0
    says_input_type: bool = False

    @property
    def address(self) -> str:
        url = self.url.rstrip("/")
        return url if url.endswith("/embeddings") else f"{url}/embeddings"


class RemoteEmbedder:
    """core.ports.Embedder. Raises Unavailable if the endpoint fails; the caller decides on retries."""

    def __init__(self, endpoint: Endpoint, gate: Gate, card: EmbedderCard, tokeniser: Tokeniser | None = None) -> None:
        """``card.dims`` 0: found by sending one text now."""
        self._endpoint = endpoint
        self._gate = gate
        self._tokeniser = tokeniser
        self._card = card if card.dims else replace(card, dims=self._ask(["dimension"], "document").shape[1])

    @property
    def card(self) -> EmbedderCard:
        return self._card

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """vectors: (n, dims) float32, unit norm, in the order of ``texts``. Raises Unavailable, Refused, BadStatus."""
        prefixed_texts = with_instruction(texts, kind, self._card)
        parts = [self._ask(batch, kind) for batch in batched(prefixed_texts, _BATCH)]
        vectors = np.concatenate(parts) if parts else np.empty((0, self._card.dims), dtype=np.float32)
        if vectors.shape[1] != self._card.dims:
            raise Unavailable(f"{self._host} now answers with {vectors.shape[1]} dimensions, not {self._card.dims}")
        return vectors

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        """Without token vectors."""
        return Encoded(self.embed(texts, kind))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """With the model's tokenizer if given, else an upper estimate from the length."""
        if self._tokeniser is not None:
            return self._tokeniser.count(texts)
        return [math.ceil(len(text) / _CHARACTERS_PER_TOKEN) + 2 for text in texts]

    @property
    def _host(self) -> str:
        return host_of(self._endpoint.address)

    def _ask(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        body: Json = {"model": self._endpoint.model, "input": list(texts), "encoding_format": "float"}
        if self._endpoint.says_input_type:
            body["input_type"] = _INPUT_TYPES[kind]
        outgoing = Outgoing.of_json(self._endpoint.address, body, self._endpoint.key, self._endpoint.timeout_s)
        return self._read(self._gate.request(outgoing).expect_ok().parsed(), len(texts))

    def _read(self, answer: Any, count: int) -> Vectors:
        """Rows in input order: each item has its ``index``, and servers may reorder items."""
        try:
            items = sorted(answer["data"], key=lambda item: int(item["index"]))
            rows = np.asarray([item["embedding"] for item in items], dtype=np.float32)
        except (KeyError, TypeError, ValueError):
            raise Unavailable(f"{self._host} does not answer as an embeddings endpoint") from None
        in_order = [int(item["index"]) for item in items] == list(range(count))
        if not in_order or rows.ndim != 2 or not np.isfinite(rows).all():
            raise Unavailable(f"{self._host} did not give one vector of numbers for each of {count} texts")
        return unit(rows)


_TEI_BATCH = 32  # the default limit of Text Embeddings Inference
_RERANK_BATCH = 64  # the limit of jina-reranker-v3, which reads all documents of a request together
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
        return _RERANK_BATCH if self._is_versioned else _TEI_BATCH

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
    card = CrossEncoderCard(str(spec.name), spec.max_tokens or _MAX_TOKENS)
    return RemoteReranker(endpoint, open_gate(), card)


RERANKER = Reranker("remote", _load)
