"""A question and a candidate as one input: the question keeps its tokens, the candidate is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from encoders.onnx_session import Tokens
from encoders.tokens import read_tokenizer


@dataclass(frozen=True, slots=True)
class Pairs:
    """``cut``: the number of shortened candidates; ``question_cut``: the tokens of the question that did not fit."""

    tokens: list[Tokens]
    cut: int
    question_cut: int


class PairTokeniser:
    """``max_tokens`` of a pair, special tokens included. A question uses at most half of them."""

    def __init__(self, file: Path, max_tokens: int) -> None:
        self._tokenizer = read_tokenizer(file)
        self._room = max_tokens - self._tokenizer.num_special_tokens_to_add(True)

    def pairs(self, question: str, texts: Sequence[str]) -> Pairs:
        """One input per text, in order."""
        asked = self._tokenizer.encode(question, add_special_tokens=False)
        asked_length = len(asked.ids)
        asked.truncate(min(asked_length, self._room // 2))
        room = self._room - len(asked.ids)
        tokens, cut = [], 0
        for candidate in self._tokenizer.encode_batch(list(texts), add_special_tokens=False):
            cut += len(candidate.ids) > room
            candidate.truncate(room)
            pair = self._tokenizer.post_process(asked, candidate)
            tokens.append(Tokens(pair.ids, pair.type_ids))
        return Pairs(tokens, cut, asked_length - len(asked.ids))
