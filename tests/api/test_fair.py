"""``/fair`` of a record and of a catalogue. Two users: test_access_records.py."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from search_api.app import create_app
from search_api.catalogue.fair.reader import FairReader
from search_api.catalogue.harvest_runs import LinkCheck
from sonde.wiring.api import api_parts
from tests.service import Service

pytestmark = pytest.mark.elasticsearch


def fair(http: Any, path: str) -> dict[str, Any]:
    answer = http.get(path)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.get_json()
    return body


def test_a_record_by_indicator_with_what_to_improve(samples: Service) -> None:
    said = fair(samples.http, "/collections/samples/items/samples:era5/fair")
    by_id = {one["id"]: one for one in said["indicators"]}
    assert (len(by_id), said["linksChecked"]) == (19, None)
    assert by_id["RDA-A1-03D"]["holds"] is None, "no link was ever checked"
    assert by_id["RDA-F2-01M"]["holds"] is True
    assert "advice" not in by_id["RDA-F2-01M"]
    assert by_id["RDA-F1-01M"]["holds"] is False
    assert "DOI" in by_id["RDA-F1-01M"]["advice"]
    assert samples.http.get("/collections/all/items/samples:nothing/fair").status_code == 404
    assert samples.http.get("/collections/samples/items/samples:era5/fair?x=1").status_code == 400


def test_a_catalogue_is_the_sum_of_its_records(samples: Service) -> None:
    said = fair(samples.http, "/collections/samples/fair")
    listed = fair(samples.http, "/collections/samples/items?limit=200")["features"]
    each = [fair(samples.http, f"/collections/samples/items/{one['id']}/fair")["indicators"] for one in listed]
    assert (said["records"], said["lookedAt"]) == (len(listed), len(listed))
    for place, one in enumerate(said["indicators"]):
        held = [record[place]["holds"] for record in each]
        counted = (one["holds"], one["fails"], one["notMeasured"])
        assert counted == (held.count(True), held.count(False), held.count(None)), one["id"]
    assert samples.http.get("/collections/nowhere/fair").status_code == 404


def _path(id: str) -> str:
    return f"/collections/samples/items/{id}"


def _files(feature: dict[str, Any]) -> frozenset[str]:
    return frozenset(one["href"] for one in feature["links"] if one["rel"] in ("download", "service"))


def test_links_count_as_the_last_check_found_them_and_a_sum_is_remembered(samples: Service) -> None:
    parts = api_parts(samples.settings, samples.models)
    listed = fair(samples.http, "/collections/samples/items?limit=200")["features"]
    id, files = next((one["id"], files) for one in listed if (files := _files(fair(samples.http, _path(one["id"])))))
    checks = {"samples": LinkCheck(2**42, files)}
    reader = FairReader(parts.records, checks.get)
    http = create_app(replace(parts, fair=reader)).test_client()

    def resolves(path: str) -> dict[str, Any]:
        return next(one for one in fair(http, path)["indicators"] if one["id"] == "RDA-A1-03D")

    assert resolves(f"{_path(id)}/fair")["holds"] is False
    before = resolves("/collections/samples/fair")
    assert before["fails"] >= 1
    assert before["holds"] >= 1
    checks.clear()
    assert resolves("/collections/samples/fair") == before, "for ten minutes"
    assert resolves(f"{_path(id)}/fair")["holds"] is None
