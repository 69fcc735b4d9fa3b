"""An entry of ``sources.yaml``, validated without Celery and the protocols, as the API reads it; and how late it is."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from core.access import checked_name
from core.document import CATALOGUE, Follow
from core.json_types import Json

_INTERVAL = re.compile(r"^(\d+)\s*(s|m|h|d)$")
_LONGEST_JITTER_S = 600  # well below the broker's visibility time-out
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def _span(text: str) -> str:
    if _INTERVAL.match(text) is None:
        raise ValueError("write a number and s, m, h or d, for example 6h")
    return text


def _interval(text: str) -> str:
    _span(text)
    if interval_seconds(text) < 1:
        raise ValueError("must be at least 1s")
    return text


def _jitter(text: str) -> str:
    if interval_seconds(_span(text)) > _LONGEST_JITTER_S:
        raise ValueError("must be at most 10m: a worker keeps the task until then")
    return text


def _cron(text: str) -> str:
    if len(text.split()) != 5:
        raise ValueError("write five fields: minute hour day-of-month month day-of-week, for example 0 3 * * *")
    return text


def interval_seconds(text: str) -> int:
    """``6h`` -> 21600. Raises ValueError for anything else than a number and s, m, h or d."""
    match = _INTERVAL.match(text)
    if match is None:
        raise ValueError(f"{text!r} is not an interval")
    return int(match[1]) * _SECONDS[match[2]]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScheduleEntry(Strict):
    """Either ``cron`` (UTC) or ``interval``; each source has its own constant delay, at most ``jitter``."""

    cron: Annotated[str, AfterValidator(_cron)] | None = None
    interval: Annotated[str, AfterValidator(_interval)] | None = None
    jitter: Annotated[str, AfterValidator(_jitter)] = "0s"

    @model_validator(mode="after")
    def _check_exactly_one(self) -> ScheduleEntry:
        if (self.cron is None) == (self.interval is None):
            raise ValueError("give either cron or interval")
        return self

    def delay_s(self, source_id: str) -> int:
        """The delay after the schedule: constant for a source, different between sources."""
        longest_s = interval_seconds(self.jitter)
        return int.from_bytes(hashlib.sha256(source_id.encode()).digest()[:8]) % (longest_s + 1)


class Auth(Strict):
    """Credentials for a source: one of ``username`` (with the password in ``file``), ``bearer`` and ``header``.

    ``file`` holds only the secret; a relative path starts in the folder of ``sources.yaml``.
    """

    file: Path
    username: str | None = None
    bearer: bool = False
    header: str | None = Field(None, pattern=r"^[A-Za-z0-9-]+$")

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Auth:
        if [self.username is not None, self.bearer, self.header is not None].count(True) != 1:
            raise ValueError("give one of username, bearer: true, and header")
        return self


class RequestPolicyEntry(Strict):
    """Overrides of the defaults in indexer.sources.politeness.RequestPolicy."""

    per_second: float | None = Field(None, gt=0, le=1000)
    concurrency: int | None = Field(None, ge=1, le=16)
    attempts: int | None = Field(None, ge=1, le=20)
    first_pause_s: float | None = Field(None, ge=0, le=60)
    longest_pause_s: float | None = Field(None, ge=0, le=3600)
    robots: bool | None = None
    timeout_s: float = Field(120.0, gt=0, le=3600)

    def overrides(self) -> Json:
        """The values of the entry, by the fields of RequestPolicy."""
        return self.model_dump(exclude_none=True, exclude={"timeout_s"})


class AccessConfig(Strict):
    """Who may see the source's records: only callers in one of these groups, or everybody.

    Without either, records that some groups see stay with these groups, and others are public: to open a restricted
    source, the entry must have ``public: true``.
    """

    restricted_to: tuple[Annotated[str, AfterValidator(partial(checked_name, "group"))], ...] = ()
    public: bool = False

    @model_validator(mode="after")
    def _check_at_most_one(self) -> AccessConfig:
        if self.public and self.restricted_to:
            raise ValueError("give either restricted_to or public: true")
        return self

    @property
    def groups(self) -> tuple[str, ...] | None:
        """The groups; empty for everybody; None if the entry does not say."""
        return self.restricted_to or (() if self.public else None)


class SourceEntry(Strict):
    """One catalogue: a ``folder`` by ``path``, all others by ``url``; without ``schedule`` harvested only on demand.

    ``options`` are the protocol's. ``full_every``: after this time a run requests everything again, not only changes
    (and removes what vanished); ``0d`` means every time. ``paused``: no scheduled runs. ``documents``: whether links of
    its records are followed and read (``pdf``, or ``landing`` pages too). ``access``: who may see its records.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    type: str
    path: Path | None = Field(None, validate_default=True)
    url: str | None = Field(None, validate_default=True)
    title: str = ""
    publisher: str = ""
    description: str = ""
    licence: str = ""
    schedule: ScheduleEntry | None = None
    paused: bool = False
    full_every: Annotated[str, AfterValidator(_span)] = "7d"
    options: Json = Field(default_factory=dict)
    auth: Auth | None = None
    proxy: str | None = None
    ca_file: Path | None = None
    manners: RequestPolicyEntry = Field(default_factory=RequestPolicyEntry)
    max_removal_share: float | None = Field(None, ge=0, le=1)
    documents: Follow = "none"
    access: AccessConfig = Field(default_factory=AccessConfig)

    @field_validator("id")
    @classmethod
    def _check_not_reserved(cls, id: str) -> str:
        if id == CATALOGUE:
            raise ValueError(f"{CATALOGUE!r} is the catalogue of Sonde's own documents; choose another id")
        return id

    @field_validator("path")
    @classmethod
    def _path_of_folder(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        if "type" in info.data and (path is None) == (info.data["type"] == "folder"):
            raise ValueError("a folder needs its path" if path is None else "only a folder has a path; give url")
        return path

    @field_validator("url")
    @classmethod
    def _url_of_others(cls, url: str | None, info: ValidationInfo) -> str | None:
        if "type" in info.data and (url is None) != (info.data["type"] == "folder"):
            raise ValueError("the address of the catalogue is missing" if url is None else "a folder has no url")
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return url

    @property
    def full_every_span(self) -> timedelta:
        return timedelta(seconds=interval_seconds(self.full_every))

    @property
    def folder(self) -> Path:
        """The path of a folder source. Raises ValueError for the others."""
        if self.path is None:
            raise ValueError(f"{self.id} is no folder")
        return self.path


def overdue_s(source: str, schedule: ScheduleEntry, began: datetime, now: datetime) -> float:
    """Seconds since the first time after ``began`` at which the schedule wanted a run; 0 before that time."""
    due = _due(schedule, began) + timedelta(seconds=schedule.delay_s(source))
    return max(0.0, (now - due).total_seconds())


def _due(schedule: ScheduleEntry, began: datetime) -> datetime:
    if schedule.cron is None:
        return began + timedelta(seconds=interval_seconds(str(schedule.interval)))
    from celery.schedules import crontab  # Celery is not for every process of the API

    cron = crontab.from_string(schedule.cron)
    cron.nowfunc = lambda: began
    last_due, wait, _ = cron.remaining_delta(began, tz=UTC)
    due: datetime = last_due + wait
    return due
