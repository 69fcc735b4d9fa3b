"""``python -m lab.results``: writes the figures of ``results/VERSION`` into the guides, and takes new ones.

``0.41<!-- figure: quality.ncar.ndcg_at_10 .2f -->`` quotes one figure in Python's format ``.2f``; ``?`` can replace
the number. ``<!-- results: scale -->`` to ``<!-- end of results -->`` encloses a table; names after the table's name
choose rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import click

from core.errors import NotFound, SondeError
from lab.results.tables import (
    Figure,
    ResultRow,
    ResultTable,
    keys,
    load_tables,
    newest_results,
    save_table,
    take_figures,
)
from sonde.cli.options import PRESENT_FILE
from sonde.wiring.checkout import CHECKOUT

_QUOTE = re.compile(r"(?:\?|-?\d[\d.,]*%?)<!-- figure: (?P<key>\S+)(?: (?P<form>\S+))? -->")
_BLOCK = re.compile(r"(<!-- results: (?P<what>[^>]+?) -->\n).*?(<!-- end of results -->)", re.S)
_UNITS = {"ms": "ms", "us": "µs", "s": "s", "mb": "MB", "gb": "GB", "mib": "MiB", "kb": "KB"}
_WORDS = {
    "iou": "IoU",
    "api": "API",
    "bm25": "BM25",
    "ncar": "NCAR",
    "minilm": "MiniLM",
    "e5": "E5",
    "elasticsearch": "Elasticsearch",
    "hausdorff": "Hausdorff",
}
_SIMILAR = 4
_DATA = "data, and what was trained on it"


def pages() -> Iterator[Path]:
    """The Markdown that may quote figures."""
    yield from sorted((CHECKOUT / "docs").rglob("*.md"))
    yield from (CHECKOUT / name for name in ("README.md", "CONTRIBUTING.md"))


def with_figures(text: str, tables: Mapping[str, ResultTable]) -> str:
    """The page with the figures of ``tables``.

    Raises NotFound for an unknown key, table or row, ValueError for a bad format.
    """
    values = dict(keys(tables))
    if text.count("<!-- figure:") != len(_QUOTE.findall(text)):
        raise NotFound("A `<!-- figure: KEY -->` does not follow a number or a question mark.")
    page = _QUOTE.sub(lambda match: _quote(match, values), text)
    return _BLOCK.sub(lambda match: f"{match[1]}{_table(match['what'].split(), tables)}{match[3]}", page)


def _quote(match: re.Match[str], values: Mapping[str, Figure]) -> str:
    key, form = match["key"], match["form"]
    if key not in values:
        raise NotFound(f"No figure is called {key}.")
    mark = match[0][match[0].index("<!--") :]
    return f"{format(values[key], form) if form else format_figure(values[key])}{mark}"


def format_figure(value: Figure) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4f}".rstrip("0").rstrip(".")


def _table(words: Sequence[str], tables: Mapping[str, ResultTable]) -> str:
    name, *row_names = words
    if name not in tables:
        raise NotFound(f"No table of results is called {name}.")
    rows = tables[name].rows
    if unknown := [row for row in row_names if row not in rows]:
        raise NotFound(f"The table {name} has no row {unknown[0]}.")
    return "\n" + "\n".join(_tables([rows[row] for row in row_names or rows])) + "\n"


def _tables(rows: Sequence[ResultRow]) -> Iterator[str]:
    """Rows with the same figures as a table with a column for each, all others as a list of figures."""
    list_rows: list[ResultRow] = []
    for _, same_figures in groupby(rows, key=lambda row: tuple(row.figures)):
        group = list(same_figures)
        if len(group) < _SIMILAR or not group[0].figures:
            list_rows += group
            continue
        if list_rows:
            yield _list_table(list_rows)
        list_rows = []
        yield _wide_table(group)
    if list_rows:
        yield _list_table(list_rows)


def _list_table(rows: Sequence[ResultRow]) -> str:
    headers = ["what", "figures", "command"]
    with_budget = any(row.most is not None for row in rows)
    with_data = any(row.data or row.trained for row in rows)
    headers += ["at most"] * with_budget + [_DATA] * with_data
    lines = []
    for row in rows:
        figures = (
            "; ".join(label_figure(name, value) for name, value in row.figures.items()) or "measured by each test run"
        )
        cells = [row.what, figures, _code(row.command)]
        cells += [format_figure(row.most) if row.most is not None else ""] * with_budget
        cells += [_data(row)] * with_data
        lines.append(_line(cells))
    return _header(headers) + "".join(lines)


def _wide_table(rows: Sequence[ResultRow]) -> str:
    commands = list(dict.fromkeys(row.command for row in rows))
    with_trained = any(row.trained for row in rows)
    headers = ["what", *(_label(name) for name in rows[0].figures)]
    headers += ["command"] * (len(commands) > 1) + [_DATA] * with_trained
    lines = []
    for row in rows:
        cells = [row.what, *(format_figure(value) for value in row.figures.values())]
        cells += [_code(row.command)] * (len(commands) > 1) + [_data(row)] * with_trained
        lines.append(_line(cells))
    command_line = f"Command: {_code(commands[0])}\n\n" if len(commands) == 1 else ""
    return command_line + _header(headers) + "".join(lines)


def _data(row: ResultRow) -> str:
    return " ".join(f"{text.rstrip('.')}." for text in (row.data, row.trained) if text)


def label_figure(name: str, value: Figure) -> str:
    """``p50_ms`` of 39.5: ``p50 39.5 ms``."""
    words, _, unit = name.rpartition("_")
    if unit in _UNITS:
        return f"{_label_words(words)} {format_figure(value)} {_UNITS[unit]}".strip()
    return f"{_label_words(name)} {format_figure(value)}"


def _label(name: str) -> str:
    words, _, unit = name.rpartition("_")
    return f"{_label_words(words)}, {_UNITS[unit]}" if unit in _UNITS and words else _label_words(name)


def _label_words(name: str) -> str:
    """``ndcg_at_10``: ``nDCG@10``."""
    if version := re.fullmatch(r"in_(\d+)_(\d+)_(\d+)", name):
        return f"in {'.'.join(version.groups())}:"
    name = re.sub(r"per_second_(\d+)$", r"per_second_at \1_clients", name)
    words = re.sub(r"_at_(\d+)", r"@\1", name).split("_")
    return " ".join(_WORDS.get(word, word) for word in words).replace("ndcg@", "nDCG@")


def _code(command: str) -> str:
    return command if command.startswith("not a command") else f"`{command}`"


def _header(headers: Sequence[str]) -> str:
    return _line(headers) + "|" + "---|" * len(headers) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |\n"


@click.group(invoke_without_command=True)
@click.pass_context
def results(context: click.Context) -> None:
    """Write the figures of the newest results into all guides."""
    if context.invoked_subcommand is not None:
        return
    tables = load_tables(newest_results())
    for page in pages():
        text = page.read_text("utf-8")
        try:
            current = with_figures(text, tables)
        except (NotFound, ValueError) as error:
            raise click.ClickException(f"{page.relative_to(CHECKOUT)}: {error}") from error
        if current != text:
            page.write_text(current, "utf-8")
            click.echo(page.relative_to(CHECKOUT))


@results.command()
@click.argument("row")
@click.argument("file", type=PRESENT_FILE)
def record(row: str, file: Path) -> None:
    """Take the figures of ROW (TABLE.ROW) from FILE, which a command's --json wrote."""
    name, _, entry = row.partition(".")
    folder = newest_results()
    tables = load_tables(folder)
    recordable = [f"{table}.{key}" for table, content in tables.items() for key, of in content.rows.items() if of.take]
    if row not in recordable:
        raise click.ClickException(f"{row} cannot be recorded. Rows with a `take`: {', '.join(recordable)}.")
    table = tables[name]
    try:
        table.rows[entry] = take_figures(table.rows[entry], json.loads(file.read_text("utf-8")))
    except (SondeError, ValueError) as error:
        raise click.ClickException(f"{file}: {error}") from error
    save_table(folder / f"{name}.json", table)
    click.echo(
        f"{row}: " + ", ".join(f"{key} {format_figure(value)}" for key, value in table.rows[entry].figures.items())
    )


if __name__ == "__main__":
    results()
