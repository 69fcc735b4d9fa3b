"""For gunicorn: ``sonde.wsgi:create()``."""

from __future__ import annotations

import sys

from flask import Flask

from core.errors import SondeError
from sonde.logs import configure_logs
from sonde.memory import keep_what_is_loaded
from sonde.settings import load_settings
from sonde.shared_counters import share_counters
from sonde.telemetry import start_traces

_NOT_TO_BE_TRIED_AGAIN = 4
"""gunicorn's code for an app that cannot be loaded: it ends instead of starting worker after worker."""


def create() -> Flask:
    """The app on the settings of this process's environment; what it cannot serve ends the start with one sentence."""
    try:
        settings = load_settings()
        configure_logs(settings.log)
        share_counters(settings.api.workers)
        start_traces(settings.telemetry, "sonde-api")
        # Only now: what these import makes its counters as it is imported, in the folder that was just named.
        from search_api.app import create_app
        from sonde.wiring import api_parts

        app = create_app(api_parts(settings))
        keep_what_is_loaded()
        return app
    except SondeError as error:
        sys.stderr.write(f"sonde: {error}\n")
        sys.exit(_NOT_TO_BE_TRIED_AGAIN)
