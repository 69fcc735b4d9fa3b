"""Settings and options to a trained model folder: what `sonde train embedder | segmenter` call."""

from __future__ import annotations

from pathlib import Path

from encoders.locate import locate
from encoders.presets import known, preset_for
from encoders.recipe import read_json
from sonde.settings import Settings
from training.embedder.train import Base
from training.examples import TrainingError
from training.provenance import UNKNOWN
from training.weights import learnable


def embedder_base(name: str, settings: Settings, instruction: str | None = None) -> Base:
    """The model that is adapted, with what it serves with today. Raises ModelMissing."""
    located = locate(name, settings.models.folder, allow_hub=settings.models.allow_hub)
    facts, preset = read_json(located.folder / "card.json"), preset_for(name)
    own = str(facts.get("instruction", preset.instruction))
    return Base(
        learnable(located, settings.models.folder),
        float(facts.get("min_score", preset.min_score)),
        own if instruction is None else instruction,
    )


def licence_of(base: str, stated: str | None) -> str:
    """What whoever trains says, else what is known of the base; a model inherits it."""
    model = known(base)
    return stated or (UNKNOWN if model is None else model.licence)


def refuse_in_the_way(out: Path, *, resume: bool) -> None:
    """A finished model is never written over. Raises TrainingError."""
    if out.exists() and any(out.iterdir()):
        done = " (it is finished)" if resume and (out / "card.json").is_file() else ""
        raise TrainingError(f"{out} is there already{done}; name another folder with --out, or remove it.")
