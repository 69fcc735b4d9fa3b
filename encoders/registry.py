"""Lists the models, whether they are on this machine, and whether they still match their measurements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from core.errors import ModelMissing
from encoders.catalogue import load_cross_encoder, load_embedder
from encoders.late_interaction import is_reranker
from encoders.locate import SHIPPED, locate
from encoders.model_card import (
    CARD,
    SAME_COHERENCE,
    SAME_COSINE,
    SAME_LOGIT,
    cross_encoder_gap,
    damaged_files,
    embedder_agreement,
    segmenter_gap,
)
from encoders.prepare import prepare_model
from encoders.presets import KNOWN_MODELS, known_model
from encoders.quantise import LEAST_MEAN_COSINE
from encoders.recipe import read_json
from encoders.segmenter import load_segmenter
from encoders.specs import CrossEncoderSpec, EmbedderSpec
from encoders.tagger import TAGS, read_weights
from encoders.token_head import FILE, read_head

_INT8_SLACK = 0.003  # of mean cosine: each machine makes its own int8 graphs


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """``name`` is for the settings. ``folder`` None: not on this machine. ``own``: Sonde trained or ships it."""

    name: str
    kind: str
    licence: str
    folder: Path | None
    dims: int = 0
    max_tokens: int = 0
    own: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """One check of a model. ``ok`` None: there is no recorded value to compare with."""

    what: str
    ok: bool | None
    message: str


def entries(cache: Path, folders: Iterable[Path] = ()) -> list[ModelEntry]:
    """Sonde's own models first (each of ``folders`` with a card), then the well-known ones."""
    with_card = [entry for folder in folders if (entry := entry_of_folder(folder)) is not None]
    return [*with_card, *(_well_known(cache))]


def entry_of_folder(folder: Path) -> ModelEntry | None:
    """A folder with the card of a model that Sonde trained; None for any other."""
    facts = read_json(folder / CARD)
    if "kind" not in facts:
        return None
    return ModelEntry(
        f"shipped:{folder.name}" if folder.parent == SHIPPED else str(folder),
        str(facts["kind"]),
        str(facts.get("licence", "")),
        folder,
        int(facts.get("dims", 0)),
        int(facts.get("max_tokens", 0)),
        own=True,
        note=str(facts.get("note", "")),
    )


def entry_of(name: str, cache: Path) -> ModelEntry:
    """The model with that name: a folder, a hub id or ``artifact:``. Raises ModelMissing if it is unknown or not on
    this machine.
    """
    folder = locate(name, cache).folder if name.startswith("shipped:") else Path(name).expanduser()
    if folder.is_dir() and (entry := entry_of_folder(folder)) is not None:
        return entry
    location = locate(name, cache)
    model = known_model(name)
    kind = "reranker" if is_reranker(location.folder) else "embedder"
    return ModelEntry(name, kind, "" if model is None else model.licence, location.folder)


def verify(entry: ModelEntry, cache: Path) -> list[ModelCheck]:
    """Checks the hashes of the files, then the recorded numbers; a damaged model is not loaded. Never raises: a model
    that cannot be loaded is a failed check.
    """
    files_check = _files(entry, cache)
    if files_check.ok is False or entry.folder is None:
        return [files_check]
    checks_by_kind: dict[str, Callable[[ModelEntry, Path], list[ModelCheck]]] = {
        "embedder": _embedder,
        "reranker": _reranker,
        "segmenter": _segmenter,
        "token-head": _token_head,
        "tagger": _tagger,
    }
    try:
        return [files_check, *checks_by_kind[entry.kind](entry, cache)]
    except ModelMissing as error:
        return [files_check, ModelCheck("loads", False, str(error))]


def _files(entry: ModelEntry, cache: Path) -> ModelCheck:
    if entry.folder is None:
        return ModelCheck("files", None, "not on this machine")
    if not entry.own:
        try:
            locate(entry.name, cache)  # compares the files with the pinned hashes
        except ModelMissing as error:
            return ModelCheck("files", False, str(error))
        return ModelCheck("files", True, "as pinned, or as the hub's cache holds them")
    damaged_names = damaged_files(entry.folder)
    return ModelCheck(
        "files",
        not damaged_names,
        f"changed or missing: {', '.join(damaged_names)}" if damaged_names else "as the card says",
    )


