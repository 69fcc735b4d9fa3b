"""Loads the configured models once, so that exports are in the models folder: for the image and for warm starts.

``python -m sonde.ops.prepare_models [EMBEDDER]...`` prepares these embedders as well, so that a setting can choose them
where the folder is read-only.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from sonde.settings import load_settings
from sonde.telemetry.logs import configure_logs
from sonde.wiring.models import Models


def main(further: Sequence[str]) -> None:
    settings = load_settings()
    configure_logs(settings.log)
    models = Models(settings)
    for name in (None, *further):
        models.embedder(name).embed(["warm"], "query")
    models.recogniser.entities("Berlin")


if __name__ == "__main__":
    main(sys.argv[1:])
