"""Records against the JSON schemas of OGC API - Records (20-004r1).

``python -m tests.conformance.record_schemas`` reads every record of NCAR and of the samples and says which are wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import jsonschema_rs
import yaml

from indexer.formats.registry import read
from indexer.sources.folder import FolderSource
from search_api.search.views import geojson
from tests.conformance.suites import folder_of
from tests.service import SAMPLES

_RECORDS = "https://records.test/"
_FEATURES = "https://schemas.opengis.net/ogcapi/features/part1/1.0/openapi/schemas/"
NCAR = ("ncar_eol_9206.tar.gz", "ncar_rda_1669.tar.gz")


@cache
def validator(name: str) -> jsonschema_rs.Draft7Validator:
    """Of one schema of the folder, ``recordGeoJSON`` say, formats such as date-time included."""
    texts = [(_RECORDS, folder_of("ogc-schemas", "records")), (_FEATURES, folder_of("ogc-schemas", "features"))]
    schemas = [
        (f"{base}{file.name}", _as_json_schema(yaml.safe_load(file.read_text("utf-8"))))
        for base, folder in texts
        for file in sorted(folder.glob("*.yaml"))
    ]
    registry = jsonschema_rs.Registry(schemas, draft=jsonschema_rs.Draft7)
    reference = {"$ref": f"{_RECORDS}{name}.yaml"}
    return jsonschema_rs.Draft7Validator(reference, registry=registry, validate_formats=True)


def faults(record: dict[str, Any]) -> list[str]:
    """What recordGeoJSON finds wrong, each with its place."""
    found = validator("recordGeoJSON").iter_errors(record)
    return [f"{record['id']} {'/'.join(map(str, one.instance_path))}: {one.message[:300]}" for one in found]


def features_of(folder: Path, step: int = 1) -> Iterator[dict[str, Any]]:
    """Every ``step``-th record of a folder or archive as it leaves the API."""
    raw = (one for page in FolderSource(folder).pages() for one in page.records)
    return (geojson.feature(read(one, "real")) for one in islice(raw, 0, None, step))


def _as_json_schema(node: Any) -> Any:
    """``type: object, nullable: true`` alone is how these schemas write null, as one of several.

    time.yaml is nullable too, so that null would be two of them at once: there it is left out.
    """
    if isinstance(node, list):
        return ["null" if one is None else _as_json_schema(one) for one in node]  # YAML reads a bare null as none
    if not isinstance(node, dict):
        return node
    if node == {"type": "object", "nullable": True}:
        return {"type": "null"}
    made = {name: _as_json_schema(value) for name, value in node.items() if name != "nullable"}
    return {**made, "type": "null"} if made.get("type", "") is None else made  # YAML reads `type: null` as no type


def main() -> int:
    """The sum for each catalogue, and what is wrong; 1 where anything is."""
    catalogues = folder_of().parent / "data" / "catalogues"
    wrong = 0
    for folder in (SAMPLES, *(catalogues / name for name in NCAR)):
        read_here, bad = 0, 0
        for feature in features_of(folder):
            found = faults(feature)
            read_here, bad = read_here + 1, bad + bool(found)
            sys.stdout.writelines(f"{one}\n" for one in found)
        sys.stdout.write(f"{folder.name}: {read_here} records, {bad} not valid\n")
        wrong += bad
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
