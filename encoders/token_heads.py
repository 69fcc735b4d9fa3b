"""Finds the token head of an embedder: its own, or the one that Sonde ships for the same weights."""

from __future__ import annotations

from pathlib import Path

from core.errors import ModelMissing
from core.ports import TokenCard
from encoders.locate import SHIPPED, Located
from encoders.model_card import ModelKind
from encoders.recipe import read_json
from encoders.token_head import FILE, TokenHead, read_head

KIND: ModelKind = "token-head"


def token_head(named: str, embedder: Located) -> tuple[TokenHead, TokenCard] | None:
    """``named``: a folder, ``auto`` or ``none``. Raises ModelMissing if a folder holds no head for this embedder."""
    if named == "none":
        return None
    if named == "auto":
        folders = [embedder.folder, *_shipped_for(embedder)]
        return next((found for folder in folders if (found := read_head(folder)) is not None), None)
    folder = Path(named).expanduser()
    found = read_head(folder)
    if found is None:
        raise ModelMissing(f"{folder} holds no {FILE}; `sonde train tokens` makes one")
    if not _fits(folder, embedder):
        raise ModelMissing(f"{folder} was made for another embedder than {embedder.name}, so it cannot read its states")
    return found


def _shipped_for(embedder: Located) -> list[Path]:
    folders = sorted(SHIPPED.iterdir()) if SHIPPED.is_dir() else []
    return [folder for folder in folders if (folder / FILE).is_file() and _fits(folder, embedder)]


def _fits(folder: Path, embedder: Located) -> bool:
    """The card names the weights by their SHA-256."""
    return bool(read_json(folder / "card.json").get("weights") == embedder.digest)
