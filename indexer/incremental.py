"""Whether a run may ask only for what changed, and since when. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from es_mappings.codecs.runs import RunReport

OVERLAP = timedelta(hours=1)
"""Servers' clocks differ from ours, and a record may become visible a while after its time stamp."""


def since_when(last_full: RunReport | None, last: RunReport | None, full_every: timedelta, now: datetime) -> str | None:
    """The moment to ask from; None for a full run: there was none yet, or the last one is ``full_every`` old.

    ``last``: the youngest complete run of any kind. What it did not bring in (failures) is fetched by a full one.
    """
    if last_full is None or last is None:
        return None
    if last.counts.failed or _moment(last_full.started) + full_every <= now:
        return None
    return (_moment(last.started) - OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
