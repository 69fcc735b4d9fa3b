"""The catalogue that `sonde load` asks: made for one run, or one that stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID

from evaluation.vector_cache import CachedEmbedder, VectorCache
from lab.load.catalogue import MadeCatalogue, CatalogueSize, ProgressReport, made_catalogue, real_records
from lab.load.standing import standing
from sonde.cli.screen import NameColumn
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.harvesting import HARVEST_TIMEOUT_S
from sonde.wiring.models import Models


@contextmanager
def catalogue(
    settings: Settings, paths: list[Path], size: CatalogueSize, name: str | None, progress: Console
) -> Iterator[MadeCatalogue]:
    """The one that stands under ``name``, made first where it does not; without a name, one for the ``with`` alone."""
    with ExitStack() as held:
        told, done = held.enter_context(_told(progress))
        client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
        held.callback(client.close)

        def embedder() -> CachedEmbedder:
            cache = VectorCache(settings.models.folder / "vectors.sqlite")
            held.callback(cache.close)
            return CachedEmbedder(
                Models(settings).embedder(), cache, lambda number, total: told("embedding", number, total)
            )

        if name is None:
            made = held.enter_context(made_catalogue(client, real_records(paths), embedder(), size, told))
        else:
            made = standing(client, name, size, lambda: (real_records(paths), embedder()), told)
        done()
        yield made


@contextmanager
def _told(console: Console) -> Iterator[tuple[ProgressReport, Callable[[], None]]]:
    with Progress(NameColumn(), BarColumn(), MofNCompleteColumn(), console=console) as bars:
        tasks: dict[str, TaskID] = {}

        def told(what: str, number: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=number, total=total)

        yield told, bars.stop
