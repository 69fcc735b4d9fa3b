"""How like a record the first five of `/items/ID/similar` are, and what the ranking changes there.

    python -m tests.quality.similar_records COLLECTION [--records N]     # samples, ncar_quick, ncar

Of each question's right records (grade 2) one is taken as the record that is asked about. `judged` is the share of
the first five that the same question's judgements call relevant (grade 1 or 2): two answers to one question are alike.
The other columns are shares of the first five too: that share a keyword or a theme, that overlap in extent, in time,
and that a search by vector alone (as it was before ADR 0026) has among its first five. `ncar` needs the shared data
(SONDE_SHARED); docs/quality/figures.md shows what came out.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median

from core.geo import BBox
from core.record import Record
from core.timespan import TimeSpan
from evaluation.collection import JudgedCollection
from evaluation.metrics import paired_randomisation
from search_api.search.ranking.config import Ranker, RankingConfig
from search_api.search.ranking.signals.arms import Bm25
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.ranking.signals.temporal import Temporal
from search_api.search.similar import similar

FIRST = 5
VECTOR = "vector alone"
_RIGHT = 2
_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]


def variants(config: RankingConfig) -> Iterator[tuple[str, RankingConfig]]:
    """By name; the first is what was before."""
    ranker = config.similar
    alone = replace(ranker.without(Bm25, Spatial, Temporal), diversity=None)
    yield VECTOR, replace(config, similar=alone)
    changed: Mapping[str, Ranker] = {
        "words and vector": replace(ranker.without(Spatial, Temporal), diversity=None),
        "and siblings spread": ranker.without(Spatial, Temporal),
        "as it ships": ranker,
    }
    for name, one in changed.items():
        yield name, replace(config, similar=one)


def asked_about(collection: JudgedCollection) -> Iterator[tuple[Record, frozenset[str]]]:
    """A right record of each question, and the others that answer it. Different questions take different records."""
    records, taken = {record.id: record for record in collection.records}, set[str]()
    ids = {document: id for id, document in collection.documents.items()}
    for question in sorted(collection.questions, key=lambda one: one.id):
        grades = collection.qrels[question.id]
        right = sorted(id for id, grade in grades.items() if grade == _RIGHT and ids[id] not in taken)
        others = frozenset(ids[id] for id, grade in grades.items() if grade > 0)
        if right and len(others) > 1:
            taken.add(ids[right[0]])
            yield records[ids[right[0]]], others - {ids[right[0]]}


def measures(record: Record, answer: frozenset[str], found: Sequence[Record]) -> dict[str, float]:
    """Shares of the first five, 0..1."""
    told = {
        "judged": lambda other: other.id in answer,
        "keyword": lambda other: bool(_keywords(record) & _keywords(other)),
        "extent": lambda other: any(_meet(a, b) for a in record.extents for b in other.extents),
        "time": lambda other: any(_overlap(a, b) for a in record.times for b in other.times),
    }
    return {name: share(found, holds) for name, holds in told.items()}


def share(found: Sequence[Record], holds: Callable[[Record], bool]) -> float:
    return sum(holds(one) for one in found) / max(len(found), 1)


def _keywords(record: Record) -> frozenset[str]:
    return frozenset(keyword.term.casefold() for keyword in record.keywords) | frozenset(record.themes)


def _meet(one: BBox, other: BBox) -> bool:
    if one.south > other.north or other.south > one.north:
        return False
    return any(a.west <= b.east and b.west <= a.east for a in one.parts() for b in other.parts())


def _overlap(one: TimeSpan, other: TimeSpan) -> bool:
    begins_before = one.start_ms is None or other.end_ms is None or one.start_ms <= other.end_ms
    return begins_before and (other.start_ms is None or one.end_ms is None or other.start_ms <= one.end_ms)


def main(arguments: Sequence[str]) -> int:
    from sonde.settings import load_settings
    from sonde.wiring.evaluating import bench
    from sonde.wiring.search import ranking_config

    settings, collection = load_settings(), _collection(arguments[0])
    most = int(arguments[2]) if arguments[1:2] == ["--records"] else None
    chosen = list(asked_about(collection))[:most]
    sys.stdout.write(f"{len(collection.records)} records, {len(chosen)} are asked about\n")
    with bench(settings, collection) as ready:
        parts = ready.pipeline.parts
        vectors = _vectors(ready.pipeline.parts.resolver.resolve().embedder, [record for record, _ in chosen])
        before: dict[str, list[str]] = {}
        base: dict[str, float] = {}
        for name, config in variants(ranking_config(settings)):
            rows, took = {}, []
            for (record, answer), vector in zip(chosen, vectors, strict=True):
                begun = time.perf_counter()
                found = [one for one, _ in similar(replace(parts, config=config), record, vector, FIRST)]
                took.append((time.perf_counter() - begun) * 1000.0)
                rows[record.id] = measures(record, answer, found)
                ids = [one.id for one in found]
                old = before.setdefault(record.id, ids)
                rows[record.id]["as before"] = len(set(ids) & set(old)) / FIRST
            sys.stdout.write(_line(name, rows, base) + f"  median {median(took):.0f} ms\n")
            base = base or {id: row["judged"] for id, row in rows.items()}
    return 0


def _vectors(embedder: object, records: Sequence[Record]) -> list[list[float]]:
    return embedder.embed([one.embedding_text for one in records], "document").tolist()  # type: ignore[attr-defined,no-any-return]


def _line(name: str, rows: Mapping[str, Mapping[str, float]], base: Mapping[str, float]) -> str:
    means = "  ".join(f"{one} {fmean(row[one] for row in rows.values()):.3f}" for one in next(iter(rows.values())))
    if not base:
        return f"{name:<20}  {means}"
    chance = paired_randomisation({id: row["judged"] for id, row in rows.items()}, base)
    return f"{name:<20}  {means}  p {chance.p:.4f} ({chance.better} better, {chance.worse} worse)"


def _collection(name: str) -> JudgedCollection:
    from evaluation.collections import ncar, samples
    from tests.quality.test_gate import quick_ncar

    if name == "samples":
        return samples.load(_ROOT / "samples")
    every = ncar.load(Path(os.environ["SONDE_SHARED"]) / "data", _HERE / "ncar")
    return quick_ncar(every) if name == "ncar_quick" else every


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
