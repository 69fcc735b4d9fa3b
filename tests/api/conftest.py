"""A few of the samples in an index that tests may change, shared by the tests of the desk."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from flask.testing import FlaskClient

from core.access import Caller, NotAuthenticated
from es_gateway.client import Elasticsearch
from tests.conftest import delete_indices
from tests.service import SAMPLES, Service

FEW = (
    "aphrodite-monsoon-asia", "arc2-africa-rainfall", "argo-gdac", "baltic-sea-reanalysis", "bedmachine-greenland",
    "bsh-nordsee-sst", "camels-cl", "camels-gb", "cams-eac4",
)  # fmt: skip


class StewardAndReaders:
    """One steward, and readers by name."""

    def identify(self, bearer: str | None) -> Caller:
        if bearer == "steward":
            return Caller("ada", frozenset(("curate", "search")))
        if bearer is not None and not bearer.startswith("reader"):
            raise NotAuthenticated("This key is not known.")
        return Caller(bearer, frozenset(("search",)))


@dataclass(frozen=True)
class Few:
    """``folder``: the documents of the source ``samples``, to be changed and harvested again."""

    service: Service
    folder: Path


@dataclass(frozen=True)
class Desk:
    """The service as a steward and a reader use it."""

    http: FlaskClient

    def call(self, method: str, path: str, status: int = 200, **more: Any) -> Any:
        answer = self.http.open(path, method=method, headers={"Authorization": "Bearer steward"}, **more)
        assert answer.status_code == status, answer.get_data(as_text=True)
        return answer.get_json(silent=True)

    def post(self, path: str, rules: Any, status: int = 200) -> Any:
        return self.call("POST", f"/curation/{path}", status, json=rules)

    def search(self, q: str, **more: str) -> dict[str, Any]:
        answer = self.http.get("/search", query_string={"q": q, "group": "none", **more})
        assert answer.status_code == 200, answer.get_data(as_text=True)
        found: dict[str, Any] = answer.get_json()
        return found

    def ids(self, q: str, **more: str) -> list[str]:
        return [one["id"] for one in self.search(q, **more)["features"]]

    def clear(self) -> None:
        for kind in ("pins", "blocks", "boosts", "synonyms", "places", "overlays"):
            for rule in self.call("GET", f"/curation/{kind}")["rules"]:
                self.call("DELETE", f"/curation/{kind}/{rule['id']}", 204)


@pytest.fixture(scope="session")
def few(es_client: Elasticsearch, elasticsearch_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Few]:
    folder = tmp_path_factory.mktemp("few")
    for name in FEW:
        copy(SAMPLES / f"{name}.xml", folder)
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    assert service.harvest(folder).counts.new == len(FEW)
    yield Few(service, folder)
    delete_indices(es_client, service.prefix)
