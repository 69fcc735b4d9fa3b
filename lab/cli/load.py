"""`sonde load`: how many searches a second, and how long each takes, at one and at many clients."""

from __future__ import annotations

import ipaddress
import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, astuple, dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import click
from rich.console import Console

from core.errors import SondeError
from evaluation.collections.ncar import ARCHIVES
from evaluation.vector_cache import CachedEmbedder, VectorCache
from lab.load.catalogue import (
    CatalogueSize,
    MadeCatalogue,
    made_catalogue,
    real_records,
    standing_catalogue,
)
from lab.load.catalogue import drop as drop_standing
from lab.load.clients import SEARCH_MODES, LoadSummary, SearchMode, ask
from lab.measures import describe_node
from lab.own_api import own_api
from sonde.cli.options import FILE, shown
from sonde.cli.screen import StageBars, ended_by_signals, figures_table, messages, screen
from sonde.ops.measured import machine, write_measurement
from sonde.ops.temporary_node import temporary_node
from sonde.settings import Settings, load_settings
from sonde.wiring.checkout import CHECKOUT
from sonde.wiring.clients import elasticsearch_client, index_shape
from sonde.wiring.harvesting import HARVEST_TIMEOUT_S
from sonde.wiring.models import Models

_SAMPLES = Path(__file__).resolve().parents[2] / "samples"
_MAX_EMBEDDED = 20_000
_SECONDS = click.FloatRange(0.5, 60)


@contextmanager
def catalogue(
    settings: Settings, paths: list[Path], size: CatalogueSize, name: str | None, progress: Console
) -> Iterator[MadeCatalogue]:
    """The catalogue called ``name``, which is filled first if it is absent; without a name, a temporary one."""
    with ExitStack() as resources:
        client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
        resources.callback(client.close)
        with StageBars(progress) as bars:
            progress_of = cache(bars.progress_of)

            def report(task: str, number: int, total: int) -> None:
                progress_of(task)(number, total)

            def embedder() -> CachedEmbedder:
                vectors = VectorCache(settings.models.folder / "vectors.sqlite")
                resources.callback(vectors.close)
                return CachedEmbedder(Models(settings).embedder(), vectors, progress_of("embedding"))

            if name is None:
                test_catalogue = resources.enter_context(
                    made_catalogue(client, real_records(paths), embedder(), size, report)
                )
            else:
                test_catalogue = standing_catalogue(
                    client, name, size, lambda: (real_records(paths), embedder()), report
                )
        yield test_catalogue


def show(console: Console, summaries: list[LoadSummary], before: dict[str, str], after: str) -> None:
    """Rates and times, then whose time it was; the load of the machine above both."""
    console.print(
        f"{before['processor']}, {before['cores']} cores, load {before['load']} before, {after} after; "
        f"Elasticsearch {before['elasticsearch']}",
        highlight=False,
    )
    times = figures_table(
        "", "clients", "/s", "p50 ms", "p95 ms", "p99 ms", "refused", "in ms (p95)", "failed", "degraded"
    )
    shares = figures_table("", "clients", "Elasticsearch", "encoder", "ours", "around")
    for summary in summaries:
        spread = summary.latency_ms
        waited = [f"{value:.0f}" for value in (spread.p50, spread.p95, spread.p99)] if spread else ["-"] * 3
        refusal_cells = [str(summary.refused), f"{summary.refusal_ms.p95:.0f}" if summary.refusal_ms else "-"]
        counts = [str(summary.failed), str(summary.degraded)]
        times.add_row(
            summary.course, str(summary.clients), f"{summary.per_second:.1f}", *waited, *refusal_cells, *counts
        )
        if summary.shares:
            shares.add_row(summary.course, str(summary.clients), *(f"{share:.0%}" for share in astuple(summary.shares)))
    console.print(times)
    console.print(shares)


