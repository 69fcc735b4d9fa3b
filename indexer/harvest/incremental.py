"""Decides whether a run may request only changes, and since when. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from es_mappings.codecs.runs import RunReport

OVERLAP = timedelta(hours=1)
"""Servers' clocks differ from ours, and a record may become visible some time after its time stamp."""


def since_when(last_full: RunReport | None, last: RunReport | None, full_every: timedelta, now: datetime) -> str | None:
    """The start time of the request; None for a full run: there was none yet, or the last one is ``full_every`` old.

    ``last``: the newest complete run of any kind. Records that it failed to import wait for a full run.
    """
    if last_full is None or last is None:
        return None
    if last.counts.failed or _moment(last_full.started) + full_every <= now:
        return None
    return (_moment(last.started) - OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
