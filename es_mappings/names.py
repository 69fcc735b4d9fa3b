"""Index and alias names: ``{prefix}-records`` is an alias over ``{prefix}-records-000001``, ``-000002``, ..."""

from __future__ import annotations

import re
from typing import Literal, get_args

IndexKind = Literal[
    "records", "natives", "ledger", "passages", "library", "runs", "documents", "vocabulary", "keys", "visits",
    "curation", "queries", "notebooks", "searches", "notices", "measurements",
]  # fmt: skip
KINDS: tuple[IndexKind, ...] = get_args(IndexKind)
WITH_VECTORS: tuple[IndexKind, ...] = ("records", "passages", "library")

_GENERATION = re.compile(r"-(\d{6})$")


def alias(prefix: str, kind: IndexKind) -> str:
    """What readers and writers use."""
    return f"{prefix}-{kind}"


def concrete(prefix: str, kind: IndexKind, generation: int) -> str:
    """The index behind the alias; generations count from 1."""
    return f"{prefix}-{kind}-{generation:06d}"


def generation_of(index: str) -> int:
    """The number at the end of a concrete index name. Raises ValueError for another name."""
    match = _GENERATION.search(index)
    if match is None:
        raise ValueError(f"{index!r} is not an index of Sonde's: it does not end in six digits")
    return int(match[1])
