"""Which catalogues are harvested, from where and when: ``sources.yaml``, checked and refused by name."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from celery.schedules import crontab, schedule
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from core.errors import NotFound, SondeError

_INTERVAL = re.compile(r"^(\d+)\s*(s|m|h|d)$")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def _interval(text: str) -> str:
    if _INTERVAL.match(text) is None:
        raise ValueError("write a number and s, m, h or d, for example 6h")
    if interval_seconds(text) < 1:
        raise ValueError("must be at least 1s")
    return text


def _cron(text: str) -> str:
    if len(text.split()) != 5:
        raise ValueError("write five fields: minute hour day-of-month month day-of-week, for example 0 3 * * *")
    try:
        crontab.from_string(text)
    except (ValueError, TypeError) as error:
        raise ValueError(f"is not a cron line: {error}") from error
    return text


def interval_seconds(text: str) -> int:
    """``6h`` -> 21600. Raises ValueError for anything else than a number and s, m, h or d."""
    match = _INTERVAL.match(text)
    if match is None:
        raise ValueError(f"{text!r} is not an interval")
    return int(match[1]) * _SECONDS[match[2]]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Schedule(_Strict):
    """Either ``cron`` (UTC) or ``interval``."""

    cron: Annotated[str, AfterValidator(_cron)] | None = None
    interval: Annotated[str, AfterValidator(_interval)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Schedule:
        if (self.cron is None) == (self.interval is None):
            raise ValueError("give either cron or interval")
        return self

    def for_celery(self) -> crontab | schedule:
        if self.cron is not None:
            return crontab.from_string(self.cron)
        return schedule(timedelta(seconds=interval_seconds(str(self.interval))))


class SourceConfig(_Strict):
    """One catalogue. ``options`` go to the source as they are; without ``schedule`` it is harvested on demand only."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    type: Literal["folder"]
    path: Path
    title: str = ""
    schedule: Schedule | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    max_removal_share: float | None = Field(None, ge=0, le=1)


class _SourcesFile(_Strict):
    sources: tuple[SourceConfig, ...] = ()

    @field_validator("sources")
    @classmethod
    def _ids_differ(cls, sources: tuple[SourceConfig, ...]) -> tuple[SourceConfig, ...]:
        ids = [source.id for source in sources]
        twice = sorted({id for id in ids if ids.count(id) > 1})
        if twice:
            raise ValueError(f"the id {', '.join(twice)} is given twice")
        return sources


def load_sources(path: Path) -> dict[str, SourceConfig]:
    """The sources by id, in the file's order; relative paths are taken from the file's folder.

    Raises NotFound where there is no such file, and SondeError that names every wrong entry.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise NotFound(f"{path}: there is no sources file; name the catalogues to harvest there.") from None
    try:
        found = _SourcesFile.model_validate(yaml.safe_load(text) or {})
    except yaml.YAMLError as error:
        raise SondeError(f"{path} is not YAML: {error}") from error
    except ValidationError as error:
        raise SondeError(f"{path} is wrong. " + "; ".join(_told(error))) from None
    return {source.id: source.model_copy(update={"path": path.parent / source.path}) for source in found.sources}


def _told(error: ValidationError) -> list[str]:
    """``sources.0.shedule: Extra inputs are not permitted``, one per problem."""
    return [f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors(include_input=False)]
