"""Three Elasticsearch nodes, a broker, a worker, beat and the API: real processes on free ports, each to be killed.

By libfaketime our processes can also be given another clock.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil
from celery import Celery

from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.names import alias
from indexer.store.ledger import scan
from lab.chaos.proxies import TcpProxy
from lab.cluster.clock import clock_environment, reset_clock
from lab.waiting import wait_until
from local_stack.accounts import node_folder, unprivileged_account
from local_stack.elasticsearch import elasticsearch_part
from local_stack.part import External, StackPart, ignore_event
from local_stack.ports import free_port
from local_stack.services import api_service, beat_service, service_part, worker_service
from local_stack.settings import ApiConfig, NodeConfig, StackConfig, ValkeyConfig
from local_stack.supervisor import Supervisor
from local_stack.testing import QUICK_START
from local_stack.valkey import broker_part
from sonde.ops.one_machine import QUEUES, own_environment, serve_command, served_at
from workers.jobs import start_harvest

PREFIX = "sonde-chaos"
_HEAP = "512m"
_BATCH = 256
_DIES_S = 10.0
_NODE_START_S = 900.0  # beside a harvest and searches on the same cores it takes long, and that is not what is tried


@dataclass
class ChaosCluster:
    """``proxies`` lie between our processes and each node. ``clock`` is a file: the offset of their clocks."""

    folder: Path
    client: Elasticsearch
    proxies: list[TcpProxy]
    nodes: list[str]
    api_url: str
    broker_url: str
    sources: Path
    clock: Path | None
    environment: Mapping[str, str]
    _parts: dict[str, tuple[Supervisor, StackPart]] = field(default_factory=dict)

    def start(self, *names: str) -> None:
        """Up and answering on return."""
        for name in names:
            supervisor, part = self._parts[name]
            supervisor.ensure(part, ignore_event)

    def kill(self, name: str) -> None:
        """SIGKILL to the process and all it started: what a power cut does. Both have ended on return."""
        supervisor, part = self._parts[name]
        pid = supervisor.status(part).pid
        if pid is not None:
            leader = psutil.Process(pid)
            processes = [leader, *leader.children(recursive=True)]  # a child may hold the port a little longer
            os.killpg(pid, signal.SIGKILL)
            psutil.wait_procs(processes, timeout=_DIES_S)

    def pid(self, name: str) -> int:
        """The id of a part's first process. Raises LookupError if it does not run."""
        supervisor, part = self._parts[name]
        pid = supervisor.status(part).pid
        if pid is None:
            raise LookupError(f"{name} does not run")
        return pid

    def node_of_primary(self, index: str) -> str:
        """The node that holds the first shard's primary of an index."""
        rows = self.client.cat.shards(index=index, format="json", h="prirep,node")
        return next(str(row["node"]) for row in rows if row["prirep"] == "p")  # type: ignore[index]


