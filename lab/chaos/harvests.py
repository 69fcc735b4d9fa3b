"""Run after run over a catalogue that changes in between and a proxy that spoils its answers; the index must follow."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lxml import etree

from core.errors import Unavailable
from es_mappings.codecs.runs import RunReport
from es_mappings.names import alias
from evaluation.local_server import serve
from indexer.harvest.harvest import harvest, open_run
from indexer.parts import HarvestParts, Options
from indexer.sources.csw import CswOptions, CswSource
from indexer.sources.fetching import Fetcher
from indexer.sources.politeness import HostLimits, RequestPolicy
from indexer.store.ledger import scan
from indexer.store.runs import Runs
from lab.chaos.proxies import FaultPlan, fault_proxy
from net.gate import Gate, GatePolicy

Pages = Callable[[int, int], tuple[int, list[str]]]
"""From the first record's place (from 0) and the most that are wanted to how many there are in all, and these."""

_CSW = "http://www.opengis.net/cat/csw/2.0.2"
_CAPABILITIES = f"""<csw:Capabilities xmlns:csw="{_CSW}" xmlns:ows="http://www.opengis.net/ows" version="2.0.2">
<ows:OperationsMetadata><ows:Operation name="GetRecords"><ows:Parameter name="outputSchema">
<ows:Value>http://www.isotc211.org/2005/gmd</ows:Value></ows:Parameter></ows:Operation></ows:OperationsMetadata>
</csw:Capabilities>"""
_CAP = 100
_RECORD = """<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco">
<gmd:fileIdentifier><gco:CharacterString>{id}</gco:CharacterString></gmd:fileIdentifier>
<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation>
<gmd:title><gco:CharacterString>{title}</gco:CharacterString></gmd:title></gmd:CI_Citation></gmd:citation>
<gmd:abstract><gco:CharacterString>A record that a test made.</gco:CharacterString></gmd:abstract>
</gmd:MD_DataIdentification></gmd:identificationInfo></gmd:MD_Metadata>"""


