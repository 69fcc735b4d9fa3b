"""Loads the configured models once, so that exports are in the models folder: for the image and for warm starts."""

from __future__ import annotations

from sonde.settings import load_settings
from sonde.telemetry.logs import configure_logs
from sonde.wiring.models import Models


def main() -> None:
    settings = load_settings()
    configure_logs(settings.log)
    models = Models(settings)
    models.embedder().embed(["warm"], "query")
    models.recogniser.entities("Berlin")


if __name__ == "__main__":
    main()
