"""The embedders that run in this process: on ONNX Runtime, or on sentence-transformers for a GPU or for layers that
only it computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.batched import batched
from core.errors import ModelMissing
from core.ports import EmbedderCard, Encoded, TextKind, Vectors
from encoders.imports import needs_torch, torch_imports
from encoders.onnx_graphs import BELOW
from encoders.onnx_session import Compute, OnnxSession, Output, TokenIds, padded
from encoders.pooling import parted, pooled, unit
from encoders.recipe import Recipe
from encoders.token_head import TokenHead
from encoders.tokens import Tokeniser, open_tokeniser

Mask = NDArray[np.int64]

# Token ids are in memory for at most this many texts at once.
_SLICE = 2048
_ENCODED_SLICE = 256  # and their token vectors
_BATCH = 32


class OnnxEmbedder:
    """core.ports.Embedder. A text's vector does not depend on the texts it is embedded with."""

    def __init__(
        self, graph: Path, recipe: Recipe, card: EmbedderCard, compute: Compute, head: TokenHead | None = None
    ) -> None:
        """``head`` as ``card.tokens`` says. Raises ModelMissing if a graph cannot be opened, or has not the states that
        the head's own layers read.
        """
        self._card, self._head = card, head
        self._recipe = recipe
        self._tokens = open_tokeniser(graph.parent, recipe.max_tokens)
        self._session = OnnxSession(graph, compute)
        self._layers = None if head is None or head.layers is None else OnnxSession(head.layers, compute)
        if self._layers is not None and BELOW not in self._session.outputs:
            raise ModelMissing(f"{graph} gives no states for the token layers; delete {graph.parent}, it is made again")

    @property
    def card(self) -> EmbedderCard:
        return self._card

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """vectors: (n, dims) float32, unit norm, in the order of ``texts``; a longer text is read in parts."""
        prefixed = with_instruction(texts, kind, self._card)
        slices = [self._embed(batch) for batch in batched(prefixed, _SLICE)]
        return np.concatenate(slices) if slices else np.empty((0, self._card.dims), dtype=np.float32)

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        """The same vectors, with the token vectors of the same reading; those of a text's parts follow each other."""
        if self._head is None:
            return Encoded(self.embed(texts, kind))
        slices = [
            self._encode(batch, kind, self._head)
            for batch in batched(with_instruction(texts, kind, self._card), _ENCODED_SLICE)
        ]
        vectors = [part.vectors for part in slices] or [np.empty((0, self._card.dims), dtype=np.float32)]
        return Encoded(np.concatenate(vectors), [tokens for part in slices for tokens in part.tokens or ()])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special tokens included."""
        return self._tokens.count(texts)

    def _encode(self, texts: Sequence[str], kind: TextKind, head: TokenHead) -> Encoded:
        text_parts = parted(self._tokens.whole(texts), self._recipe.max_tokens)

        def vectors_of_batch(
            outputs: Sequence[Output], mask: Mask, batch: Sequence[TokenIds]
        ) -> list[tuple[Vectors, Vectors]]:
            vectors, states = pooled(outputs[0], mask, self._recipe.pooling), self._token_states(outputs, mask)
            tokens = [
                head.vectors(tokens_of.ids, own[: len(tokens_of.ids)], kind)
                for tokens_of, own in zip(batch, states, strict=True)
            ]
            return list(zip(vectors, tokens, strict=True))

        outputs = self._session.outputs[:1] if self._layers is None else [self._session.outputs[0], BELOW]
        results = self._session.each_of([TokenIds(ids) for ids in text_parts.parts], outputs, vectors_of_batch)
        tokens: list[list[Vectors]] = [[] for _ in texts]
        for owner, (_, own) in zip(text_parts.owners.tolist(), results, strict=True):
            tokens[owner].append(own)
        vectors = text_parts.joined(np.stack([vector for vector, _ in results]), len(texts))
        return Encoded(vectors, [np.concatenate(parts) for parts in tokens])

    def _token_states(self, outputs: Sequence[Output], mask: Mask) -> Output:
        """The embedder's last, or those of the token layers over its lower ones."""
        if self._layers is None:
            return outputs[0]
        return self._layers.once({BELOW: outputs[1], "attention_mask": mask})

    def _embed(self, texts: Sequence[str]) -> Vectors:
        text_parts = parted(self._tokens.whole(texts), self._recipe.max_tokens)
        tokens = [TokenIds(ids) for ids in text_parts.parts]
        vectors = self._session.map(tokens, lambda states, mask: pooled(states, mask, self._recipe.pooling))
        return text_parts.joined(vectors, len(texts))


def with_instruction(texts: Sequence[str], kind: TextKind, card: EmbedderCard) -> list[str]:
    """Each text with the model's instruction for its kind before it."""
    instruction = card.instruction if kind == "query" else card.document_instruction
    return [f"{instruction}{text}" for text in texts]


class TorchEmbedder:
    """core.ports.Embedder. Imports torch when an instance is made."""

    def __init__(self, folder: Path, card: EmbedderCard, compute: Compute) -> None:
        """``card.max_tokens`` 0: the model's value. Raises ModelMissing if the folder cannot be loaded."""
        self._model = _load(folder, compute)
        model_limit = int(self._model.max_seq_length or 512)
        self._model.max_seq_length = min(card.max_tokens or model_limit, model_limit)
        dims = int(self._model.get_embedding_dimension())
        self._card = replace(card, dims=dims, max_tokens=self._model.max_seq_length, runtime="torch")
        self._tokens = Tokeniser(folder / "tokenizer.json", self._card.max_tokens)

    @property
    def card(self) -> EmbedderCard:
        return self._card

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """vectors: (n, dims) float32, unit norm, in the order of ``texts``; a longer text is read in parts."""
        if not texts:
            return np.empty((0, self._card.dims), dtype=np.float32)
        text_parts = parted(self._tokens.whole(with_instruction(texts, kind, self._card)), self._card.max_tokens)
        # Longest first, so that a batch has little padding.
        order = sorted(range(len(text_parts.parts)), key=lambda at: -len(text_parts.parts[at]))
        rows = [self._forward([text_parts.parts[at] for at in batch]) for batch in batched(order, _BATCH)]
        vectors = np.empty((len(order), self._card.dims), dtype=np.float32)
        vectors[order] = np.concatenate(rows)
        return text_parts.joined(vectors, len(texts))

    def _forward(self, parts: Sequence[Sequence[int]]) -> Vectors:
        """All layers on token ids: the library's own ``encode`` takes only texts, and cuts them."""
        import torch

        feed, _ = padded([TokenIds(ids) for ids in parts])
        device = self._model.device
        inputs = {name: torch.from_numpy(feed[name]).to(device) for name in ("input_ids", "attention_mask")}
        with torch.inference_mode():
            vectors = self._model(inputs)["sentence_embedding"]
        return unit(vectors.float().cpu().numpy())

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        """Without token vectors."""
        return Encoded(self.embed(texts, kind))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special tokens included."""
        return self._tokens.count(texts)


def _load(folder: Path, compute: Compute) -> Any:
    needs_torch(f"the model {folder}")
    with torch_imports:
        import torch
        from sentence_transformers import SentenceTransformer

    if compute.threads is not None:
        torch.set_num_threads(compute.threads)
    try:
        return SentenceTransformer(
            str(folder), device=compute.device, local_files_only=True, model_kwargs={"use_safetensors": True}
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelMissing(f"{folder} cannot be loaded by sentence-transformers: {str(error)[:200]}") from None
