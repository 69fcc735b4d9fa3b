"""stac-fastapi-elasticsearch: the STAC API most portals run, over the suite's own Elasticsearch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from elasticsearch import Elasticsearch

from local_stack.ports import free_port
from tests.servers.environments import python_of
from tests.servers.running import running

Json = dict[str, object]


@contextmanager
def stac_api(folder: Path, client: Elasticsearch, address: str, prefix: str) -> Iterator[str]:
    """The address of an empty STAC API, without a slash at its end, whose indices begin with ``prefix``.

    ``address``: Elasticsearch's. The indices and their templates go with the block.
    """
    target, port = urlsplit(address), free_port()
    folder.mkdir(parents=True, exist_ok=True)
    url = f"http://127.0.0.1:{port}"
    environment = {
        **os.environ,
        "ES_HOST": str(target.hostname),
        "ES_PORT": str(target.port),
        "ES_USE_SSL": "false",
        "STAC_COLLECTIONS_INDEX": f"{prefix}-stac-collections",
        "STAC_ITEMS_INDEX_PREFIX": f"{prefix}-stac-items-",
        "DATABASE_REFRESH": "true",
        "ENABLE_DATETIME_INDEX_FILTERING": "false",
    }
    command = [str(python_of("stac_api")), "-m", "uvicorn", "--factory", "stac_fastapi.elasticsearch.app:create_app"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--log-level", "warning"]
    try:
        with running(command, f"{url}/collections", folder, environment):
            yield url
    finally:
        for index in client.indices.get(index=f"{prefix}-stac-*"):
            client.indices.delete(index=index)
        for name in client.indices.get_index_template(name=f"template_{prefix}-stac-*")["index_templates"]:
            client.indices.delete_index_template(name=name["name"])


def fill(url: str, collection: str, items: int) -> None:
    """One collection and its items ``{collection}-000``, ``-001`` ..., by the API's transactions."""
    body: Json = {"type": "Collection", "id": collection, "stac_version": "1.0.0", "license": "CC0-1.0", "links": []}
    extent = {"spatial": {"bbox": [[5, 45, 15, 55]]}, "temporal": {"interval": [["2020-01-01T00:00:00Z", None]]}}
    text = {"title": f"Scenes of {collection}", "description": "Clouds over the Alps."}
    _send(f"{url}/collections", {**body, **text, "extent": extent})
    features = [_item(collection, f"{collection}-{number:03d}") for number in range(items)]
    if features:
        _send(f"{url}/collections/{collection}/items", {"type": "FeatureCollection", "features": features})


def _item(collection: str, id: str) -> Json:
    ring = [[5, 45], [15, 45], [15, 55], [5, 55], [5, 45]]
    return {
        "type": "Feature",
        "stac_version": "1.0.0",
        "id": id,
        "collection": collection,
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "bbox": [5, 45, 15, 55],
        "properties": {"datetime": "2021-02-03T04:05:06Z", "title": f"Scene {id}"},
        "links": [],
        "assets": {},
    }


def _send(url: str, body: Json) -> None:
    answer = httpx.post(url, json=body, timeout=60)
    assert answer.status_code in (200, 201), answer.text
