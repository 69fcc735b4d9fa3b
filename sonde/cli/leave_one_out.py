"""`sonde evaluate --all --leave-one-out`: weights fitted on the other collections, beside those that ship."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from core.errors import SondeError
from evaluation.all_collections import WEIGHTS
from evaluation.collection import JudgedCollection
from evaluation.fitted_weights import GRID, LeftOutTable, OfflineRanking, RankedCollections, Weights
from evaluation.ranking_features import CollectionFeatures, collect_features, read_features, reading_all, write_features
from sonde.cli.evaluate_all import EvaluateAll, collection_of
from sonde.cli.screen import StageBars, figures_table, messages, screen
from sonde.ops.measured import write_measurement
from sonde.ops.temporary_node import temporary_node
from sonde.settings import Settings, load_settings
from sonde.wiring.evaluating import Bench, bench
from sonde.wiring.search import ranking_config


def leave_one_out(request: EvaluateAll, features_file: Path | None, fitted: Sequence[str] = tuple(GRID)) -> None:
    """Prints the table; ``fitted``: the weights that are fitted, the others stay as shipped.

    Raises SondeError where fewer than two collections can be read.
    """
    ranker = ranking_config(load_settings()).records
    features = features_of_all(request, features_file, messages())
    collections = RankedCollections({name: OfflineRanking(entry, ranker) for name, entry in features.items()})
    table = collections.leave_one_out(Weights.of(ranker), fitted)
    if request.json is not None:
        write_measurement(request.json, {"half": request.half, "fitted": list(fitted), **table.as_dict()})
    _show(screen(), table)


def _show(console: Console, table: LeftOutTable) -> None:
    grid = figures_table("nDCG@10", "shipped", "fitted on the others", "difference", *GRID)
    for row in table.rows:
        grid.add_row(row.name, *_values(row.shipped, row.fitted), *_numbers(row.weights))
    grid.add_row("mean", *_values(*table.means()), *("" for _ in GRID))
    console.print(grid)
    console.print(f"shipped weights: {_sentence(table.shipped)}", highlight=False)
    console.print(f"fitted on all, mean {table.best_mean:.4f}: {_sentence(table.best)}", highlight=False)


def _values(shipped: float, fitted: float) -> tuple[str, str, str]:
    return f"{shipped:.4f}", f"{fitted:.4f}", f"{fitted - shipped:+.4f}"


def _numbers(weights: Weights) -> list[str]:
    return [f"{getattr(weights, name):g}" for name in GRID]


def _sentence(weights: Weights) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in asdict(weights).items())


@dataclass(slots=True)
class _SharedBench:
    """The bench of the last collection; the next with the same records and the same "now" asks it too."""

    settings: Settings
    stack: ExitStack
    bars: StageBars
    records: tuple[str, ...] = ()
    as_of_ms: int | None = None
    bench: Bench | None = None

    def of(self, collection: JudgedCollection) -> Bench:
        records = tuple([record.id for record in collection.records])
        if self.bench is None or (records, collection.as_of_ms) != (self.records, self.as_of_ms):
            self.stack.close()
            self.bench = self.stack.enter_context(
                bench(
                    self.settings,
                    collection,
                    config=reading_all(ranking_config(self.settings)),
                    progress=self.bars.progress_of("embedding"),
                )
            )
            self.records, self.as_of_ms = records, collection.as_of_ms
        return self.bench


def features_of_all(request: EvaluateAll, path: Path | None, console: Console) -> dict[str, CollectionFeatures]:
    """From the file, if there is one; else measured, and written there after each collection.

    Raises SondeError where fewer than two collections can be read.
    """
    features = read_features(path) if path is not None and path.exists() else _measure(request, path, console)
    if len(features) < 2:
        raise SondeError("--leave-one-out needs two collections: it fits on the others.")
    return features


def _measure(request: EvaluateAll, path: Path | None, console: Console) -> dict[str, CollectionFeatures]:
    features: dict[str, CollectionFeatures] = {}
    with (
        temporary_node(load_settings(), console.print) as settings,
        StageBars(console) as bars,
        ExitStack() as stack,
    ):
        shared = _SharedBench(settings, stack, bars)
        for place, name in enumerate(WEIGHTS, 1):
            console.print(f"{place} of {len(WEIGHTS)}: {name}", highlight=False)
            try:
                collection = collection_of(name, request, settings)
            except SondeError as error:
                console.print(str(error), style="yellow", highlight=False)
                continue
            features[name] = collect_features(shared.of(collection).pipeline, collection, threads=request.threads)
            if path is not None:
                write_features(path, features)
    return features
