"""For Celery: ``celery -A sonde.celery_app worker`` and ``beat``."""

from __future__ import annotations

import sys

from celery.signals import setup_logging, worker_ready

from core.errors import SondeError
from indexer.confinement import hide_from_children
from sonde.ops.capacity import freeze_loaded_objects
from sonde.ops.worker_health import keep_pulse
from sonde.settings import load_settings
from sonde.telemetry.logs import configure_logs, start_traces
from sonde.telemetry.tasks import name_tasks_in_logs, silence_housekeeping, trace_tasks
from sonde.wiring.documents import with_documents
from sonde.wiring.harvesting import worker_parts
from sonde.wiring.workers import worker_config
from workers.app import create_celery
from workers.broker import publish_heartbeats
from workers.config import WorkerParts

try:
    _settings = load_settings()
except SondeError as error:
    sys.exit(f"sonde: {error}")


@setup_logging.connect
def _logs(**_: object) -> None:
    configure_logs(_settings.log)


@worker_ready.connect
def _signs(**_: object) -> None:
    publish_heartbeats(_settings.broker_url, _settings.index.prefix, list(app.amqp.queues.consume_from))


def _parts() -> WorkerParts:
    parts = with_documents(worker_parts(_settings), _settings)
    freeze_loaded_objects()
    return parts


hide_from_children()
if _settings.worker.pulse is not None:
    keep_pulse(_settings.worker.pulse)

name_tasks_in_logs()
silence_housekeeping()
start_traces(_settings.telemetry, "sonde-worker")
trace_tasks(_settings.telemetry)
app = create_celery(worker_config(_settings), _parts)
