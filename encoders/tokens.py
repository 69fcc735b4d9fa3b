"""Converts texts to token ids. Truncation follows the declared number of tokens and can be counted before."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Protocol

from tokenizers import Tokenizer

from core.errors import ModelMissing
from core.json_types import JsonMapping
from encoders.recipe import read_json

UNIGRAM = "unigram.json"
_SPACE = "\u2581"  # begins each word
_CACHED_WORDS = 20_000
_MAX_CACHED_CHARS = 32
_UNKNOWN_PENALTY = 10.0


class TextTokeniser(Protocol):
    """Converts texts to token ids; special tokens are included everywhere."""

    max_tokens: int

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of each text, at most ``max_tokens``."""
        ...

    def full_ids(self, texts: Sequence[str]) -> list[list[int]]:
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
        self._tokenizer = read_tokenizer(file)

    @cached_property
    def _truncating(self) -> Tokenizer:
        """Made at its first use: an embedder reads whole texts only, and each copy takes 20 MB."""
        tokenizer = read_tokenizer(self._file)
        tokenizer.enable_truncation(self.max_tokens)
        return tokenizer

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._truncating.encode_batch_fast([sound(text) for text in texts])]

    def full_ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast([sound(text) for text in texts])]

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in self.full_ids(texts)]


def read_tokenizer(file: Path) -> Tokenizer:
    """Without padding or truncation. Raises ModelMissing if the file is missing or damaged."""
    if not file.is_file():
        raise ModelMissing(f"{file} is missing; the model folder needs its tokenizer.json")
    if "model" not in read_json(file):
        raise ModelMissing(f"{file} is not a tokenizer's file")
    try:
        tokenizer = Tokenizer.from_buffer(file.read_bytes())
    except ValueError as error:
        raise ModelMissing(f"{file} is damaged: {str(error)[:200]}") from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def sound(text: str) -> str:
    """Removes lone surrogates, which UTF-8 cannot encode; they come from broken metadata and mean nothing."""
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class UnigramPieces:
    """Word pieces by their probabilities (Kudo 2018), as XLM-RoBERTa and multilingual E5 use them.

    ``scores``: log probabilities; a piece of score 0 is a control symbol, which no text contains. ``replaced`` maps
    single characters to what they are read as, before NFKC.
    """

    texts: list[str]
    scores: list[float]
    begin: int
    end: int
    unknown: int
    replaced: dict[str, str]


def write_pieces(pieces: UnigramPieces, folder: Path) -> None:
    (folder / UNIGRAM).write_text(json.dumps(asdict(pieces), ensure_ascii=False), encoding="utf-8")


class UnigramTokeniser:
    """TextTokeniser, from ``unigram.json``; thread-safe.

    The library ``tokenizers`` needs 300 MB for 250,000 pieces, because it keeps them in a tree of hash tables. A
    dictionary needs a tenth of that, and words repeat so often that most of them are divided only once.
    """

    def __init__(self, file: Path, max_tokens: int) -> None:
        """Raises ModelMissing if the file is missing or damaged."""
        self.max_tokens = max_tokens
        self._pieces = _UnigramModel(read_json(file))
        self._cached = lru_cache(_CACHED_WORDS)(self._pieces.pieces_of)

    def full_ids(self, texts: Sequence[str]) -> list[list[int]]:
        begin, end = self._pieces.begin, self._pieces.end
        return [[begin, *self._ids(text), end] for text in texts]

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [
            ids if len(ids) <= self.max_tokens else [*ids[: self.max_tokens - 1], ids[-1]]
            for ids in self.full_ids(texts)
        ]

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in self.full_ids(texts)]

    def _ids(self, text: str) -> Iterator[int]:
        for word in self._pieces.words(text):
            yield from self._cached(word) if len(word) <= _MAX_CACHED_CHARS else self._pieces.pieces_of(word)


class _UnigramModel:
    def __init__(self, facts: JsonMapping) -> None:
        try:
            texts, self._scores = facts["texts"], facts["scores"]
            self.begin, self.end, self.unknown = (int(facts[name]) for name in ("begin", "end", "unknown"))
            self._replaced = str.maketrans(dict(facts["replaced"]))
        except (KeyError, TypeError, ValueError):
            raise ModelMissing(f"the model's {UNIGRAM} is missing or damaged") from None
        pairs = zip(texts, self._scores, strict=True)
        self._number = {text: row for row, (text, score) in enumerate(pairs) if score != 0.0}
        self._longest = max(map(len, self._number))
        self._unknown_score = min(self._scores) - _UNKNOWN_PENALTY

    def words(self, text: str) -> Iterator[str]:
        """Words as the pieces were made from: in compatibility form, each with its mark."""
        normalised = unicodedata.normalize("NFKC", sound(text).translate(self._replaced))
        return (_SPACE + word for word in normalised.split())

    def pieces_of(self, word: str) -> tuple[int, ...]:
        """The most probable pieces (Viterbi); neighbouring unknown characters are one unknown piece."""
        best = [0.0, *[float("-inf")] * len(word)]
        last = [(0, self.unknown)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                piece = self._number.get(word[start:end])
                if piece is None and end > start + 1:
                    continue
                score = best[start] + (self._unknown_score if piece is None else self._scores[piece])
                if score > best[end]:
                    best[end], last[end] = score, (start, self.unknown if piece is None else piece)
        return self._backwards(last)

    def _backwards(self, last: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        pieces: list[int] = []
        end = len(last) - 1
        while end > 0:
            end, piece = last[end]
            if not (pieces and piece == pieces[-1] == self.unknown):
                pieces.append(piece)
        return tuple(reversed(pieces))


def open_tokeniser(folder: Path, max_tokens: int) -> TextTokeniser:
    """From ``unigram.json`` if the folder has one, else from ``tokenizer.json``. Raises ModelMissing."""
    pieces = folder / UNIGRAM
    if pieces.is_file():
        return UnigramTokeniser(pieces, max_tokens)
    return Tokeniser(folder / "tokenizer.json", max_tokens)
