"""Blocks that stop writes: a disk that is too full, or an index or cluster that somebody set read-only.

Searches continue under such a block, so a service that only looks at the cluster's health does not notice it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from elasticsearch import Elasticsearch

from core.json_types import JsonMapping

ERROR = "cluster_block_exception"
"""Elasticsearch's name of the error."""
_DISK = 12
_REASONS = {
    5: "index.blocks.read_only is set",
    6: "cluster.blocks.read_only is set",
    8: "index.blocks.write is set",
    _DISK: "a disk of its nodes is too full, so indices are read-only (flood stage)",
    13: "cluster.blocks.read_only_allow_delete is set",
}
"""By Elasticsearch's own number of the block."""
_NUMBER = re.compile(r"\[[A-Z_]+/(\d+)/")


@dataclass(frozen=True, slots=True)
class WriteBlock:
    """``index`` None: the whole cluster."""

    index: str | None
    number: int
    description: str

    @property
    def reason(self) -> str:
        return _REASONS.get(self.number, self.description)


def write_blocks(client: Elasticsearch, indices: Sequence[str]) -> list[WriteBlock]:
    """The blocks of these indices or aliases, and of the cluster, that stop writes; usually empty. One request.

    Elasticsearch lists the blocks of every index, whichever was asked for: the metadata say which are ours.
    """
    state = client.cluster.state(
        metric=["blocks", "metadata"],
        index=list(indices),
        ignore_unavailable=True,
        allow_no_indices=True,
        filter_path=["blocks", "metadata.indices.*.state"],
    ).body
    ours = state.get("metadata", {}).get("indices", {})
    blocks = state.get("blocks", {})
    return [
        *_write_blocks(None, blocks.get("global", {})),
        *(
            block
            for index, of_index in sorted(blocks.get("indices", {}).items())
            if index in ours
            for block in _write_blocks(index, of_index)
        ),
    ]


def explain(blocks: Sequence[WriteBlock]) -> str:
    """One sentence for everybody: that writes fail, and why."""
    return _sentence(dict.fromkeys(block.reason for block in blocks))


def explain_refusal(reason: str) -> str | None:
    """The same, from the reason that Elasticsearch gives with a refused request; None if it names no such block."""
    numbers = [int(number) for number in _NUMBER.findall(reason)]
    reasons = dict.fromkeys(_REASONS[number] for number in numbers if number in _REASONS)
    return _sentence(reasons) if reasons else None


def remedy(blocks: Sequence[WriteBlock]) -> str:
    """What an operator does to lift the blocks."""
    steps: dict[str, None] = {}
    for block in blocks:
        if block.number == _DISK:
            steps["make room on the disk: Elasticsearch then lifts the block by itself"] = None
        elif block.index is None:
            name = "read_only_allow_delete" if block.number == 13 else "read_only"
            steps[f'PUT /_cluster/settings {{"persistent": {{"cluster.blocks.{name}": null}}}} lifts it'] = None
        else:
            name = "write" if block.number == 8 else "read_only"
            steps[f'PUT /{block.index}/_settings {{"index.blocks.{name}": null}} lifts it'] = None
    return "; ".join(steps)


def _write_blocks(index: str | None, blocks: JsonMapping) -> Iterable[WriteBlock]:
    return (
        WriteBlock(index, int(number), str(block.get("description", "")))
        for number, block in blocks.items()
        if "write" in block.get("levels", ())
    )


def _sentence(reasons: Iterable[str]) -> str:
    return f"Elasticsearch accepts no writes: {', and '.join(reasons)}. Searches continue."
