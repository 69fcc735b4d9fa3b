"""Reads the token states of an embedder: what a token head is fitted on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from core.ports import Vectors
from encoders.onnx_session import Compute, OnnxSession, TokenIds
from encoders.pooling import parted
from encoders.prepare import checked_graph
from encoders.recipe import read_json, read_recipe
from encoders.tokens import UNIGRAM, open_tokeniser

Part = tuple[Sequence[int], Vectors]
"""Ids (n,) and states (n, dims), special tokens included."""

_SLICE = 64
_MARKS = "#\u2581"  # of word pieces: inside a word, and at its beginning


def token_states(
    folder: Path, texts: Sequence[str], compute: Compute, graph: str = "model.onnx"
) -> Iterator[list[Part]]:
    """The parts of each text. ``folder`` is a prepared embedder, ``graph`` a file in it. Raises ModelMissing."""
    limit = read_recipe(folder).max_tokens
    tokeniser = open_tokeniser(folder, limit)
    session = OnnxSession(checked_graph(folder, graph), compute)
    for start in range(0, len(texts), _SLICE):
        batch = texts[start : start + _SLICE]
        text_parts = parted(tokeniser.whole(batch), limit)
        states_of_parts = session.each(
            [TokenIds(ids) for ids in text_parts.parts], lambda states, _mask, _batch: list(states)
        )
        by_text: list[list[Part]] = [[] for _ in batch]
        for owner, ids, states in zip(text_parts.owners.tolist(), text_parts.parts, states_of_parts, strict=True):
            by_text[owner].append((ids, states[: len(ids)]))
        yield from by_text


def ignored_tokens(folder: Path) -> list[int]:
    """Ids of the special tokens, and of those without a letter or digit."""
    file = UNIGRAM if (folder / UNIGRAM).is_file() else "tokenizer.json"
    facts = read_json(folder / file)
    if file == UNIGRAM:
        pieces = {text: at for at, text in enumerate(facts["texts"])}
        special = {at for at, score in enumerate(facts["scores"]) if score == 0.0}
    else:
        vocabulary = facts["model"]["vocab"]
        pieces = vocabulary if isinstance(vocabulary, dict) else {text: at for at, (text, _) in enumerate(vocabulary)}
        special = {int(added["id"]) for added in facts["added_tokens"] if added.get("special")}
    return sorted(special | {at for text, at in pieces.items() if not any(map(str.isalnum, text.strip(_MARKS)))})
