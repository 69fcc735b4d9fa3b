"""`sonde evaluate --all --leave-one-out`: weights fitted on the other collections, beside those that ship."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from evaluation.fitted_weights import GRID, LeftOutTable, OfflineRanking, RankedCollections, Weights
from sonde.cli.evaluate_all import EvaluateAll, columns
from sonde.cli.feature_reading import features_of_all
from sonde.cli.screen import messages, screen
from sonde.ops.measured import write_measurement
from sonde.settings import load_settings
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
    grid = columns("nDCG@10", "shipped", "fitted on the others", "difference", *GRID)
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
