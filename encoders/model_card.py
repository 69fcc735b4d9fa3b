"""A model's card: ``card.json`` for Sonde, ``card.md`` for people. It is written last, so a folder without a card is
not a complete model.

At the top level of the JSON are the facts for serving (``pooling``, ``max_tokens``, ``dims``, ``min_score``,
``instruction``; of a cross-encoder ``temperature``, ``offset``): see ``encoders.recipe`` and ``encoders.catalogue``.
Reference results on our sample are in it too: the model must reproduce them on any machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from core.json_types import Json, JsonMapping
from core.ports import CrossEncoder, Embedder
from encoders.pinned import file_sha256
from encoders.quantise import sample_texts
from encoders.recipe import read_json

ModelKind = Literal["embedder", "reranker", "segmenter", "token-head", "tagger"]
CARD, PAGE = "card.json", "card.md"


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Data for training or measuring a model; ``count`` of ``what`` (pairs, sentences, ...)."""

    name: str
    licence: str
    count: int
    what: str = "examples"
    note: str = ""


@dataclass(frozen=True, slots=True)
class ModelCard:
    """``figures``: measure -> {"before": .., "after": ..} or one number. ``serving``: the top-level facts.
    ``recorded``: numbers that the model must reproduce on our sample texts, see ``encoders.model_card``.

    ``reproduce`` is the command; with ``commit``, ``seed`` and the same number of steps it makes this model again.
    """

    kind: ModelKind
    name: str
    base: str
    licence: str
    data: tuple[TrainingData, ...]
    settings: JsonMapping
    seed: int
    commit: str
    made: str
    figures: JsonMapping
    reproduce: str
    note: str = ""
    serving: JsonMapping = field(default_factory=dict)
    recorded: JsonMapping = field(default_factory=dict)


_CARD_FIELDS = ("kind", "name", "base", "licence", "settings", "seed", "commit", "made", "figures", "reproduce", "note")


def write_card(folder: Path, card: ModelCard) -> None:
    """Writes both cards, with the hash of every other file in the folder. Raises OSError if the disk fails."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file() and file not in _cards(folder)]
    hashes = {file.relative_to(folder).as_posix(): file_sha256(file) for file in files}
    values = asdict(card)
    facts = {**dict(card.serving), **{name: values[name] for name in _CARD_FIELDS}, "data": values["data"]}
    if card.recorded:
        facts["recorded"] = dict(card.recorded)
    (folder / PAGE).write_text(page(card), encoding="utf-8")
    draft = folder / f".{CARD}.draft"
    draft.write_text(json.dumps({**facts, "sha256": hashes}, indent=2, ensure_ascii=False), encoding="utf-8")
    draft.replace(folder / CARD)


def damaged_files(folder: Path) -> list[str]:
    """Files of the card that are missing or changed, sorted."""
    hashes: Mapping[str, str] = read_json(folder / CARD).get("sha256", {})
    return sorted(
        name for name, hash in hashes.items() if not (folder / name).is_file() or file_sha256(folder / name) != hash
    )


def page(card: ModelCard) -> str:
    data = [
        f"- {source.name}: {source.count:,} {source.what}, {source.licence}{'; ' + source.note if source.note else ''}"
        for source in card.data
    ]
    figures = [_figure(name, value) for name, value in card.figures.items()]
    settings = [f"- {name}: {value}" for name, value in {**dict(card.settings), **dict(card.serving)}.items()]
    return "\n".join(
        [
            f"# {card.name}",
            "",
            f"A {card.kind} trained from {card.base}; licence {card.licence}. Made {card.made} from commit "
            f"{card.commit or 'unknown'} with seed {card.seed}.",
            *(["", card.note] if card.note else []),
            *("", "## Data", "", *data),
            *(["", "## Figures", "", "| measure | before | after |", "|---|---|---|", *figures] if figures else []),
            *("", "## Settings", "", *settings),
            *("", "## Command", "", "```console", f"$ {card.reproduce}", "```", ""),
        ]
    )


def _figure(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        return f"| {name} | {_number(value.get('before'))} | {_number(value.get('after'))} |"
    return f"| {name} | | {_number(value)} |"


def _number(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else "" if value is None else str(value)


def _cards(folder: Path) -> tuple[Path, Path]:
    return folder / CARD, folder / PAGE


_TEXTS = 2
_PAIRS = 8
_DIGITS = 4
SAME_COSINE = 0.999
"""Least cosine of a vector to the reference vector. Rounding and another order of sums give more."""
SAME_LOGIT = 0.05
"""Tolerance as a share of the reference logits' range: int8 products overflow on processors without VNNI."""
SAME_COHERENCE = 0.005
"""Tolerance of a probability: fp32 graphs reproduce four digits."""


def record_embedder(embedder: Embedder) -> Json:
    """Vectors of the sample's first documents, to four digits."""
    vectors = embedder.embed(sample_texts()[:_TEXTS], "document")
    return {"vectors": [[round(float(value), _DIGITS) for value in row] for row in vectors]}


def record_segmenter(coherence: Callable[[Sequence[str]], list[float]]) -> Json:
    """How well each of the sample's first documents continues the previous one."""
    return {"coherence": [round(value, _DIGITS) for value in coherence(sample_texts()[:_PAIRS])]}


def record_cross_encoder(model: CrossEncoder) -> Json:
    """Logits of the sample's first documents for its last text, a question."""
    return {"logits": [round(float(value), _DIGITS) for value in _logits(model)]}


def segmenter_gap(coherence: Callable[[Sequence[str]], list[float]], reference: JsonMapping) -> float:
    """The largest difference to a reference probability."""
    reference_probabilities = np.asarray(reference["coherence"], dtype=np.float64)
    probabilities = np.asarray(coherence(sample_texts()[: len(reference_probabilities) + 1]), dtype=np.float64)
    return float(np.abs(probabilities - reference_probabilities).max())


def embedder_agreement(embedder: Embedder, reference: JsonMapping) -> float:
    """The smallest cosine to the reference vectors; 0 for a different size."""
    reference_vectors = np.asarray(reference["vectors"], dtype=np.float32)
    vectors = embedder.embed(sample_texts()[: len(reference_vectors)], "document")
    if vectors.shape != reference_vectors.shape:
        return 0.0
    norms = np.linalg.norm(reference_vectors, axis=1)
    return float((np.einsum("ij,ij->i", vectors, reference_vectors) / norms).min())


def cross_encoder_gap(model: CrossEncoder, reference: JsonMapping) -> float:
    """The largest difference to a reference logit, as a share of their range."""
    reference_logits = np.asarray(reference["logits"], dtype=np.float64)
    span = max(float(reference_logits.max() - reference_logits.min()), 1e-9)
    return float(np.abs(_logits(model) - reference_logits).max()) / span


def _logits(model: CrossEncoder) -> Any:
    texts = sample_texts()
    return model.score(texts[-1], texts[:_PAIRS])
