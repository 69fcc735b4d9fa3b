"""Next-sentence coherence: a small cross-encoder that reads the text before and after a sentence boundary.

Labels are BERT's: 0 means that the second text continues the first, 1 that it does not.
Implements ``indexer.documents.segment.passages.Coherence``: higher is better, 0..1.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.errors import ModelMissing
from encoders.cross_encoder import OnnxScorer
from encoders.locate import default_cache, locate
from encoders.onnx_session import Compute, TokenIds
from encoders.prepare import checked_graph, prepare_model
from encoders.recipe import read_json, read_pair_limit
from encoders.tokens import read_tokenizer

if TYPE_CHECKING:
    from tokenizers import Encoding


class SentencePairTokeniser:
    """Both sides of a sentence boundary as one input. The first keeps its last words and the second its first ones.

    ``max_tokens`` includes special ones; a side gets more than half if the other needs less.
    """

    def __init__(self, file: Path, max_tokens: int) -> None:
        self._tokenizer = read_tokenizer(file)
        self._text_tokens = max_tokens - self._tokenizer.num_special_tokens_to_add(True)

    def tokens(self, before: Sequence[str], after: Sequence[str]) -> list[TokenIds]:
        """One input for each boundary, in order."""
        pairs = zip(self._encode(before), self._encode(after), strict=True)
        inputs = []
        for first, second in pairs:
            keep = max(self._text_tokens // 2, self._text_tokens - len(second.ids))
            first.truncate(keep, direction="left")
            second.truncate(self._text_tokens - len(first.ids))
            pair = self._tokenizer.post_process(first, second)
            inputs.append(TokenIds(pair.ids, pair.type_ids))
        return inputs

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        return self._tokenizer.encode_batch(list(texts), add_special_tokens=False)


def windows(texts: Sequence[str], window: int) -> tuple[list[str], list[str]]:
    """For each of the n - 1 boundaries, up to ``window`` sentences before it and after it."""
    boundaries = range(len(texts) - 1)
    before = [" ".join(texts[max(0, index - window + 1) : index + 1]) for index in boundaries]
    return before, [" ".join(texts[index + 1 : index + 1 + window]) for index in boundaries]


class NextSentence:
    """The probability that each text continues the previous one."""

    def __init__(self, folder: Path, compute: Compute, digest: str = "") -> None:
        """``folder``: prepared, see ``load_segmenter``; ``digest`` identifies the model. Raises ModelMissing."""
        self.digest = digest
        facts = read_json(folder / "card.json")
        if facts.get("kind") != "segmenter":
            raise ModelMissing(f"{folder} is not a segmenter; `sonde train segmenter` makes one")
        self.window = int(facts.get("window", 1))
        self._tokens = SentencePairTokeniser(folder / "tokenizer.json", read_pair_limit(folder))
        self._scorer = OnnxScorer(checked_graph(folder, "model.onnx"), compute)

    def __call__(self, texts: Sequence[str]) -> list[float]:
        """n texts in order to n - 1 numbers 0..1."""
        if len(texts) < 2:
            return []
        not_next = self._scorer.logits(self._tokens.tokens(*windows(texts, self.window))).astype(np.float64)
        return [float(value) for value in 1.0 / (1.0 + np.exp(np.clip(not_next, -60.0, 60.0)))]


def load_segmenter(name: str, cache: Path | None = None, *, threads: int | None = None) -> NextSentence:
    """The segmenter in a folder. Raises ModelMissing with what to do."""
    cache = cache or default_cache()
    location = locate(name, cache)
    return NextSentence(prepare_model(location, cache, "logits"), Compute(threads), location.digest[:12])
