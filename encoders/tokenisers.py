"""Opens the tokenizer of a model's folder, of whichever kind it is."""

from __future__ import annotations

from pathlib import Path

from encoders import unigram
from encoders.tokens import TextTokeniser, Tokeniser


def open_tokeniser(folder: Path, max_tokens: int) -> TextTokeniser:
    """From ``unigram.json`` if the folder has one, else from ``tokenizer.json``. Raises ModelMissing."""
    pieces = folder / unigram.FILE
    if pieces.is_file():
        return unigram.UnigramTokeniser(pieces, max_tokens)
    return Tokeniser(folder / "tokenizer.json", max_tokens)
