"""Federated search of a real pygeoapi and a real pycsw."""

from __future__ import annotations

from pathlib import Path

from core.geo import BBox
from net.gate import Gate, GatePolicy
from search_api.catalogue.federation import CatalogueKind, FederatedCatalogue, Federation, RemoteAnswer, question_of
from sonde.wiring.portal import csw_records
from tests.servers.catalogue_files import write_records
from tests.servers.pycsw2 import pycsw
from tests.servers.pygeoapi import pygeoapi


def asked(kind: CatalogueKind, url: str, q: str, area: BBox | None = None) -> RemoteAnswer:
    gate = Gate(GatePolicy(allowed_hosts=frozenset(("127.0.0.1",))))
    catalogue = FederatedCatalogue("far", kind, url)
    return Federation(lambda: gate, [catalogue], 10.0, csw_records).ask(catalogue, question_of(q, area, None, 10))


def test_pygeoapi_gives_its_records(tmp_path: Path) -> None:
    with pygeoapi(tmp_path, 12) as url:
        items = f"{url}/collections/catalogue/items"
        answer = asked("records", items, "record", BBox(-1, -1, 2, 2))
        assert (len(answer.hits), answer.matched) == (10, 12)
        assert answer.hits[0].feature["links"] == [{"rel": "canonical", "href": f"{items}/rec-000"}]
        assert not asked("records", items, "record", BBox(50, 50, 60, 60)).hits


def test_pycsw_gives_its_records(tmp_path: Path) -> None:
    ids = write_records(tmp_path / "records", 12)
    with pycsw(tmp_path / "server", tmp_path / "records") as url:
        answer = asked("csw", url, "temperatures", None)
        assert answer.hits
        assert answer.matched in (None, len(answer.hits))
        assert {hit.feature["id"] for hit in answer.hits} <= set(ids)
        (area,) = {tuple(hit.feature["geometry"]["coordinates"][0][0]) for hit in answer.hits[:1]}
        assert (
            answer.hits[0] in asked("csw", url, "temperatures", BBox(area[0], area[1], area[0] + 1, area[1] + 1)).hits
        )
        assert not asked("csw", url, "nowhere", None).hits
        assert not asked("csw", url, "radiation of Svalbard", BBox(-170, -80, -169, -79)).hits
