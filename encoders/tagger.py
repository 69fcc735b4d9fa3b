"""The tagger of questions: which words are a place, a distance, a time, a person and so on. Made by ``sonde train
tagger``; none is included.

A small convolutional network on hashed features of words. It was trained with PyTorch (``training.tagger``) and is
computed here with numpy alone.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelMissing
from core.geo import Entity
from core.ports import NameLexicon
from encoders.model_card import CARD, ModelKind, damaged_files
from encoders.recipe import read_json

FILE = "tagger.safetensors"
KIND: ModelKind = "tagger"
LABELS = ("PLACE", "DISTANCE", "NOT", "FORMAT", "LICENCE", "PERSON", "ORGANISATION", "TIME", "NAME")
"""``NOT`` is the word that excludes ("without", "no"). ``NAME`` is a name that is no place, although one can be part of
it: a species, a treaty, a storm, a method."""
_PLACE = slice(1, 3)
"""In ``TAGS``: a place's first word and its others."""
TAGS = ("O", *(f"{part}-{label}" for label in LABELS for part in "BI"))
ROWS = (12_288, 3072, 4096, 512, 256)
"""Rows of the embedding of each feature of a word: the word, its beginning, its end, its shape, its mark."""
LAYERS = 3

Floats = NDArray[np.float32]

_LONGEST_CHARS = 100_000
_PART = 200  # words that are read at once
_TEXTS = 64
_TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
_LETTERS = str.maketrans("äöüßáàâãéèêëíìîïóòôõúùûçñåøœæ", "aousaaaaeeeeiiiioooouuucnaooa")
_SMALL = np.float32(1e-5)
_IMPOSSIBLE = np.float32(-1e4)


@dataclass(frozen=True, slots=True)
class TextToken:
    text: str
    start: int
    end: int


def tokens_of(text: str) -> list[TextToken]:
    return [TextToken(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text)]


def feature_rows(words: Sequence[str], marks: Sequence[str]) -> NDArray[np.int64]:
    """(words, features). Row 0 of the first is an unknown word."""
    rows = np.empty((len(words), len(ROWS)), dtype=np.int64)
    for number, (word, mark) in enumerate(zip(words, marks, strict=True)):
        letters = word.lower().translate(_LETTERS)
        features = (letters, letters[:3], letters[-4:], _shape(word), mark)
        rows[number] = [1 + zlib.crc32(text.encode()) % (size - 1) for text, size in zip(features, ROWS, strict=True)]
    return rows


def _shape(word: str) -> str:
    marks = ("X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in word)
    return re.sub(r"(.)\1{3,}", r"\1\1\1\1", "".join(marks))


def transitions() -> Floats:
    """(tags + 1, tags): 0 where one tag may follow another (the last row: at the beginning), else very low."""
    allowed = np.zeros((len(TAGS) + 1, len(TAGS)), dtype=np.float32)
    for number, tag in enumerate(TAGS):
        if tag.startswith("I-"):
            allowed[:, number] = _IMPOSSIBLE
            allowed[[number, TAGS.index("B-" + tag[2:])], number] = 0.0
    return allowed


class QuestionTagger:
    """core.ports.PlaceTagger; finds spans with the labels ``LABELS``."""

    def __init__(self, folder: Path, lexicon: NameLexicon) -> None:
        """Raises ModelMissing if the folder holds no tagger, or other files than its card names."""
        self._weights = read_weights(folder)
        self._lexicon = lexicon
        self._transitions = transitions()
        self._places = lru_cache(maxsize=_TEXTS)(self._place_shares)

    def place_certainty(self, text: str, start: int, end: int) -> float:
        """0..1: of the least certain word among these characters (end exclusive)."""
        shares = self._places(text)
        return min((share for token, share in shares if token.start < end and start < token.end), default=0.0)

    def _place_shares(self, text: str) -> list[tuple[TextToken, float]]:
        """The first words of the text, each with the probability that it is of a place."""
        tokens = tokens_of(text[:_LONGEST_CHARS])[:_PART]
        if not tokens:
            return []
        scores = self._scores([token.text for token in tokens])
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares = odds[:, _PLACE].sum(axis=1) / odds.sum(axis=1)
        return list(zip(tokens, shares.tolist(), strict=True))

    def entities(self, text: str) -> list[Entity]:
        """In order of appearance."""
        tokens = tokens_of(text[:_LONGEST_CHARS])
        entities: list[Entity] = []
        for start in range(0, len(tokens), _PART):
            part = tokens[start : start + _PART]
            entities += [
                Entity(text[part[first].start : part[last].end], part[first].start, part[last].end, label)
                for first, last, label in spans_of(self._tags([token.text for token in part]))
            ]
        return entities

    def _tags(self, words: Sequence[str]) -> list[int]:
        return best_path(self._scores(words), self._transitions)

    def _scores(self, words: Sequence[str]) -> Floats:
        return _scores(self._weights, feature_rows(words, self._lexicon.marks(words)))


def spans_of(tags: Sequence[int]) -> list[tuple[int, int, str]]:
    spans: list[tuple[int, int, str]] = []
    for number, tag in enumerate(TAGS[tag] for tag in tags):
        if tag.startswith("B-"):
            spans.append((number, number, tag[2:]))
        elif tag.startswith("I-"):
            spans[-1] = (spans[-1][0], number, spans[-1][2])
    return spans


def best_path(scores: Floats, allowed: Floats) -> list[int]:
    """Viterbi."""
    total = scores[0] + allowed[-1]
    steps = []
    for row in scores[1:]:
        candidates = total[:, None] + allowed[:-1]
        best = candidates.argmax(axis=0)
        steps.append(best)
        total = candidates[best, np.arange(len(TAGS))] + row
    path = [int(total.argmax())]
    for best in reversed(steps):
        path.append(int(best[path[-1]]))
    return path[::-1]


def _scores(weights: dict[str, Floats], rows: NDArray[np.int64]) -> Floats:
    embedded = np.concatenate([weights[f"embed.{number}"][rows[:, number]] for number in range(len(ROWS))], axis=1)
    states = _layer(weights, "first", embedded)
    for number in range(LAYERS):
        padded = np.pad(states, ((1, 1), (0, 0)))
        states = states + _layer(weights, f"layer.{number}", np.concatenate([padded[:-2], states, padded[2:]], axis=1))
    scores: Floats = states @ weights["tags.weight"].T + weights["tags.bias"]
    return scores


def _layer(weights: dict[str, Floats], name: str, inputs: Floats) -> Floats:
    """Linear, the larger of two (maxout), normalised."""
    pieces = inputs @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    states = pieces.reshape(len(inputs), -1, 2).max(axis=2)
    centred = states - states.mean(axis=1, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + _SMALL)
    normal: Floats = centred / deviation * weights[f"{name}.scale"] + weights[f"{name}.shift"]
    return normal


def read_weights(folder: Path) -> dict[str, Floats]:
    """Raises ModelMissing if the folder holds no tagger, or other files than its card names."""
    if not (folder / CARD).is_file() or read_json(folder / CARD).get("kind") != KIND:
        raise ModelMissing(f"{folder} is not a tagger; `sonde train tagger` makes one")
    if damaged_files(folder):
        raise ModelMissing(f"{folder / FILE} is not the file of its card (SHA-256 differs); install it again")
    from safetensors.numpy import load_file

    return {name: np.ascontiguousarray(values, dtype=np.float32) for name, values in load_file(folder / FILE).items()}
