"""Checks now what the service needs in order to answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.errors import SondeError
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.meta import reindex_reasons
from search_api.serving import ServingResolver


@dataclass(frozen=True, slots=True)
class ReadinessReport:
    """``dependencies``: maps a name to "ok" or the problem."""

    ready: bool
    dependencies: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Readiness:
    """Checks Elasticsearch, the index and the embedder; a missing embedder only degrades the service."""

    def __init__(
        self, client: Elasticsearch, resolver: ServingResolver, configured_model: str, notes: Sequence[str] = ()
    ) -> None:
        """``notes``: what this machine lacks, known since the start."""
        self._notes = list(notes)
        self._client = client
        self._resolver = resolver
        self._configured_model = configured_model

    def __call__(self) -> ReadinessReport:
        try:
            status = self._client.cluster.health(timeout="1s").body["status"]
        except ElasticsearchError as error:
            return ReadinessReport(False, {"elasticsearch": f"does not answer ({error.type or type(error).__name__})"})
        dependencies = {"elasticsearch": "ok" if status != "red" else "the cluster is red: some shards are missing"}
        try:
            serving = self._resolver.resolve()
        except SondeError as error:
            return ReadinessReport(False, {**dependencies, "index": str(error)})
        dependencies |= {"index": "ok", "embedder": serving.embedder_problem or "ok"}
        card = serving.embedder.card if serving.embedder is not None else None
        reasons = reindex_reasons(serving.records.meta, self._configured_model, card)
        return ReadinessReport(status != "red", dependencies, [*reasons, *self._notes])
