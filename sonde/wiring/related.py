"""Builds the service that knows citations, and what a steward sees of one record."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import NotFound
from es_gateway.client import Elasticsearch
from es_mappings.codecs.vectors import WITHOUT
from es_mappings.names import alias
from indexer.quality.quality import missing, score
from net.gate import Gate
from search_api.catalogue.related.citations import CitationEvents, EventService
from search_api.stewards.insight.measurements import QualityOf, RecordQuality
from sonde.settings import Settings


def citation_events(settings: Settings, gate: Callable[[], Gate]) -> CitationEvents:
    given = settings.citations
    service = None if given.events_url is None else EventService(str(given.events_url), given.timeout_s)
    return CitationEvents(service, gate)


def record_quality(client: Elasticsearch, prefix: str) -> QualityOf:
    """Reads with the rights of the caller, if the client has them."""

    def quality(record: str) -> RecordQuality:
        wanted = {"ids": {"values": [record]}}
        hits = client.search(index=alias(prefix, "records"), query=wanted, size=1, source=WITHOUT).body["hits"]["hits"]
        if not hits:
            raise NotFound(f"There is no record {record!r}.")
        stored = hits[0]["_source"]
        return RecordQuality(round(score(stored), 3), missing(stored), tuple(stored.get("warnings", ())))

    return quality
