"""Reads sections of the ranking configuration from JSON into frozen dataclasses, and checks their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

from core.json_types import Json

Section = TypeVar("Section")


def section(kind: type[Section], raw: object, path: str) -> Section:
    """The dataclass ``kind`` from a JSON object, nested sections included.

    Every field without a default is required; others are refused. Raises ValueError that names what is wrong.
    """
    values = exactly(raw, {entry.name for entry in _fields(kind)}, path, optional=_optional(kind))
    hints = get_type_hints(kind)
    for name, value in values.items():
        if is_dataclass(hints[name]):
            values[name] = section(hints[name], value, f"{path}.{name}")
    try:
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error


def exactly(raw: object, names: set[str], path: str, *, optional: frozenset[str] = frozenset()) -> Json:
    """A copy of the JSON object with these names; raises ValueError for missing or unknown names."""
    if not isinstance(raw, dict):
        raise ValueError(f"{path}: an object is expected")
    faults = {"missing": names - optional - raw.keys(), "unknown": raw.keys() - names}
    messages = [f"{fault}: {', '.join(sorted(group))}" for fault, group in faults.items() if group]
    if messages:
        raise ValueError(f"{path}: {'; '.join(messages)}")
    return dict(raw)


def check_shares(**values: float) -> None:
    """Raises ValueError for a value outside 0..1."""
    _check_range(values, 1.0)


def check_not_negative(**values: float) -> None:
    """Raises ValueError for a value that is below 0 or not finite."""
    _check_range(values, math.inf)


def check_positive(**values: float) -> None:
    """Raises ValueError for a value that is not above 0 or not finite."""
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} is {value}, not above 0")


def check_finite(values: Mapping[str, float]) -> None:
    for name, value in values.items():
        if not math.isfinite(value):
            raise ValueError(f"{name} is {value}, not a finite number")


def _check_range(values: Mapping[str, float], maximum: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and 0.0 <= value <= maximum):
            raise ValueError(f"{name} is {value}, outside 0..{maximum}")


def _fields(kind: type[Any]) -> tuple[Field[Any], ...]:
    return fields(kind)


def _optional(kind: type[Any]) -> frozenset[str]:
    with_default = (entry for entry in _fields(kind) if not (entry.default is entry.default_factory is MISSING))
    return frozenset(entry.name for entry in with_default)
