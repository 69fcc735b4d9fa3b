"""A complete entry of ``sources.yaml``: type and options fit a protocol, and Celery accepts its schedule."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import structlog
from celery.schedules import crontab, schedule
from pydantic import ValidationError, ValidationInfo, field_validator

from core.errors import NotFound
from core.json_types import Json
from indexer.sources.protocols import PROTOCOLS
from workers.config_faults import fault
from workers.source_entry import ScheduleEntry, SourceEntry, interval_seconds
from workers.sources_file import SourcesFile, read_sources

log = structlog.get_logger(__name__)


class Schedule(ScheduleEntry):
    """A schedule that Celery accepts."""

    @field_validator("cron")
    @classmethod
    def _cron_of_celery(cls, cron: str | None) -> str | None:
        try:
            if cron is not None:
                crontab.from_string(cron)
        except (ValueError, TypeError) as error:
            raise ValueError(f"is not a cron line: {error}") from error
        return cron

    def for_celery(self) -> crontab | schedule:
        if self.cron is not None:
            return crontab.from_string(self.cron)
        return schedule(timedelta(seconds=interval_seconds(str(self.interval))))


def source_types() -> tuple[str, ...]:
    return ("folder", *PROTOCOLS)


class SourceConfig(SourceEntry):
    """One catalogue, as a worker opens it."""

    schedule: Schedule | None = None

    @field_validator("type")
    @classmethod
    def _known_type(cls, type: str) -> str:
        if type not in source_types():
            raise ValueError(f"must be one of {', '.join(source_types())}")
        return type

    @field_validator("options")
    @classmethod
    def _options_of_type(cls, options: Json, info: ValidationInfo) -> Json:
        type = info.data.get("type")
        if type is not None and type != "folder":
            try:
                PROTOCOLS[type].read_options(options)
            except ValidationError as error:
                names = PROTOCOLS[type].option_names
                problems = [
                    f"{'.'.join(map(str, problem['loc']))}: {fault(problem, names)}" for problem in error.errors()
                ]
                raise ValueError("; ".join(problems)) from None
        return options


def load_sources(path: Path) -> dict[str, SourceConfig]:
    """The sources by id, in the file's order.

    Raises NotFound if there is no such file, and SondeError that names every invalid entry with its line.
    """
    return read_sources(path, SourcesFile[SourceConfig])


def known_sources(path: Path) -> dict[str, SourceConfig]:
    """The sources by id. A missing file means no sources and one warning. Raises SondeError for an invalid file."""
    try:
        sources = load_sources(path)
    except NotFound as error:
        if path not in _warned_of:
            _warned_of.add(path)
            log.warning("sources.no_file", reason=str(error))
        return {}
    _warned_of.discard(path)
    return sources


_warned_of: set[Path] = set()