@contextmanager
def chaos_cluster(
    folder: Path, nodes: int = 3, faketime: Path | None = None, batch: int = _BATCH
) -> Iterator[ChaosCluster]:
    """Starts the servers; Sonde's parts are started later. Ends all of them on return. Raises StackError if one does
    not come up.

    ``faketime``: the library that changes the clock of Sonde's processes; None: unchanged. ``batch``: records that a
    harvest writes at once; with few of them it ends before anything breaks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = {f"node-{number}": free_port() for number in range(1, nodes + 1)}
    with ExitStack() as after:
        parts = {name: _node(folder, name, names if nodes > 1 else {}, names[name]) for name in names}
        parts["broker"] = _with_supervisor(
            folder, _started_here(broker_part(_stack(folder, broker=ValkeyConfig(port=free_port()))))
        )
        for supervisor, part in parts.values():
            after.callback(supervisor.stop, part.name, 5.0)
        with ThreadPoolExecutor(nodes) as pool:  # a node answers once the others are there
            list(pool.map(lambda name: parts[name][0].ensure(parts[name][1], ignore_event), names))
        parts["broker"][0].ensure(parts["broker"][1], ignore_event)
        urls = [str(parts[name][1].address) for name in names]
        proxies = [after.enter_context(TcpProxy(url).run()) for url in urls]
        client = Elasticsearch(urls, request_timeout=30, max_retries=nodes, retry_on_timeout=True)
        after.callback(client.close)
        test_cluster = _with_services(folder, client, proxies, parts, faketime, batch)
        for name in ("api", "worker", "beat"):
            after.callback(test_cluster._parts[name][0].stop, name, 5.0)
        yield test_cluster


def _with_services(
    folder: Path,
    client: Elasticsearch,
    proxies: list[TcpProxy],
    parts: dict[str, tuple[Supervisor, StackPart]],
    faketime: Path | None,
    batch: int,
) -> ChaosCluster:
    broker_url = str(parts["broker"][1].address)
    sources = folder / "sources.yaml"
    sources.write_text("sources: []\n", "utf-8")
    clock = folder / "clock" if faketime else None
    environment = {
        **own_environment(),
        "SONDE_ELASTICSEARCH__URL": proxies[0].url,
        "SONDE_ELASTICSEARCH__MORE_URLS": "[" + ",".join(f'"{proxy.url}"' for proxy in proxies[1:]) + "]",
        "SONDE_BROKER__URL": broker_url,
        "SONDE_INDEX__PREFIX": PREFIX,
        "SONDE_HARVEST__SOURCES": str(sources),
        "SONDE_HARVEST__SLICE_S": "10",
        "SONDE_HARVEST__BATCH": str(batch),
        "SONDE_NET__ALLOWED_HOSTS": '["127.0.0.1"]',
    }
    api = ApiConfig(port=free_port())
    python = Path(sys.executable)
    variables = {**served_at(api.port), "SONDE_API__WORKERS": "1"}  # one, whose memory and clock are watched
    if faketime and clock:
        reset_clock(clock)
        variables |= clock_environment(faketime, clock)
    services = (
        worker_service(python, "sonde.celery_app", QUEUES, folder, variables),
        beat_service(python, "sonde.celery_app", folder, variables),
        api_service(serve_command(), api, folder, variables),
    )
    stack = StackConfig(folder, environment)
    for service in services:
        parts[service.name] = _with_supervisor(folder, service_part(stack, replace(service, start_timeout_s=180.0)))
    names = [name for name in parts if name.startswith("node-")]
    return ChaosCluster(
        folder, client, proxies, names, f"http://127.0.0.1:{api.port}", broker_url, sources, clock, environment, parts
    )


def _node(folder: Path, name: str, members: Mapping[str, int], transport: int) -> tuple[Supervisor, StackPart]:
    settings = NodeConfig(
        http_port=free_port(),
        transport_port=transport,
        heap=_HEAP,
        node=name,
        members=members,
        start_timeout_s=_NODE_START_S,
        jvm_options=QUICK_START,
    )
    folder_of_node = folder / name
    part = _started_here(elasticsearch_part(_stack(folder_of_node, elasticsearch=settings)))
    shutil.rmtree(node_folder(folder_of_node, unprivileged_account(settings.run_as)), ignore_errors=True)
    return _with_supervisor(folder_of_node, part)


def _stack(folder: Path, **parts: object) -> StackConfig:
    return StackConfig(folder, own_environment(), **parts)  # type: ignore[arg-type]


def _with_supervisor(folder: Path, part: StackPart) -> tuple[Supervisor, StackPart]:
    return Supervisor(folder), part


def _started_here(part: StackPart | External) -> StackPart:
    if isinstance(part, External):
        raise TypeError("the parts of a cluster are all its own")
    return part


SAMPLES = "samples"
# Words of no question: what is harvested must not move what is searched.
_TOPICS = (
    "quarry dust",
    "tram noise",
    "street lamps",
    "bakery ovens",
    "harbour cranes",
    "bus stops",
    "well lids",
    "kites",
)


def made_titles(number: int) -> dict[str, str]:
    return {
        f"rec-{place:05d}": f"{_TOPICS[place % len(_TOPICS)].capitalize()} of region {place}" for place in range(number)
    }


def search_samples(
    cluster: ChaosCluster, celery: Celery, csw: str, ids: list[str], samples: Path, timeout_s: float = 600.0
) -> None:
    """Starts worker, beat and API, and harvests the samples; ``ids`` are sources to harvest at ``csw``.

    Raises TimeoutError if the samples are not there in time.
    """
    _write_sources(cluster, csw, ids, samples)
    cluster.start("worker", "beat")
    start_harvest(celery, SAMPLES)
    wait_until(lambda: count_written(cluster.client, SAMPLES) >= len(list(samples.glob("*.xml"))), timeout_s, "samples")
    cluster.start("api")


def _write_sources(cluster: ChaosCluster, csw: str, ids: list[str], samples: Path) -> None:
    lines = ["sources:", f"  - id: {SAMPLES}", "    type: folder", f"    path: {samples}"]
    for id in ids:
        lines += [f"  - id: {id}", "    type: csw", f"    url: {csw}"]
    cluster.sources.write_text("\n".join(lines) + "\n", "utf-8")


def count_written(client: Elasticsearch, source: str, prefix: str = PREFIX) -> int:
    """Records of a source that are written; 0 while nobody can say."""
    index = alias(prefix, "records")
    try:
        client.indices.refresh(index=index, ignore_unavailable=True)
        answer = client.count(index=index, query={"term": {"source": source}}, ignore_unavailable=True)
    except ElasticsearchError:
        return 0
    return int(answer["count"])


def native_ids(client: Elasticsearch, source: str) -> set[str]:
    client.indices.refresh(index=f"{PREFIX}-records")
    hits = scan(client, f"{PREFIX}-records", {"term": {"source": source}}, fields=())
    return {str(hit["_id"]).partition(":")[2] for hit in hits}
