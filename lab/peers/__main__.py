"""``python -m lab.peers``: the same records and questions for bare Elasticsearch, pygeoapi, stac-fastapi and Sonde."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import click

from core.errors import SondeError
from core.json_types import Json
from core.record import Record
from evaluation.collections.ncar import ARCHIVES, records_of
from lab.peers.questions import (
    PeerFigures,
    Words,
    elasticsearch_words,
    hits,
    measure,
    pygeoapi_words,
    sonde_words,
    stac_words,
)
from lab.peers.servers import (
    INDEX,
    PYGEOAPI,
    STAC_FASTAPI,
    STAC_INDICES,
    Backend,
    backend_of,
    environment_of,
    features,
    fill_stac,
    index_features,
    pygeoapi,
    stac_fastapi,
)
from sonde.cli.options import FILE, shown
from sonde.cli.screen import figures_table, messages, screen
from sonde.ops.measured import write_measurement
from sonde.ops.temporary_node import temporary_node
from sonde.settings import Settings, load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.evaluating import data_folder

SERVERS = ("elasticsearch", "pygeoapi", "stac-fastapi", "sonde")
_PLAIN = {"algorithm": "bm25", "interpret": "none", "rerank": "false"}
_WARM_UP_S = 10.0  # Elasticsearch compiles what it is asked often


@dataclass(frozen=True, slots=True)
class PeerTarget:
    """A server to measure, and the words and headers of its requests."""

    name: str
    url: str
    words: Words
    headers: Mapping[str, str] = field(default_factory=dict)


@click.command()
@click.option("--server", "servers", type=click.Choice(SERVERS), multiple=True, help="Only these.  [default: all]")
@click.option("--sonde", "sonde_url", help="Address of a Sonde that has harvested the same records.")
@click.option("--clients", type=click.IntRange(1, 64), multiple=True, default=(1, 8), show_default=True)
@shown("--seconds", 6.0, "Of each measurement.", click.FloatRange(0.5, 60))
@click.option("--json", "out", type=FILE, help="Also write the figures here.")
def peers(
    *,
    servers: tuple[str, ...],
    sonde_url: str | None,
    clients: tuple[int, ...],
    seconds: float,
    out: Path | None,
) -> None:
    """Ask other servers and Sonde the same simple questions: a topic and a box, ten hits.

    Makes an environment for each server with uv, loads the NCAR records into the Elasticsearch
    of the settings, starts two processes of each server, and measures one after the other. Only ratios mean
    something, because clients, servers and Elasticsearch share the machine.
    """
    names = servers or tuple(name for name in SERVERS if name != "sonde" or sonde_url)
    if "sonde" in names and not sonde_url:
        raise SondeError("--sonde names the address of a Sonde that has harvested the same records.")
    progress = messages()
    with temporary_node(load_settings(), progress.print) as settings:
        folder = settings.stack.folder / "peers"
        folder.mkdir(parents=True, exist_ok=True)
        items = list(features(itertools.chain.from_iterable(map(_read, _ncar(settings)))))
        progress.print(f"{len(items)} records")
        figures = list(_measure_server(settings, folder, names, items, sonde_url, clients, seconds, progress.print))
    _show(figures)
    if out is not None:
        servers_figures = [asdict(result) for result in figures]
        write_measurement(out, {"records": len(items), "servers": servers_figures, "ratios": _ratios(figures)})
    if any(result.failed or result.latency_ms is None for result in figures):
        raise SystemExit(1)


def _ncar(settings: Settings) -> list[Path]:
    data = data_folder("ncar", None, settings, partial(click.echo, err=True))
    return [data / "catalogues" / name for name in ARCHIVES.values()]


def _read(archive: Path) -> Iterator[Record]:
    return records_of(archive, "peers")


def _measure_server(
    settings: Settings,
    home: Path,
    names: tuple[str, ...],
    items: list[Json],
    sonde_url: str | None,
    clients: tuple[int, ...],
    seconds: float,
    say: Callable[[str], None],
) -> Iterator[PeerFigures]:
    """One server after the other, each alone on the machine."""
    backend = backend_of(settings)
    client = elasticsearch_client(settings, timeout_s=300.0, retry=True)
    before = set(client.indices.get(index="*").body)
    if stac_indices := sorted(name for name in before if name.startswith(STAC_INDICES)):
        raise SondeError(f"The index {stac_indices[0]} is there: use an Elasticsearch without a stac-fastapi.")
    try:
        index_features(client, items)
        for name in names:
            with ExitStack() as resources:
                say(f"{name}: starting")
                for server in _servers(name, resources, home, backend, items, sonde_url):
                    say(f"{server.name}: {hits(server.url, server.words, server.headers):.1f} hits a question")
                    measure(server.name, server.url, server.words, 4, _WARM_UP_S, server.headers)
                    for number in clients:
                        figures = measure(server.name, server.url, server.words, number, seconds, server.headers)
                        say(f"{server.name}, {number} clients: {figures.per_second:.1f}/s, {figures.failed} failed")
                        yield figures
    finally:
        client.options(ignore_status=404).indices.delete(index=INDEX)
        for name in client.indices.get(index="*").body:
            if name.startswith(STAC_INDICES) and name not in before:
                client.indices.delete(index=name)
        client.close()


def _servers(
    name: str, resources: ExitStack, home: Path, backend: Backend, items: list[Json], sonde_url: str | None
) -> list[PeerTarget]:
    if name == "elasticsearch":
        return [PeerTarget("bare Elasticsearch", backend.url, elasticsearch_words, backend.headers)]
    if name == "pygeoapi":
        url = resources.enter_context(pygeoapi(environment_of(PYGEOAPI, home), backend, home))
        return [PeerTarget("pygeoapi", url, pygeoapi_words)]
    if name == "stac-fastapi":
        url = resources.enter_context(stac_fastapi(environment_of(STAC_FASTAPI, home), backend, home))
        fill_stac(url, items)
        return [PeerTarget("stac-fastapi", url, stac_words)]
    url = str(sonde_url).rstrip("/")
    return [
        PeerTarget("Sonde, words alone", url, sonde_words(_PLAIN)),
        PeerTarget("Sonde, default", url, sonde_words({})),
    ]


def _ratios(figures: list[PeerFigures]) -> Json:
    """By the number of clients: how many searches Sonde answers for one of each other server."""
    ratios: Json = {}
    for ours, theirs in itertools.product(figures, figures):
        if ours.server.startswith("Sonde") and not theirs.server.startswith("Sonde") and ours.clients == theirs.clients:
            ratio = round(ours.per_second / theirs.per_second, 2) if theirs.per_second else None
            ratios.setdefault(str(ours.clients), {})[f"{ours.server}, of {theirs.server}"] = ratio
    return ratios


def _show(figures: list[PeerFigures]) -> None:
    table = figures_table("server", "clients", "/s", "p50 ms", "p95 ms", "p99 ms", "failed")
    for result in figures:
        spread = result.latency_ms
        times = [f"{value:.1f}" for value in (spread.p50, spread.p95, spread.p99)] if spread else ["-"] * 3
        table.add_row(result.server, str(result.clients), f"{result.per_second:.1f}", *times, str(result.failed))
    screen().print(table)


if __name__ == "__main__":
    peers()
