"""Reads and obeys the robots.txt of a host when links are followed (RFC 9309)."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from indexer.sources.fetching import Fetcher
from net.exchange import HttpAnswer

AGENT = "Sonde"
_LONGEST_DELAY_S = 30.0


@dataclass(slots=True)
class Robots:
    """The rules of the hosts that a source links to; each host's file is fetched once."""

    fetcher: Fetcher
    _known: dict[str, RobotFileParser] = field(default_factory=dict)

    def allows(self, url: str) -> bool:
        """True if the operator switched robots.txt off. Raises Unavailable if the file cannot be fetched now."""
        return not self.fetcher.policy.robots or self._rules(url).can_fetch(AGENT, url)

    def _rules(self, url: str) -> RobotFileParser:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._known:
            rules = RobotFileParser()
            rules.parse(self.fetcher.get(f"{origin}/robots.txt", _lines))
            self._known[origin] = rules
            delay = rules.crawl_delay(AGENT)
            if delay is not None:
                self.fetcher.delay_s = max(self.fetcher.delay_s, min(float(delay), _LONGEST_DELAY_S))
        return self._known[origin]


def _lines(answer: HttpAnswer) -> list[str]:
    """No file (any 4xx) means no rules; so does a web page that a server sends for every address."""
    if not 200 <= answer.status < 300 or answer.content.lstrip()[:1] == b"<":
        return []
    return answer.content.decode("utf-8", "replace").splitlines()
