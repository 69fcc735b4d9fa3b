"""Checks now what the service needs in order to answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.errors import SondeError
from es_gateway.blocks import WriteBlock, explain
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.meta import reindex_reasons
from search_api.search.retrieval.serving import ServingResolver


@dataclass(frozen=True, slots=True)
class ReadinessReport:
    """``dependencies``: maps a name to "ok" or the problem."""

    ready: bool
    dependencies: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Readiness:
    """Checks Elasticsearch, the index and the embedder; a missing embedder only degrades the service.

    ``blocks``: what stops writes. Searches are answered under a block, so the service stays ready and names it as the
    dependency ``writes``. ``notices``: about parts without which it answers.
    """

    def __init__(
        self,
        client: Elasticsearch,
        resolver: ServingResolver,
        configured_model: str,
        *,
        blocks: Callable[[], Sequence[WriteBlock]] = tuple,
        notices: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._blocks = blocks
        self._notices = notices
        self._client = client
        self._resolver = resolver
        self._configured_model = configured_model

    def __call__(self) -> ReadinessReport:
        try:
            status = self._client.cluster.health(timeout="1s").body["status"]
        except ElasticsearchError as error:
            return ReadinessReport(False, {"elasticsearch": f"does not answer ({error.type or type(error).__name__})"})
        notices = list(self._notices())
        dependencies = {
            "elasticsearch": "ok" if status != "red" else "the cluster is red: some shards are missing"
        } | self._writes()
        try:
            serving = self._resolver.resolve()
        except SondeError as error:
            return ReadinessReport(False, {**dependencies, "index": str(error)}, notices)
        dependencies |= {"index": "ok", "embedder": serving.embedder_problem or "ok"}
        card = serving.embedder.card if serving.embedder is not None else None
        reasons = reindex_reasons(serving.records.meta, self._configured_model, card)
        return ReadinessReport(status != "red", dependencies, reasons + notices)

    def _writes(self) -> dict[str, str]:
        """What stops writes; empty if nothing does, or if it is not known."""
        try:
            blocks = self._blocks()
        except ElasticsearchError:
            return {}
        return {"writes": explain(blocks)} if blocks else {}
