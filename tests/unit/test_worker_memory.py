"""A worker's process has a limit of memory, and one that keeps much of it is replaced."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sonde.settings import Settings
from sonde.wiring.workers import worker_config
from workers.celery_client import celery_client

_PROCESS = """
from celery.signals import worker_process_init
from workers.celery_client import limit_memory
limit_memory(512 * 1024 * 1024)
worker_process_init.send(None)
small = bytearray(100 * 1024 * 1024)
try:
    bytearray(600 * 1024 * 1024)
except MemoryError:
    print("refused")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not count the memory of a process")
def test_a_task_that_asks_for_too_much_fails_and_the_machine_does_not() -> None:
    done = subprocess.run([sys.executable, "-c", _PROCESS], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "refused\n"


def test_the_setting_reaches_celery() -> None:
    config = worker_config(Settings(_env_file=None, worker={"memory_mib": 2048}))  # type: ignore[call-arg, arg-type]
    assert config.memory_bytes == 2048 * 1024 * 1024
    assert celery_client(config).conf.worker_max_memory_per_child == 1536 * 1024
