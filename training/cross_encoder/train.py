"""Trains a cross-encoder: from pairs to an int8 graph with a calibration and a card that shows before and after.

It starts from a folder with safetensors, from the int8 graph that Sonde ships, or from an embedder with a new head.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from core.json_types import Json
from core.ports import CrossEncoderCard
from encoders.cross_encoder import ModelCrossEncoder, OnnxScorer, PairTokeniser
from encoders.imports import torch_imports
from encoders.locate import Located
from encoders.model_card import ModelCard, record_cross_encoder, write_card
from encoders.onnx_session import Compute
from encoders.quantise import quantise
from encoders.recipe import read_pair_limit
from encoders.torch_models import INPUTS, accepted_inputs, trace
from training.calibration import Calibration, area_under_curve, calibrate_lists
from training.cross_encoder.learner import CrossEncoderLearner, CrossEncoderTrainingSettings, labels_of
from training.examples import LabelledPair, PairSplit, TrainingError
from training.loop import Checkpoints, FinishedTraining, OnEvaluation, Optimisation, TrainingBudget
from training.provenance import Origin, written_model
from training.weights import GRAPH, copy_files, restored, trainable_folder, transformers_for

if TYPE_CHECKING:
    from torch import Tensor, nn
    from transformers import PreTrainedModel


TABLE, TABLE_SCALES = "table", "by_row"
"""Names in the graph: the word table in eight bits, and the scale of each row (``training.cross_encoder.train``)."""
_QUANTISED = "_quantized"
_BESIDE = ("tokenizer.json", "tokenizer_config.json", "card.json")


def load_trainable(location: Located, cache: Path, *, threads: int, seed: int) -> PreTrainedModel:
    """transformers' sequence classifier with one label; its word table does not learn, so it stays exact in eight bits.

    Raises TrainingError if the folder holds nothing to learn from, ModelMissing if it cannot be loaded.
    """
    folder = (
        restored(location, cache, _restore) if _is_own_graph(location.folder) else trainable_folder(location, cache)
    )
    with transformers_for(folder, threads=threads, seed=seed) as transformers:
        model: PreTrainedModel = transformers.AutoModelForSequenceClassification.from_pretrained(  # nosec B615
            str(folder), num_labels=1, use_safetensors=True, local_files_only=True, trust_remote_code=False
        )
    word_table(model).weight.requires_grad_(False)
    return model


def word_table(model: PreTrainedModel) -> nn.Embedding:
    return cast("nn.Embedding", model.get_input_embeddings())


def _is_own_graph(folder: Path) -> bool:
    import onnx

    graph = folder / GRAPH
    if not (graph.is_file() and (folder / "config.json").is_file()):
        return False
    names = {tensor.name for tensor in onnx.load(str(graph), load_external_data=False).graph.initializer}
    return {TABLE, TABLE_SCALES} <= names


def _restore(source: Path, draft: Path) -> None:
    with torch_imports:
        import torch
        from transformers import AutoConfig, AutoModelForSequenceClassification

    weights = own_weights(source / GRAPH)
    settings = AutoConfig.from_pretrained(str(source), local_files_only=True, num_labels=1)  # nosec B615
    model = AutoModelForSequenceClassification.from_config(settings)  # type: ignore[no-untyped-call]
    table = torch.from_numpy(weights.pop(TABLE))
    state = {name: torch.from_numpy(np.ascontiguousarray(value)) for name, value in weights.items()}
    try:
        lacks = set(model.load_state_dict(state, strict=False).missing_keys)
        words = word_table(model)
        with torch.no_grad():
            words.weight.copy_(table)
    except RuntimeError as error:
        raise TrainingError(f"The graph of {source} does not fit its config.json: {str(error)[:150]}") from error
    if lacks - {name for name, value in model.named_parameters() if value is words.weight}:
        raise TrainingError(f"The graph of {source} lacks weights that its config.json names: {sorted(lacks)[0]}.")
    model.save_pretrained(str(draft), safe_serialization=True)
    copy_files(source, draft, _BESIDE)


def own_weights(graph: Path) -> dict[str, NDArray[np.float32]]:
    """The classifier's names -> float arrays of an int8 graph; ``TABLE`` is the word table."""
    import onnx
    from onnx import numpy_helper

    graph_proto = onnx.load(str(graph)).graph
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph_proto.initializer}
    weights = {
        name.partition(".")[2]: value.astype(np.float32)
        for name, value in arrays.items()
        if "." in name and value.dtype == np.float32 and not name.endswith("_scale")
    }
    for node in graph_proto.node:
        if node.op_type == "MatMulInteger" and node.input[1].endswith(_QUANTISED):
            source = node.input[1].removesuffix(_QUANTISED)
            dequantised = arrays[node.input[1]].astype(np.float32) - arrays[f"{source}_zero_point"].astype(np.float32)
            weights[_layer_name(node.name)] = (dequantised * arrays[f"{source}_scale"]).T
    weights[TABLE] = arrays[TABLE].astype(np.float32) * arrays[TABLE_SCALES]
    return weights


