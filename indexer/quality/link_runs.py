"""The runs of link checks: their id prefix, and the last complete one."""

from __future__ import annotations

from es_gateway.client import Elasticsearch
from es_mappings.codecs.runs import RunReport
from indexer.store.runs import Runs

LINKS_OF = "links:"
"""The prefix of their ids."""


def links_source(source: str) -> str:
    return f"{LINKS_OF}{source}"


def latest_links(client: Elasticsearch, prefix: str, source: str) -> RunReport | None:
    """The newest complete check of the source's links; None if there was none."""
    found = [run for run in Runs(client, prefix).latest(links_source(source), size=5) if run.state == "complete"]
    return found[0] if found else None
