"""Rerankers by late interaction that run here, in ONNX Runtime or PyTorch."""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import structlog
from numpy.typing import NDArray

from core.errors import ModelMissing
from core.json_types import Json
from core.ports import CrossEncoder, CrossEncoderCard
from encoders.cross_encoder import ModelCrossEncoder, OnnxScorer, PairTokeniser, Scorer, TorchScorer
from encoders.imports import needs_torch, torch_imports
from encoders.locate import default_cache, locate
from encoders.onnx_session import Compute
from encoders.prepare import checked_graph, prepare_model
from encoders.quantise import int8_kind
from encoders.recipe import read_json, read_pair_limit
from encoders.specs import CrossEncoderSpec, OpenGate, Reranker
from encoders.tokens import Tokeniser, sound
from encoders.torch_models import load_complete, read_modules, refuse_generative

log = structlog.get_logger(__name__)

Processor = Literal["vnni", "x86", "arm", "gpu"]

_FP32_GRAPHS = ("model.onnx", "model_O2.onnx", "model_O1.onnx", "model_O3.onnx")
GRAPHS_BY_PROCESSOR: Mapping[Processor, Sequence[str]] = {
    "vnni": (
        "model_qint8_avx512_vnni.onnx",
        "model_qint8_avx512.onnx",
        "model_quantized.onnx",
        "model_int8.onnx",
        "model_quint8_avx2.onnx",
        "model_uint8.onnx",
        *_FP32_GRAPHS,
    ),
    "x86": ("model_quint8_avx2.onnx", "model_quantized.onnx", "model_uint8.onnx", *_FP32_GRAPHS),
    "arm": ("model_qint8_arm64.onnx", "model_quantized.onnx", "model_int8.onnx", "model_uint8.onnx", *_FP32_GRAPHS),
    "gpu": (*_FP32_GRAPHS, "model_O4.onnx", "model_fp16.onnx"),
}
"""The best first. ``x86`` has no VNNI: it adds pairs of products in 16 bits, which overflow with signed weights of
eight bits (``qint8``). A GPU has no int8 operators.
"""
_GRAPH_FOLDER = "onnx"


def processor(device: str) -> Processor:
    """The type of processor behind ``device``, for the table ``GRAPHS_BY_PROCESSOR``."""
    if device != "cpu":
        return "gpu"
    if platform.machine().lower() in ("aarch64", "arm64"):
        return "arm"
    return "vnni" if int8_kind() == "vnni" else "x86"


def hub_graphs(folder: Path, device: str) -> list[Path]:
    """The graphs that fit this processor, best first; empty for another layout, or for one graph at the folder's root.

    Raises ModelMissing if the folder has graphs for other processors only, and no other weights.
    """
    file_names = GRAPHS_BY_PROCESSOR[processor(device)]
    graphs = [path for name in file_names for path in (folder / _GRAPH_FOLDER / name, folder / name) if path.is_file()]
    if graphs == [folder / "model.onnx"]:
        return []
    unfit_graphs = sorted(file.name for file in folder.glob(f"{_GRAPH_FOLDER}/*.onnx"))
    if unfit_graphs and not graphs and not any(folder.glob("*.safetensors")):
        raise ModelMissing(
            f"{folder / _GRAPH_FOLDER} has no graph for this processor, only {', '.join(unfit_graphs)}: "
            "add its model.onnx"
        )
    return graphs


_BATCH = 16
_OTHER_USES = {"Pooling", "LogitScore"}


def is_colbert(folder: Path) -> bool:
    """Whether the model is a Transformer with a Dense over each token, without pooling."""
    kinds = {module.kind for module in read_modules(folder)}
    return {"Transformer", "Dense"} <= kinds and not kinds & _OTHER_USES


def read_text_limit(folder: Path, max_tokens: int | None) -> int:
    """How many tokens of a text the model reads: its own limit, or ``max_tokens`` if that is less. Loads nothing."""
    configured_limit = read_json(folder / "config_sentence_transformers.json").get("document_length")
    limit = int(configured_limit) if configured_limit else read_pair_limit(folder)
    return min(max_tokens or limit, limit)


