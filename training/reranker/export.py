"""Writes a trained reranker: one ONNX graph in eight bits, its tokenizer, and the card with before and after."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import ModelMissing
from core.json_types import Json
from core.ports import CrossEncoderCard
from encoders.files import published
from encoders.late_interaction import SCORING, LateInteraction, LateRecipe
from encoders.model_card import ModelCard, write_card
from encoders.onnx_session import Compute
from encoders.quantise import quantise
from encoders.recorded import record_cross_encoder
from encoders.torch_export import trace
from training.examples import TrainingError
from training.reranker.calibration import Calibration, calibrate_lists
from training.reranker.held_out import Lists, Ordered
from training.reranker.model import LateModel

GRAPH, WHOLE, _EXACT = "model.int8.onnx", "model.onnx", ".model.onnx"
LEAST_CORRELATION = 0.98  # of int8 with fp32, the measure
_COMPARED = 40  # lists


@dataclass(frozen=True, slots=True)
class Exported:
    """Measurements of the written graph. ``correlation``: mean Spearman of int8 with fp32 by list; if it is too low,
    the graph is the fp32 one.
    """

    graph: str
    calibration: Calibration
    correlation: float
    mebibytes: float
    pairs_30_ms: float

    def figures(self) -> Json:
        return {
            "expected calibration error": {"before": self.calibration.before, "after": self.calibration.error},
            "int8 rank correlation": self.correlation,
            f"{self.graph} MiB": round(self.mebibytes, 1),
            "ms for 30 texts of 128 tokens": round(self.pairs_30_ms),
        }


def write_reranker(out: Path, model: LateModel, lists: Lists, card: ModelCard) -> ModelCard:
    """Writes ``out`` atomically; returns the card with the figures of the int8 graph.

    Raises TrainingError if the disk or the export fails: the checkpoint remains for another export.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with published(out) as draft:
            exported, served = _export(draft, model, lists)
            facts = _facts(model, exported)
            full = replace(card, serving=facts, figures={**card.figures, **exported.figures()})
            full = replace(full, recorded=record_cross_encoder(served))
            write_card(draft, full)
    except OSError as error:
        raise TrainingError(f"{out} cannot be written: {error.strerror or error}. The checkpoint is kept.") from error
    except ModelMissing as error:
        raise TrainingError(f"The export failed, the checkpoint is kept: {error}") from error
    return full


def _facts(model: LateModel, exported: Exported) -> Json:
    own, calibration = model.settings, exported.calibration
    return {
        "scoring": SCORING,
        "graph": exported.graph,
        "max_tokens": own.served_tokens,
        "question_tokens": own.question_tokens,
        "scale": own.scale,
        "temperature": calibration.temperature,
        "offset": calibration.offset,
    }


def _export(draft: Path, model: LateModel, lists: Lists) -> tuple[Exported, LateInteraction]:
    shutil.copyfile(model.tokenizer, draft / "tokenizer.json")
    exact = draft / _EXACT
    _trace(model.module, exact)
    quantise(exact, draft / GRAPH, "portable")  # one file for every processor
    before, after = (_served(draft / name, model) for name in (_EXACT, GRAPH))
    few, read = lists.first(_COMPARED), lists.read(after.score)
    of_few = [one for one in read if one.example in few.examples]
    exactly = few.read(before.score)
    correlation = rank_correlation(exactly, of_few)
    if correlation < LEAST_CORRELATION:
        (draft / GRAPH).unlink()
        exact.rename(draft / WHOLE)
        after, graph = before, WHOLE
        read = lists.read(after.score)
    else:
        exact.unlink()
        graph = GRAPH
    calibration = calibrate_lists([(one.logits, one.grades > 0) for one in read])
    size = (draft / graph).stat().st_size / 2**20
    took_ms = _took_ms(after, model.settings.served_tokens)
    return Exported(graph, calibration, correlation, size, took_ms), after


def rank_correlation(some: Sequence[Ordered], others: Sequence[Ordered]) -> float:
    """Mean over the lists of Spearman's coefficient, for lists with at least three candidates."""
    found = []
    for one, other in zip(some, others, strict=True):
        if len(one.logits) > 2:
            ranks = [np.argsort(np.argsort(each.logits, kind="stable"), kind="stable") for each in (one, other)]
            found.append(float(np.corrcoef(ranks[0], ranks[1])[0, 1]))
    return float(np.mean(found)) if found else 1.0


def _served(graph: Path, model: LateModel) -> LateInteraction:
    own = model.settings
    recipe = LateRecipe(own.served_tokens, own.question_tokens, own.scale)
    return LateInteraction(graph, recipe, CrossEncoderCard("in training", own.served_tokens), Compute())


def _took_ms(served: LateInteraction, tokens: int) -> float:
    """The median of five; ``water`` is one token."""
    texts = ["water " * tokens] * 30
    took = []
    for _ in range(5):
        started = time.perf_counter()
        served.score("sea surface temperature in the Baltic Sea", texts)
        took.append((time.perf_counter() - started) * 1000.0)
    return float(np.median(took))


def _trace(module: Any, target: Path) -> None:
    """The graph with its word table in eight bits by row, which the quantiser cannot do: half of the weights."""
    import torch

    example = torch.ones((2, 7), dtype=torch.long)
    trace(_with_small_table(module.eval()), (example, example), target, ("input_ids", "attention_mask"), "states")


def _with_small_table(module: Any) -> Any:
    import torch

    table = module.encoder.embeddings.word_embeddings.weight.detach()
    by_row = table.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127.0

    class Graph(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = module
            self.table = torch.nn.Buffer((table / by_row).round().to(torch.int8))
            self.by_row = torch.nn.Buffer(by_row)

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            words = self.table[input_ids].float() * self.by_row[input_ids]
            return self.inner.of_words(words, attention_mask)

    return Graph()
