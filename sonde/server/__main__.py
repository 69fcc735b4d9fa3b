"""``python -m sonde.server``: the API server, sized for this machine or container."""

from __future__ import annotations

import resource
import sys
from typing import Any

from gunicorn.app.base import BaseApplication

from core.errors import SondeError
from encoders.imports import hidden
from sonde.ops.capacity import current_capacity
from sonde.settings import ApiSettings, Settings, load_settings
from sonde.wsgi import OPTIONAL_PACKAGES, create

_SILENT_S = 30
"""A process whose main thread is silent for this long is killed and replaced."""
_GRACE_S = 30
_OPEN_FILES = 8192


class Server(BaseApplication):
    """gunicorn with our settings; it manages the processes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        super().__init__()

    def load_config(self) -> None:
        for name, value in gunicorn_settings(self.settings.api).items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return create()


def gunicorn_settings(api: ApiSettings) -> dict[str, Any]:
    """gunicorn's settings: where to listen, how many processes, when one is stuck."""
    with hidden(*OPTIONAL_PACKAGES):
        from sonde.server.worker import BufferingWorker
    host = f"[{api.host}]" if ":" in api.host else api.host
    ports = (api.port, *((api.probes_port,) if api.probes_port else ()))
    return {
        "bind": [f"{host}:{port}" for port in ports],
        "workers": api.workers or current_capacity(api.memory_mb).processes(),
        "worker_class": BufferingWorker,
        "timeout": _SILENT_S,
        "graceful_timeout": _GRACE_S,
        "proc_name": "sonde",
        "control_socket_disable": True,
    }


def main() -> None:
    """Serves until a signal ends it."""
    try:
        settings = load_settings()
    except SondeError as error:
        sys.exit(f"sonde: {error}")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, limit), hard))
    Server(settings).run()


if __name__ == "__main__":
    main()