class ColbertReranker:
    """core.ports.CrossEncoder. Imports torch when an instance is made."""

    def __init__(self, folder: Path, card: CrossEncoderCard, compute: Compute) -> None:
        """``card.max_tokens`` is the limit of a text. Raises ModelMissing if the folder lacks weights."""
        self._model = _load_model(folder, compute)
        self._model[0].document_length = card.max_tokens
        self._card = card
        self._tokens = Tokeniser(folder / "tokenizer.json", card.max_tokens)

    @property
    def card(self) -> CrossEncoderCard:
        return self._card

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """sum_i max_j (q_i . d_j) over the question's tokens, divided by their number: (n,), -1..1, in order.

        A longer text is cut, and the event ``cross_encoder.cut`` counts such texts. Khattab and Zaharia, SIGIR 2020.
        """
        if not texts:
            return np.empty(0, dtype=np.float64)
        if cut := sum(length > self._card.max_tokens for length in self._tokens.count(texts)):
            log.info("cross_encoder.cut", texts=len(texts), cut=cut)
        (question_vectors,) = self._vectors("query", [question])
        return np.array(
            [float((question_vectors @ vectors.T).max(axis=1).mean()) for vectors in self._vectors("document", texts)]
        )

    def _vectors(self, task: str, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """(tokens, dims) of each text, unit norm."""
        encode = self._model.encode_query if task == "query" else self._model.encode_document
        vectors_of_texts = encode([sound(text) for text in texts], batch_size=_BATCH, show_progress_bar=False)
        return [np.asarray(rows, dtype=np.float32) for rows in vectors_of_texts]


def _load_model(folder: Path, compute: Compute) -> Any:
    needs_torch(f"the model {folder}")
    with torch_imports:
        import torch
        from sentence_transformers import MultiVectorEncoder

    if compute.threads is not None:
        torch.set_num_threads(compute.threads)
    load_complete("AutoModel", read_modules(folder)[0].folder)  # the library takes random weights for missing ones
    options: dict[str, object] = {
        "use_safetensors": True,
        **({"dtype": torch.float32} if compute.device == "cpu" else {}),
    }
    try:
        return MultiVectorEncoder(str(folder), device=compute.device, local_files_only=True, model_kwargs=options)
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelMissing(f"{folder} cannot be loaded by sentence-transformers: {str(error)[:200]}") from None


_FOLDER = "calibration"


def calibration_file(cache: Path, digest: str) -> Path:
    return cache / _FOLDER / f"{digest[:12]}.json"


def own_calibration(cache: Path, digest: str) -> dict[str, float]:
    """``temperature`` and ``offset`` as in a card; empty if no calibration was measured on this machine.

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
    """By the folder's configuration. Whether its weights are complete shows when it is loaded."""
    model_type = read_json(folder / "config_sentence_transformers.json").get("model_type")
    architectures = read_json(folder / "config.json").get("architectures") or []
    classifies = any(str(name).endswith("ForSequenceClassification") for name in architectures)
    return model_type == "CrossEncoder" or classifies or is_colbert(folder)


def _load(spec: CrossEncoderSpec, _open_gate: OpenGate, *, torch: bool) -> CrossEncoder:
    try:
        return _open(spec, torch=torch)
    except OSError as error:
        raise ModelMissing(f"{spec.name} cannot be read ({error.strerror or type(error).__name__})") from None


def _open(spec: CrossEncoderSpec, *, torch: bool) -> CrossEncoder:
    cache = spec.cache or default_cache()
    location = locate(str(spec.name), cache, allow_hub=spec.allow_hub)
    facts = {**read_json(location.folder / "card.json"), **own_calibration(cache, location.digest)}
    if "scoring" in facts:
        raise ModelMissing(f"{location.folder} was made by an older `sonde train reranker`, whose models are not read")
    compute = Compute(spec.threads, spec.device)
    if is_colbert(location.folder):
        return _colbert(spec, location.folder, facts, compute)
    graphs = [] if torch else _ready_graphs(location.folder, spec.device)
    folder = location.folder if torch or graphs else prepare_model(location, cache, "logits")
    own_limit = read_pair_limit(folder)
    limit = min(spec.max_tokens or own_limit, own_limit)
    scorer: Scorer | None = TorchScorer(folder, compute) if torch else None
    tokeniser = PairTokeniser(folder / "tokenizer.json", limit)
    if scorer is None:
        (sample,) = tokeniser.pairs("rain", ["rainfall"]).tokens
        scorer = OnnxScorer.first_of(graphs or [checked_graph(folder, "model.onnx")], compute, sample)
    return ModelCrossEncoder(tokeniser, scorer, _pair_card(spec, limit, facts))


def _ready_graphs(folder: Path, device: str) -> list[Path]:
    """Graphs in a hub's layout, which need no PyTorch; none if the classification head is in separate folders."""
    refuse_generative(folder)
    return [] if len(read_modules(folder)) > 1 else hub_graphs(folder, device)


def _colbert(spec: CrossEncoderSpec, folder: Path, facts: Json, compute: Compute) -> ColbertReranker:
    """Judges answers only after a calibration, because a mean of cosines alone says little."""
    if spec.runtime == "onnx":
        raise ModelMissing(f"{folder} is a ColBERT model, which runs in PyTorch; use the runtime auto or torch")
    card = _pair_card(spec, read_text_limit(folder, spec.max_tokens), {"judges": "temperature" in facts, **facts})
    return ColbertReranker(folder, card, compute)


def _pair_card(spec: CrossEncoderSpec, limit: int, facts: Json) -> CrossEncoderCard:
    weight = facts.get("weight")
    calibration = float(facts.get("temperature", 1.0)), float(facts.get("offset", 0.0))
    return CrossEncoderCard(
        str(spec.name), limit, *calibration, None if weight is None else float(weight), bool(facts.get("judges", True))
    )


AUTO = Reranker("auto", partial(_load, torch=False))
ONNX = Reranker("onnx", partial(_load, torch=False))
TORCH = Reranker("torch", partial(_load, torch=True))