def _layer_name(node: str) -> str:
    """``/m/bert/pooler/dense/Gemm_MatMul_quant`` is ``bert.pooler.dense.weight``."""
    return ".".join([*node.strip("/").split("/")[1:-1], "weight"])


_LARGEST = 127.0


def write_int8_graph(classifier: PreTrainedModel, folder: Path) -> Path:
    """``model.onnx`` in ``folder``; its size is a quarter of the weights in 32 bits. The classifier is used up."""
    import torch

    classifier.train(False)
    classifier.set_attn_implementation("eager")  # plain operators trace for any length
    full_graph, example = folder / ".fp32.onnx", torch.ones((2, 7), dtype=torch.long)
    trace(
        _with_byte_table(classifier),
        (example, example, torch.zeros_like(example)),
        full_graph,
        INPUTS,
        "logits",
        {0: "batch"},
    )
    quantise(full_graph, folder / GRAPH, "portable")
    full_graph.unlink()
    return folder / GRAPH


def _with_byte_table(classifier: PreTrainedModel) -> nn.Module:
    """The classifier with its word table in eight bits, one scale for each row: half of a small model's size."""
    import torch

    words = word_table(classifier).weight.detach()
    scales = words.abs().amax(1, keepdim=True).clamp(min=1e-8) / _LARGEST
    classifier.set_input_embeddings(torch.nn.Embedding(1, words.shape[1]))
    names = accepted_inputs(classifier, INPUTS[1:])

    class ByteTable(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.m = classifier
            self.table = torch.nn.Buffer((words / scales).round().to(torch.int8))
            self.by_row = torch.nn.Buffer(scales)

        def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
            inputs = dict(zip(INPUTS[1:], (attention_mask, token_type_ids), strict=True))
            vectors = self.table[input_ids].float() * self.by_row[input_ids]
            logits: Tensor = self.m(inputs_embeds=vectors, **{name: inputs[name] for name in names}).logits
            return logits

    return ByteTable().eval()


if TYPE_CHECKING:
    from transformers import PreTrainedModel

LEAST_PAIRS = 40
SHARE = 0.1
"""Of the fused score in a search; the ranking's configuration changes it. Answers have a share of their own."""
_MOST_MEASURED = 1000  # pairs during training; the card's figures use all that are left out
_AUC = "area under the curve"


@dataclass(frozen=True, slots=True)
class CrossEncoderBase:
    """``cache``: where weights are stored that are read back from a graph."""

    location: Located
    cache: Path


def train_cross_encoder(
    base: CrossEncoderBase,
    split: PairSplit,
    settings: CrossEncoderTrainingSettings,
    budget: TrainingBudget,
    origin: Origin,
    out: Path,
    *,
    resume: bool = False,
    report: OnEvaluation = lambda _: None,
) -> ModelCard:
    """Writes ``out`` and returns its card. Raises TrainingError for too few pairs, a full disk, a diverging loss.

    Checkpoints are in ``.{out.name}.checkpoints`` in the same folder until the model is written.
    """
    if len(split.train) < LEAST_PAIRS:
        raise TrainingError(f"{len(split.train)} pairs are too few to learn from; give {LEAST_PAIRS} or more.")
    folder, checkpoints = (
        base.location.folder,
        Checkpoints.of_output(out, _identity(base, split, settings), resume=resume),
    )
    classifier = load_trainable(base.location, base.cache, threads=settings.threads, seed=settings.seed)
    limit = read_pair_limit(folder)
    tokeniser = PairTokeniser(folder / "tokenizer.json", min(settings.max_tokens, limit))
    learner = CrossEncoderLearner(classifier, tokeniser, split.train, split.stop[:_MOST_MEASURED], settings)
    before = learner.scores(split.left_out)
    from training.trainer import train  # imports torch

    training = train(
        learner, Optimisation(settings.learning_rate, settings.device, settings.seed), budget, checkpoints, report
    )
    pairs = (("learnt", split.train), ("not learnt", (*split.stop, *split.left_out)))
    data = [part for note, group in pairs for part in origin.training_data(group, note, "pairs")]
    card = replace(
        origin.card("reranker", out, data, {**asdict(settings), **asdict(budget)}),
        figures=training.figures("area under the curve while training"),
        note=f"SONDE_CROSS_ENCODER__MODEL={out} uses it in answers, and in searches with a share of {SHARE}.",
        serving={"max_tokens": limit, "judges": True, "weight": SHARE},
    )
    card = _write(out, folder, classifier.cpu(), card, _LeftOut(split.left_out, before, training))
    checkpoints.discard()
    return card


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """The pairs that calibrate and measure, with the base's logits (n,)."""

    pairs: Sequence[LabelledPair]
    before: NDArray[np.float64]
    training: FinishedTraining


def _write(out: Path, source: Path, classifier: PreTrainedModel, card: ModelCard, left_out: _LeftOut) -> ModelCard:
    """The graph, the tokenizer, and the card with what the graph itself gives for the pairs that are left out."""
    with written_model(out) as draft:
        graph = write_int8_graph(classifier, draft)
        for name in ("config.json", "tokenizer.json"):
            shutil.copyfile(source / name, draft / name)
        limit = int(card.serving["max_tokens"])
        tokeniser = PairTokeniser(draft / "tokenizer.json", limit)
        model = ModelCrossEncoder(tokeniser, OnnxScorer(graph, Compute()), CrossEncoderCard(out.name, limit))
        card = replace(card, figures={**card.figures, "MiB": round(graph.stat().st_size / 2**20, 1)})
        logits = scores_of(model, left_out.pairs)
        calibration = calibrate_lists(_by_group(left_out.pairs, logits))
        card = replace(
            card,
            figures={**_figures(left_out, logits, calibration), **card.figures},
            serving={**card.serving, "temperature": calibration.temperature, "offset": calibration.offset},
            recorded=record_cross_encoder(model),
        )
        write_card(draft, card)
    return card


def scores_of(model: ModelCrossEncoder, pairs: Sequence[LabelledPair]) -> NDArray[np.float64]:
    """(n,) logits, in order."""
    return np.array([float(model.score(pair.question, [pair.text])[0]) for pair in pairs])


def _figures(left_out: _LeftOut, logits: NDArray[np.float64], calibration: Calibration) -> Json:
    """The area under the curve before and after: of all pairs, and of each kind of wrong pair against its answers."""
    right = labels_of(left_out.pairs)
    figures: Json = {
        _AUC: {"before": area_under_curve(left_out.before, right), "after": area_under_curve(logits, right)}
    }
    origins = Counter(pair.origin for pair in left_out.pairs if not pair.answers)
    for origin in sorted(origins):
        groups = {pair.group for pair in left_out.pairs if pair.origin == origin}
        rows = np.array(
            [pair.group in groups and (pair.answers or pair.origin == origin) for pair in left_out.pairs], dtype=bool
        )
        if right[rows].any():
            figures[f"{_AUC}, {origin} ({origins[origin]})"] = {
                "before": area_under_curve(left_out.before[rows], right[rows]),
                "after": area_under_curve(logits[rows], right[rows]),
            }
    return {
        **figures,
        "calibration error": {"before": calibration.before, "after": calibration.error},
        "pairs left out": len(left_out.pairs),
        "hours": round(left_out.training.seconds / 3600.0, 3),
    }


def _by_group(
    pairs: Sequence[LabelledPair], logits: NDArray[np.float64]
) -> list[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    rows_by_group: dict[str, list[int]] = defaultdict(list)
    for row, pair in enumerate(pairs):
        rows_by_group[pair.group].append(row)
    right = labels_of(pairs)
    return [(logits[rows], right[rows]) for rows in rows_by_group.values()]


def _identity(base: CrossEncoderBase, split: PairSplit, settings: CrossEncoderTrainingSettings) -> Json:
    """What must be equal for a training to continue."""
    digest = hashlib.sha256()
    for pair in (*split.train, *split.stop, *split.left_out):
        digest.update(f"{pair.question}\0{pair.text}\0{pair.answers}\n".encode())
    return {"base": base.location.digest, "pairs": digest.hexdigest(), **asdict(settings)}
