"""Whether Sonde can write: blocks of Elasticsearch, and aliases that are gone."""

from __future__ import annotations

from es_gateway.blocks import explain, remedy, write_blocks
from es_gateway.client import Elasticsearch
from es_mappings.lost_aliases import lost_aliases
from es_mappings.names import KINDS, alias
from sonde.ops.doctor.finding import State


def writes(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """Broken while an index, or the whole cluster, is read-only: nothing is harvested, pushed or uploaded."""
    found = write_blocks(client, [alias(prefix, kind) for kind in KINDS])
    return ("broken", f"{explain(found)} What to do: {remedy(found)}") if found else ("ok", "nothing blocks them")


def aliases(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """Broken if an index is there and its alias is gone."""
    lost = lost_aliases(client, prefix)
    return ("broken", " ".join(one.told for one in lost)) if lost else ("ok", "each stands for one index")
