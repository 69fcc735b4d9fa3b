"""Converts texts to token ids. Truncation follows the declared number of tokens and can be counted before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

from tokenizers import Tokenizer

from core.errors import ModelMissing
from encoders.recipe import read_json


class TextTokeniser(Protocol):
    """Converts texts to token ids; special tokens are included everywhere."""

    max_tokens: int

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text, at most ``max_tokens``."""
        ...

    def whole(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text, without truncation."""
        ...

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text before truncation."""
        ...


class Tokeniser:
    """A fast tokenizer from its ``tokenizer.json``; the file's padding and truncation settings are ignored."""

    def __init__(self, file: Path, max_tokens: int) -> None:
        self.max_tokens = max_tokens
        self._file = file
        self._whole = read_tokenizer(file)

    @cached_property
    def _cutting(self) -> Tokenizer:
        """Made at its first use: an embedder reads whole texts only, and each copy takes 20 MB."""
        cutting = read_tokenizer(self._file)
        cutting.enable_truncation(self.max_tokens)
        return cutting

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text, special tokens included, at most ``max_tokens``."""
        return [encoding.ids for encoding in self._cutting.encode_batch_fast([sound(text) for text in texts])]

    def whole(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text, special tokens included, without truncation."""
        return [encoding.ids for encoding in self._whole.encode_batch_fast([sound(text) for text in texts])]

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text before truncation, special tokens included."""
        return [len(ids) for ids in self.whole(texts)]


def read_tokenizer(file: Path) -> Tokenizer:
    """Without padding or truncation. Raises ModelMissing if the file is missing or damaged."""
    if not file.is_file():
        raise ModelMissing(f"{file} is missing; the model folder needs its tokenizer.json")
    if "model" not in read_json(file):
        raise ModelMissing(f"{file} is not a tokenizer's file")
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def sound(text: str) -> str:
    """Removes lone surrogates, which UTF-8 cannot encode; they come from broken metadata and mean nothing."""
    return text.encode("utf-8", "replace").decode("utf-8")
