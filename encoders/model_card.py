"""A model's card: ``card.json`` for Sonde, ``card.md`` for people. It is written last, so a folder without a card is
not a complete model.

At the top level of the JSON are the facts for serving (``pooling``, ``max_tokens``, ``dims``, ``min_score``,
``instruction``; of a cross-encoder ``temperature``, ``offset``): see ``encoders.recipe`` and ``encoders.catalogue``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from core.json_types import JsonMapping
from encoders.pinned import file_sha256
from encoders.recipe import read_json

ModelKind = Literal["embedder", "reranker", "segmenter", "token-head", "tagger"]
CARD, PAGE = "card.json", "card.md"


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Data for training or measuring a model; ``count`` of ``what`` (pairs, sentences, ...)."""

    name: str
    licence: str
    count: int
    what: str = "examples"
    note: str = ""


@dataclass(frozen=True, slots=True)
class ModelCard:
    """``figures``: measure -> {"before": .., "after": ..} or one number. ``serving``: the top-level facts.
    ``recorded``: numbers that the model must reproduce on our sample texts, see ``encoders.reference_results``.

    ``reproduce`` is the command; with ``commit``, ``seed`` and the same number of steps it makes this model again.
    """

    kind: ModelKind
    name: str
    base: str
    licence: str
    data: tuple[TrainingData, ...]
    settings: JsonMapping
    seed: int
    commit: str
    made: str
    figures: JsonMapping
    reproduce: str
    note: str = ""
    serving: JsonMapping = field(default_factory=dict)
    recorded: JsonMapping = field(default_factory=dict)


_CARD_FIELDS = ("kind", "name", "base", "licence", "settings", "seed", "commit", "made", "figures", "reproduce", "note")


def write_card(folder: Path, card: ModelCard) -> None:
    """Writes both cards, with the hash of every other file in the folder. Raises OSError if the disk fails."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file() and file not in _cards(folder)]
    hashes = {file.relative_to(folder).as_posix(): file_sha256(file) for file in files}
    values = asdict(card)
    facts = {**dict(card.serving), **{name: values[name] for name in _CARD_FIELDS}, "data": values["data"]}
    if card.recorded:
        facts["recorded"] = dict(card.recorded)
    (folder / PAGE).write_text(page(card), encoding="utf-8")
    draft = folder / f".{CARD}.draft"
    draft.write_text(json.dumps({**facts, "sha256": hashes}, indent=2, ensure_ascii=False), encoding="utf-8")
    draft.replace(folder / CARD)


def damaged_files(folder: Path) -> list[str]:
    """Files of the card that are missing or changed, sorted."""
    hashes: Mapping[str, str] = read_json(folder / CARD).get("sha256", {})
    return sorted(
        name for name, hash in hashes.items() if not (folder / name).is_file() or file_sha256(folder / name) != hash
    )


def page(card: ModelCard) -> str:
    data = [
        f"- {source.name}: {source.count:,} {source.what}, {source.licence}{'; ' + source.note if source.note else ''}"
        for source in card.data
    ]
    figures = [_figure(name, value) for name, value in card.figures.items()]
    settings = [f"- {name}: {value}" for name, value in {**dict(card.settings), **dict(card.serving)}.items()]
    return "\n".join(
        [
            f"# {card.name}",
            "",
            f"A {card.kind} trained from {card.base}; licence {card.licence}. Made {card.made} from commit "
            f"{card.commit or 'unknown'} with seed {card.seed}.",
            *(["", card.note] if card.note else []),
            *("", "## Data", "", *data),
            *(["", "## Figures", "", "| measure | before | after |", "|---|---|---|", *figures] if figures else []),
            *("", "## Settings", "", *settings),
            *("", "## Command", "", "```console", f"$ {card.reproduce}", "```", ""),
        ]
    )


def _figure(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        return f"| {name} | {_number(value.get('before'))} | {_number(value.get('after'))} |"
    return f"| {name} | | {_number(value)} |"


def _number(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else "" if value is None else str(value)


def _cards(folder: Path) -> tuple[Path, Path]:
    return folder / CARD, folder / PAGE
