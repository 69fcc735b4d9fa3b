"""The embedder on sentence-transformers: for a GPU, or for models with layers that only it computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.batched import batched
from core.errors import ModelMissing
from core.ports import EmbedderCard, Encoded, TextKind, Vectors
from encoders.embedder import with_instruction
from encoders.imports import needs_torch, torch_imports
from encoders.onnx_session import Compute, TokenIds, padded
from encoders.pooling import parted, unit
from encoders.tokens import Tokeniser

_BATCH = 32


class TorchEmbedder:
    """core.ports.Embedder. Imports torch when an instance is made."""

    def __init__(self, folder: Path, card: EmbedderCard, compute: Compute) -> None:
        """``card.max_tokens`` 0: the model's value. Raises ModelMissing if the folder cannot be loaded."""
        self._model = _load(folder, compute)
        read = int(self._model.max_seq_length or 512)
        self._model.max_seq_length = min(card.max_tokens or read, read)
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
        read = parted(self._tokens.whole(with_instruction(texts, kind, self._card)), self._card.max_tokens)
        # Longest first, so that a batch has little padding.
        order = sorted(range(len(read.parts)), key=lambda at: -len(read.parts[at]))
        rows = [self._forward([read.parts[at] for at in batch]) for batch in batched(order, _BATCH)]
        vectors = np.empty((len(order), self._card.dims), dtype=np.float32)
        vectors[order] = np.concatenate(rows)
        return read.joined(vectors, len(texts))

    def _forward(self, parts: Sequence[Sequence[int]]) -> Vectors:
        """All layers on token ids: the library's own ``encode`` takes only texts, and cuts them."""
        import torch

        feed, _ = padded([TokenIds(ids) for ids in parts])
        device = self._model.device
        given = {name: torch.from_numpy(feed[name]).to(device) for name in ("input_ids", "attention_mask")}
        with torch.inference_mode():
            found = self._model(given)["sentence_embedding"]
        return unit(found.float().cpu().numpy())

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
