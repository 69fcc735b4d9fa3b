"""What is told of saved searches: the same for a mail and for an event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from core.record import Record
from search_api.stewards.alerts.links import LinkSigner, SignedLink
from search_api.stewards.alerts.notices import Notice
from search_api.stewards.alerts.saved import SavedSearch


@dataclass(frozen=True, slots=True)
class Told:
    """What one saved search tells; ``records`` are those that its owner may see now, each with whether it is new."""

    saved: SavedSearch
    notices: Sequence[Notice]
    records: Sequence[tuple[Record, bool]]

    @property
    def since(self) -> str:
        return min(one.since for one in self.notices)

    @property
    def until(self) -> str:
        return max(one.until for one in self.notices)

    @property
    def more(self) -> int:
        """How many records were found beyond those listed; some may be the same in several windows."""
        return max(0, sum(one.total - len(one.records) for one in self.notices))


@dataclass(frozen=True, slots=True)
class AlertAddresses:
    """Absolute addresses below ``base``, the service's public one."""

    base: str
    links: LinkSigner

    def record(self, id: str) -> str:
        return f"{self.base}/records/{quote(id, safe=':~')}"

    def search(self, id: str) -> str:
        return f"{self.base}/saved-searches/{id}"

    def link(self, link: SignedLink) -> str:
        return f"{self.base}/saved-searches/links/{self.links.token(link)}"
