"""A complete entry of ``sources.yaml``: type and options fit a protocol, and Celery accepts its schedule.

Also writes entries into the file and removes them; every other line stays as it is.
"""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import structlog
import yaml
from celery.schedules import crontab, schedule
from pydantic import ValidationError, ValidationInfo, field_validator

from core.errors import Conflict, NotFound, SondeError
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


_EMPTY = (
    "# Which catalogues are harvested, and when (UTC). docs/stewards/sources-and-schedules.md explains every key.\n"
    "sources:\n"
)


def write_entry(path: Path, lines: str) -> None:
    """Appends the entry to the file, which is created if necessary; comments stay.

    Raises SondeError and leaves the file unchanged if the result would be invalid: the list must come last.
    """
    old_text = path.read_text("utf-8") if path.exists() else _EMPTY
    text = old_text if old_text.endswith("\n") else f"{old_text}\n"
    _replace(path, re.sub(r"(?m)^sources:\s*\[\]\s*$", "sources:", text) + lines, f"The entry does not fit into {path}")


def remove_entry(path: Path, id: str) -> None:
    """Takes the entry out of the file; other entries and comments stay as they are.

    Raises SondeError and leaves the file unchanged if it cannot be taken out.
    """
    text = path.read_text("utf-8")
    place = _lines_of(yaml.compose(text), id)
    if place is None:
        raise SondeError(f"{path} has no entry {id!r}.")
    first, last = place
    lines = text.splitlines(keepends=True)
    remaining_lines = "".join([*lines[:first], *lines[last + 1 :]])
    if yaml.safe_load(remaining_lines).get("sources") is None:
        remaining_lines = re.sub(r"(?m)^sources:[ \t]*(#.*)?$", "sources: []", remaining_lines)
    _replace(path, remaining_lines, f"The entry {id!r} cannot be taken out of {path}")


def _lines_of(document: yaml.Node | None, id: str) -> tuple[int, int] | None:
    """The first and last line of the list item with this id."""
    pairs = document.value if isinstance(document, yaml.MappingNode) else []
    for name, items in pairs:
        for item in items.value if name.value == "sources" and isinstance(items, yaml.SequenceNode) else ():
            if any(key.value == "id" and value.value == id for key, value in item.value):
                return item.start_mark.line, max(_last_line(item), item.start_mark.line)
    return None


def _last_line(node: yaml.Node) -> int:
    """The last line with content: the end of a block is only where the next one begins."""
    if isinstance(node, yaml.ScalarNode) or getattr(node, "flow_style", False):
        end: yaml.Mark = node.end_mark
        return int(end.line) - (end.column == 0)
    children = [child for pair in node.value for child in (pair if isinstance(pair, tuple) else (pair,))]
    return max((_last_line(child) for child in children), default=int(node.start_mark.line))


def _replace(path: Path, text: str, failure: str) -> None:
    """Writes the file, where a link leads, if it is a valid list of sources; otherwise raises SondeError and leaves it.

    Raises Conflict if it cannot be written.
    """
    file = path.resolve()
    draft = file.with_name(f".{file.name}.draft")
    try:
        draft.write_text(text, "utf-8")
        if file.exists():
            shutil.copymode(file, draft)
        load_sources(draft)
        draft.replace(file)
    except OSError as error:
        raise Conflict(
            f"{path} cannot be written here ({error.strerror}): change it where you keep it, then try again."
        ) from None
    except SondeError as error:
        reason = str(error).replace(str(draft), str(path))
        raise SondeError(f"{failure}; do it by hand. {reason}") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
