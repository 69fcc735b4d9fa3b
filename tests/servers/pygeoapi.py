"""pygeoapi: OGC API - Records over a TinyDB catalogue, and - Features over GeoJSON."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local_stack.ports import free_port
from tests.servers.environments import python_of
from tests.servers.running import running

_CONFIG = """
server:
  bind: {{host: 127.0.0.1, port: {port}}}
  url: http://127.0.0.1:{port}
  mimetype: application/json; charset=UTF-8
  encoding: utf-8
  gzip: false
  languages: [en-US]
  limits: {{default_items: 10, max_items: 40}}
  map: {{url: "https://example.org/{{z}}/{{x}}/{{y}}.png", attribution: none}}
logging: {{level: ERROR}}
metadata:
  identification:
    title: Test
    description: Test
    keywords: [test]
    keywords_type: theme
    terms_of_service: none
    url: https://example.org
  license: {{name: CC0, url: https://example.org}}
  provider: {{name: Sonde, url: https://example.org}}
  contact: {{name: Test, email: test@example.org}}
resources:
  catalogue:
    type: collection
    title: Records
    description: Records
    keywords: [records]
    extents:
      spatial: {{bbox: [-180, -90, 180, 90], crs: "http://www.opengis.net/def/crs/OGC/1.3/CRS84"}}
    links: []
    providers:
      - {{type: record, name: TinyDBCatalogue, data: "{folder}/records.db", id_field: externalId, time_field: created}}
  stations:
    type: collection
    title: Stations
    description: Stations
    keywords: [stations]
    extents:
      spatial: {{bbox: [-180, -90, 180, 90], crs: "http://www.opengis.net/def/crs/OGC/1.3/CRS84"}}
    links: []
    providers:
      - {{type: feature, name: GeoJSON, data: "{folder}/stations.geojson", id_field: id}}
"""


@contextmanager
def pygeoapi(folder: Path, number: int) -> Iterator[str]:
    """The address of a pygeoapi with ``number`` records ``rec-000`` ... and one collection of features."""
    python, port = python_of("pygeoapi"), free_port()
    folder.mkdir(parents=True, exist_ok=True)
    records = {str(n + 1): _record(n) for n in range(number)}
    (folder / "records.db").write_text(json.dumps({"_default": records}), "utf-8")
    station = {
        "type": "Feature",
        "id": 1,
        "properties": {"name": "A"},
        "geometry": {"type": "Point", "coordinates": [1, 2]},
    }
    (folder / "stations.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [station]}), "utf-8")
    config = folder / "pygeoapi.yml"
    config.write_text(_CONFIG.format(port=port, folder=folder), "utf-8")
    environment = {**os.environ, "PYGEOAPI_CONFIG": str(config), "PYGEOAPI_OPENAPI": str(folder / "openapi.yml")}
    generate = [str(python.parent / "pygeoapi"), "openapi", "generate", str(config), "--output-file", "openapi.yml"]
    done = subprocess.run(generate, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    url = f"http://127.0.0.1:{port}"
    with running([str(python.parent / "pygeoapi"), "serve"], f"{url}/collections?f=json", folder, environment):
        yield url


def _record(number: int) -> dict[str, object]:
    return {
        "id": f"rec-{number:03d}",
        "type": "Feature",
        "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/req/record-core"],
        "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]},
        "properties": {
            "externalId": f"rec-{number:03d}",
            "type": "dataset",
            "title": f"Record {number}",
            "description": "A record that a test made.",
            "created": "2020-01-01",
            "_metadata-anytext": "record",
        },
        "links": [],
    }