class CswServer(ThreadingHTTPServer):
    """On a free port of this machine. ``cap``: the most records of one answer."""

    daemon_threads = True

    def __init__(self, pages: Pages, cap: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages, self.cap = pages, cap


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: CswServer

    def do_GET(self) -> None:
        self._send(_CAPABILITIES)

    def do_POST(self) -> None:
        query = etree.fromstring(self.rfile.read(int(self.headers.get("content-length", "0"))))
        start, size = int(query.get("startPosition", "1")), min(int(query.get("maxRecords", "10")), self.server.cap)
        total, page = self.server.pages(start - 1, size)
        next_record = start + len(page) if start + len(page) <= total else 0
        self._send(
            f'<csw:GetRecordsResponse xmlns:csw="{_CSW}"><csw:SearchResults numberOfRecordsMatched="{total}" '
            f'numberOfRecordsReturned="{len(page)}" nextRecord="{next_record}">{"".join(page)}</csw:SearchResults>'
            "</csw:GetRecordsResponse>"
        )

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""

    def _send(self, text: str) -> None:
        content = text.encode()
        self.send_response(200)
        self.send_header("content-type", "application/xml")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def catalogue_server(records: dict[str, str], cap: int = _CAP, page_s: float = 0.0) -> Iterator[str]:
    """The address of a catalogue that holds ``records`` (id to title) as they are at each request.

    ``cap``: the most records of a page; ``page_s``: seconds that each takes.
    """

    def pages(first: int, size: int) -> tuple[int, list[str]]:
        time.sleep(page_s)
        now = dict(records)
        page = sorted(now)[first : first + size]
        return len(now), [_RECORD.format(id=escape(id), title=escape(now[id])) for id in page]

    with serve(CswServer(pages, cap)) as url:
        yield f"{url}/csw"


SOURCE = "chaos"
_MOST_TRIES = 12
_FAST_POLICY = RequestPolicy(
    per_second=1000, attempts=6, first_pause_s=0.002, longest_pause_s=0.05, breaker_failures=50, robots=False
)


@dataclass(frozen=True, slots=True)
class ChaosRun:
    """One run. ``lost``, ``doubled`` and ``wrong`` (a removed record that remains, or an old title) must be 0.

    ``tries``: how often the harvest was resumed before it was complete.
    """

    run: int
    seed: int
    state: str
    expected: int
    found: int
    lost: int
    doubled: int
    wrong: int
    tries: int
    requests: int
    faults: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def right(self) -> bool:
        return self.state == "complete" and not (self.lost or self.doubled or self.wrong)


def chaos(
    parts: HarvestParts, runs: int, *, records: int = 1000, seed: int = 1, share: float = 0.3
) -> Iterator[ChaosRun]:
    """Harvests ``runs`` times into the indices of ``parts``, which must be there and hold nothing of ``SOURCE``."""
    rng = random.Random(seed)  # noqa: S311  # nosec B311 (to be repeated)
    catalogue = {f"rec-{index:05d}": f"Title {index}" for index in range(records)}
    with catalogue_server(catalogue) as upstream:
        for run in range(1, runs + 1):
            if run > 1:
                change(catalogue, rng, run)
            plan = FaultPlan(seed=seed * 100_000 + run, share=share)
            with fault_proxy(upstream, plan) as url:
                yield one_run(parts, run, plan, lambda: open_csw(url), catalogue)


def change(catalogue: dict[str, str], rng: random.Random, run: int) -> None:
    """A fiftieth goes, as many come, a twentieth gets another title; the number stays."""
    count = max(len(catalogue) // 50, 1)
    for id in rng.sample(sorted(catalogue), count):
        del catalogue[id]
    for id in rng.sample(sorted(catalogue), max(len(catalogue) // 20, 1)):
        catalogue[id] = f"Title of run {run}: {id}"
    catalogue.update({f"new-{run:03d}-{index:03d}": f"New in run {run}: {index}" for index in range(count)})


def one_run(
    parts: HarvestParts, run: int, plan: FaultPlan, open_source: Callable[[], CswSource], catalogue: Mapping[str, str]
) -> ChaosRun:
    """Taken up again, as workers do, until it is complete."""
    started_s = time.perf_counter()
    report, tries = _until_complete(parts, open_source)
    titles_found = titles(parts, SOURCE)
    expected = {f"{SOURCE}:{id}": title for id, title in catalogue.items()}
    right = {id for id, title in titles_found if expected.get(id) == title}
    return ChaosRun(
        run=run,
        seed=plan.seed,
        state=report.state,
        expected=len(expected),
        found=len(titles_found),
        lost=len(expected.keys() - {id for id, _ in titles_found}),
        doubled=len(titles_found) - len({id for id, _ in titles_found}),
        wrong=len({id for id, _ in titles_found} - right),
        tries=tries,
        requests=plan.requests,
        faults=dict(plan.done),
        seconds=time.perf_counter() - started_s,
    )


def _until_complete(parts: HarvestParts, open_source: Callable[[], CswSource]) -> tuple[RunReport, int]:
    runs = Runs(parts.client, parts.prefix)
    report = open_run(SOURCE, Options())
    for attempt in range(1, _MOST_TRIES + 1):
        run = runs.find_unfinished(SOURCE) or open_run(SOURCE, Options())
        try:
            report = harvest(SOURCE, open_source(), parts, Options(), run)
        except Unavailable:
            report = runs.load(run.id) or run
            continue
        if report.state == "complete":
            return report, attempt
    return report, _MOST_TRIES


def titles(parts: HarvestParts, source: str) -> list[tuple[str, str]]:
    """Every record of the source with its title."""
    index = alias(parts.prefix, "records")
    parts.client.indices.refresh(index=index)
    hits = scan(parts.client, index, {"term": {"source": source}}, ["id", "title"])
    return [(hit["_source"]["id"], hit["_source"]["title"]) for hit in hits]


def open_csw(url: str, *, page_size: int = 100, timeout_s: float = 10.0) -> CswSource:
    """A CSW at an address of this machine, asked without pauses."""
    gate = Gate(GatePolicy(allowed_hosts=frozenset({"127.0.0.1"}), timeout_s=timeout_s))
    fetcher = Fetcher(gate, SOURCE, url, HostLimits(), _FAST_POLICY)
    return CswSource(fetcher, url, None, CswOptions(page_size=page_size))
