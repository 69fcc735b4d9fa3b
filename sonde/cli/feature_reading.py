"""The features of the judged collections: each asked once, those with the same records in one index."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from core.errors import SondeError
from evaluation.all_collections import WEIGHTS
from evaluation.collection import JudgedCollection
from evaluation.ranking_features import (
    CollectionFeatures,
    collect_features,
    read_features,
    reading_all,
    write_features,
)
from sonde.cli.evaluate_all import EvaluateAll, collection_of
from sonde.cli.stage_bars import StageBars
from sonde.ops.temporary_node import temporary_node
from sonde.settings import Settings, load_settings
from sonde.wiring.evaluating import Bench, bench
from sonde.wiring.search import ranking_config


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
