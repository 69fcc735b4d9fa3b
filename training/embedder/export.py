"""Writes a trained embedder: weights, an ONNX graph with its int8 variant, and the card with before and after."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from core.errors import ModelMissing
from core.json_types import Json
from core.ports import EmbedderCard
from encoders.embedder import OnnxEmbedder
from encoders.files import published
from encoders.locate import Located, weights_digest
from encoders.mapped_weights import write_whole
from encoders.model_card import CARD, ModelCard, write_card
from encoders.onnx_session import Compute
from encoders.prepare import prepared
from encoders.recipe import Recipe, read_json
from encoders.recorded import record_embedder
from training.embedder.encoder import TrainableEncoder
from training.examples import TrainingError


@dataclass(frozen=True, slots=True)
class Serving:
    """The model's values for serving."""

    recipe: Recipe
    instruction: str
    min_score: float

    def facts(self) -> Json:
        return {**asdict(self.recipe), "instruction": self.instruction, "min_score": self.min_score}


def write_embedder(out: Path, encoder: TrainableEncoder, serving: Serving, card: ModelCard) -> ModelCard:
    """Writes ``out`` atomically; returns the card with the int8 figures and the recorded vectors.

    Raises TrainingError if the disk or the export fails: the checkpoint remains for another export.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with published(out) as draft:
            encoder.save(draft)
            (draft / CARD).write_text(json.dumps(serving.facts()), encoding="utf-8")
            facts = _export(draft)
            embedder = _embedder(draft, out.name, serving)
            full = replace(
                card,
                serving=serving.facts(),
                figures={**card.figures, "int8_mean_cosine": facts["mean"], "int8_least_cosine": facts["minimum"]},
                recorded=record_embedder(embedder),
            )
            write_card(draft, full)
    except OSError as error:
        raise TrainingError(f"{out} cannot be written: {error.strerror or error}. The checkpoint is kept.") from error
    except ModelMissing as error:
        raise TrainingError(f"The export failed, the checkpoint is kept: {error}") from error
    return full


def _export(draft: Path) -> Json:
    """Writes both graphs beside the weights, so that serving needs no torch; returns the comparison of int8 with
    fp32.
    """
    scratch = draft / ".scratch"
    scratch.mkdir()
    made = prepared(Located(draft.name, draft, weights_digest(draft)), scratch, "states")
    facts: Json = read_json(made / CARD)["int8"]
    for graph in made.glob("*.onnx"):
        write_whole(graph, draft / graph.name)
    shutil.rmtree(scratch)
    return facts


def _embedder(folder: Path, name: str, serving: Serving) -> OnnxEmbedder:
    recipe = serving.recipe
    card = EmbedderCard(name, recipe.dims, recipe.max_tokens, serving.min_score, serving.instruction, "onnx-fp32")
    return OnnxEmbedder(folder / "model.onnx", recipe, card, Compute(threads=1))
