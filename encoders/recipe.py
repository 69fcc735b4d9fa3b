"""How a model makes one vector from token states, read from the files of its folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.errors import ModelMissing
from core.json_types import JsonMapping

Pooling = Literal["mean", "cls"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """``max_tokens`` is the model's real limit, special tokens included. Vectors always have norm 1."""

    pooling: Pooling
    max_tokens: int
    dims: int

    def limited_to(self, max_tokens: int | None) -> Recipe:
        """The recipe with at most this many tokens; never more than the model reads."""
        if max_tokens is None or max_tokens >= self.max_tokens:
            return self
        return Recipe(self.pooling, max_tokens, self.dims)


class UnfitForOnnx(ModelMissing):
    """A model with layers after the transformer that only the torch runtime computes."""


def read_recipe(folder: Path) -> Recipe:
    """From our ``card.json``, or from a sentence-transformers folder.

    Raises UnfitForOnnx for layers other than mean or CLS pooling, ModelMissing if the folder has no description.
    """
    card = read_json(folder / "card.json")
    if "pooling" in card:
        return Recipe(_pooling(card["pooling"], folder), int(card["max_tokens"]), int(card["dims"]))
    modules = read_json(folder / "modules.json", default=[])
    if not modules:
        raise ModelMissing(f"{folder} has no modules.json: it is not a sentence-transformers model")
    kinds = {str(module["type"]).rsplit(".", 1)[-1]: str(module["path"]) for module in modules}
    if extra := set(kinds) - {"Transformer", "Pooling", "Normalize"}:
        raise UnfitForOnnx(f"{folder} has a layer {sorted(extra)[0]}; use the torch runtime")
    config = read_json(folder / "config.json")
    pooling = read_pooling(folder / kinds.get("Pooling", "1_Pooling"))
    return Recipe(pooling, _max_tokens(folder, config), int(config["hidden_size"]))


def read_pooling(folder: Path) -> Pooling:
    """From the settings of a Pooling module. Raises UnfitForOnnx for other pooling than mean or CLS."""
    return _pooling(_pooling_mode(read_json(folder / "config.json")), folder)


def read_pair_limit(folder: Path) -> int:
    """How many tokens a cross-encoder reads of a question with a candidate; 512 if not stated."""
    config = read_json(folder / "config.json")
    limits = [
        read_json(folder / "card.json").get("max_tokens"),
        read_json(folder / "tokenizer_config.json").get("model_max_length"),
        _positions(config),
    ]
    return min(int(limit) for limit in [*limits, 512] if limit)


def _positions(config: JsonMapping) -> int | None:
    """RoBERTa and related models count positions from the padding token on."""
    positions = config.get("max_position_embeddings")
    if positions and config.get("model_type") in ("roberta", "xlm-roberta", "camembert"):
        return int(positions) - int(config.get("pad_token_id", 1)) - 1
    return positions or None


def read_json(path: Path, default: object = None) -> Any:
    """The file's content; without a file ``default``, or an empty mapping."""
    if not path.is_file():
        return {} if default is None else default
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise ModelMissing(f"{path} is not JSON; the model folder is damaged") from None


def _pooling_mode(config: JsonMapping) -> str:
    """Older files have a flag per mode, newer ones its name."""
    if "pooling_mode" in config:
        return str(config["pooling_mode"])
    flags = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}  # nosec B105
    active = [key for key, value in config.items() if key.startswith("pooling_mode_") and value]
    return flags.get(active[0], active[0]) if len(active) == 1 else "+".join(active)


def _pooling(mode: object, folder: Path) -> Pooling:
    if mode not in ("mean", "cls"):
        raise UnfitForOnnx(f"{folder} pools by {mode!r}; use the torch runtime")
    return mode


def _max_tokens(folder: Path, config: JsonMapping) -> int:
    """The smallest limit of sentence-transformers, the tokenizer and the position table."""
    limits = [
        read_json(folder / "sentence_bert_config.json").get("max_seq_length"),
        read_json(folder / "tokenizer_config.json").get("model_max_length"),
        config.get("max_position_embeddings"),
    ]
    return min(int(limit) for limit in limits if limit)
