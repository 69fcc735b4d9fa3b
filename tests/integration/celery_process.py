"""Worker and beat as an installation runs them: ``celery -A sonde.celery_app ...``, ended with the block."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sonde.settings import Settings

_ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def celery_process(*arguments: str, settings: Settings, more: Mapping[str, str], folder: Path) -> Iterator[None]:
    """``settings``: its servers and prefix; ``more``: of the environment. The log is in ``folder``."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SONDE_")} | {
        "SONDE_ELASTICSEARCH__URL": settings.elasticsearch_url,
        "SONDE_BROKER__URL": settings.broker_url,
        "SONDE_INDEX__PREFIX": settings.index.prefix,
        "SONDE_HARVEST__SOURCES": str(folder / "sources.yaml"),
        **more,
    }
    command = [sys.executable, "-m", "celery", "-A", "sonde.celery_app", *arguments]
    with (folder / f"{arguments[0]}.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, cwd=_ROOT, stdout=log, stderr=log, start_new_session=True)
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
