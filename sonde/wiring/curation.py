"""Builds the parts of curation: the rules in memory, and the stewards' desk."""

from __future__ import annotations

from dataclasses import dataclass

from core.overlay import Overlay
from es_gateway.client import Elasticsearch, UnhurriedElasticsearch
from indexer.write.push import rewrite
from search_api.search.curation.live import LiveRules
from search_api.search.curation.store import CurationStore
from search_api.stewards.curation.desk import CurationDesk
from sonde.settings import Settings
from sonde.wiring.pushing import Pusher


def live_curation(settings: Settings, client: Elasticsearch) -> LiveRules:
    """Reads nothing yet."""
    return LiveRules(CurationStore(UnhurriedElasticsearch.over(client), settings.index.prefix))


def curation_desk(settings: Settings, client: Elasticsearch, pusher: Pusher, live: LiveRules) -> CurationDesk:
    return CurationDesk(CurationStore(client, settings.index.prefix), live, RecordOverlays(pusher))


@dataclass(frozen=True, slots=True)
class RecordOverlays:
    """Writes records with their overlays, one writer at a time, as pushed records are."""

    pusher: Pusher

    def apply(self, record: str, overlay: Overlay | None) -> None:
        """See search_api.stewards.curation.desk.OverlayWriter."""
        self.pusher.ready()
        with self.pusher.alone(record.partition(":")[0], record):
            rewrite(record, overlay, self.pusher.parts)
