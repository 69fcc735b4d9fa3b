"""For gunicorn: ``sonde.wsgi:create()``."""

from __future__ import annotations

from flask import Flask

from search_api.app import create_app
from sonde.logs import configure_logs
from sonde.settings import load_settings
from sonde.wiring import api_parts


def create() -> Flask:
    """The app on the settings of this process's environment."""
    settings = load_settings()
    configure_logs(settings.log)
    return create_app(api_parts(settings))
