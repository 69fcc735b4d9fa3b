"""Model cards read back, as tests look at them."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

from encoders.model_card import CARD, ModelCard, TrainingData


def read_card(folder: Path) -> ModelCard:
    """What ``encoders.model_card.write_card`` wrote."""
    facts = json.loads((folder / CARD).read_text("utf-8"))
    own = {field.name: facts[field.name] for field in fields(ModelCard) if field.name in facts}
    data = tuple(TrainingData(**one) for one in facts["data"])
    known = {*own, "data", "recorded", "sha256"}
    serving = {name: value for name, value in facts.items() if name not in known}
    return ModelCard(**{**own, "data": data, "recorded": facts.get("recorded", {}), "serving": serving})
