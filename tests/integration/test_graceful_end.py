"""The API on SIGTERM: the request in hand is answered, new ones are not taken, and it ends with 0."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from local_stack.ports import free_port
from local_stack.services import api_service
from local_stack.settings import ApiConfig
from sonde.ops.one_machine import own_environment, serve_command
from tests.held_proxy import HeldProxy
from tests.service import Service

_PATIENCE_S = 90.0


def _until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def _state(url: str, probe: str = "readyz", timeout_s: float = 30.0) -> int | None:
    """What the probe says; None where it is not answered."""
    try:
        return httpx.get(f"{url}/{probe}", timeout=timeout_s, headers={"Connection": "close"}).status_code
    except httpx.HTTPError:
        return None


@pytest.mark.elasticsearch
@pytest.mark.models
@pytest.mark.timeout(300)
def test_sigterm_finishes_the_request_in_hand(samples: Service, tmp_path: Path) -> None:
    api = ApiConfig(port=free_port())
    with HeldProxy(samples.url).run() as proxy, (tmp_path / "log").open("wb") as log:
        assert isinstance(proxy, HeldProxy)
        given = {
            "SONDE_ELASTICSEARCH__URL": proxy.url,
            "SONDE_ELASTICSEARCH__TIMEOUT_S": "60",
            "SONDE_API__DEADLINE_S": "60",
            "SONDE_API__PORT": str(api.port),
            "SONDE_API__WORKERS": "1",
            "SONDE_INDEX__PREFIX": samples.prefix,
        }
        service = api_service(serve_command(), api, tmp_path, given)
        process = subprocess.Popen(
            service.argv, env=own_environment() | given, cwd=tmp_path, stdout=log, stderr=log, start_new_session=True
        )
        try:
            url = f"http://127.0.0.1:{api.port}"
            _until(lambda: process.poll() is None and _state(url) == 200, "it is not ready")
            proxy.holding.set()
            with ThreadPoolExecutor(1) as pool:
                asked = pool.submit(httpx.get, f"{url}/search", params={"q": "rainfall"}, timeout=_PATIENCE_S)
                assert proxy.held.wait(_PATIENCE_S), "the search never came to Elasticsearch"
                process.terminate()
                _until(lambda: "Handling signal: term" in (tmp_path / "log").read_text("utf-8"), "no SIGTERM came")
                _until(lambda: _state(url, "healthz", 2.0) is None, "it still takes new requests")
                assert process.poll() is None, "it waits for the request in hand"
                assert not asked.done()
                proxy.holding.clear()
                answer = asked.result()
            assert answer.status_code == 200, answer.text
            assert answer.json()["features"]
            assert process.wait(_PATIENCE_S) == 0, (tmp_path / "log").read_text("utf-8")
        finally:
            proxy.holding.clear()
            if process.poll() is None:
                process.kill()
                process.wait()
