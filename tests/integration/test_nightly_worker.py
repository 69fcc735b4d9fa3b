"""What runs at night, by a real beat and a real worker: a search is matched and mailed, the answers are measured."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from shutil import copy
from typing import TypeVar

import pytest
import redis
from celery import Celery
from celery_process import celery_process
from elasticsearch import Elasticsearch
from flask.testing import FlaskClient
from pydantic import SecretStr
from redbeat import RedBeatSchedulerEntry
from redbeat.schedulers import get_redis

from core.access import Caller
from search_api.app import create_app
from search_api.stewards.alerts.notices import MatchingRound, NoticeStore
from search_api.stewards.insight import MeasurementStore
from sonde.settings import AlertsSettings, BrokerSettings, EvaluationSettings, MailSettings, Settings
from sonde.telemetry.service_metrics import ServiceState
from sonde.wiring.api import api_parts
from sonde.wiring.workers import worker_config
from tests.conftest import delete_indices
from tests.service import SAMPLES, Service
from tests.smtp_server import Mailbox, smtp_server
from workers.celery_client import celery_client
from workers.config import MATCH_TASK, MEASURE_TASK, SEND_TASK

pytestmark = [pytest.mark.elasticsearch, pytest.mark.broker]

_PATIENCE_S = 150.0
_RECORD = "samples:arc2-africa-rainfall"
_MIA = {"Authorization": "Bearer mia"}
T = TypeVar("T")


class Mia:
    """Whoever asks is Mia."""

    def identify(self, bearer: str | None) -> Caller:
        return Caller(bearer, frozenset(("search",)))


@dataclass
class Night:
    """``client`` sees the indices that the worker writes, ``http`` is the API, ``app`` queues what beat queues."""

    settings: Settings
    client: Elasticsearch
    http: FlaskClient
    app: Celery
    box: Mailbox

    def has_come(self, task: str) -> None:
        """The schedule's last run was days ago, as after a beat that was down."""
        name = next(name for name, one in self.app.conf.beat_schedule.items() if one["task"] == task)
        key = f"{self.app.conf.redbeat_key_prefix}{name}"
        wait_for(lambda: get_redis(self.app).exists(key))  # beat writes its schedules when it starts
        RedBeatSchedulerEntry.from_key(key, app=self.app).reschedule(datetime.now(UTC) - timedelta(days=3))

    def round(self) -> MatchingRound:
        found = NoticeStore(self.client, self.settings.index.prefix).round()
        assert found is not None
        return found

    def metric(self, name: str, **labels: str) -> float | None:
        """As the API exports it."""
        (metric,) = (one for one in ServiceState.of(self.settings, self.client).read() if one.name == name)
        return next((one.value for one in metric.samples if labels.items() <= one.labels.items()), None)

    def mail(self) -> EmailMessage:
        """The next one."""
        return wait_for(lambda: self.box.mails.pop(0) if self.box.mails else None)


def wait_for(what: Callable[[], T | None]) -> T:
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.1)
    pytest.fail("it did not happen in time")


@pytest.fixture
def night(es_client: Elasticsearch, elasticsearch_url: str, broker_url: str, tmp_path: Path) -> Iterator[Night]:
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    (tmp_path / "records").mkdir()
    copy(SAMPLES / "arc2-africa-rainfall.xml", tmp_path / "records")
    service.harvest(tmp_path / "records")
    hour_ago = {"source": "ctx._source.harvest.written = params.at", "params": {"at": _ago(timedelta(hours=1))}}
    es_client.update(index=f"{service.prefix}-records", id=_RECORD, script=hour_ago, refresh=True)
    queries, qrels = tmp_path / "queries.jsonl", tmp_path / "qrels.tsv"
    queries.write_text(json.dumps({"_id": "q1", "text": "rainfall in Africa"}) + "\n", "utf-8")
    qrels.write_text(f"query-id\tcorpus-id\tscore\nq1\t{_RECORD}\t3\n", "utf-8")
    with ExitStack() as ends:
        box = ends.enter_context(smtp_server())
        settings = service.settings.model_copy(
            update={
                "broker": BrokerSettings(url=broker_url),
                "alerts": AlertsSettings(secret=SecretStr(uuid.uuid4().hex)),
                "mail": MailSettings(
                    host="127.0.0.1", port=box.port, tls="none", sender="Sonde <sonde@portal.example>"
                ),
                "evaluation": EvaluationSettings(queries=queries, qrels=qrels),
            }
        )
        for role in (("beat", "--pidfile="), ("worker", "-Q", "harvest", "-c", "1", "--without-gossip")):
            ends.enter_context(celery_process(*role, settings=settings, more=_environment(settings), folder=tmp_path))
        app = create_app(replace(api_parts(settings, service.models), authenticator=Mia()))
        yield Night(settings, es_client, app.test_client(), celery_client(worker_config(settings)), box)
    delete_indices(es_client, service.prefix)
    with redis.Redis.from_url(broker_url) as broker:
        for key in broker.scan_iter(f"{service.prefix}:*"):
            broker.delete(key)


def _environment(settings: Settings) -> dict[str, str]:
    assert settings.alerts.secret is not None
    return {
        "SONDE_ALERTS__SECRET": settings.alerts.secret.get_secret_value(),
        "SONDE_MAIL__HOST": str(settings.mail.host),
        "SONDE_MAIL__PORT": str(settings.mail.port),
        "SONDE_MAIL__TLS": settings.mail.tls,
        "SONDE_MAIL__SENDER": settings.mail.sender,
        "SONDE_EVALUATION__QUERIES": str(settings.evaluation.queries),
        "SONDE_EVALUATION__QRELS": str(settings.evaluation.qrels),
    }


def _ago(time: timedelta) -> str:
    return (datetime.now(UTC) - time).isoformat()


@pytest.mark.timeout(240)
def test_a_night_that_beat_missed_is_matched_mailed_and_measured_once(night: Night) -> None:
    body = {"title": "Rain", "search": {"q": "rainfall Africa"}, "mail": "mia@portal.example"}
    kept = night.http.post("/saved-searches", json=body, headers=_MIA).get_json()
    index, long_ago = f"{night.settings.index.prefix}-searches", {"watched": _ago(timedelta(days=9))}
    night.client.update(index=index, id=kept["id"], doc=long_ago, refresh=True)

    night.has_come(SEND_TASK)
    confirm = next(line for line in night.mail().get_content().splitlines() if "/links/" in line)
    assert night.http.post(confirm[confirm.index("/saved-searches") :]).status_code == 200
    night.has_come(MATCH_TASK)
    assert f"/records/{_RECORD}" in night.mail().get_content()
    first = night.round()
    night.has_come(MATCH_TASK)
    night.has_come(MEASURE_TASK)
    second = wait_for(lambda: found if (found := night.round()) != first else None)
    assert (first.found, second.found, second.since) == (2, 0, first.until), "in the mail and in the feed, then nothing"
    (measured,) = wait_for(MeasurementStore(night.client, night.settings.index.prefix).latest)

    assert (measured.questions, measured.ndcg_at_10) == (1, 1.0)
    assert night.box.mails == []
    wait_for(lambda: night.metric("sonde_alert_deliveries", state="sent") == 2.0)
    assert night.metric("sonde_live_ndcg") == 1.0
    assert night.metric("sonde_alert_round_age_seconds") < 3600
