"""Rerankers that run in this process: a cross-encoder on ONNX Runtime or PyTorch, or a ColBERT model; and what
`sonde models calibrate` stores of them.
"""

from __future__ import annotations

import json
import math
import os
from functools import partial
from pathlib import Path

from core.errors import ModelMissing
from core.json_types import Json
from core.ports import CrossEncoder, CrossEncoderCard
from encoders.colbert import ColbertReranker, is_colbert, read_text_limit
from encoders.cross_encoder import ModelCrossEncoder, OnnxScorer, PairTokeniser, TorchScorer
from encoders.locate import default_cache, locate
from encoders.onnx_session import Compute
from encoders.prepare import checked_graph, prepared
from encoders.recipe import read_json, read_pair_limit
from encoders.specs import CrossEncoderSpec, OpenGate, Reranker

_FOLDER = "calibration"


def calibration_file(cache: Path, digest: str) -> Path:
    return cache / _FOLDER / f"{digest[:12]}.json"


def own_calibration(cache: Path, digest: str) -> dict[str, float]:
    """``temperature`` and ``offset`` as in a card; empty if nothing was measured here.

    Raises ModelMissing if the file is damaged.
    """
    path = calibration_file(cache, digest)
    facts = read_json(path)
    if not facts:
        return {}
    try:
        calibration = {name: float(facts[name]) for name in ("temperature", "offset")}
    except (KeyError, TypeError, ValueError):
        raise ModelMissing(f"{path} is damaged; remove it, or run `sonde models calibrate` again") from None
    if calibration["temperature"] <= 0 or not all(math.isfinite(value) for value in calibration.values()):
        raise ModelMissing(f"{path} holds no temperature above 0; remove it, or run `sonde models calibrate` again")
    return calibration


def write_calibration(cache: Path, digest: str, facts: Json) -> Path:
    """Writes the file atomically. Raises OSError if the disk fails."""
    path = calibration_file(cache, digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(facts, file, indent=2, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    return path


def is_reranker(folder: Path) -> bool:
    """What the folder says of itself; whether it is complete shows when it is loaded."""
    model_type = read_json(folder / "config_sentence_transformers.json").get("model_type")
    architectures = read_json(folder / "config.json").get("architectures") or []
    classifies = any(str(name).endswith("ForSequenceClassification") for name in architectures)
    return model_type == "CrossEncoder" or classifies or is_colbert(folder)


def _load(spec: CrossEncoderSpec, _open_gate: OpenGate, *, torch: bool) -> CrossEncoder:
    cache = spec.cache or default_cache()
    located = locate(str(spec.name), cache, allow_hub=spec.allow_hub)
    facts = {**read_json(located.folder / "card.json"), **own_calibration(cache, located.digest)}
    if "scoring" in facts:
        raise ModelMissing(f"{located.folder} was made by an older `sonde train reranker`, whose models are not read")
    compute = Compute(spec.threads, spec.device)
    if is_colbert(located.folder):
        return _colbert(spec, located.folder, facts, compute)
    folder = located.folder if torch else prepared(located, cache, "logits")
    scorer = TorchScorer(folder, compute) if torch else OnnxScorer(checked_graph(folder, "model.onnx"), compute)
    own_limit = read_pair_limit(folder)
    limit = min(spec.max_tokens or own_limit, own_limit)
    return ModelCrossEncoder(PairTokeniser(folder / "tokenizer.json", limit), scorer, _pair_card(spec, limit, facts))


def _colbert(spec: CrossEncoderSpec, folder: Path, facts: Json, compute: Compute) -> ColbertReranker:
    """Judges only once it is calibrated: a mean of cosines says little by itself."""
    if spec.runtime == "onnx":
        raise ModelMissing(f"{folder} is a ColBERT model, which runs in PyTorch; use the runtime auto or torch")
    card = _pair_card(spec, read_text_limit(folder, spec.max_tokens), {"judges": "temperature" in facts, **facts})
    return ColbertReranker(folder, card, compute)


def _pair_card(spec: CrossEncoderSpec, limit: int, facts: Json) -> CrossEncoderCard:
    weight = facts.get("weight") if spec.weight is None else spec.weight
    calibration = float(facts.get("temperature", 1.0)), float(facts.get("offset", 0.0))
    return CrossEncoderCard(
        str(spec.name), limit, *calibration, None if weight is None else float(weight), bool(facts.get("judges", True))
    )


AUTO = Reranker("auto", partial(_load, torch=False))
ONNX = Reranker("onnx", partial(_load, torch=False))
TORCH = Reranker("torch", partial(_load, torch=True))
