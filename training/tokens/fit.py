"""Fits a token head: which directions of an embedder's token states are kept, as one bit each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.json_types import Json
from core.ports import Vectors
from core.token_bits import packed
from encoders.files import published
from encoders.model_card import ModelCard, write_card
from encoders.onnx_session import Compute
from encoders.pooling import unit
from encoders.token_head import FILE, LAYERS, TokenHead
from encoders.token_states import Part, silent_tokens, token_states
from training.examples import TrainingError

if TYPE_CHECKING:
    from training.tokens.layers import TokenLayers

_MEASURED = 200  # parts whose size in bytes is measured
_OF_A_TEXT = 60  # tokens that are drawn of each text, so that long ones do not decide alone


@dataclass(frozen=True, slots=True)
class HeadSettings:
    """``dims``: bits of a token; ``texts``: how many are read, drawn at random."""

    dims: int = 160
    texts: int = 4000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Fitted:
    """``explained``: share of the states' variance in the kept directions. ``bytes_mean``: of a text."""

    head: TokenHead
    explained: float
    bytes_mean: float
    texts: int


def fit_head(folder: Path, texts: Sequence[str], settings: HeadSettings, compute: Compute) -> Fitted:
    """Principal components of centred unit states, turned at random: each bit then says about as much as another
    (Charikar, STOC 2002). ``folder`` is a prepared embedder. Needs no questions.

    Raises TrainingError if the texts have fewer tokens than dimensions are wanted.
    """
    random = np.random.default_rng(settings.seed)
    drawn = [texts[at] for at in random.permutation(len(texts))[: settings.texts]]
    silent = frozenset(silent_tokens(folder))
    read: list[Part] = []
    rows: list[Vectors] = []
    for ids, states in (part for parts in token_states(folder, drawn, compute) for part in parts):
        loud = np.array([token not in silent for token in ids])
        read = [*read, (ids, states)] if len(read) < _MEASURED else read
        rows.append(unit(states[loud][random.permutation(int(loud.sum()))[:_OF_A_TEXT]]))
    sample = np.concatenate(rows) if rows else np.empty((0, 1), dtype=np.float32)
    if len(sample) <= max(settings.dims, sample.shape[1]):
        raise TrainingError(f"{len(sample)} tokens are too few to fit {settings.dims} dimensions; name more texts.")
    mean = sample.mean(axis=0)
    variances, directions = np.linalg.eigh(np.cov((sample - mean).T))
    kept = directions[:, ::-1][:, : settings.dims]
    turn, _ = np.linalg.qr(random.normal(size=(settings.dims, settings.dims)))
    head = TokenHead(mean.astype(np.float32), (kept @ turn).astype(np.float32), silent)
    explained = float(variances[::-1][: settings.dims].sum() / variances.sum())
    sizes = [len(packed(head.vectors(ids, states, "document"))) for ids, states in read]
    return Fitted(head, explained, float(np.mean(sizes)), len(drawn))


def write_head(out: Path, fitted: Fitted, card: ModelCard, layers: TokenLayers | None = None) -> ModelCard:
    """Writes ``out`` atomically: the head in half precision, its own ``layers`` if it has some, and its card."""
    from safetensors.numpy import save_file

    out.parent.mkdir(parents=True, exist_ok=True)
    with published(out) as draft:
        head = fitted.head
        tensors: dict[str, NDArray[np.float16] | NDArray[np.int32]] = {
            "mean": head.mean.astype(np.float16),
            "projection": head.projection.astype(np.float16),
            "silent": np.array(sorted(head.silent), dtype=np.int32),
        }
        save_file(tensors, draft / FILE)
        if layers is not None:
            from training.tokens.layers import export_layers  # imports torch

            export_layers(layers, draft / LAYERS)
        write_card(draft, card)
    return card


def figures(fitted: Fitted) -> Json:
    """What the card says of the fit."""
    return {
        "share of the variance kept": round(fitted.explained, 4),
        "bytes of a text, mean": round(fitted.bytes_mean),
        "texts read": fitted.texts,
    }
