"""Indices that are there while their alias is gone: after a restore without aliases, or a deletion by hand.

Readers and writers use the aliases only, so such an index is as good as lost to them until its alias is back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from core.errors import IndexMismatch
from es_gateway.client import Elasticsearch
from es_mappings.names import KINDS, IndexKind, alias

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LostAlias:
    """``indices``: those that the alias could stand for, oldest first; the alias's own name if an index took it."""

    name: str
    indices: tuple[str, ...]

    @property
    def is_taken(self) -> bool:
        """Whether an index has the alias's name: a write made it while the alias was gone."""
        return self.name in self.indices

    @property
    def told(self) -> str:
        """What is there, and what puts the alias back."""
        if self.is_taken:
            return (
                f"{self.name} is an index where the alias should be: delete it (DELETE /{self.name}); "
                "then `sonde harvest` or the role `migrate` puts the alias back."
            )
        there = f"The alias {self.name} is gone; there is {', '.join(self.indices)}."
        if len(self.indices) == 1:
            return f"{there} `sonde harvest` or the role `migrate` puts the alias back."
        return f"{there} `sonde reindex --serve {self.indices[-1]}` (or another one) puts the alias back."


def lost_aliases(client: Elasticsearch, prefix: str, kinds: Sequence[IndexKind] = KINDS) -> list[LostAlias]:
    """Usually empty. One request."""
    names = [alias(prefix, kind) for kind in kinds]
    found = client.indices.get_alias(
        index=[*names, *(f"{name}-*" for name in names)], ignore_unavailable=True, allow_no_indices=True
    ).body
    there = {name for body in found.values() for name in body["aliases"]}
    lost = []
    for name in names:
        own = re.compile(rf"{re.escape(name)}(-\d{{6}})?")
        indices = tuple(sorted(index for index in found if own.fullmatch(index)))
        if name not in there and indices:
            lost.append(LostAlias(name, indices))
    return lost


def put_back(client: Elasticsearch, prefix: str) -> list[str]:
    """Puts back each lost alias that only one index can have; returns these indices.

    Raises IndexMismatch that names the indices if there are several, or an index has the alias's name.
    """
    lost = lost_aliases(client, prefix)
    for one in lost:
        if one.is_taken or len(one.indices) > 1:
            raise IndexMismatch(one.told)
    for one in lost:
        serve(client, one.indices[0], one.name)
    return [one.indices[0] for one in lost]


def serve(client: Elasticsearch, index: str, name: str) -> None:
    """Makes the alias stand for this index."""
    client.indices.update_aliases(actions=[{"add": {"index": index, "alias": name, "is_write_index": True}}])
    log.warning("alias.put_back", alias=name, index=index)
