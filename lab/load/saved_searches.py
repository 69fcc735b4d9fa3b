"""`sonde bench --saved-searches`: how long a night's matching takes, on searches and records made of real records."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from rich.console import Console

from core.errors import InvalidInput, SondeError
from core.geo import BBox
from core.json_types import Json
from core.ports import EmbedderCard
from core.record import Record
from es_gateway.client import Elasticsearch
from es_mappings.codecs.records import to_document
from es_mappings.indices import ensure_indices
from es_mappings.names import alias, concrete
from indexer.store.bulk import Operation, index_operation, write
from lab.load.catalogue import MadeVectors, made_records, real_records
from search_api.search.retrieval.clauses import area_clause
from search_api.stewards.alerts.matching import Matcher
from search_api.stewards.alerts.notices import MatchingRound
from search_api.stewards.alerts.saved import Compiled, SavedSearch, compile_question, request_of
from search_api.stewards.alerts.saved import to_document as saved_document
from sonde.settings import Settings
from sonde.wiring.models import Models
from sonde.wiring.stewards import matcher

ProgressReport = Callable[[str, int, int], None]

_SEED = 20_26
_LONG_AGO = "2001-01-01T00:00:00+00:00"
_WIDTHS_DEG = (2.0, 5.0, 10.0, 30.0)
_TYPES = ("dataset", "series")
OLDER, NIGHT = 40_000, 10_000
_MAX_EMBEDDED = 300
_MAX_COMPILED = 500


@dataclass(frozen=True, slots=True)
class MatchTime:
    """``compiled``: questions that were really compiled; the other searches are these with another box and meaning."""

    searches: int
    compiled: int
    compile_ms: float
    records: int
    night: int
    seconds: float
    read_s: float
    notices: int
    told_searches: int


def fill_night(
    client: Elasticsearch, prefix: str, real: Sequence[Record], vectors: MadeVectors, sizes: tuple[int, int]
) -> str:
    """Indices of ``prefix`` with so many older records and so many of a night; returns the time before the night."""
    older_count, night = sizes
    time = datetime.now(UTC)
    before, since, written_at = (time - timedelta(hours=hours) for hours in (48, 12, 6))

    def operations() -> Iterator[Operation]:
        index = concrete(prefix, "records", 1)
        for place, record in enumerate(made_records(real, older_count + night)):
            timestamp = (written_at if place >= older_count else before).isoformat()
            harvest = {"run": "made", "first_seen": timestamp, "written": timestamp}
            yield index_operation(index, record.id, {**to_document(record), **vectors.at(place), "harvest": harvest})

    if failures := write(client, operations()):
        raise SondeError(f"{len(failures)} records were refused: {failures[0].reason}")
    client.indices.refresh(index=alias(prefix, "records"))
    return since.isoformat()


def made_questions(real: Sequence[Record], number: int) -> list[dict[str, object]]:
    """Two to four words of a title or of a keyword; half of them also have a box, a type or a period."""
    random_source = random.Random(_SEED)  # noqa: S311  # nosec B311: the same questions in every run
    questions: list[dict[str, object]] = []
    while len(questions) < number:
        record = random_source.choice(real)
        words = record.title.split()
        if record.keywords and random_source.random() < 0.4:
            words = random_source.choice(record.keywords).term.split()
        start = random_source.randrange(max(1, len(words) - 2))
        q = " ".join(words[start : start + random_source.randint(2, 4)])
        if not any(letter.isalpha() for letter in q):
            continue
        filters: dict[str, object] = {}
        kind = random_source.random()
        if kind < 0.25:
            filters["bbox"] = _box_text(_box(random_source))
        elif kind < 0.35:
            filters["type"] = [random_source.choice(_TYPES)]
        elif kind < 0.5:
            filters["datetime"] = f"{random_source.randint(1960, 2015)}-01-01/.."
        questions.append({"q": q, **filters})
    return questions


def fill_searches(
    matcher: Matcher, questions: Sequence[dict[str, object]], number: int, report: ProgressReport
) -> tuple[int, float]:
    """Saves ``number`` searches; returns how many questions were compiled, and the milliseconds of each."""
    ensure_indices(matcher.client, matcher.prefix, _card(matcher), kinds=("searches", "notices"))
    compiled: list[tuple[dict[str, object], Compiled]] = []
    serving = matcher.pipeline.parts.resolver.resolve()
    started_s = time.perf_counter()
    for place, question in enumerate(questions):
        try:
            compiled.append((question, compile_question(matcher.pipeline, request_of(question), serving)))
        except InvalidInput:
            continue
        report("compiling", place + 1, len(questions))
    each_ms = 1000.0 * (time.perf_counter() - started_s) / max(1, len(questions))
    random_source, noise = random.Random(_SEED + 1), np.random.default_rng(_SEED)  # noqa: S311  # nosec B311

    def operations() -> Iterator[Operation]:
        index = concrete(matcher.prefix, "searches", 1)
        for place in range(number):
            question, question_compiled = compiled[place % len(compiled)]
            if place >= len(compiled):
                question, question_compiled = _vary(question, question_compiled, random_source, noise)
            id = f"made-{place:07d}"
            times = (_LONG_AGO,) * 4
            saved = SavedSearch(
                id, f"owner-{place % 20_000}", frozenset(), str(question["q"]), question, "day", True, True, *times,
                mail=f"owner-{place % 20_000}@portal.example",
            )  # fmt: skip
            yield index_operation(index, id, saved_document(saved, question_compiled))
            report("saving", place + 1, number)

    if failures := write(matcher.client, operations()):
        raise SondeError(f"{len(failures)} searches were refused: {failures[0].reason}")
    matcher.client.indices.refresh(index=alias(matcher.prefix, "searches"))
    return len(compiled), each_ms


def time_matching(matcher: Matcher, since: str, sizes: tuple[int, int], filling: tuple[int, float]) -> MatchTime:
    """One round over the night, from reading its vectors to the last notice."""
    ends_at = datetime.now(UTC).isoformat()
    started_s = time.perf_counter()
    window = matcher.window(since, ends_at)
    read_s = time.perf_counter() - started_s
    matcher.notices.put_round(MatchingRound(since, ends_at))
    started_s = time.perf_counter()
    while matcher.match(60.0):
        pass
    seconds = time.perf_counter() - started_s
    matching_round = matcher.notices.round()
    if matching_round is None or not matching_round.done:
        raise SondeError("The round did not come to its end.")
    older_count, _ = sizes
    return MatchTime(
        matching_round.searches, filling[0], round(filling[1], 1),
        older_count, len(window.ids), round(seconds, 1), round(read_s, 1),
        matching_round.found, matching_round.found // 2,
    )  # fmt: skip


def _vary(
    question: dict[str, object], question_compiled: Compiled, random_source: random.Random, noise: np.random.Generator
) -> tuple[dict[str, object], Compiled]:
    box = _box(random_source)
    vector = question_compiled.vector
    if vector is not None:
        shifted_box = vector + noise.normal(0.0, 0.3 / len(vector) ** 0.5, len(vector)).astype(np.float32)
        vector = (shifted_box / np.linalg.norm(shifted_box)).astype(np.float32)
    filters = (*question_compiled.filters, area_clause(box, "intersects"))
    return {**question, "bbox": _box_text(box)}, replace(question_compiled, filters=filters, vector=vector)


def _box(random_source: random.Random) -> BBox:
    width = random_source.choice(_WIDTHS_DEG)
    west, south = random_source.uniform(-180.0, 180.0 - width), random_source.uniform(-80.0, 80.0 - width)
    return BBox(west, south, west + width, south + width)


def _box_text(box: BBox) -> str:
    return f"{box.west:.3f},{box.south:.3f},{box.east:.3f},{box.north:.3f}"


def _card(matcher: Matcher) -> EmbedderCard:
    embedder = matcher.pipeline.parts.resolver.resolve().embedder
    if embedder is None:
        raise SondeError("The matching of meaning needs the embedder.")
    return embedder.card


def match_time(
    console: Console, settings: Settings, client: Elasticsearch, models: Models, made_of: Sequence[Path], number: int
) -> Json:
    """Of ``number`` saved searches over 10,000 new records in a catalogue of 50,000. ``settings`` name the prefix."""
    real = real_records(list(made_of))
    console.print(f"{len(real):,} real records", style="dim")
    vectors = MadeVectors.of([record.embedding_text for record in real], models.embedder(), _MAX_EMBEDDED)
    sizes = OLDER, NIGHT
    since = fill_night(client, settings.index.prefix, real, vectors, sizes)
    console.print(f"{sum(sizes):,} records", style="dim")
    matching = replace(matcher(settings, client, models), settled=timedelta(0))

    def report(task: str, count: int, total: int) -> None:
        if count % 1_000 == 0:
            console.print(f"{task} {count:,} of {total:,}", style="dim")

    filling = fill_searches(matching, made_questions(real, min(number, _MAX_COMPILED)), number, report)
    return asdict(time_matching(matching, since, sizes, filling))