def show_catalogue(console: Console, test_catalogue: MadeCatalogue, size: CatalogueSize) -> None:
    """What the figures mean, and which vectors are not real."""
    for line in (
        "Times as clients waited for answers; refused: 503 with Retry-After, which clients keep to.",
        "Elasticsearch: stages that ask it, wire included; encoder: embed and rerank; ours: understand and rank; "
        "around: HTTP, JSON, waiting for a thread or a core.",
        f"{size.records} records made of {test_catalogue.real} real ones: "
        f"{test_catalogue.vectors_records} vectors are real, "
        f"{size.records - test_catalogue.vectors_records} are perturbed real ones.",
        f"{size.passages} passages: {test_catalogue.vectors_passages} vectors are real, "
        f"{size.passages - test_catalogue.vectors_passages} are perturbed real ones. "
        f"All filled in {test_catalogue.seconds:.0f} s.",
    ):
        console.print(line, highlight=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked: each course at each number of clients, ``seconds`` each, of so many API processes."""

    courses: tuple[SearchMode, ...]
    clients: tuple[int, ...]
    warm_up_s: float
    seconds: float
    processes: int


@click.command()
@shown("--records", 10_000, type=click.IntRange(1, 1_000_000))
@shown("--passages", 10_000, type=click.IntRange(0, 3_000_000))
@click.option(
    "--embed",
    "embedded",
    type=click.IntRange(1, _MAX_EMBEDDED),
    default=_MAX_EMBEDDED,
    show_default=True,
    help="Maximum texts of records, and of passages, with a computed vector; further vectors are perturbed ones.",
)
@click.option(
    "--clients", type=click.IntRange(1, 1000), multiple=True, default=(1, 8, 32), show_default=True, help="At once."
)
@shown("--warm-up", 20.0, "Seconds of searches before each course: Elasticsearch has to compile it.", _SECONDS)
@shown("--seconds", 5.0, "Seconds of each measurement.", _SECONDS)
@click.option("--course", "chosen", type=click.Choice([course.name for course in SEARCH_MODES]), multiple=True)
@shown("--processes", 2, "API processes.", click.IntRange(1, 16))
@click.option(
    "--catalogues",
    type=click.Path(path_type=Path),
    help="Folder with the archives of the NCAR records.  [default: where `sonde evaluate --collection ncar "
    "--fetch-only` keeps them]",
)
@click.option("--standing", help="Use a permanent catalogue of this name; it is created if it does not exist.")
@click.option("--build-only", is_flag=True, help="Only create the permanent catalogue.")
@click.option("--drop", is_flag=True, help="Only delete the permanent catalogue.")
@click.option("--allow-remote", is_flag=True, help="Allow an Elasticsearch on another machine.")
@click.option("--json", "out", type=FILE, help="Also write figures to this file.")
def load(
    *,
    records: int,
    passages: int,
    embedded: int,
    clients: tuple[int, ...],
    warm_up: float,
    seconds: float,
    chosen: tuple[str, ...],
    processes: int,
    catalogues: Path | None,
    standing: str | None,
    build_only: bool,
    drop: bool,
    allow_remote: bool,
    out: Path | None,
) -> None:
    """Search a made-up catalogue with many clients at once, on a separate API.

    Records and passages are made of real ones (NCAR's where --catalogues has them, else the samples) in throw-away
    indices of the running Elasticsearch. Clients, API and Elasticsearch share the machine: its load stands beside the
    figures. Exit code 1 if a request failed (500, any other error, or no answer; not 503 with Retry-After).
    """
    settings, before = load_settings(), machine()
    if not allow_remote:
        _refuse_remote(settings)
    if (build_only or drop) and standing is None:
        raise SondeError("--build-only and --drop need --standing NAME.")
    if drop:
        drop_standing(elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True), str(standing))
        return
    size = CatalogueSize(records, passages, embedded, index_shape(settings))
    courses = tuple(course for course in SEARCH_MODES if not chosen or course.name in chosen)
    plan = Plan(courses, clients, warm_up, seconds, processes)
    paths, questions = _real_catalogues(settings, catalogues), _questions()
    console, progress = screen(), messages()
    with ExitStack() as resources:
        resources.enter_context(ended_by_signals())
        settings = resources.enter_context(temporary_node(settings, progress.print))
        before["elasticsearch"] = describe_node(elasticsearch_client(settings))
        test_catalogue = resources.enter_context(catalogue(settings, paths, size, standing, progress))
        if build_only:
            show_catalogue(console, test_catalogue, size)
            return
        summaries = []
        for summary in _measure(settings, test_catalogue.prefix, plan, questions):
            progress.print(f"{summary.course}, {summary.clients} clients: {summary.per_second:.1f}/s", highlight=False)
            summaries.append(summary)
    after = f"{os.getloadavg()[0]:.1f}"
    show(console, summaries, before, after)
    show_catalogue(console, test_catalogue, size)
    if out is not None:
        figures = {
            "machine": {**before, "load after": after},
            "size": asdict(size),
            "made": {**asdict(test_catalogue), "of": [path.name for path in paths]},
            "api": {
                "processes": processes,
                "at once": settings.api.at_once,
                "longest wait s": settings.api.longest_wait_s,
            },
            "courses": [asdict(summary) for summary in summaries],
        }
        write_measurement(out, figures)
    if any(summary.failed for summary in summaries):
        sys.exit(1)


def _refuse_remote(settings: Settings) -> None:
    """Raises SondeError for an Elasticsearch that is not on this machine."""
    for url in (settings.elasticsearch_url, *settings.elasticsearch.more_urls):
        host = urlsplit(url).hostname or ""
        if not _is_local(host):
            raise SondeError(f"{host} is another machine. Give --allow-remote to put load on it.")


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _real_catalogues(settings: Settings, folder: Path | None) -> list[Path]:
    shared = CHECKOUT.parent / "shared" / "data" / "catalogues"
    folder = folder or (shared if shared.is_dir() else settings.stack.folder / "collections" / "catalogues")
    return [file for name in ARCHIVES.values() if (file := folder / name).exists()] or [_SAMPLES / "records"]


def _questions() -> list[str]:
    file = _SAMPLES / "questions.jsonl"
    if not file.is_file():
        raise SondeError("`sonde load` needs a checkout: its questions are in samples/, which no package has.")
    return [json.loads(line)["q"] for line in file.read_text("utf-8").splitlines()]


def _measure(settings: Settings, prefix: str, plan: Plan, questions: list[str]) -> Iterator[LoadSummary]:
    """Each course after a warm-up by four clients for each process, so that every process and cache has seen it."""
    with own_api(settings, prefix, plan.processes) as url:
        for course in plan.courses:
            ask(url, course, questions, 4 * plan.processes, plan.warm_up_s)
            for clients in plan.clients:
                replies, seconds = ask(url, course, questions, clients, plan.seconds)
                yield LoadSummary.of(course.name, clients, replies, seconds)


COMMANDS = (load,)
