"""The note that the last round of a reindex is pending, so that a crash does not lose it.

It is in the ``_meta`` of the new index: written before the alias moves, valid once it has moved, and deleted after
the round. Elasticsearch numbers the writes of a shard; the note uses these numbers, not a clock, to separate the
writes of the reindex from others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_mappings.names import alias

Reindexed = Literal["records", "passages", "library"]
REINDEXED: tuple[Reindexed, ...] = ("records", "passages", "library")

_NOTE = "left_behind"


@dataclass(frozen=True, slots=True)
class Handover:
    """``new`` serves, or soon will, and may lack the last writes to ``old``.

    Sequence numbers: everything up to ``seen`` in ``old`` was compared; everything up to ``copied`` in ``new`` is from
    the reindex, and later writes are from others, who already used it.
    """

    kind: Reindexed
    old: str
    new: str
    seen: int
    copied: int


def unfinished_handovers(client: Elasticsearch, prefix: str) -> list[Handover]:
    """Of the serving indices, records first; usually empty. One request."""
    aliases = {alias(prefix, kind): kind for kind in REINDEXED}
    found = client.indices.get(index=list(aliases), features=["aliases", "mappings"], ignore_unavailable=True).body
    notes = []
    for index, body in found.items():
        note = body["mappings"].get("_meta", {}).get(_NOTE)
        kind = next((kind for name, kind in aliases.items() if name in body["aliases"]), None)
        if note is not None and kind is not None:
            notes.append(Handover(kind, note["old"], index, note["seen"], note["copied"]))
    return sorted(notes, key=lambda each: REINDEXED.index(each.kind))


def record_handover(client: Elasticsearch, left: Handover) -> None:
    """Writes the note; call this before the alias moves."""
    _put_meta(client, left.new, {"old": left.old, "seen": left.seen, "copied": left.copied})


def clear(client: Elasticsearch, index: str) -> None:
    _put_meta(client, index, None)


def done_up_to(client: Elasticsearch, index: str) -> int:
    """Writes up to this sequence number are visible after a refresh; higher ones may be in progress."""
    return int(_numbers(client, index)["local_checkpoint"])


def highest(client: Elasticsearch, index: str) -> int:
    """The highest sequence number so far; -1 in an empty index."""
    return int(_numbers(client, index)["max_seq_no"])


def _numbers(client: Elasticsearch, index: str) -> dict[str, int]:
    """The primary's numbers: our indices have one shard (mappings/shared.json), so its numbers are the index's."""
    found = client.indices.stats(index=index, metric="docs", level="shards").body
    (copies,) = found["indices"][index]["shards"].values()
    numbers: dict[str, int] = next(copy["seq_no"] for copy in copies if copy["routing"]["primary"])
    return numbers


def _put_meta(client: Elasticsearch, index: str, written: Json | None) -> None:
    """Elasticsearch replaces ``_meta`` as a whole, so the other entries are sent again."""
    mappings = client.indices.get_mapping(index=index).body[index]["mappings"]
    rest = {name: value for name, value in mappings.get("_meta", {}).items() if name != _NOTE}
    meta = rest if written is None else {**rest, _NOTE: written}
    client.indices.put_mapping(index=index, meta=meta)
