"""A fetcher for servers of this machine, without pauses, and what a source gives in all."""

from __future__ import annotations

from dataclasses import dataclass, field

from indexer.raw import RawPage, Source
from indexer.sources.fetching import Fetcher
from indexer.sources.politeness import HostLimits, RequestPolicy
from net.gate import Gate, GatePolicy

QUICK = RequestPolicy(per_second=1000, attempts=4, first_pause_s=0.002, longest_pause_s=0.02)


def fetcher_of(url: str, manners: RequestPolicy = QUICK, credentials: dict[str, str] | None = None) -> Fetcher:
    gate = Gate(GatePolicy(allowed_hosts=frozenset({"127.0.0.1"}), timeout_s=20.0))
    return Fetcher(gate, "t", url, HostLimits(), manners, credentials=credentials or {})


@dataclass
class Given:
    """Everything that pages held, in their order."""

    pages: list[RawPage] = field(default_factory=list)

    @property
    def ids(self) -> list[str]:
        return [record.native_id for page in self.pages for record in page.records]

    @property
    def contents(self) -> dict[str, bytes]:
        return {record.native_id: record.content for page in self.pages for record in page.records}

    @property
    def deleted(self) -> list[str]:
        return [id for page in self.pages for id in page.deleted]

    @property
    def skipped(self) -> list[str]:
        return [skipped.origin for page in self.pages for skipped in page.skipped]

    @property
    def matched(self) -> int | None:
        return self.pages[-1].matched


def all_of(source: Source, position: str | None = None) -> Given:
    return Given(list(source.pages(position)))


def resumed_everywhere(make: object, whole: Given) -> None:
    """From each page's position a fresh source gives what lies behind it, in any order and possibly more than once."""
    assert callable(make)
    for index, page in enumerate(whole.pages):
        if page.position is None or not page.records:
            continue
        behind = {record.native_id for later in whole.pages[index + 1 :] for record in later.records}
        assert behind <= set(all_of(make(), page.position).ids), f"from position {page.position}"
