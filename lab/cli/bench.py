"""`sonde bench`: what things cost on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click
import httpx
import psutil
from rich.console import Console
from rich.table import Table

from core.errors import NotFound, SondeError
from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.indices import ensure_indices
from evaluation.temporary_index import delete_indices
from indexer.parts import HarvestParts, Options
from indexer.write.embed import embed_missing
from lab.load.catalogue import MadeVectors, real_records
from lab.load.graphs import GRAPHS, WINDOW, compare_graphs
from lab.load.saved_searches import match_time
from lab.measures import (
    EmbeddingTime,
    HarvestTime,
    SearchTimes,
    TimedNode,
    describe_node,
    time_embedding,
    time_harvest,
    time_hausdorff,
    time_ranking,
    time_searches,
    time_understanding,
)
from lab.search_profile import PHASES, profile_searches
from lab.waiting import trouble
from local_stack.ports import free_port
from reading.places import PlaceReader
from reading.times import TimeReader
from search_api.search.request import SearchRequest
from search_api.search.understanding.understand import Understander
from sonde.cli.screen import figures_table, screen
from sonde.ops.capacity import freeze_loaded_objects
from sonde.ops.measured import machine, write_measurement
from sonde.ops.one_machine import elasticsearch_environment, serve_command, served_at
from sonde.ops.temporary_node import temporary_node
from sonde.settings import Settings, load_settings
from sonde.wiring.clients import elasticsearch_client, index_shape
from sonde.wiring.evaluating import data_folder
from sonde.wiring.harvesting import HARVEST_TIMEOUT_S
from sonde.wiring.models import Models
from sonde.wiring.search import ranking_config, search_pipeline

_ARCHIVES = ("ncar_rda_1669.tar.gz", "ncar_eol_9206.tar.gz")
_QUESTIONS = Path(__file__).resolve().parents[2] / "samples" / "questions.jsonl"
_ROUNDS = 3


@click.command()
@click.option(
    "--catalogues",
    type=click.Path(path_type=Path),
    help="Folder with the archives of the NCAR records.  [default: they are fetched once]",
)
@click.option(
    "--vectors",
    "sizes",
    type=click.IntRange(min=1_000),
    multiple=True,
    metavar="NUMBER",
    help="Only compare Elasticsearch's graphs of vectors, over this many; give it again for more sizes.",
)
@click.option(
    "--graph", "graphs", type=click.Choice(GRAPHS), multiple=True, help="With --vectors: only this graph, or these."
)
@click.option(
    "--saved-searches",
    "saved_search_count",
    type=click.IntRange(min=100),
    metavar="NUMBER",
    help="Only time a night's matching of so many saved searches over 10,000 new records.",
)
@click.option(
    "--profile",
    "is_profile",
    is_flag=True,
    help="Only show where the processor time of a search goes, on the index of the settings.",
)
@click.option("--json", "out", type=click.Path(path_type=Path), help="Also write figures to this file.")
def bench(
    *,
    catalogues: Path | None,
    sizes: tuple[int, ...],
    graphs: tuple[str, ...],
    saved_search_count: int | None,
    is_profile: bool,
    out: Path | None,
) -> None:
    """Measure harvest, embedding and search on the NCAR records, in throw-away indices of the running Elasticsearch.

    Takes about five minutes. Other work on the machine changes the figures: check "load".
    """
    console = screen()
    figures: Json = {"machine": machine()}
    if is_profile:
        figures |= asdict(profile_searches(load_settings()))
        _show_profile(console, figures)
        if out is not None:
            write_measurement(out, figures)
        return
    archives = _archives(catalogues)
    _show(console, "machine", figures["machine"])
    if saved_search_count is None and not sizes:
        _think(console, figures, load_settings())
    with _node(console, figures) as settings:
        if saved_search_count is not None:
            _match(console, figures, settings, archives, saved_search_count)
        elif sizes:
            _compare_graphs(console, figures, settings, archives, sizes, graphs or GRAPHS)
        else:
            _measure(console, figures, settings, archives)
    if out is not None:
        write_measurement(out, figures)


def _archives(folder: Path | None) -> list[Path]:
    """The archives of the folder, else those that are fetched. Raises NotFound if one is missing."""
    folder = folder or data_folder("ncar", None, load_settings(), partial(click.echo, err=True)) / "catalogues"
    archives = [folder / name for name in _ARCHIVES]
    for archive in archives:
        if not archive.exists():
            raise NotFound(f"{archive} is missing; name its folder with --catalogues.")
    return archives


def _match(console: Console, figures: Json, settings: Settings, archives: list[Path], number: int) -> None:
    models = Models(settings)
    with _throw_away(settings, models) as (client, prefix):
        bench_settings = settings.model_copy(update={"index": settings.index.model_copy(update={"prefix": prefix})})
        figures["saved searches"] = match_time(console, bench_settings, client, models, archives, number)
        _show(console, "saved searches", figures["saved searches"])


def _compare_graphs(
    console: Console,
    figures: Json,
    settings: Settings,
    archives: list[Path],
    sizes: Sequence[int],
    graphs: Sequence[str],
) -> None:
    embedder = Models(settings).embedder()
    client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
    texts = [record.embedding_text for record in real_records(archives)]
    vectors, questions = MadeVectors.of(texts, embedder, max(sizes)), embedder.embed(_questions(), "query")
    for number in sizes:
        title = f"{number:,} vectors, the nearest {WINDOW}, one client"
        columns = ("of the true 10", f"of {WINDOW}", "p50 ms", "p95 ms", "disk MB", "memory MB", "built in s")
        table = _titled(figures_table("", *columns), title)
        for graph_figures in compare_graphs(client, embedder.card, vectors, questions, number, graphs):
            figures.setdefault("vectors", []).append(asdict(graph_figures))
            console.print(f"{graph_figures.graph}: {number:,} vectors, {graph_figures.built_s:.0f} s", style="dim")
            table.add_row(
                graph_figures.graph,
                f"{graph_figures.recall_first:.3f}",
                f"{graph_figures.recall_window:.3f}",
                f"{graph_figures.took_ms.p50:.1f}",
                f"{graph_figures.took_ms.p95:.1f}",
                f"{graph_figures.disk_bytes / 1e6:.0f}",
                f"{graph_figures.memory_bytes / 1e6:.0f}",
                f"{graph_figures.built_s:.0f}",
            )
        console.print(table)


@contextmanager
def _node(console: Console, figures: Json) -> Iterator[Settings]:
    """Settings whose Elasticsearch answers; says which one it is."""
    with temporary_node(load_settings(), console.print) as settings:
        try:
            node = describe_node(elasticsearch_client(settings))
        except ElasticsearchError as error:
            raise SondeError(
                f"Elasticsearch does not answer at {settings.elasticsearch_url}; `sonde up` starts it."
            ) from error
        figures["machine"]["elasticsearch"] = node
        console.print(f"Elasticsearch {node}", highlight=False)
        yield settings


def _questions() -> list[str]:
    return [json.loads(line)["q"] for line in _QUESTIONS.read_text("utf-8").splitlines()]


def _think(console: Console, figures: Json, settings: Settings) -> None:
    """Milliseconds: reading a question, ranking a thousand candidates, a thousand Hausdorff distances."""
    models = Models(settings)
    understander = Understander(
        PlaceReader(models.gazetteer, models.question_recogniser, tagger=models.question_tagger), TimeReader()
    )
    times = {
        "understanding a question, ms": time_understanding(understander, _questions()),
        "ranking 1,000 candidates, ms": time_ranking(ranking_config(settings).records),
        "Hausdorff of 1,000 boxes, ms": time_hausdorff(),
    }
    for name, spread in times.items():
        figures[name] = asdict(spread)
        _show(console, name, {"p50": f"{spread.p50:.3f}", "p95": f"{spread.p95:.3f}", "samples": spread.count})


def _measure(console: Console, figures: Json, settings: Settings, archives: list[Path]) -> None:
    models = Models(settings)
    with _throw_away(settings, models) as (client, prefix):
        _ingest(console, figures, models, client, prefix, archives)
        _search(console, figures, settings, models, prefix)
        _memory(console, figures, settings, prefix)


@contextmanager
def _throw_away(settings: Settings, models: Models) -> Iterator[tuple[Elasticsearch, str]]:
    client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
    prefix = f"sonde-bench-{uuid.uuid4().hex[:12]}"
    ensure_indices(client, prefix, models.embedder().card, shape=index_shape(settings))
    try:
        yield client, prefix
    finally:
        delete_indices(client, prefix)


def _ingest(
    console: Console,
    figures: Json,
    models: Models,
    client: Elasticsearch,
    prefix: str,
    archives: list[Path],
) -> None:
    freeze_loaded_objects()  # as a worker does
    first = [time_harvest(client, prefix, archive) for archive in archives]
    second_harvests = [time_harvest(client, prefix, archive) for archive in archives]
    figures["harvest"] = _harvest_figures(first)
    figures["harvest again, all unchanged"] = _harvest_figures(second_harvests)
    _show(console, "harvest without embedding", figures["harvest"])
    _show(console, "harvest again, all unchanged", figures["harvest again, all unchanged"])
    times = time_embedding(client, prefix, "ncar_rda_1669", archives[0], models.embedder())
    figures["embedding"] = _embedding_figures(times)
    _show(console, "embedding", figures["embedding"])
    # The other archive's vectors too, so that searches look at all of them.
    embed_missing("ncar_eol_9206", HarvestParts(client, prefix, models.embedder), Options())


def _harvest_figures(harvest_times: list[HarvestTime]) -> Json:
    files = sum(harvest_time.report.counts.seen for harvest_time in harvest_times)
    seconds = sum(harvest_time.seconds for harvest_time in harvest_times)
    return {
        "files": files,
        "refused": sum(harvest_time.report.counts.refused for harvest_time in harvest_times),
        "unchanged": sum(harvest_time.report.counts.same for harvest_time in harvest_times),
        "seconds": round(seconds, 1),
        "records/s": round(files / seconds, 1),
    }


def _embedding_figures(times: EmbeddingTime) -> Json:
    return {
        "texts": times.texts,
        "bare encoder, texts/s": round(times.bare, 1),
        "into the index, texts/s": round(times.whole, 1),
        "share of bare": f"{times.whole / times.bare:.1%}",
        "tokens read": times.reads_tokens,
        "texts longer than that": f"{times.longer_share:.1%}",
    }


def _search(console: Console, figures: Json, settings: Settings, models: Models, prefix: str) -> None:
    client = elasticsearch_client(settings, node=TimedNode)
    pipeline, _ = search_pipeline(client, prefix, models, ranking_config(settings))
    pipeline.search(SearchRequest(q="rain in Berlin since 1990", rerank=False))  # loads what answers need
    freeze_loaded_objects()
    questions = _questions()
    requests = {
        "bm25": SearchRequest(algorithm="bm25", rerank=False),
        "dense": SearchRequest(algorithm="dense", rerank=False),
        "hybrid": SearchRequest(rerank=False),
        "as it ships": SearchRequest(),
    }
    for name, request in requests.items():
        times = time_searches(pipeline, questions, request, _ROUNDS)
        figures[f"search {name}"] = asdict(times)
        with_or_without = "with" if request.rerank else "without"
        _show_search(console, f"search {name}, {with_or_without} late interaction, one client, ms", times)


def _memory(console: Console, figures: Json, settings: Settings, prefix: str) -> None:
    """Of one API process after some searches, models preloaded."""
    port = free_port()
    environment = {
        **os.environ,
        "SONDE_INDEX__PREFIX": prefix,
        **elasticsearch_environment(settings),
        "SONDE_LOG__LEVEL": "ERROR",
        **served_at(port),
        "SONDE_API__WORKERS": "1",
    }
    argv = serve_command()
    started_s = time.perf_counter()
    with subprocess.Popen(argv, env=environment) as server:  # noqa: S603 - our own command
        try:
            _wait_ready(f"http://127.0.0.1:{port}", server)
            ready_s = time.perf_counter() - started_s
            for question in ("rainfall in southern Africa since 1990", "sea ice", "Italian greenhouse gases 2010"):
                httpx.get(f"http://127.0.0.1:{port}/search", params={"q": question}, timeout=30).raise_for_status()
            children = psutil.Process(server.pid).children()
            resident = max(child.memory_info().rss for child in children)
        finally:
            server.terminate()
    figures["api process"] = {"ready after s": round(ready_s, 1), "resident MB": round(resident / 1e6)}
    _show(console, "api process", figures["api process"])


def _wait_ready(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if server.poll() is not None:
            raise SondeError("The API stopped before it answered; the end of its log is above.")
        if trouble(f"{url}/readyz") is None:
            return
        time.sleep(0.2)
    raise SondeError("The API was not ready within two minutes.")


def _show_profile(console: Console, figures: Json) -> None:
    _show(console, "API, ms of processor time", {**figures["own"], "whole request": figures["whole"]})
    _show(console, "Elasticsearch, ms of processor time", figures["server"])
    table = _titled(figures_table("", "sent by", *PHASES, "dearest clauses"), "Elasticsearch's profile, ms")
    for name, phases in figures["searches"].items():
        clauses = ", ".join(f"{kind} {spent_ms:.1f}" for kind, spent_ms in list(figures["clauses"][name].items())[:3])
        table.add_row(name, f"{phases['share']:.0%}", *(f"{phases[phase]:.2f}" for phase in PHASES), clauses)
    console.print(table)


def _show(console: Console, title: str, figures: Json) -> None:
    table = Table(title=title, title_justify="left", box=None, show_header=False, pad_edge=False)
    for name, value in figures.items():
        table.add_row(name, str(value))
    console.print(table)
    console.print()


def _titled(table: Table, title: str) -> Table:
    table.title, table.title_justify = title, "left"
    return table


def _show_search(console: Console, title: str, times: SearchTimes) -> None:
    table = _titled(figures_table("", "p50", "p95", "p99", "count"), title)
    rows = {"whole": times.whole, "elasticsearch": times.elasticsearch, "our own part": times.ours}
    for name, spread in (*rows.items(), *((f"  stage {stage}", spread) for stage, spread in times.stages.items())):
        table.add_row(name, f"{spread.p50:.1f}", f"{spread.p95:.1f}", f"{spread.p99:.1f}", str(spread.count))
    console.print(table)
    console.print()


COMMANDS = (bench,)
