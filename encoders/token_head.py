"""Makes token vectors from an embedder's token states, which the embedder computes for a text's vector anyway.

A token head projects the states. ``token_head`` finds the one of an embedder: in its own folder, or the one that Sonde
ships for the same weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelMissing
from core.ports import TextKind, TokenCard, Vectors
from encoders.locate import SHIPPED, Located
from encoders.model_card import ModelKind
from encoders.onnx_session import Compute, OnnxSession, TokenIds
from encoders.pinned import files_sha256
from encoders.pooling import split_texts, unit
from encoders.prepare import checked_graph
from encoders.recipe import read_json, read_recipe
from encoders.tokens import UNIGRAM, open_tokeniser

TokenStates = tuple[Sequence[int], Vectors]
"""Ids (n,) and states (n, dims), special tokens included."""

_SLICE = 64
_PIECE_MARKS = "#\u2581"  # of word pieces: inside a word, and at its beginning


def token_states(
    folder: Path, texts: Sequence[str], compute: Compute, graph: str = "model.onnx"
) -> Iterator[list[TokenStates]]:
    """The states of each text, one entry for each chunk; ``graph`` is a file in ``folder``, a prepared embedder.

    Raises ModelMissing.
    """
    limit = read_recipe(folder).max_tokens
    tokeniser = open_tokeniser(folder, limit)
    session = OnnxSession(checked_graph(folder, graph), compute)
    for start in range(0, len(texts), _SLICE):
        batch = texts[start : start + _SLICE]
        text_chunks = split_texts(tokeniser.full_ids(batch), limit)
        states_of_chunks = session.map_batches(
            [TokenIds(ids) for ids in text_chunks.chunks], lambda states, _mask, _batch: list(states)
        )
        by_text: list[list[TokenStates]] = [[] for _ in batch]
        for row, ids, states in zip(text_chunks.text_rows.tolist(), text_chunks.chunks, states_of_chunks, strict=True):
            by_text[row].append((ids, states[: len(ids)]))
        yield from by_text


def ignored_tokens(folder: Path) -> list[int]:
    """Ids of the special tokens, and of those without a letter or digit."""
    file = UNIGRAM if (folder / UNIGRAM).is_file() else "tokenizer.json"
    facts = read_json(folder / file)
    if file == UNIGRAM:
        pieces = {text: id for id, text in enumerate(facts["texts"])}
        special = {id for id, score in enumerate(facts["scores"]) if score == 0.0}
    else:
        vocabulary = facts["model"]["vocab"]
        pieces = vocabulary if isinstance(vocabulary, dict) else {text: id for id, (text, _) in enumerate(vocabulary)}
        special = {int(token["id"]) for token in facts["added_tokens"] if token.get("special")}
    return sorted(special | {id for text, id in pieces.items() if not any(map(str.isalnum, text.strip(_PIECE_MARKS)))})


FILE = "tokens.safetensors"
LAYERS = "layers.onnx"
_CODE_LENGTH = 8
KIND: ModelKind = "token-head"


@dataclass(frozen=True, slots=True)
class TokenHead:
    """``mean``: (states,) and ``projection``: (states, dims) of unit states; ``ignored``: ids of tokens without meaning
    (special ones, punctuation). ``layers``: a graph from the embedder's lower states (``encoders.onnx_graphs``) to the
    head's own; without one the states are the embedder's last.
    """

    mean: NDArray[np.float32]
    projection: NDArray[np.float32]
    ignored: frozenset[int]
    layers: Path | None = None

    def vectors(self, ids: Sequence[int], states: NDArray[np.float32], kind: TextKind) -> Vectors:
        """(tokens, dims), unit norm, of ``states``: (ids, states)."""
        return unit(
            np.matmul(content_states(ids, states, kind, self.ignored) - self.mean, self.projection, dtype=np.float32)
        )


def content_states(ids: Sequence[int], states: NDArray[np.float32], kind: TextKind, ignored: frozenset[int]) -> Vectors:
    """(tokens, states), unit norm: without ``ignored`` tokens, unless the text has no others.

    Of a document, all occurrences of one token are one vector: half the space, and no worse (ADR 0030).
    """
    vector_ids = np.asarray(ids)
    content = np.array([token not in ignored for token in ids])
    if content.any():
        vector_ids, states = vector_ids[content], states[content]
    states = unit(states)
    if kind == "query":
        return states
    _, rows = np.unique(vector_ids, return_inverse=True)
    sums: Vectors = np.zeros((int(rows.max()) + 1, states.shape[1]), dtype=np.float32)
    np.add.at(sums, rows, states)
    return unit(sums)


def read_head(folder: Path) -> tuple[TokenHead, TokenCard] | None:
    """The head in a model's folder, None without one. Raises ModelMissing if it is damaged."""
    file, layers = folder / FILE, folder / LAYERS
    if not file.is_file():
        return None
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(file)
        head = TokenHead(
            tensors["mean"].astype(np.float32),
            tensors["projection"].astype(np.float32),
            frozenset(tensors["silent"].tolist()),
            layers if layers.is_file() else None,
        )
    except (SafetensorError, KeyError, OSError) as error:
        raise ModelMissing(f"{file} is damaged ({error}); install Sonde again") from None
    code = files_sha256([file] if head.layers is None else [file, head.layers])
    return head, TokenCard(f"{folder.name}-{code[:_CODE_LENGTH]}", head.projection.shape[1])


def token_head(setting: str, embedder: Located) -> tuple[TokenHead, TokenCard] | None:
    """``setting``: a folder, ``auto`` or ``none``. Raises ModelMissing if a folder holds no head for this embedder."""
    if setting == "none":
        return None
    if setting == "auto":
        folders = [embedder.folder, *_shipped_for(embedder)]
        return next((head_and_card for folder in folders if (head_and_card := read_head(folder)) is not None), None)
    folder = Path(setting).expanduser()
    head_and_card = read_head(folder)
    if head_and_card is None:
        raise ModelMissing(f"{folder} holds no {FILE}; `sonde train tokens` makes one")
    if not _fits(folder, embedder):
        raise ModelMissing(f"{folder} was made for another embedder; it cannot read the states of {embedder.name}")
    return head_and_card


def _shipped_for(embedder: Located) -> list[Path]:
    folders = sorted(SHIPPED.iterdir()) if SHIPPED.is_dir() else []
    return [folder for folder in folders if (folder / FILE).is_file() and _fits(folder, embedder)]


def _fits(folder: Path, embedder: Located) -> bool:
    """The card names the weights by their SHA-256."""
    return bool(read_json(folder / "card.json").get("weights") == embedder.digest)
