"""The other servers: the records in their form, an environment for each, made by uv, and two processes of each."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import httpx
import yaml

from core.errors import NotFound, SondeError
from core.geo import BBox
from core.json_types import Json
from core.record import Record
from es_gateway.client import Elasticsearch
from lab.waiting import trouble
from local_stack.ports import free_port
from sonde.settings import Settings
from sonde.wiring.checkout import CHECKOUT
from sonde.wiring.clients import elasticsearch_login

INDEX = "peers-features"
WORLD = BBox(-180.0, -90.0, 180.0, 90.0)
_FIRST, _LAST = "1800-01-01T00:00:00Z", "2100-01-01T00:00:00Z"
_SMALLEST_DEG = 0.001
_BATCH = 500
_STORED_FIELDS = ("type", "id", "geometry", "properties")
_MAPPING: Json = {
    "properties": {
        "geometry": {"type": "geo_shape"},
        "properties": {
            "properties": {
                "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
                "description": {"type": "text"},
                "datetime": {"type": "date", "fields": {"raw": {"type": "keyword"}}},
            }
        },
    }
}


def features(records: Iterable[Record]) -> Iterator[Json]:
    """One feature for each identifier."""
    names: set[str] = set()
    for record in records:
        name = re.sub(r"[^A-Za-z0-9_.-]", "-", record.identifier)
        if name not in names:
            names.add(name)
            yield _feature(name, record)


def _feature(name: str, record: Record) -> Json:
    box = _simple(record.extents[0]) if record.extents else WORLD
    span = record.times[0] if record.times else None
    start = _usual(span.start_iso if span else None, _FIRST)
    return {
        "type": "Feature",
        "id": name,
        "bbox": [box.west, box.south, box.east, box.north],
        "geometry": {"type": "Polygon", "coordinates": [_ring(box)]},
        "properties": {
            "title": record.title,
            "description": record.abstract,
            "keywords": [keyword.term for keyword in record.keywords],
            "datetime": start,
            "start_datetime": start,
            "end_datetime": _usual(span.end_iso if span else None, _LAST),
            "type": record.type,
        },
    }


def _usual(instant: str | None, instead: str) -> str:
    """An instant with a year of four digits, as every server takes it."""
    return instant if instant is not None and re.match(r"\d{4}-", instant) else instead


def _simple(box: BBox) -> BBox:
    """A box with an area, as every server takes it; the world instead of one over the antimeridian or the edge."""
    east, north = max(box.east, box.west + _SMALLEST_DEG), max(box.north, box.south + _SMALLEST_DEG)
    fits = box.west <= box.east and east <= WORLD.east and north <= WORLD.north
    return BBox(box.west, box.south, east, north) if fits else WORLD


def _ring(box: BBox) -> list[list[float]]:
    west, south, east, north = box.west, box.south, box.east, box.north
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def index_features(client: Elasticsearch, items: Sequence[Json]) -> None:
    """Fills the index that bare Elasticsearch and pygeoapi search. Raises SondeError if a feature is refused."""
    client.options(ignore_status=404).indices.delete(index=INDEX)
    client.indices.create(index=INDEX, settings={"number_of_replicas": 0}, mappings=_MAPPING)
    for first in range(0, len(items), _BATCH):
        operations: list[Json] = []
        for item in items[first : first + _BATCH]:
            operations += [{"index": {"_id": item["id"]}}, {key: item[key] for key in _STORED_FIELDS}]
        answer = client.bulk(index=INDEX, operations=operations).body
        if answer["errors"]:
            reason = next(item["index"]["error"]["reason"] for item in answer["items"] if "error" in item["index"])
            raise SondeError(f"Elasticsearch refused a feature: {reason}")
    client.indices.refresh(index=INDEX)


PROCESSES = 2
_READY_S, _STEP_S = 300.0, 0.5
_CONTACT = (
    *("name", "position", "address", "city", "stateorprovince", "postalcode", "country"),
    *("phone", "fax", "email", "url", "hours", "instructions", "role"),
)


@dataclass(frozen=True, slots=True)
class Peer:
    """``packages``: what its environment holds, pinned; what these need is resolved when it is made."""

    name: str
    packages: tuple[str, ...]


PYGEOAPI = Peer(
    "pygeoapi",
    ("pygeoapi==0.21.0", "elasticsearch==8.19.3", "elasticsearch-dsl==8.18.0", "gunicorn==27.0.1", "packaging==26.4"),
)
STAC_FASTAPI = Peer("stac-fastapi", ("stac-fastapi-elasticsearch==8.0.0", "elasticsearch==9.5.1", "uvicorn==0.54.0"))
STAC_INDICES = ("items_", "collections-")
"""How the indices that stac-fastapi makes begin."""


@dataclass(frozen=True, slots=True)
class Backend:
    """The Elasticsearch that all of them search."""

    url: str
    username: str = ""
    password: str = ""

    @property
    def with_credentials(self) -> str:
        if not self.username:
            return self.url
        parts = urlsplit(self.url)
        login = f"{quote(self.username, safe='')}:{quote(self.password, safe='')}"
        return f"{parts.scheme}://{login}@{parts.netloc}"

    @property
    def headers(self) -> dict[str, str]:
        """For a request without a client library."""
        if not self.username:
            return {}
        token = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
        return {"authorization": f"Basic {token}"}


def backend_of(settings: Settings) -> Backend:
    """The Elasticsearch of the settings, with a user name and password or without a login."""
    parts, login = urlsplit(settings.elasticsearch_url), elasticsearch_login(settings)
    username, password = login or (unquote(parts.username or ""), unquote(parts.password or ""))
    return Backend(f"{parts.scheme}://{parts.hostname}:{parts.port or 9200}", username, password)


def environment_of(peer: Peer, home: Path) -> Path:
    """The folder of its programs. Raises SondeError if it cannot be made."""
    folder = home / peer.name
    programs, marker = folder / "bin", folder / "made-of"
    packages = "\n".join(peer.packages)
    if marker.exists() and marker.read_text("utf-8") == packages:
        return programs
    uv = _uv()
    _run([str(uv), "venv", "--quiet", "--clear", str(folder)])
    _run([str(uv), "pip", "install", "--quiet", "--python", str(programs / "python"), *peer.packages])
    marker.write_text(packages, "utf-8")
    return programs


def _uv() -> Path:
    path = CHECKOUT / ".venv-tools" / "bin" / "uv"
    if not path.exists():
        raise NotFound(f"{path} is missing: run `make env` first.")
    return path


def _run(command: Sequence[str]) -> None:
    process = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if process.returncode:
        raise SondeError(f"{' '.join(command[:4])} failed: {process.stderr.strip()[-500:]}")


@contextmanager
def serve(name: str, command: Sequence[str], environment: Mapping[str, str], port: int, log: Path) -> Iterator[str]:
    """The address of a server that answers, ended with the ``with``. Raises SondeError if it does not come up."""
    url = f"http://127.0.0.1:{port}"
    with (
        log.open("wb") as lines,
        subprocess.Popen(command, env={**os.environ, **environment}, stdout=lines, stderr=lines) as server,  # noqa: S603
    ):
        try:
            _wait(url, server, name, log)
            yield url
        finally:
            server.terminate()


def _wait(url: str, server: subprocess.Popen[bytes], name: str, log: Path) -> None:
    ends = time.monotonic() + _READY_S
    while server.poll() is None and time.monotonic() < ends:
        if trouble(f"{url}/?f=json") is None:
            return
        time.sleep(_STEP_S)
    raise SondeError(f"{name} did not answer; its log ends with: {log.read_text('utf-8', 'replace')[-500:]}")


@contextmanager
def pygeoapi(programs: Path, backend: Backend, folder: Path) -> Iterator[str]:
    """Over the index of features."""
    port = free_port()
    config, document = folder / "pygeoapi.yml", folder / "pygeoapi-openapi.yml"
    config.write_text(yaml.safe_dump(_pygeoapi_config(port, backend)), "utf-8")
    environment = {"PYGEOAPI_CONFIG": str(config), "PYGEOAPI_OPENAPI": str(document)}
    process = subprocess.run(  # noqa: S603 - our own words
        [programs / "pygeoapi", "openapi", "generate", config, "--output-file", document],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        raise SondeError(f"pygeoapi refused its configuration: {process.stderr.strip()[-500:]}")
    workers = ("-w", str(PROCESSES), "-k", "gthread", "--threads", "4")
    command = [str(programs / "gunicorn"), *workers, "-b", f"127.0.0.1:{port}", "pygeoapi.flask_app:APP"]
    with serve("pygeoapi", command, environment, port, folder / "pygeoapi.log") as url:
        yield url


def _pygeoapi_config(port: int, backend: Backend) -> Json:
    text = {"en": "records"}
    contact = dict.fromkeys(_CONTACT, "none")
    box = [WORLD.west, WORLD.south, WORLD.east, WORLD.north]
    provider = {
        "type": "record",
        "name": "ElasticsearchCatalogue",
        "data": f"{backend.with_credentials}/{INDEX}",
        "id_field": "id",
        "time_field": "datetime",
        "title_field": "title",
    }
    return {
        "server": {
            "bind": {"host": "127.0.0.1", "port": port},
            "url": f"http://127.0.0.1:{port}",
            "mimetype": "application/json; charset=UTF-8",
            "encoding": "utf-8",
            "languages": ["en-US"],
            "limits": {"default_items": 10, "max_items": 100},
            "map": {"url": "http://127.0.0.1/{z}/{x}/{y}.png", "attribution": "none"},
        },
        "logging": {"level": "ERROR"},
        "metadata": {
            "identification": {
                "title": text,
                "description": text,
                "keywords": {"en": ["records"]},
                "keywords_type": "theme",
                "terms_of_service": "none",
                "url": "http://127.0.0.1",
            },
            "license": {"name": "none", "url": "http://127.0.0.1"},
            "provider": {"name": "none", "url": "http://127.0.0.1"},
            "contact": contact,
        },
        "resources": {
            "records": {
                "type": "collection",
                "title": text,
                "description": text,
                "keywords": {"en": ["records"]},
                "links": [],
                "extents": {"spatial": {"bbox": box, "crs": "http://www.opengis.net/def/crs/OGC/1.3/CRS84"}},
                "providers": [provider],
            }
        },
    }


@contextmanager
def stac_fastapi(programs: Path, backend: Backend, folder: Path) -> Iterator[str]:
    """With the transactions that fill it."""
    port, parts = free_port(), urlsplit(backend.url)
    environment = {
        "BACKEND": "elasticsearch",
        "ES_HOST": parts.hostname or "",
        "ES_PORT": str(parts.port or 9200),
        "ES_USE_SSL": "true" if parts.scheme == "https" else "false",
        "ES_VERIFY_CERTS": "false",
        **({"ES_USER": backend.username, "ES_PASS": backend.password} if backend.username else {}),
    }
    application = ("stac_fastapi.elasticsearch.app:create_app", "--factory")
    command = [str(programs / "uvicorn"), *application, "--port", str(port), "--workers", str(PROCESSES)]
    with serve("stac-fastapi", command, environment, port, folder / "stac-fastapi.log") as url:
        yield url


def fill_stac(url: str, items: Sequence[Json]) -> None:
    """One collection with all items, through the server's own API. Raises SondeError if it refuses them."""
    box = [WORLD.west, WORLD.south, WORLD.east, WORLD.north]
    collection = {
        "type": "Collection",
        "stac_version": "1.0.0",
        "id": "records",
        "title": "records",
        "description": "records",
        "license": "other",
        "links": [],
        "extent": {"spatial": {"bbox": [box]}, "temporal": {"interval": [["1800-01-01T00:00:00Z", None]]}},
    }
    with httpx.Client(base_url=url, timeout=300) as client:
        _expect(client.post("/collections", json=collection))
        for first in range(0, len(items), _BATCH):
            features = [
                {**item, "stac_version": "1.0.0", "collection": "records", "links": [], "assets": {}}
                for item in items[first : first + _BATCH]
            ]
            _expect(client.post("/collections/records/items", json={"type": "FeatureCollection", "features": features}))


def _expect(answer: httpx.Response) -> None:
    if answer.is_error:
        raise SondeError(f"stac-fastapi answered {answer.status_code}: {answer.text[:300]}")
