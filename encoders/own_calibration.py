"""Temperature and offset measured here for a cross-encoder whose card has none, or other ones (a hub's model).

They are beside the prepared models, by the digest of the weights, and take precedence over the model's card.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

from core.errors import ModelMissing
from core.json_types import Json
from encoders.recipe import read_json

_FOLDER = "calibration"


def calibration_file(cache: Path, digest: str) -> Path:
    return cache / _FOLDER / f"{digest[:12]}.json"


def own_calibration(cache: Path, digest: str) -> dict[str, float]:
    """``temperature`` and ``offset`` as in a card; empty if nothing was measured here.

    Raises ModelMissing if the file is damaged.
    """
    path = calibration_file(cache, digest)
    facts = read_json(path)
    if not facts:
        return {}
    try:
        found = {name: float(facts[name]) for name in ("temperature", "offset")}
    except (KeyError, TypeError, ValueError):
        raise ModelMissing(f"{path} is damaged; remove it, or run `sonde models calibrate` again") from None
    if found["temperature"] <= 0 or not all(math.isfinite(value) for value in found.values()):
        raise ModelMissing(f"{path} holds no temperature above 0; remove it, or run `sonde models calibrate` again")
    return found


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
