"""What is made from the code by `python -m sonde.ops.tables`: the page of settings, tables in other pages of docs/, and
the source types in the chart."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from encoders.presets import KNOWN_MODELS
from indexer.formats import field_table
from indexer.formats.field_table import page_marks, replace_between
from indexer.formats.recognition import FORMATS
from indexer.sources.protocols import PROTOCOLS
from search_api.formats_out.formats import FORMATS as OUTPUT_FORMATS
from sonde.ops.settings_page import settings_page
from workers.source_config import source_types

ROOT = Path(__file__).resolve().parents[2]


def protocols(page: str) -> str:
    rows = (
        f"| `{kind.name}` | {kind.summary} | {kind.changes_by or '-'} | `{' '.join(kind.option_names)}` |"
        for kind in PROTOCOLS.values()
    )
    return _between(
        "protocols", page, ["| type | what it does | only what changed by | options |", "|---|---|---|---|", *rows]
    )


def formats(page: str) -> str:
    rows = (f"| `{format.name}` | {format.found_by} | {format.version} |" for format in FORMATS.values())
    new_page = _between("formats", page, ["| format | found by | version |", "|---|---|---|", *rows])
    return field_table.with_table(new_page)


def output_formats(page: str) -> str:
    head = ["| format | media type | one record | a search | OAI-PMH | `/dcat` |", "|---|---|---|---|---|---|"]
    rows = (
        f"| {format.title} | `{format.media_type}` | {_value('f', format.name if format.record else None)} "
        f"| {_value('f', format.name if format.results else None)} "
        f"| {_value('metadataPrefix', format.oai.prefix if format.oai else None)} "
        f"| {_value('f', format.feed.name if format.feed else None)} |"
        for format in OUTPUT_FORMATS.values()
    )
    return _between("output formats", page, [*head, *rows])


def chart(schema: str) -> str:
    """The source types in the chart's schema of values."""
    values = json.loads(schema)
    values["properties"]["sources"]["items"]["properties"]["type"]["enum"] = list(source_types())
    return json.dumps(values, indent=2) + "\n"


def known_models(page: str) -> str:
    rows = (
        f"| `{model.name}` | {model.licence} | {model.dims} | {model.max_tokens} | {model.languages} | {model.note} |"
        for model in KNOWN_MODELS
    )
    head = ["| embedder | licence | dimensions | tokens | languages | note |", "|---|---|---|---|---|---|"]
    return _between("known models", page, [*head, *rows])


FILES: dict[str, Callable[[str], str]] = {
    "docs/operators/settings.md": lambda _page: settings_page(),
    "docs/stewards/sources-and-schedules.md": protocols,
    "docs/stewards/formats.md": formats,
    "docs/portals/standards.md": output_formats,
    "docs/extending/training.md": known_models,
    "helm/sonde/values.schema.json": chart,
}


def _value(parameter: str, value: str | None) -> str:
    return "" if value is None else f"`{parameter}={value}`"


def _between(name: str, page: str, lines: Iterable[str]) -> str:
    """The page with the lines between its two marks. Raises ValueError if it has no marks."""
    begin, end = page_marks(name)
    if begin not in page or end not in page:
        raise ValueError(f"the page has no marks {begin} and {end}")
    return replace_between(name, page, "\n".join(lines))


if __name__ == "__main__":
    for _name, _write in FILES.items():
        _path = ROOT / _name
        _path.write_text(_write(_path.read_text("utf-8")), "utf-8")
