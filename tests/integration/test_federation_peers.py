"""Federated search of a real pygeoapi."""

from __future__ import annotations

from pathlib import Path

from core.geo import BBox
from net.gate import Gate, GatePolicy
from search_api.catalogue.federation import CatalogueKind, FederatedCatalogue, Federation, RemoteAnswer, question_of
from tests.servers.pygeoapi import pygeoapi


def asked(kind: CatalogueKind, url: str, q: str, area: BBox | None = None) -> RemoteAnswer:
    gate = Gate(GatePolicy(allowed_hosts=frozenset(("127.0.0.1",))))
    catalogue = FederatedCatalogue("far", kind, url)
    return Federation(lambda: gate, [catalogue], 10.0).ask(catalogue, question_of(q, area, None, 10))


def test_pygeoapi_gives_its_records(tmp_path: Path) -> None:
    with pygeoapi(tmp_path, 12) as url:
        items = f"{url}/collections/catalogue/items"
        answer = asked("records", items, "record", BBox(-1, -1, 2, 2))
        assert (len(answer.hits), answer.matched) == (10, 12)
        assert answer.hits[0].feature["links"] == [{"rel": "canonical", "href": f"{items}/rec-000"}]
        assert not asked("records", items, "record", BBox(50, 50, 60, 60)).hits