def _embedder(entry: ModelEntry, cache: Path) -> list[ModelCheck]:
    spec = EmbedderSpec(entry.name, cache, "onnx-fp32", threads=1)
    checks = []
    if reference := _reference(entry):
        agreement = embedder_agreement(load_embedder(spec), reference)
        checks.append(ModelCheck("recorded vectors", agreement >= SAME_COSINE, f"least cosine {agreement:.5f}"))
    else:
        load_embedder(spec)
        checks.append(ModelCheck("recorded vectors", None, "its card has none; the model loads"))
    return [*checks, *_int8(entry, cache)]


def _int8(entry: ModelEntry, cache: Path) -> Iterator[ModelCheck]:
    """Compares the result of preparing the graph on this machine with the recorded one; weights that come in 4 bits
    have no int8 graph.
    """
    int8 = read_json(prepare_model(locate(entry.name, cache), cache, "states") / CARD).get("int8")
    if int8 is None:
        return
    recorded_cosine = read_json(_folder(entry) / CARD).get("figures", {}).get("int8_mean_cosine")
    least_cosine = (
        LEAST_MEAN_COSINE if recorded_cosine is None else min(LEAST_MEAN_COSINE, float(recorded_cosine)) - _INT8_SLACK
    )
    expected = "" if recorded_cosine is None else f", recorded {recorded_cosine:.4f}"
    yield ModelCheck("int8 against fp32", int8["mean"] >= least_cosine, f"mean cosine {int8['mean']:.4f}{expected}")


def _reranker(entry: ModelEntry, cache: Path) -> list[ModelCheck]:
    model = load_cross_encoder(CrossEncoderSpec(entry.name, cache, threads=1))
    if not (reference := _reference(entry)):
        return [ModelCheck("recorded logits", None, "its card has none; the model loads")]
    gap = cross_encoder_gap(model, reference)
    return [ModelCheck("recorded logits", gap <= SAME_LOGIT, f"largest difference {gap:.4f} of their range")]


def _segmenter(entry: ModelEntry, cache: Path) -> list[ModelCheck]:
    model = load_segmenter(entry.name, cache, threads=1)
    if not (reference := _reference(entry)):
        return [ModelCheck("recorded coherence", None, "its card has none; the model loads")]
    gap = segmenter_gap(model, reference)
    return [ModelCheck("recorded coherence", gap <= SAME_COHERENCE, f"largest difference {gap:.4f}")]


def _token_head(entry: ModelEntry, _cache: Path) -> list[ModelCheck]:
    head_and_card = read_head(_folder(entry))
    if head_and_card is None:
        return [ModelCheck("loads", False, f"it has no {FILE}")]
    head, card = head_and_card
    return [
        ModelCheck("loads", head.mean.shape[0] == head.projection.shape[0], f"{card.dims} bits a token, as {card.code}")
    ]


def _tagger(entry: ModelEntry, _cache: Path) -> list[ModelCheck]:
    tags = read_weights(_folder(entry))["tags.bias"]
    return [ModelCheck("loads", len(tags) == len(TAGS), f"{len(tags)} tags of {len(TAGS)}")]


def _reference(entry: ModelEntry) -> Any:
    """The reference results in the model's card, or in our table for pinned packages."""
    if reference := read_json(_folder(entry) / CARD).get("recorded"):
        return reference
    table = json.loads((files("encoders") / "recorded.json").read_text(encoding="utf-8"))
    return next((numbers for name, numbers in table.items() if name.lower() == entry.name.lower()), None)


def _folder(entry: ModelEntry) -> Path:
    if entry.folder is None:
        raise ModelMissing(f"{entry.name} is not on this machine")
    return entry.folder


def _well_known(cache: Path) -> Iterator[ModelEntry]:
    for model in KNOWN_MODELS:
        try:
            folder: Path | None = locate(model.name, cache, fetch=False).folder
        except ModelMissing:
            folder = None
        yield ModelEntry(model.name, "embedder", model.licence, folder, model.dims, model.max_tokens, note=model.note)
