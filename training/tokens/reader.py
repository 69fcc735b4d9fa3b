"""Reads texts to the token states that a head projects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.ports import TextKind, Vectors
from encoders.onnx_session import Compute
from encoders.token_head import loud
from encoders.token_states import token_states


@dataclass(frozen=True, slots=True)
class Reader:
    """``graph`` of the prepared embedder in ``folder``, without the ``silent`` tokens."""

    folder: Path
    graph: str
    silent: frozenset[int]
    compute: Compute

    def read(self, texts: Sequence[str], kind: TextKind) -> Iterator[Vectors]:
        """Each text whole, the states of its parts after each other: (tokens, states), unit norm."""
        for parts in token_states(self.folder, texts, self.compute, self.graph):
            yield np.concatenate([loud(ids, states, kind, self.silent) for ids, states in parts])
