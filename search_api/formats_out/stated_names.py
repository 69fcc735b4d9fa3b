"""The names of a record that its keywords do not say already: for forms that have only keywords for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from core.names import Variable
from core.record import Keyword, Record

NameKind = Literal["platform", "instrument", "project", "variable"]

_STEP = re.compile(r"\s*[>|]\s*")
_SAYING: dict[NameKind, tuple[str, ...]] = {  # in a vocabulary's title
    "platform": ("platform",),
    "instrument": ("instrument",),
    "project": ("project",),
    "variable": ("variable", "parameter", "science keyword", "standard name"),
}


def names_beside_keywords(record: Record, kind: NameKind) -> Iterator[str]:
    """A keyword says a name, alone or as a step of its path, if its vocabulary's title names the kind."""
    names = record.names
    stated: dict[NameKind, tuple[str, ...]] = {
        "platform": names.platforms,
        "instrument": names.instruments,
        "project": names.projects,
        "variable": tuple(keyword.name for keyword in names.variables),
    }
    in_keywords = {
        step.casefold() for keyword in record.keywords if _says(keyword, kind) for step in _STEP.split(keyword.term)
    }
    return (name for name in stated[kind] if name.casefold() not in in_keywords)


def variable_label(variable: Variable) -> str:
    """``rain (rainfall_rate)``: the name, with CF's standard name behind it if it looks like one."""
    standard = variable.standard_name
    return f"{variable.name} ({standard})" if standard and "_" in standard else variable.name


def _says(keyword: Keyword, kind: NameKind) -> bool:
    vocabulary = (keyword.vocabulary or "").casefold()
    by_path = kind == "variable" and keyword.term.casefold().startswith("earth science")
    return by_path or any(word in vocabulary for word in _SAYING[kind])
