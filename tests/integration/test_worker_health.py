"""When a worker is judged to stand still: by hand-made signs, and by those of a real worker on a real broker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis

from sonde.ops.worker_health import Pulse, StuckLimits, check, problem, read_pulse, waited_s
from sonde.settings import BrokerSettings, IndexSettings, Settings, WorkerSettings
from tests.unit.rendered_chart import Rendered, example
from workers.celery_client import celery_client
from workers.config import EMBED_TASK, WorkerConfig
from workers.jobs import start_harvest

LIMITS = StuckLimits(task_s=1500.0, loop_s=60.0, waiting_s=180.0)
IDLE = Pulse(ready=True, loop_s=2.0, task_s=None)
BUSY = Pulse(ready=True, loop_s=2.0, task_s=1499.0)
ENTRY = Path(__file__).resolve().parents[2] / "docker-entrypoint.sh"
NOWHERE = "redis://127.0.0.1:1/0"


@pytest.mark.parametrize(
    ("pulse", "waiting_s", "says"),
    [
        (IDLE, 0.0, None),
        (IDLE, 180.0, None),
        (IDLE, 181.0, "takes none"),
        (BUSY, 0.0, None),
        (Pulse(True, 2.0, 1501.0), 0.0, "longer than its limit"),
        (Pulse(True, 61.0, None), 0.0, "61 s ago"),
        (Pulse(False, None, None), 0.0, "not begun"),
    ],
)
def test_what_stands_still_is_named(pulse: Pulse, waiting_s: float, says: str | None) -> None:
    found = problem(pulse, waiting_s, LIMITS)
    assert found is None if says is None else (found is not None and says in found)


def test_tasks_wait_from_the_first_time_they_are_seen_and_no_longer_once_one_is_taken(tmp_path: Path) -> None:
    assert waited_s(tmp_path, True, IDLE) == 0.0
    _age(tmp_path / "waiting", 200)
    assert waited_s(tmp_path, True, IDLE) >= 200
    assert waited_s(tmp_path, True, BUSY) == 0.0
    assert waited_s(tmp_path, True, IDLE) == 0.0, "counted anew"


def test_a_task_whose_process_was_killed_is_in_nobodys_hand(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (tmp_path / f"task-{gone.pid}").touch()
    assert read_pulse(tmp_path).task_s is None
    (tmp_path / f"task-{os.getpid()}").touch()
    assert read_pulse(tmp_path).task_s is not None


def test_a_worker_lives_on_while_the_broker_is_down_but_is_not_ready(tmp_path: Path) -> None:
    settings = _settings(NOWHERE, "sonde-test", tmp_path)
    assert check(settings, "alive", ["harvest"]) is None
    assert check(settings, "started", []) is None, "it waits for its first connection"
    assert check(settings, "beat", []) is None
    assert "broker" in (check(settings, "ready", ["harvest"]) or "")


@pytest.mark.broker
def test_beat_lives_while_it_holds_the_lock(broker_url: str, tmp_path: Path) -> None:
    prefix = f"sonde-test-{uuid.uuid4().hex[:12]}"
    settings = _settings(broker_url, prefix, tmp_path)
    assert "does not tick" in (check(settings, "beat", []) or "")
    redis.Redis.from_url(broker_url).set(f"{prefix}:redbeat::lock", "x", ex=30)
    assert check(settings, "beat", []) is None


@pytest.mark.broker
def test_the_chart_scales_by_the_list_in_which_tasks_really_wait(broker_url: str, tmp_path: Path) -> None:
    prefix = f"sonde-test-{uuid.uuid4().hex[:12]}"
    app = celery_client(WorkerConfig(broker_url, prefix, tmp_path / "sources.yaml"))
    start_harvest(app, "a")
    app.send_task(EMBED_TASK, args=["a"])
    app.send_task(EMBED_TASK, args=["b"])
    scaled = Rendered.of({**example("keda-gateway"), "indexPrefix": prefix}).of_kind("ScaledObject")
    lists = [one["spec"]["triggers"][0]["metadata"]["listName"] for one in scaled]
    broker = redis.Redis.from_url(broker_url)
    assert {name.removeprefix(f"{prefix}:"): broker.llen(name) for name in lists} == {
        "documents": 0,
        "embed": 2,
        "harvest": 1,
    }


@dataclass(frozen=True)
class _Worker:
    process: subprocess.Popen[bytes]
    environment: dict[str, str]
    settings: Settings
    folder: Path

    def image_says(self) -> int:
        """The exit code of the image's health check."""
        own = {**self.environment, "SONDE_MAIN_PID": str(self.process.pid)}
        return subprocess.run(["/bin/sh", ENTRY, "health"], env=own, check=False, timeout=60).returncode

    def says(self, probe: str) -> str | None:
        return check(self.settings, probe, ["harvest"])


@pytest.fixture(scope="module")
def worker(broker_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Worker]:
    """A real Celery worker as the image starts it, without an Elasticsearch: its tasks fail and are put off."""
    folder = tmp_path_factory.mktemp("worker")
    prefix = f"sonde-test-{uuid.uuid4().hex[:12]}"
    (folder / "sources.yaml").write_text("sources: []\n")
    own = {
        "SONDE_BROKER__URL": broker_url,
        "SONDE_INDEX__PREFIX": prefix,
        "SONDE_ELASTICSEARCH__URL": "http://127.0.0.1:1",
        "SONDE_HARVEST__SOURCES": str(folder / "sources.yaml"),
        "SONDE_WORKER__PULSE": str(folder / "pulse"),
        "SONDE_QUEUES": "harvest",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    environment = {**os.environ, **own}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(["/bin/sh", ENTRY, "worker"], env=environment, stdout=log, stderr=log)
        try:
            yield _Worker(process, environment, _settings(broker_url, prefix, folder / "pulse"), folder)
        finally:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait(30)


@pytest.mark.broker
def test_a_real_worker_is_started_then_alive_and_found_out_when_it_stands_still(worker: _Worker) -> None:
    _wait_until(lambda: worker.says("started") is None)
    _wait_until(lambda: worker.says("alive") is None)
    assert worker.says("ready") is None
    assert worker.image_says() == 0
    worker.process.send_signal(signal.SIGSTOP)
    loop = worker.folder / "pulse" / "loop"
    _age(loop, 61)
    assert "loop" in (worker.says("alive") or "")
    assert worker.image_says() == 1
    worker.process.send_signal(signal.SIGCONT)
    _wait_until(lambda: worker.says("alive") is None)


def _settings(broker_url: str, prefix: str, pulse: Path) -> Settings:
    return Settings(
        broker=BrokerSettings(url=broker_url), index=IndexSettings(prefix=prefix), worker=WorkerSettings(pulse=pulse)
    )


def _age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def _wait_until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "did not come true"
        time.sleep(0.2)
