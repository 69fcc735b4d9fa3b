"""The tables of ``results/VERSION``: rows of figures, each with its command, data, machine and commit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from core.errors import NotFound, SondeError
from core.json_types import JsonMapping

RESULTS = Path(__file__).resolve().parents[2] / "results"
TABLES = ("quality", "speed", "scale", "cluster", "compose", "faults", "documents", "standards", "release")

Figure = int | float


class ResultRow(BaseModel, extra="forbid", populate_by_name=True):
    """One measurement.

    ``trained``: what was trained or tuned on the data. ``most``: the budget. ``take``: figure -> its place in the file
    of the command's ``--json``. ``origin``: the source of a figure without such a file.
    """

    what: str = Field(min_length=1)
    figures: dict[str, Figure]
    command: str = Field(min_length=1)
    data: str = ""
    trained: str = ""
    note: str = ""
    most: Figure | None = None
    by_test: bool = False
    take: dict[str, str] = {}
    version: str | None = None
    commit: str | None = None
    measured_on: str | None = None
    machine: dict[str, str | int] = {}
    origin: str | None = Field(default=None, alias="from")


class ResultTable(BaseModel, extra="forbid"):
    title: str
    rows: dict[str, ResultRow]


def newest_results(results: Path = RESULTS) -> Path:
    """The folder of the newest version."""
    return max((path for path in results.iterdir() if path.is_dir()), key=lambda path: _numbers(path.name))


def _numbers(name: str) -> list[int]:
    return [int(part) for part in name.split(".") if part.isdigit()]


def load_tables(folder: Path) -> dict[str, ResultTable]:
    """All tables of a version. Raises SondeError as ``load_table``."""
    return {name: load_table(folder / f"{name}.json") for name in TABLES}


def load_table(path: Path) -> ResultTable:
    """Raises SondeError for a table that is absent or has another form."""
    try:
        return ResultTable.model_validate_json(path.read_text("utf-8"))
    except (OSError, ValidationError) as error:
        raise SondeError(f"{path} is no table of results: {error}") from None


def save_table(path: Path, table: ResultTable) -> None:
    content = table.model_dump(by_alias=True, exclude_defaults=True)
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")


def keys(tables: Mapping[str, ResultTable]) -> Iterator[tuple[str, Figure]]:
    """``TABLE.ROW.FIGURE`` and its value, in the order of the files."""
    for table, content in tables.items():
        for row, result in content.rows.items():
            for figure, value in result.figures.items():
                yield f"{table}.{row}.{figure}", value


def take_figures(row: ResultRow, measurement: JsonMapping) -> ResultRow:
    """The row with the figures, command, machine and commit of a file that a command's ``--json`` wrote.

    Raises SondeError if the row does not say where its figures lie, or the file how it was measured; NotFound if a
    figure is absent.
    """
    if not row.take:
        raise SondeError("The row has no `take`: it does not say where its figures lie in the file.")
    if "measured" not in measurement:
        raise SondeError("It has no `measured`: a command's --json writes it.")
    run = measurement["measured"]
    return row.model_copy(
        update={
            "figures": {name: value_at(measurement, path) for name, path in row.take.items()},
            "command": run["command"],
            "version": run["version"],
            "commit": run["commit"],
            "measured_on": run["at"][:10],
            "machine": run["machine"] | _elasticsearch(measurement),
            "origin": None,
        }
    )


def _elasticsearch(measurement: JsonMapping) -> dict[str, str]:
    """The version of Elasticsearch, if the file names it."""
    version = measurement.get("machine", {}).get("elasticsearch")
    return {"elasticsearch": version} if version else {}


def value_at(content: object, path: str) -> Figure:
    """The number at ``a/b/0/c``; ``name=x`` is the entry of a list whose ``name`` is ``x``. Raises NotFound."""
    value = content
    for step in path.split("/"):
        value = _entry(value, step)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotFound(f"There is no number at {path}.")
    if not isinstance(value, float):
        return value
    return round(value, 4 if abs(value) < 10 else 1)  # shares in detail, times and rates as people read them


def _entry(value: object, step: str) -> object:
    if isinstance(value, list) and "=" in step:
        name, _, expected = step.partition("=")
        return next((entry for entry in value if str(entry.get(name)) == expected), None)
    if isinstance(value, list):
        return value[int(step)] if step.isdigit() and int(step) < len(value) else None
    return value.get(step) if isinstance(value, dict) else None
