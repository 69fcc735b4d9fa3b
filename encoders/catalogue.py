"""From what the settings ask for to a model that answers. Nothing is loaded before it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.errors import ModelMissing
from core.ports import CrossEncoder, CrossEncoderCard, Embedder, EmbedderCard, EntityRecogniser
from encoders.cross_encoder import ModelCrossEncoder, OnnxScorer, TorchScorer
from encoders.embedder import OnnxEmbedder
from encoders.entities import SpacyRecogniser
from encoders.late_interaction import LateInteraction, LateRecipe
from encoders.locate import Located, default_cache, locate
from encoders.onnx_session import Compute
from encoders.own_calibration import own_calibration
from encoders.pairs import PairTokeniser
from encoders.prepare import checked_graph, prepared
from encoders.presets import Preset, preset_for
from encoders.quantise import INT8_GRAPHS, int8_kind
from encoders.recipe import Recipe, UnfitForOnnx, read_json, read_pair_limit, read_recipe
from encoders.remote import Endpoint, RemoteEmbedder
from encoders.specs import CrossEncoderSpec, EmbedderSpec, RecogniserSpec
from encoders.torch_embedder import TorchEmbedder
from net.gate import Gate

_REMOTE_MAX_TOKENS = 512


def load_embedder(spec: EmbedderSpec, gate: Gate | None = None) -> Embedder:
    """The embedder a spec names; ``gate`` is needed for ``remote`` only. Raises ModelMissing with what to do."""
    if spec.runtime == "remote":
        return _remote(spec, gate)
    cache = spec.cache or default_cache()
    located = locate(spec.name, cache, allow_hub=spec.allow_hub)
    if spec.runtime == "torch":
        return _torch(spec, located)
    try:
        folder = prepared(located, cache, "states")
    except UnfitForOnnx:
        if spec.runtime != "auto":
            raise
        return _torch(spec, located)
    return _onnx(spec, folder)


def load_cross_encoder(spec: CrossEncoderSpec) -> CrossEncoder:
    """The cross-encoder a spec names. Raises ModelMissing: the caller then ranks without one and says so."""
    if not spec.name:
        raise ModelMissing("no cross-encoder is named in the settings")
    cache = spec.cache or default_cache()
    located = locate(spec.name, cache, allow_hub=spec.allow_hub)
    said = {**read_json(located.folder / "card.json"), **own_calibration(cache, located.digest)}
    if (late := LateRecipe.of(said)) is not None:
        return _late(spec, located.folder, late, said)
    torch = spec.runtime == "torch"
    folder = located.folder if torch else prepared(located, cache, "logits")
    compute = Compute(spec.threads, spec.device)
    scorer = TorchScorer(folder, compute) if torch else OnnxScorer(checked_graph(folder, "model.onnx"), compute)
    read = read_pair_limit(folder)
    limit = min(spec.max_tokens or read, read)
    return ModelCrossEncoder(PairTokeniser(folder / "tokenizer.json", limit), scorer, _pair_card(spec, limit, said))


def load_recogniser(spec: RecogniserSpec) -> EntityRecogniser:
    """The entity recogniser. Raises ModelMissing with what to do."""
    return SpacyRecogniser(spec.name)


def _late(spec: CrossEncoderSpec, folder: Path, recipe: LateRecipe, facts: dict[str, Any]) -> LateInteraction:
    card = _pair_card(spec, min(spec.max_tokens or recipe.max_tokens, recipe.max_tokens), facts)
    graph = checked_graph(folder, recipe.graph)
    return LateInteraction(graph, recipe, card, Compute(spec.threads, spec.device))


def _pair_card(spec: CrossEncoderSpec, limit: int, facts: dict[str, Any]) -> CrossEncoderCard:
    weight = facts.get("weight") if spec.weight is None else spec.weight
    calibration = float(facts.get("temperature", 1.0)), float(facts.get("offset", 0.0))
    return CrossEncoderCard(
        str(spec.name), limit, *calibration, None if weight is None else float(weight), bool(facts.get("judges", True))
    )


def _onnx(spec: EmbedderSpec, folder: Path) -> OnnxEmbedder:
    facts = read_json(folder / "card.json")
    kind = int8_kind()
    good = facts["int8"]["good"] if kind == "portable" else facts["int8"]["vnni"]["good"]
    wants_int8 = spec.runtime == "onnx-int8" or (spec.runtime == "auto" and good)
    # A GPU has no use for int8 operators made for processors.
    int8 = wants_int8 and spec.device == "cpu"
    recipe = read_recipe(folder).limited_to(spec.max_tokens)
    card = _card(spec, recipe, facts, "onnx-int8" if int8 else "onnx-fp32")
    graph = checked_graph(folder, INT8_GRAPHS[kind] if int8 else "model.onnx")
    return OnnxEmbedder(graph, recipe, card, Compute(spec.threads, spec.device))


def _torch(spec: EmbedderSpec, located: Located) -> TorchEmbedder:
    unread = Recipe("mean", spec.max_tokens or 0, 0)  # dims and tokens are the loaded model's to say
    card = _card(spec, unread, read_json(located.folder / "card.json"), "torch")
    return TorchEmbedder(located.folder, card, Compute(spec.threads, spec.device))


def _remote(spec: EmbedderSpec, gate: Gate | None) -> RemoteEmbedder:
    if not spec.url or gate is None:
        raise ModelMissing(f"the embedder {spec.name} is said to be remote, but the settings name no address for it")
    recipe = Recipe("mean", spec.max_tokens or _REMOTE_MAX_TOKENS, 0)
    endpoint = Endpoint(spec.url, spec.name, spec.key, spec.timeout_s, spec.says_input_type)
    return RemoteEmbedder(endpoint, gate, _card(spec, recipe, {}, "remote"))


def _card(spec: EmbedderSpec, recipe: Recipe, facts: dict[str, object], runtime: str) -> EmbedderCard:
    """The settings' word first, then the model's own card, then our table."""
    known = _known(spec.name, facts)
    return EmbedderCard(
        model=spec.name,
        dims=recipe.dims,
        max_tokens=recipe.max_tokens,
        min_score=known.min_score if spec.min_score is None else spec.min_score,
        instruction=known.instruction if spec.instruction is None else spec.instruction,
        runtime=runtime,
        answer_score=known.answer_score if spec.answer_score is None else spec.answer_score,
        floor=known.floor if spec.floor is None else spec.floor,
        english_only=known.english_only,
    )


def _known(name: str, facts: dict[str, object]) -> Preset:
    preset = preset_for(name)
    return Preset(
        min_score=float(str(facts.get("min_score", preset.min_score))),
        instruction=str(facts.get("instruction", preset.instruction)),
        answer_score=float(str(facts.get("answer_score", preset.answer_score))),
        floor=float(str(facts.get("floor", preset.floor))),
        english_only=bool(facts.get("english_only", preset.english_only)),
    )
