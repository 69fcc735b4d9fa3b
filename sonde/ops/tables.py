"""What is made from the code by `python -m sonde.ops.tables`: the page of settings, tables in other pages of docs/, and
the source types in the chart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import AfterValidator, BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from encoders.presets import KNOWN_MODELS
from encoders.rerankers import RERANKERS
from indexer.formats import field_table
from indexer.formats.field_table import page_marks, replace_between
from indexer.formats.recognition import FORMATS
from indexer.sources.protocols import PROTOCOLS
from search_api.formats_out.formats import FORMATS as OUTPUT_FORMATS
from sonde.environment import secret_settings
from sonde.setting_types import RATE, BrokerUrl, Host, HttpUrl, Origin
from sonde.settings import Settings
from workers.source_config import source_types

_HEAD = """# Settings

Every setting is an environment variable. Sonde reads all of them at start, and refuses a wrong value with the name of
the variable and what to write.

- **A list**: write values with commas, `a.example,b.example`, or JSON, `["a.example", "b.example"]`.
- **A relative path** counts from the folder in which you run the command.
- **A secret from a file**: `NAME_FILE=/run/secrets/file` gives the setting `NAME` the content of the file. This works
  for the settings that the tables call *secret*.

`sonde doctor` checks the settings against the running parts. `python -m sonde.ops.tables` writes this page.
"""
_TABLE = "| variable | default | values | what it is |\n|---|---|---|---|\n"
_FOLDERS = {
    "SONDE_MODELS__FOLDER": "~/.cache/sonde/models",
    "SONDE_LIBRARY__FOLDER": "~/.local/state/sonde/library",
    "SONDE_STACK__FOLDER": "~/.local/state/sonde",
}
"""Defaults that depend on the user, as they are on Linux."""
_TITLES = {"api": "API", "http": "HTTP", "cross_encoder": "Reranker", "net": "Network", "stack": "One machine"}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "SONDE_CROSS_ENCODER__RUNTIME": tuple(RERANKERS),
}
"""Values of settings whose type does not list them."""
_FORMS = {
    RATE: "`NUMBER/second`, `/minute` or `/hour`; `none`",
    r"^\d+[mg]$": "`NUMBERm` or `NUMBERg`",
    r"^https?://": "http(s) address",
    r"^#[0-9a-fA-F]{6}$": "`#rrggbb`",
}
"""Patterns in words."""
_CHECKED_VALUES = {
    get_args(kind)[1].func: description
    for kind, description in (
        (HttpUrl, "http(s) address"),
        (BrokerUrl, "`redis://` or `rediss://` address"),
        (Host, "`name` or `name:port`"),
        (Origin, "`https://host` or `*`"),
    )
}
_PAGE = re.compile(r"docs/((?:[a-z-]+/)*[a-z-]+)\.md")


def settings_page(settings: type[BaseModel] = Settings) -> str:
    """The whole page."""
    secrets = set(secret_settings(settings))
    groups = (_group(name, model, secrets) for name, model in _models(settings))
    begin, end = page_marks("settings")
    return f"{_HEAD}\n{begin}\n{''.join(groups)}\n{end}\n"


def _models(settings: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    for name, entry in settings.model_fields.items():
        if isinstance(entry.annotation, type) and issubclass(entry.annotation, BaseModel):
            yield name, entry.annotation


def _group(name: str, model: type[BaseModel], secrets: set[str]) -> str:
    about = _with_links(" ".join((model.__doc__ or "").split()))
    rows = (_row(f"SONDE_{name}__{field}".upper(), info, secrets) for field, info in model.model_fields.items())
    return f"\n## {_TITLES.get(name, name.capitalize())}\n\n{about}\n\n{_TABLE}{''.join(rows)}"


def _row(variable: str, field: FieldInfo, secrets: set[str]) -> str:
    description = _with_links(field.description or "").replace("|", "/")
    values = "secret" if variable in secrets else values_of(variable, field)
    return f"| `{variable}` | {_default(variable, field)} | {values} | {description} |\n"


def values_of(variable: str, field: FieldInfo) -> str:
    """What the setting takes, in words."""
    if variable in _CHOICES:
        return _list_of(_CHOICES[variable])
    return _values(field.annotation, tuple(field.metadata))


def _values(kind: object, metadata: tuple[object, ...]) -> str:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        constraints = [
            constraint
            for part in arguments[1:]
            for constraint in (part.metadata if isinstance(part, FieldInfo) else (part,))
        ]
        return _values(arguments[0], (*constraints, *metadata))
    if origin in (Union, UnionType):
        return _values(next(part for part in arguments if part is not type(None)), metadata)
    if origin is Literal:
        return _list_of(arguments)
    if origin is tuple:
        member = _values(arguments[0], ())
        several_values = f"{'any of' if get_origin(arguments[0]) is Literal else 'list of'} {member}"
        return several_values if Ellipsis in arguments else f"{len(arguments)} numbers, with commas"
    if kind is bool:
        return "`true`, `false`"
    if kind in (int, float):
        return _range(metadata) or ("whole number" if kind is int else "number")
    return _words(kind, metadata)


def _words(kind: object, metadata: tuple[object, ...]) -> str:
    """Texts, paths and groups."""
    for constraint in metadata:
        if isinstance(constraint, AfterValidator) and constraint.func in _CHECKED_VALUES:
            return _CHECKED_VALUES[constraint.func]
        if (pattern := getattr(constraint, "pattern", None)) in _FORMS:
            return _FORMS[pattern]
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "JSON"
    return "path" if kind is Path else "secret" if kind is SecretStr else "text"


def _range(metadata: tuple[object, ...]) -> str:
    least_constraint = next((constraint for constraint in metadata if isinstance(constraint, Ge | Gt)), None)
    most_constraint = next((constraint for constraint in metadata if isinstance(constraint, Le | Lt)), None)
    low = (
        None
        if least_constraint is None
        else least_constraint.ge
        if isinstance(least_constraint, Ge)
        else f"above {least_constraint.gt}"
    )
    high = (
        None
        if most_constraint is None
        else most_constraint.le
        if isinstance(most_constraint, Le)
        else f"below {most_constraint.lt}"
    )
    if low is not None and high is not None:
        return f"{low} to {high}" if isinstance(least_constraint, Ge) else f"{low}, at most {high}"
    return f"{low} or more" if isinstance(least_constraint, Ge) else str(low or high or "")


def _list_of(values: tuple[object, ...]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def _default(variable: str, field: FieldInfo) -> str:
    if field.default_factory is not None:
        return f"`{_FOLDERS[variable]}`"
    if field.default in (None, PydanticUndefined, (), ""):
        return ""
    if isinstance(field.default, tuple):
        return f"`{','.join(field.default)}`"
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"


def _with_links(text: str) -> str:
    """The names of other pages as links, from the page's folder."""
    return _PAGE.sub(
        lambda page: f"[{page[1].rpartition('/')[2].replace('-', ' ')}]({_relative_to_page(page[1])}.md)", text
    )


def _relative_to_page(page: str) -> str:
    return page.removeprefix("operators/") if page.startswith("operators/") else f"../{page}"


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
