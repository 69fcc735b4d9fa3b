"""The embedder of an OpenAI-style ``/v1/embeddings`` endpoint (TEI, vLLM, Ollama, ...), called through the gate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from core.batched import batched
from core.errors import Unavailable
from core.json_types import Json
from core.ports import EmbedderCard, Encoded, TextKind, Vectors
from encoders.embedder import with_instruction
from encoders.pooling import unit
from encoders.tokens import Tokeniser
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
