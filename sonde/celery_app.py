"""For Celery: ``celery -A sonde.celery_app worker`` and ``beat``."""

from __future__ import annotations

from celery.signals import setup_logging

from sonde.documents import with_documents
from sonde.harvesting import worker_parts
from sonde.logs import configure_logs
from sonde.settings import load_settings
from sonde.task_logs import name_tasks_in_logs
from sonde.telemetry import start_traces
from sonde.worker_pulse import keep_pulse
from sonde.worker_settings import worker_config
from workers.app import create_celery

_settings = load_settings()


@setup_logging.connect
def _logs(**_: object) -> None:
    configure_logs(_settings.log)


if _settings.worker.pulse is not None:
    keep_pulse(_settings.worker.pulse)

name_tasks_in_logs()
start_traces(_settings.telemetry, "sonde-worker")
app = create_celery(worker_config(_settings), lambda: with_documents(worker_parts(_settings), _settings))
