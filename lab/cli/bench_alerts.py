"""`sonde bench --saved-searches`: how long a night's matching takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path

from rich.console import Console

from core.json_types import Json
from es_gateway.client import Elasticsearch
from lab.load.catalogue import real_records
from lab.load.made import MadeVectors
from lab.load.saved_searches import fill_night, fill_searches, made_questions, time_matching
from sonde.settings import Settings
from sonde.wiring.alerts import matcher
from sonde.wiring.models import Models

OLDER, NIGHT = 40_000, 10_000
_EMBEDDED = 300
_COMPILED = 500


def match_time(
    console: Console, settings: Settings, client: Elasticsearch, models: Models, made_of: Sequence[Path], number: int
) -> Json:
    """Of ``number`` saved searches over 10,000 new records in a catalogue of 50,000. ``settings`` name the prefix."""
    real = real_records(list(made_of))
    console.print(f"{len(real):,} real records", style="dim")
    vectors = MadeVectors.of([one.embedding_text for one in real], models.embedder(), _EMBEDDED)
    sizes = OLDER, NIGHT
    since = fill_night(client, settings.index.prefix, real, vectors, sizes)
    console.print(f"{sum(sizes):,} records", style="dim")
    matching = replace(matcher(settings, client, models), settled=timedelta(0))

    def told(what: str, done: int, total: int) -> None:
        if done % 1_000 == 0:
            console.print(f"{what} {done:,} of {total:,}", style="dim")

    made = fill_searches(matching, made_questions(real, min(number, _COMPILED)), number, told)
    return asdict(time_matching(matching, since, sizes, made))
