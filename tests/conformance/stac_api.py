"""stac-api-validator without a network: `python -m tests.conformance.stac_api http://localhost:8080/stac samples`.

It needs an environment of its own with stac-api-validator 0.6.8. STAC's schemas come from ../shared/suites; those of
extensions are not there, so members of extensions are not checked.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

_SHARED = os.environ.get("SONDE_SHARED", Path(__file__).resolve().parents[3] / "shared")
SCHEMAS = Path(_SHARED) / "suites" / "stac-schemas"
ANYTHING = Path(tempfile.mkdtemp()) / "anything.json"
CLASSES = ("core", "children", "collections", "features", "item-search", "filter", "item-search#sort")
EUROPE = '{"type":"Polygon","coordinates":[[[-10,35],[30,35],[30,60],[-10,60],[-10,35]]]}'


def _local(address: str) -> str:
    """The file of a schema, if it is there."""
    if address.startswith("https://stac-extensions.github.io/"):
        return str(ANYTHING)
    file = SCHEMAS / address.partition("#")[0].removeprefix("https://")
    return str(file) if file.is_file() else address


def main(root: str, collection: str) -> None:
    from stac_api_validator import __main__ as validator  # type: ignore[import-not-found]
    from stac_validator import utilities  # type: ignore[import-not-found]

    ANYTHING.write_text("{}", "utf-8")
    utilities._map_extension_url_to_local = _local
    classes = [word for name in CLASSES for word in ("--conformance", name)]
    where = ["--root-url", root, "--collection", collection, "--geometry", EUROPE]
    validator.main([*where, *classes, "--log-level", "ERROR"])


if __name__ == "__main__":
    main(*sys.argv[1:])
