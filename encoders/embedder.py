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
from encoders.onnx_graphs import LOWER_STATES
from encoders.onnx_session import Compute, OnnxSession, Output, TokenIds, pad_inputs
from encoders.pooling import pool_states, split_texts, unit
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
        """``head`` belongs to ``card.tokens``. Raises ModelMissing if a graph cannot be opened, or lacks the
        states that the layers of ``head`` read.
        """
        self._card, self._token_head = card, head
        self._recipe = recipe
        self._tokens = open_tokeniser(graph.parent, recipe.max_tokens)
        self._session = OnnxSession(graph, compute)
        self._layers = None if head is None or head.layers is None else OnnxSession(head.layers, compute)
        if self._layers is not None and LOWER_STATES not in self._session.outputs:
            raise ModelMissing(
                f"{graph} has no states for the token layers; delete {graph.parent}, then it is prepared again"
            )

    @property
    def card(self) -> EmbedderCard:
        return self._card

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """vectors: (n, dims) float32, unit norm, in the order of ``texts``; a longer text is read in chunks."""
        prefixed_texts = with_instruction(texts, kind, self._card)
        slices = [self._embed(batch) for batch in batched(prefixed_texts, _SLICE)]
        return np.concatenate(slices) if slices else np.empty((0, self._card.dims), dtype=np.float32)

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        """Vectors as ``embed``, and token vectors from the same run; those of a text's chunks follow each other."""
        if self._token_head is None:
            return Encoded(self.embed(texts, kind))
        slices = [
            self._encode(batch, kind, self._token_head)
            for batch in batched(with_instruction(texts, kind, self._card), _ENCODED_SLICE)
        ]
        vectors = [slice_result.vectors for slice_result in slices] or [
            np.empty((0, self._card.dims), dtype=np.float32)
        ]
        return Encoded(
            np.concatenate(vectors), [tokens for slice_result in slices for tokens in slice_result.tokens or ()]
        )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special tokens included."""
        return self._tokens.count(texts)

    def _encode(self, texts: Sequence[str], kind: TextKind, head: TokenHead) -> Encoded:
        text_chunks = split_texts(self._tokens.full_ids(texts), self._recipe.max_tokens)

        def vectors_of_batch(
            outputs: Sequence[Output], mask: Mask, batch: Sequence[TokenIds]
        ) -> list[tuple[Vectors, Vectors]]:
            vectors, states = pool_states(outputs[0], mask, self._recipe.pooling), self._token_states(outputs, mask)
            tokens = [
                head.vectors(token_ids.ids, text_states[: len(token_ids.ids)], kind)
                for token_ids, text_states in zip(batch, states, strict=True)
            ]
            return list(zip(vectors, tokens, strict=True))

        outputs = self._session.outputs[:1] if self._layers is None else [self._session.outputs[0], LOWER_STATES]
        results = self._session.map_outputs([TokenIds(ids) for ids in text_chunks.chunks], outputs, vectors_of_batch)
        tokens: list[list[Vectors]] = [[] for _ in texts]
        for row, (_, token_vectors) in zip(text_chunks.text_rows.tolist(), results, strict=True):
            tokens[row].append(token_vectors)
        vectors = text_chunks.combine(np.stack([vector for vector, _ in results]), len(texts))
        return Encoded(vectors, [np.concatenate(chunks) for chunks in tokens])

    def _token_states(self, outputs: Sequence[Output], mask: Mask) -> Output:
        """The embedder's last states, or those that the token layers make of its lower states."""
        if self._layers is None:
            return outputs[0]
        return self._layers.run_batch({LOWER_STATES: outputs[1], "attention_mask": mask})

    def _embed(self, texts: Sequence[str]) -> Vectors:
        text_chunks = split_texts(self._tokens.full_ids(texts), self._recipe.max_tokens)
        tokens = [TokenIds(ids) for ids in text_chunks.chunks]
        vectors = self._session.map(tokens, lambda states, mask: pool_states(states, mask, self._recipe.pooling))
        return text_chunks.combine(vectors, len(texts))


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
        """vectors: (n, dims) float32, unit norm, in the order of ``texts``; a longer text is read in chunks."""
        if not texts:
            return np.empty((0, self._card.dims), dtype=np.float32)
        text_chunks = split_texts(
            self._tokens.full_ids(with_instruction(texts, kind, self._card)), self._card.max_tokens
        )
        # Longest first, so that a batch has little padding.
        order = sorted(range(len(text_chunks.chunks)), key=lambda row: -len(text_chunks.chunks[row]))
        batches = [self._forward([text_chunks.chunks[row] for row in batch]) for batch in batched(order, _BATCH)]
        vectors = np.empty((len(order), self._card.dims), dtype=np.float32)
        vectors[order] = np.concatenate(batches)
        return text_chunks.combine(vectors, len(texts))

    def _forward(self, chunks: Sequence[Sequence[int]]) -> Vectors:
        """Runs all layers on token ids, because the library's ``encode`` takes only texts, and truncates them."""
        import torch

        feed, _ = pad_inputs([TokenIds(ids) for ids in chunks])
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
