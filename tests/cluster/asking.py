"""Asks for an address every so many seconds: ``python -m tests.cluster.asking URL FILE SECONDS``.

With 0 seconds each question is another one, which no cache answers. Ends when ``FILE.stop`` is there. ``FILE`` then
holds one JSON object: how many searches were asked, how many got no answer, and how many got none with one retry after
two seconds either.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import httpx

_TIMEOUT_S = 15.0


@dataclass
class Count:
    asked: int = 0
    degraded: int = 0
    lost: int = 0
    lost_with_retry: int = 0
    slowest_s: float = 0.0
    failures: list[str] = field(default_factory=list)

    def ask(self, client: httpx.Client, url: str, retry_after_s: float = 2.0) -> None:
        began = time.monotonic()
        self.asked += 1
        if why := self._failure(client, url):
            self.lost += 1
            self.failures.append(f"{time.strftime('%T')} {why}")
            time.sleep(retry_after_s)
            self.lost_with_retry += self._failure(client, url) is not None
        self.slowest_s = max(self.slowest_s, round(time.monotonic() - began, 2))

    def _failure(self, client: httpx.Client, url: str) -> str | None:
        try:
            answer = client.get(url)
        except httpx.HTTPError as error:
            return f"{type(error).__name__}: {error}"
        if answer.status_code != 200:
            return str(answer.status_code)
        found = answer.json()
        self.degraded += bool(found.get("sonde:degraded"))
        return None if found["features"] else "200 without a hit"


def new_connections() -> httpx.Client:
    """One for each search, so that a search goes to any pod."""
    return httpx.Client(timeout=_TIMEOUT_S, limits=httpx.Limits(max_keepalive_connections=0))


def main(url: str, file: Path, every_s: float) -> None:
    count = Count()
    stop = file.with_suffix(".stop")
    with new_connections() as client:
        while not stop.exists():
            began = time.monotonic()
            count.ask(client, url if every_s else f"{url}+{count.asked}")
            time.sleep(max(0.0, every_s - (time.monotonic() - began)))
    file.write_text(json.dumps(asdict(count), indent=1))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
