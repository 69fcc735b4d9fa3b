"""The one set of numbers that ranking runs on, shared by serving and by evaluation.

The values live in ``config.json``. They were chosen on the train halves of three judged collections among the settings
under which every law in the tests holds (docs/quality.md); tuning again replaces the file, not the code.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any, Literal

FusionName = Literal["tm2c2", "rrf"]
SpatialMode = Literal["blend", "hausdorff", "off"]


@dataclass(frozen=True, slots=True)
class ArmWeights:
    """What each arm weighs in the text score; an arm that did not run drops out and the others share."""

    bm25: float
    dense: float
    passage_bm25: float
    passage_dense: float
    sparse: float


@dataclass(frozen=True, slots=True)
class SignalWeights:
    """What each signal weighs beside the text score, which weighs 1; only where the question asks for it.

    ``expected_resolution`` replaces ``resolution`` where no word but only the size of the place tells what is fit.
    """

    spatial: float
    temporal: float
    resolution: float
    expected_resolution: float
    kind: float


@dataclass(frozen=True, slots=True)
class Neutral:
    """What a record counts that does not say: between an exact match (1) and a wrong one (near 0).

    ``named``: a record without an extent whose title names the asked place; half way to it where its other words do.
    ``hausdorff_diagonals``: in the `hausdorff` mode a record without extent is taken to be this many diagonals of
    the asked box away.
    """

    spatial: float
    named: float
    temporal: float
    resolution: float
    kind: float
    hausdorff_diagonals: float


@dataclass(frozen=True, slots=True)
class BlendWeights:
    """Logistic weights of the spatial features, see :mod:`search_api.ranking.spatial`."""

    bias: float
    nearness: float
    query_share: float
    box_share: float
    containment: float
    centre: float
    size: float


@dataclass(frozen=True, slots=True)
class Outside:
    """Records that lie wholly outside the asked place (``blend`` mode).

    ``tolerance``: how much better than a record inside it one outside must be in all else (the text score weighs 1) to
    stand above it; 0 leaves the blend alone to decide. ``margin``: what comes nearer than this share of the asked box's
    diagonal is not wholly outside.
    """

    tolerance: float
    margin: float


@dataclass(frozen=True, slots=True)
class RankingConfig:
    """Every number of the ranking; a request changes single ones with ``dataclasses.replace``.

    Raises ValueError for a weight or share that is out of range, so that a bad file is refused at start.
    """

    fusion: FusionName
    rrf_k: int
    arms: ArmWeights
    signals: SignalWeights
    neutral: Neutral
    spatial_mode: SpatialMode
    blend: BlendWeights
    outside: Outside
    smallest_diagonal_deg: float  # an asked place smaller than this is judged as if it were this large
    smallest_area_km2: float  # below this, sizes count as equal
    inside_share: float  # what a span wholly inside the asked time is worth, beside how much of it it covers
    recency_half_life_days: float
    cells_across: float  # grid cells across the asked place that make a fit resolution
    cross_encoder_weight: float  # lambda
    rerank_depth: int
    hausdorff_window: int
    candidate_window: int
    max_results: int

    def __post_init__(self) -> None:
        if self.fusion not in ("tm2c2", "rrf") or self.spatial_mode not in ("blend", "hausdorff", "off"):
            raise ValueError(f"unknown fusion {self.fusion!r} or spatial mode {self.spatial_mode!r}")
        _check_range("arms", asdict(self.arms), math.inf)
        _check_range("signals", asdict(self.signals), math.inf)
        shares = asdict(self.neutral) | {
            "inside_share": self.inside_share,
            "cross_encoder_weight": self.cross_encoder_weight,
        }
        diagonals = shares.pop("hausdorff_diagonals")
        _check_range("shares", shares, 1.0)
        _check_range("outside", asdict(self.outside), math.inf)
        _check_range("neutral", {"hausdorff_diagonals": diagonals}, math.inf)
        if not all(math.isfinite(weight) for weight in asdict(self.blend).values()):
            raise ValueError("blend: every weight is a finite number")
        _check_positive(self)

    @classmethod
    def from_json(cls, text: str) -> RankingConfig:
        """Every number must be there and nothing else; raises ValueError that names what is not."""
        raw = _exactly(cls, json.loads(text), "ranking configuration")
        for name, part in _PARTS.items():
            raw[name] = part(**_exactly(part, raw[name], name))
        return cls(**raw)

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"


_Part = ArmWeights | SignalWeights | Neutral | BlendWeights | Outside
_PARTS: dict[str, type[_Part]] = {
    "arms": ArmWeights,
    "signals": SignalWeights,
    "neutral": Neutral,
    "blend": BlendWeights,
    "outside": Outside,
}
_POSITIVE = (
    "rrf_k",
    "smallest_diagonal_deg",
    "smallest_area_km2",
    "recency_half_life_days",
    "cells_across",
    "rerank_depth",
    "hausdorff_window",
    "candidate_window",
    "max_results",
)


@cache
def default_config() -> RankingConfig:
    """The numbers that Sonde ships."""
    return RankingConfig.from_json(files(__package__).joinpath("config.json").read_text(encoding="utf-8"))


def _exactly(kind: type[Any], raw: Mapping[str, Any], where: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise ValueError(f"{where}: an object is expected")
    wanted = {entry.name for entry in fields(kind)}
    wrong = sorted(wanted ^ raw.keys())
    if wrong:
        raise ValueError(f"{where}: missing or unknown: {', '.join(wrong)}")
    return dict(raw)


def _check_range(where: str, values: Mapping[str, float], most: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and 0.0 <= value <= most):
            raise ValueError(f"{where}: {name} is {value}, outside 0..{most}")


def _check_positive(config: RankingConfig) -> None:
    for name in _POSITIVE:
        value = getattr(config, name)
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} is {value}, not above 0")
