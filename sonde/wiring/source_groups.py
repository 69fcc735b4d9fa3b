"""Which groups may see the records of a source, from sources.yaml."""

from __future__ import annotations

from core.errors import NotFound
from sonde.settings import Settings
from workers.sources_file import source_entries


def groups_of_source(settings: Settings, source: str) -> tuple[str, ...] | None:
    """The groups that may see the source's records now; empty: everybody; None: nothing says so.

    Raises SondeError where the file cannot be read: the groups are then unknown, and nothing may be written openly.
    """
    try:
        config = source_entries(settings.harvest.sources).get(source)
    except NotFound:
        return None
    return None if config is None else config.access.groups
