"""Which groups may see the records of a source, from sources.yaml."""

from __future__ import annotations

from sonde.settings import Settings
from workers.sources_file import source_entries


def groups_of_source(settings: Settings, source: str) -> tuple[str, ...]:
    """The groups that may see the source's records now; empty: everybody.

    Raises SondeError where the file exists but cannot be read: the groups are then unknown, and nothing may be written
    openly.
    """
    if not settings.harvest.sources.exists():
        return ()
    config = source_entries(settings.harvest.sources).get(source)
    return () if config is None else tuple(config.access.restricted_to)
