"""Blocks of commands in the guides and tutorials, run by a shell as they stand there: start/first-search.md,
stewards/desk.md, stewards/sources-and-schedules.md, operators/secrets.md, and tutorials/ portals.md, operators.md,
stewards.md, scientists.md, agents.md.

Only addresses, keys and ids that a reader puts in are put in here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import copy

import pytest
from pydantic import SecretStr

from es_gateway.client import Elasticsearch
from search_api.app import create_app
from search_api.http.access.keys import Grant, KeyStore
from sonde.settings import AlertsSettings, MailSettings, Settings
from sonde.wiring.api import api_parts
from tests.api.conftest import FEW
from tests.conftest import delete_indices
from tests.live import serving
from tests.service import SAMPLES, Service
from tests.unit.test_docs_run import ROOT, Block, blocks

pytestmark = pytest.mark.elasticsearch
_HERE = f"tests/api/{Path(__file__).name}"
_SHELL = """set -euo pipefail
sonde() { "$PYTHON" -m sonde "$@"; }
curl() { command curl --silent --show-error --fail-with-body "$@"; echo; }
"""


@dataclass(frozen=True)
class Reader:
    """What somebody has who follows the guides: a service, a key, a folder with files, two records."""

    address: str
    key: str
    folder: Path
    environment: Mapping[str, str]
    records: tuple[str, str]

    def walk(self, name: str, put_in: Mapping[str, str] | None = None) -> str:
        """What the page's blocks printed, all in one shell. Fails at the first command that fails."""
        lines = [command for block in self._marked(name) if not block.is_python for command in block.commands]
        return self._run(["bash", "-c", _SHELL + "\n".join(lines)], put_in or {})

    def walk_python(self, name: str) -> str:
        code = "".join(block.text for block in self._marked(name) if block.is_python)
        return self._run([sys.executable, "-c", code], {})

    def _marked(self, name: str) -> list[Block]:
        page = ROOT / "docs" / name
        found = [one for one in blocks(page, page.read_text("utf-8")) if (one.kind, one.said) == ("run", _HERE)]
        assert found, f"no block of {name} is marked as run here"
        return found

    def _run(self, command: list[str], put_in: Mapping[str, str]) -> str:
        here = {
            "http://127.0.0.1:8080": self.address,
            "http://localhost:8080": self.address,
            "localhost:8080": self.address,
        }
        for written, own in {**here, **put_in}.items():
            command[-1] = command[-1].replace(written, own)
        environment = {**os.environ, **self.environment, "KEY": self.key}
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=400
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def reader(
    es_client: Elasticsearch, elasticsearch_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Reader]:
    folder, files = tmp_path_factory.mktemp("few"), tmp_path_factory.mktemp("reader")
    for name in FEW:
        copy(SAMPLES / f"{name}.xml", folder)
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    assert service.harvest(folder).counts.new == len(FEW)
    settings = service.settings.model_copy(
        update={
            "alerts": AlertsSettings(secret=SecretStr("sixteen characters")),
            "mail": MailSettings(host="127.0.0.1"),
        }
    )
    grant = Grant("ada", frozenset(("curate", "search", "write", "admin")), frozenset())
    _, key = KeyStore(es_client, service.prefix).add(grant, datetime.now(UTC))
    features = service.http.get("/collections/samples/items?limit=2").get_json()["features"]
    (files / "samples").mkdir()
    folder.rename(files / "samples" / "records")
    with serving(create_app(api_parts(settings, service.models))) as address:
        environment = {**_environment(settings), "SONDE_API__PORT": address.rpartition(":")[2]}
        yield Reader(address, key, files, environment, (features[0]["id"], features[1]["id"]))
    delete_indices(es_client, service.prefix)


def _environment(settings: Settings) -> dict[str, str]:
    return {
        "SONDE_ELASTICSEARCH__URL": str(settings.elasticsearch.url),
        "SONDE_INDEX__PREFIX": settings.index.prefix,
        "PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
    }


def test_the_desk(reader: Reader) -> None:
    (reader.folder / "rivers.csv").write_text(
        "name,west,south,east,north,other_names\nSpree,13,51,14.6,52.6,\n", "utf-8"
    )
    shape = {"type": "Polygon", "coordinates": [[[13, 52], [14, 52], [14, 53], [13, 52]]]}
    district = {"type": "Feature", "id": "d1", "properties": {"name": "Oberbarnim"}, "geometry": shape}
    (reader.folder / "districts.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [district]}))
    first, second = reader.records
    ids = {"nsidc:g02202": first, "nsidc:g02158": second, '"reason": "asked': '"id": "3f0c2a9b7d51", "reason": "asked'}
    printed = reader.walk("stewards/desk.md", {"sonde_...": reader.key, "2027-06-30": "2999-06-30", **ids})
    assert "Spree" in printed or "accepted" in printed


def test_pushing_records(reader: Reader) -> None:
    copy(SAMPLES / "chirps-v2-global.xml", reader.folder / "record.xml")
    reader.walk("stewards/sources-and-schedules.md")


def test_keys(reader: Reader, es_client: Elasticsearch) -> None:
    store = KeyStore(es_client, reader.environment["SONDE_INDEX__PREFIX"])
    known, _ = store.add(Grant("bo", frozenset(("search",)), frozenset()), datetime.now(UTC))
    printed = reader.walk("operators/secrets.md", {"3f0c2a9b7d51e846": known.id})
    assert "ada" in printed
    assert store.find(known.id) is None or store.find(known.id).revoked is not None


@pytest.mark.parametrize("name", ["portals", "operators", "stewards", "agents"])
def test_a_tutorial(reader: Reader, name: str) -> None:
    printed = reader.walk(f"tutorials/{name}.md", {"sonde_...": reader.key})
    shown = {
        "portals": "African Rainfall Climatology",
        "operators": "African Rainfall",
        "stewards": "samples:world-ocean-atlas-2023",
        "agents": "Climatology",
    }
    assert shown[name] in printed


def test_the_tutorial_for_scientists(reader: Reader) -> None:
    printed = reader.walk_python("tutorials/scientists.md")
    assert "African Rainfall Climatology version 2 (ARC2)" in printed
    assert f"{len(FEW)} records; EPSG:4326" in printed
    printed = reader.walk("tutorials/scientists.md")
    assert 'url = "https://www.cpc.ncep.noaa.gov/products/international/"' in printed
    assert "“We sampled 42 lakes between May and September 2023.”" in printed


def test_the_first_search(reader: Reader) -> None:
    printed = reader.walk("start/first-search.md")
    assert "1  0." in printed
    assert "Water level of the Spree at Cottbus" in printed
    assert "my-records: 1 records" in printed
