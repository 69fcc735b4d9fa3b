"""The app of one process: for `python -m sonde.server`, and for any other WSGI server as ``sonde.wsgi:create()``."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import SondeError
from encoders.imports import hidden
from sonde.ops.capacity import current_capacity, freeze_loaded_objects
from sonde.settings import Settings, load_settings

if TYPE_CHECKING:
    from flask import Flask

OPTIONAL_PACKAGES = ("aiohttp", "pygments", "requests", "rich", "valkey")
"""Libraries of the API import these if they are installed, and need none of them: 25 MB of a process."""

_NOT_TO_BE_TRIED_AGAIN = 4
"""gunicorn's exit code for an app that cannot be loaded: it ends instead of restarting workers forever."""


def share_counters(processes: int) -> None:
    """Call this before prometheus_client is first imported; the processes of one gunicorn have one parent.

    A single process needs no files. A configured folder is kept.
    """
    if processes < 2 or "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        return
    folder = Path(tempfile.gettempdir()) / f"sonde-counters-{os.getuid()}-{os.getppid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        return  # owned by somebody else: count per process instead of writing files into it
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def create() -> Flask:
    """The app with the settings of this process's environment; a configuration error ends the start with one
    sentence.
    """
    try:
        settings = load_settings()
        capacity = current_capacity(settings.api.memory_mb)
        processes = settings.api.workers or capacity.processes()
        share_counters(processes)
        with hidden(*OPTIONAL_PACKAGES):
            from sonde.telemetry.logs import configure_logs, start_traces
        configure_logs(settings.log)
        if settings.telemetry.otlp_url is None:  # spans that nobody gets: a tenth of a millisecond for each search
            os.environ.setdefault("OTEL_PYTHON_INSTRUMENTATION_ELASTICSEARCH_ENABLED", "false")
        start_traces(settings.telemetry, "sonde-api")  # outside: its exporter needs requests
        # The client of the broker imports cryptography, which only the tokens of an issuer need.
        unused = ("cryptography",) if settings.access.oidc_issuer is None else ()
        with hidden(*OPTIONAL_PACKAGES, *unused):
            # Import now: these modules create their counters at import, in the folder named above.
            from search_api.app import create_app
            from sonde.wiring.api import api_parts
        parts = api_parts(_with_threads(settings, capacity.model_threads(processes)))
        with hidden("valkey"):  # imported when the limits are made
            app = create_app(parts)
        freeze_loaded_objects()
        return app
    except SondeError as error:
        sys.stderr.write(f"sonde: {error}\n")
        sys.exit(_NOT_TO_BE_TRIED_AGAIN)


def _with_threads(settings: Settings, threads: int) -> Settings:
    """If the settings do not give the threads of a model: a process's share of the cores."""
    models = settings.models.model_copy(update={"threads": settings.models.threads or threads})
    return settings.model_copy(update={"models": models})
