"""What an operator sees of one task: how long it waits, whose trace it belongs to, and its ids in every line it logs.

A harvest is asked for at a real API, waits in a real broker and is done by a real worker; an OTLP receiver gets traces.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import redis
from elasticsearch import Elasticsearch

from core.access import ALL_SCOPES
from local_stack.services import worker_service
from search_api.http.access.keys import Grant, KeyStore
from sonde.ops.doctor.examine import workers
from sonde.ops.one_machine import own_environment
from sonde.settings import BrokerSettings, IndexSettings, Settings
from sonde.telemetry.service_metrics import ServiceState
from tests.otlp_receiver import Receiver, otlp_receiver
from tests.service import SAMPLES

pytestmark = [pytest.mark.elasticsearch, pytest.mark.broker, pytest.mark.timeout(400)]

_TRACE, _CALLER, _REQUEST = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", "asked-by-a-test"
_PATIENCE_S = 150.0
_ASKS = f"""
import sys
from opentelemetry import trace
from sonde.wsgi import create

headers = {{
    "traceparent": "00-{_TRACE}-{_CALLER}-01", "X-Request-Id": "{_REQUEST}", "Authorization": f"Bearer {{sys.argv[1]}}"
}}
answer = create().test_client().post("/harvest/runs", json={{"source": "here"}}, headers=headers)
assert answer.status_code == 202, answer.data
trace.get_tracer_provider().shutdown()
"""


def test_a_task_is_seen_waiting_in_its_trace_and_in_its_logs(
    es_client: Elasticsearch, elasticsearch_url: str, broker_url: str, prefix: str, tmp_path: Path
) -> None:
    with otlp_receiver() as receiver:
        environment = _environment(elasticsearch_url, broker_url, prefix, tmp_path, receiver.url)
        _, key = KeyStore(es_client, prefix).add(Grant("steward", ALL_SCOPES), datetime.now(UTC))
        asked = subprocess.run(
            [sys.executable, "-c", _ASKS, key], env=environment, capture_output=True, text=True, timeout=240
        )
        assert asked.returncode == 0, asked.stderr
        _seen_waiting(ServiceState(es_client, redis.Redis.from_url(broker_url), prefix))
        lines = _worked_off(es_client, prefix, environment, tmp_path, receiver)
    run = str(es_client.search(index=f"{prefix}-runs").body["hits"]["hits"][0]["_id"])
    _seen_in_its_trace(receiver)
    of_the_task = [line for line in lines if line.get("task") == "sonde.harvest_source"]
    assert {line["event"] for line in of_the_task} >= {"harvest.started", "harvest.ended"}
    assert any("succeeded" in line["event"] for line in of_the_task), "Celery's own line carries them too"
    assert {(line["run"], line["request_id"]) for line in of_the_task} == {(run, _REQUEST)}


def _environment(elasticsearch: str, broker: str, prefix: str, folder: Path, collector: str) -> dict[str, str]:
    (folder / "records").mkdir()
    shutil.copy(next(SAMPLES.glob("*.xml")), folder / "records")
    (folder / "sources.yaml").write_text("sources:\n  - {id: here, type: folder, path: records}\n", "utf-8")
    return own_environment() | {
        "SONDE_ELASTICSEARCH__URL": elasticsearch,
        "SONDE_BROKER__URL": broker,
        "SONDE_INDEX__PREFIX": prefix,
        "SONDE_HARVEST__SOURCES": str(folder / "sources.yaml"),
        "SONDE_TELEMETRY__OTLP_URL": collector,
        "SONDE_API__PRELOAD": "false",
        "SONDE_LOG__FORMAT": "json",
        "OTEL_BSP_SCHEDULE_DELAY": "200",
    }


def _seen_waiting(state: ServiceState) -> None:
    """One task in the queue, and seconds since it was put there, which go on growing."""
    first, second = _waiting(state), _waiting(state)
    assert first["sonde_queue_tasks"] == {"harvest": 1.0, "documents": 0.0, "library": 0.0, "embed": 0.0}
    assert 0 < first["sonde_queue_age_seconds"]["harvest"] < second["sonde_queue_age_seconds"]["harvest"] < 300
    assert first["sonde_queue_age_seconds"]["embed"] == 0.0, "an empty queue keeps nobody waiting"


def _waiting(state: ServiceState) -> dict[str, dict[str, float]]:
    wanted = ("sonde_queue_tasks", "sonde_queue_age_seconds")
    return {
        family.name: {sample.labels["queue"]: sample.value for sample in family.samples}
        for family in state.read()
        if family.name in wanted
    }


def _worked_off(
    client: Elasticsearch, prefix: str, environment: dict[str, str], folder: Path, receiver: Receiver
) -> list[dict[str, Any]]:
    """What the worker logged until the harvest had ended and its span had come."""
    service = worker_service(Path(sys.executable), "sonde.celery_app", "harvest", folder, {})
    log = folder / "log"
    with log.open("wb") as out:
        worker = subprocess.Popen(service.argv, env=environment, cwd=folder, stdout=out, stderr=out)
        try:
            _until(lambda: any(span.name == "sonde.harvest_source" for span in receiver.spans), worker, log)
            _until(lambda: b"succeeded" in log.read_bytes(), worker, log)
            _seen_by_the_doctor(environment)
        finally:
            worker.terminate()
            worker.wait(60)
    assert client.count(index=f"{prefix}-records").body["count"] == 1
    return [json.loads(line) for line in log.read_text("utf-8").splitlines() if line.startswith("{")]


def _seen_by_the_doctor(environment: dict[str, str]) -> None:
    broker = BrokerSettings(url=environment["SONDE_BROKER__URL"])
    state, told = workers(Settings(broker=broker, index=IndexSettings(prefix=environment["SONDE_INDEX__PREFIX"])))
    assert (state, told.partition(":")[0]) == ("warning", "nobody takes tasks from documents, embed, library")


def _seen_in_its_trace(receiver: Receiver) -> None:
    ours = [span for span in receiver.spans if span.trace_id.hex() == _TRACE]
    by_name = {span.name: span for span in ours}
    request, task = by_name["POST /harvest/runs"], by_name["sonde.harvest_source"]
    assert request.parent_span_id.hex() == _CALLER
    assert task.parent_span_id == request.span_id
    assert "bulk" in [span.name for span in ours if span.parent_span_id == task.span_id], "its calls of Elasticsearch"


def _until(true: Callable[[], bool], worker: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not true():
        assert worker.poll() is None, log.read_text("utf-8")
        assert time.monotonic() < end, log.read_text("utf-8")
        time.sleep(0.1)
