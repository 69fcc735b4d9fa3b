"""Asks for an address four times a second: ``python -m tests.cluster.asking URL FILE``, inside the cluster's network.

Ends when ``FILE.stop`` is there. ``FILE`` then holds one JSON object: how many searches were asked, how many got no
answer, and how many got none with one retry after two seconds either.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import httpx

_EVERY_S = 0.25
_TIMEOUT_S = 15.0
_RETRY_AFTER_S = 2.0


@dataclass
class Count:
    asked: int = 0
    degraded: int = 0
    lost: int = 0
    lost_with_retry: int = 0
    slowest_s: float = 0.0
    failures: list[str] = field(default_factory=list)

    def ask(self, url: str) -> None:
        began = time.monotonic()
        self.asked += 1
        if why := self._failure(url):
            self.lost += 1
            self.failures.append(f"{time.strftime('%T')} {why}")
            time.sleep(_RETRY_AFTER_S)
            self.lost_with_retry += self._failure(url) is not None
        self.slowest_s = max(self.slowest_s, round(time.monotonic() - began, 2))

    def _failure(self, url: str) -> str | None:
        """A new connection each time, as an ingress without a pool has."""
        try:
            answer = httpx.get(url, timeout=_TIMEOUT_S)
        except httpx.HTTPError as error:
            return f"{type(error).__name__}: {error}"
        if answer.status_code != 200:
            return str(answer.status_code)
        found = answer.json()
        self.degraded += bool(found.get("sonde:degraded"))
        return None if found["features"] else "200 without a hit"


def main(url: str, file: Path) -> None:
    count = Count()
    stop = file.with_suffix(".stop")
    while not stop.exists():
        began = time.monotonic()
        count.ask(url)
        time.sleep(max(0.0, _EVERY_S - (time.monotonic() - began)))
    file.write_text(json.dumps(asdict(count), indent=1))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
