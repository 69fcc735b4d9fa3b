"""`sonde evaluate --all`: the judged collections one after another, one table, and their weighted mean.

With `--leave-one-out`, weights fitted on the other collections, beside those that ship.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from core.errors import SondeError
from core.json_types import Json
from evaluation.all_collections import WEIGHTS, AllResults, CollectionResult, Figures, figures_of
from evaluation.collection import BadCollection, Half, JudgedCollection
from evaluation.collections.fetching import HOMES, NotFetched
from evaluation.evaluate import Evaluation, evaluate
from evaluation.fitted_weights import GRID, LeftOutTable, OfflineRanking, RankedCollections, Weights
from evaluation.metrics import HEADLINE
from evaluation.ranking_features import CollectionFeatures, collect_features, read_features, reading_all, write_features
from evaluation.variants import Variant, ablations
from sonde.cli.screen import StageBars, figures_table, messages, say, screen
from sonde.ops.measured import write_measurement
from sonde.ops.temporary_node import temporary_node
from sonde.settings import Settings, load_settings
from sonde.wiring.evaluating import OWN_SHARED, Bench, bench, has_halves, judged_collection
from sonde.wiring.search import ranking_config

_FIGURES = (HEADLINE, "success@1")


@dataclass(frozen=True, slots=True)
class EvaluateAll:
    """The command's options with ``--all``."""

    variant: Variant
    ablate: bool
    half: Half | None
    limit: int | None
    shared: Path | None
    json: Path | None
    threads: int


def evaluate_all(request: EvaluateAll) -> None:
    """Prints the table; writes the file after each collection, so that an interruption keeps what was measured.

    Raises SondeError where no collection can be read.
    """
    console, results, made_with = messages(), AllResults(), {}
    with temporary_node(load_settings(), console.print) as settings:
        for place, (name, weight) in enumerate(WEIGHTS.items(), 1):
            console.print(f"{place} of {len(WEIGHTS)}: {name}", highlight=False)
            try:
                collection = collection_of(name, request, settings)
            except SondeError as error:
                console.print(str(error), style="yellow", highlight=False)
                results = results.with_missing(name, str(error))
            else:
                options = (request.variant, request.ablate, request.threads)
                evaluations, evaluation_bench = evaluations_of(collection, *options, settings, console)
                results = results.with_result(_result(name, weight, collection, evaluations))
                made_with = _made_with(evaluation_bench)
            _write(request, results, made_with)
    if not results.results:
        raise SondeError("None of the collections can be read.")
    _show(screen(), results)


def collection_of(name: str, request: EvaluateAll, settings: Settings) -> JudgedCollection:
    """A collection without halves is all for testing. Raises SondeError that says how to get the collection."""
    is_halved = has_halves(name)
    if request.half == "train" and not is_halved:
        raise SondeError(f"{name} has no halves: all of it is for testing.")
    try:
        collection = judged_collection(
            name, request.shared, request.half if is_halved else None, settings, partial(say, err=True)
        )
    except (BadCollection, NotFetched):
        raise
    except FileNotFoundError as error:
        raise SondeError(f"{error.filename} is missing. {_how_to_get(name)}") from error
    except SondeError as error:
        raise SondeError(f"{str(error).rstrip('.')}. {_how_to_get(name)}") from error
    return collection.first_questions(request.limit) if request.limit else collection


def _how_to_get(name: str) -> str:
    fetch_hint = f" Without --shared and {OWN_SHARED}, Sonde fetches them." if name in HOMES else ""
    return f"--shared names a folder whose data/ has the files of {name} (judged, catalogues).{fetch_hint}"


def evaluations_of(
    collection: JudgedCollection, variant: Variant, ablate: bool, threads: int, settings: Settings, console: Console
) -> tuple[list[Evaluation], Bench]:
    """The variant's evaluation, then, with ``ablate``, one with each stage switched off; and what made them."""
    for note in collection.notes:
        console.print(note, style="yellow", highlight=False)
    stages = {"asking": variant, **({stage.name: stage for stage in ablations(variant)} if ablate else {})}
    with (
        StageBars(console) as bars,
        bench(settings, collection, progress=bars.progress_of("embedding")) as evaluation_bench,
    ):
        pipeline = evaluation_bench.pipeline
        evaluations = [
            evaluate(pipeline, collection, stage, threads=threads, progress=bars.progress_of(name))
            for name, stage in stages.items()
        ]
    return evaluations, evaluation_bench


def _result(
    name: str, weight: float, collection: JudgedCollection, evaluations: Sequence[Evaluation]
) -> CollectionResult:
    evaluation, *others = evaluations
    return CollectionResult(
        name=name,
        weight=weight,
        documents=len(collection.records),
        questions=len(collection.questions),
        figures=figures_of(evaluation, collection),
        degraded=evaluation.degraded,
        stages={ablation.variant.name: figures_of(ablation, collection) for ablation in others},
    )


def _made_with(evaluation_bench: Bench) -> Json:
    card = evaluation_bench.cross_encoder
    return {
        "embedder": asdict(evaluation_bench.embedder),
        "cross_encoder": asdict(card) if card is not None else None,
        "ranking": json.loads(evaluation_bench.config.to_json()),
    }


def _write(request: EvaluateAll, results: AllResults, made_with: Json) -> None:
    if request.json is not None:
        options = {"variant": request.variant.as_dict(), "half": request.half, "limit_queries": request.limit}
        write_measurement(request.json, {**options, **results.as_dict(), "made_with": made_with})


def _show(console: Console, results: AllResults) -> None:
    console.print(_table(results))
    for result in results.results:
        for name, count in result.degraded.items():
            console.print(
                f"{result.name}: {count} questions were ranked without {name}", style="yellow", highlight=False
            )
    for missing_collection in results.missing:
        console.print(f"left out {missing_collection.name}: {missing_collection.why}", style="yellow", highlight=False)
    if stages := results.stages():
        table = figures_table("mean over collections", *_FIGURES, "gain", "better", "worse")
        mean = results.mean()
        if mean is not None:
            table.add_row("full", *_values(mean), "", "", "")
        for stage in stages:
            table.add_row(
                stage.name, *_values(stage.figures), f"{stage.gain:+.4f}", str(stage.better), str(stage.worse)
            )
        console.print(table)


def _table(results: AllResults) -> Table:
    table = figures_table("collection", "questions", *_FIGURES, "weight")
    for result in results.results:
        table.add_row(result.name, str(result.questions), *_values(result.figures), f"{result.weight:g}")
    mean = results.mean()
    if mean is not None:
        question_count = sum(result.questions for result in results.results)
        weight = sum(result.weight for result in results.results)
        table.add_row("mean", str(question_count), *_values(mean), f"{weight:g}")
    return table


def _values(figures: Figures) -> tuple[str, str]:
    return f"{figures.ndcg_at_10:.4f}", f"{figures.success_at_1:.4f}"


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
    _show_left_out(screen(), table)


def _show_left_out(console: Console, table: LeftOutTable) -> None:
    grid = figures_table("nDCG@10", "shipped", "fitted on the others", "difference", *GRID)
    for row in table.rows:
        grid.add_row(row.name, *_left_out_values(row.shipped, row.fitted), *_numbers(row.weights))
    grid.add_row("mean", *_left_out_values(*table.means()), *("" for _ in GRID))
    console.print(grid)
    console.print(f"shipped weights: {_sentence(table.shipped)}", highlight=False)
    console.print(f"fitted on all, mean {table.best_mean:.4f}: {_sentence(table.best)}", highlight=False)


def _left_out_values(shipped: float, fitted: float) -> tuple[str, str, str]:
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
