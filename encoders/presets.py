"""What we know of a model beyond its files: the cosine below which a hit is none, and how it wants a question put."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """``min_score`` is a raw cosine (-1..1); ``instruction`` is written before a question, never before a document."""

    min_score: float = 0.0
    instruction: str = ""


# MiniLM: see tests/integration/test_models_min_score.py for the questions behind the figure.
_MINILM = Preset(min_score=0.2)
# bge's cosines lie in a narrow high band: unrelated texts score .3 to .5.
_BGE = Preset(min_score=0.5, instruction="Represent this sentence for searching relevant passages: ")

_PRESETS = {
    "sentence-transformers/all-minilm-l6-v2": _MINILM,
    "artifact:all-minilm-l6-v2": _MINILM,
    "baai/bge-small-en-v1.5": _BGE,
    "artifact:bge-small-en-v1.5": _BGE,
}


def preset_for(name: str) -> Preset:
    """The model's preset, or one that cuts nothing off and adds nothing."""
    return _PRESETS.get(name.lower(), Preset())
