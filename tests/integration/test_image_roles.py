"""The image's roles as its entry point starts them, on a real Elasticsearch, in the order of Kubernetes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.unit.rendered_chart import Rendered, example

ENTRY = Path(__file__).resolve().parents[2] / "docker-entrypoint.sh"


@pytest.mark.elasticsearch
@pytest.mark.broker
@pytest.mark.models
def test_migrate_then_api_then_what_helm_test_asks(
    elasticsearch_url: str, broker_url: str, prefix: str, tmp_path: Path
) -> None:
    port, inside = _free_port(), _free_port()
    environment = {
        **os.environ,
        "SONDE_ELASTICSEARCH__URL": elasticsearch_url,
        "SONDE_BROKER__URL": broker_url,
        "SONDE_INDEX__PREFIX": prefix,
        "SONDE_API__HOST": "127.0.0.1",
        "SONDE_API__PORT": str(port),
        "SONDE_API__PROBES_PORT": str(inside),
        "SONDE_HARVEST__SOURCES": str(tmp_path / "sources.yaml"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    (tmp_path / "sources.yaml").write_text("sources: []\n")
    for _ in range(2):  # an upgrade runs it again
        subprocess.run(["/bin/sh", ENTRY, "migrate"], env=environment, cwd=tmp_path, check=True, timeout=120)
    with (tmp_path / "log").open("wb") as log:
        api = subprocess.Popen(["/bin/sh", ENTRY, "api"], env=environment, cwd=tmp_path, stdout=log, stderr=log)
    try:
        base = f"http://127.0.0.1:{port}"
        _wait_for(f"http://127.0.0.1:{inside}/readyz", api)
        health = subprocess.run(["/bin/sh", ENTRY, "health"], env=environment | {"SONDE_MAIN_PID": str(api.pid)})
        assert health.returncode == 0
        asked = subprocess.run([sys.executable, "-c", _helm_test(base)], capture_output=True, text=True, timeout=60)
        assert asked.returncode == 0, asked.stderr
        assert "/search?q=rainfall 200" in asked.stdout
    finally:
        api.terminate()
        assert api.wait(60) == 0, "SIGTERM ends it in order"


def _helm_test(base: str) -> str:
    """What the chart's test pod runs, asking this address."""
    pod = Rendered.of(example("minimal")).one("Pod", "demo-sonde-test")
    script: str = pod["spec"]["containers"][0]["args"][0]
    assert script.count("http://demo-sonde-api:80") == 1
    return script.replace("http://demo-sonde-api:80", base)


def _wait_for(url: str, process: subprocess.Popen[bytes], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while True:
        assert process.poll() is None, "it ended"
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < end, "it is not ready"
            time.sleep(0.5)
        else:
            return


def _free_port() -> int:
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        return int(own.getsockname()[1])
