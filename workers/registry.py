"""Reads ``sources.yaml``: the catalogues, their addresses and their schedules."""

from __future__ import annotations

from pathlib import Path

import structlog

from core.errors import NotFound
from workers.source_config import SourceConfig
from workers.sources_file import SourcesFile, read_sources

log = structlog.get_logger(__name__)


def load_sources(path: Path) -> dict[str, SourceConfig]:
    """The sources by id, in the file's order.

    Raises NotFound if there is no such file, and SondeError that names every invalid entry with its line.
    """
    return read_sources(path, SourcesFile[SourceConfig])


def known_sources(path: Path) -> dict[str, SourceConfig]:
    """The sources by id. A missing file means no sources and one warning. Raises SondeError for an invalid file."""
    try:
        known = load_sources(path)
    except NotFound as error:
        if path not in _warned_of:
            _warned_of.add(path)
            log.warning("sources.no_file", reason=str(error))
        return {}
    _warned_of.discard(path)
    return known


_warned_of: set[Path] = set()
