"""Creates missing indices, and brings those of an earlier version up to date: the image's role `migrate`."""

from __future__ import annotations

import sys

import structlog

from core.errors import SondeError
from sonde.settings import load_settings
from sonde.telemetry.logs import configure_logs
from sonde.wiring.clients import elasticsearch_client, prepare_indices
from sonde.wiring.harvesting import HARVEST_TIMEOUT_S
from sonde.wiring.models import Models

log = structlog.get_logger(__name__)


def main() -> None:
    settings = load_settings()
    configure_logs(settings.log)
    client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
    try:
        log.info("indices.prepared", created=prepare_indices(client, settings, Models(settings)))
    except SondeError as error:
        sys.exit(f"sonde: {error}")


if __name__ == "__main__":
    try:
        main()
    except SondeError as error:
        sys.exit(f"sonde: {error}")
