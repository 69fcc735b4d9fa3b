"""A server process for the length of a ``with``."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx


@contextmanager
def running(command: Sequence[str], url: str, folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """``url`` once it answers with 200. Fails with the last words of the server where it does not within a minute."""
    log = folder / "server.log"
    with log.open("wb") as words:
        process = subprocess.Popen(list(command), cwd=folder, env=dict(environment), stdout=words, stderr=words)
        try:
            _wait(process, url, log)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    ends = time.monotonic() + 60
    while time.monotonic() < ends and process.poll() is None:
        try:
            if httpx.get(url, timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"{url} did not come up: {log.read_text('utf-8', 'replace')[-2000:]}")
