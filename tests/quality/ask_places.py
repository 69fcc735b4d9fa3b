"""What place and period bring `/ask`: own questions with a place and a period, over passages of NCAR records.

    python -m tests.quality.ask_places [--json OUT]

`ask_places.jsonl` and the rule below were written before any result was seen. A passage is the first 700 characters
of a record's abstract and has the record's extent and period. It is relevant if the record is about the topic, lies in
the asked box and touches the asked years. Every second question is in the train half. Needs the shared data
(SONDE_SHARED); docs/quality/figures.md shows what came out.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from core.geo import BBox
from core.json_types import Json
from core.ports import Embedder
from core.record import Record
from core.timespan import TimeSpan
from evaluation.metrics import paired_randomisation
from search_api.search.passages.retrieve import PassageRetriever
from search_api.search.passages.values import AnswerConfig, AskRequest
from search_api.search.ranking.config import Ranker, RankingConfig
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.ranking.signals.temporal import Temporal
from search_api.search.retrieval.serving import ServingResolver

QUESTIONS = Path(__file__).with_name("ask_places.jsonl")
LONGEST = 700
MOST_OF_A_KIND = 350
_WEIGHTS = ((0.1, 0.1), (0.2, 0.15), (0.4, 0.3), (0.5, 0.375), (0.8, 0.6))  # of place and of period
_YEAR_MS = 3.15576e10


@dataclass(frozen=True, slots=True)
class PlaceQuestion:
    """``topic``: what a record about it says in title or abstract."""

    question: str
    topic: re.Pattern[str]
    box: BBox
    first_year: int
    last_year: int

    def answered_by(self, record: Record) -> bool:
        """The rule of relevance."""
        return (
            self.topic.search(f"{record.title} {record.abstract}") is not None
            and any(lies_in(extent, self.box) for extent in record.extents)
            and any(self._touches(span) for span in record.times)
        )

    def _touches(self, span: TimeSpan) -> bool:
        return _year(span.start_ms, -math.inf) < self.last_year + 1 and _year(span.end_ms, math.inf) >= self.first_year


def _year(moment_ms: int | None, otherwise: float) -> float:
    return otherwise if moment_ms is None else 1970 + moment_ms / _YEAR_MS


def lies_in(extent: BBox, asked: BBox) -> bool:
    """Inside the asked box; or covers much of it, or lies mostly in it, and is not thirty times as large."""
    east = extent.east if extent.east >= extent.west else extent.east + 360.0
    width = max(0.0, min(east, asked.east) - max(extent.west, asked.west))
    shared = width * max(0.0, min(extent.north, asked.north) - max(extent.south, asked.south))
    whole = (asked.east - asked.west) * (asked.north - asked.south)
    own = max((east - extent.west) * (extent.north - extent.south), 1e-6)
    inside = asked.west <= extent.west and east <= asked.east
    if inside and asked.south <= extent.south and extent.north <= asked.north:
        return True
    return shared > 0.0 and (shared / whole > 0.3 or shared / own > 0.5) and own < 30.0 * whole


def load_questions(path: Path = QUESTIONS) -> list[PlaceQuestion]:
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [
        PlaceQuestion(
            row["question"], re.compile(row["topic"], re.I), BBox(*row["box"]), row["first_year"], row["last_year"]
        )
        for row in rows
    ]


def chosen(records: Sequence[Record], questions: Sequence[PlaceQuestion]) -> list[Record]:
    """At most 350 relevant to some question, and 350 others."""
    told = [record for record in records if record.abstract and len(record.abstract) > 120]
    relevant = [record for record in told if any(one.answered_by(record) for one in questions)]
    ids = {record.id for record in relevant}
    others = [record for record in told if record.id not in ids][::8]
    every = max(1, len(relevant) // MOST_OF_A_KIND)
    return relevant[::every][:MOST_OF_A_KIND] + others[:MOST_OF_A_KIND]


def variants(config: RankingConfig) -> Iterator[tuple[str, RankingConfig]]:
    """By name: words and meaning alone, then place, period and both at several weights."""
    passages = config.passages
    place, period = passages[Spatial], passages[Temporal]
    yield "text alone", replace(config, passages=passages.without(Spatial, Temporal))
    yield "place alone", replace(config, passages=passages.without(Temporal))
    yield "period alone", replace(config, passages=passages.without(Spatial))
    for of_place, of_period in _WEIGHTS:
        weighed: Ranker = passages.with_signals(replace(place, weight=of_place), replace(period, weight=of_period))
        yield f"place {of_place}, period {of_period}", replace(config, passages=weighed)


def measures(found: Sequence[str], relevant: frozenset[str]) -> dict[str, float]:
    """Of one question's passages, best first; gains are 0 or 1."""
    gain = sum(1 / math.log2(rank + 2) for rank, one in enumerate(found[:10]) if one in relevant)
    best = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(relevant))))
    return {
        "nDCG@10": gain / best,
        "P@1": float(bool(found) and found[0] in relevant),
        "P@8": sum(one in relevant for one in found[:8]) / 8,
        "R@64": sum(one in relevant for one in found) / min(len(relevant), 64),
    }


def documents(records: Sequence[Record], embedder: Embedder, reader: object) -> Iterator[tuple[str, Json]]:
    from core.document import Passage
    from es_mappings.codecs.records import to_document
    from es_mappings.codecs.vectors import to_fields
    from indexer.documents.index.store import passage_document

    texts = [record.abstract[:LONGEST] for record in records]
    made = to_fields(embedder.encode(texts, "document"), embedder.card, embedder.card.tokens)
    for record, text, fields in zip(records, texts, made, strict=True):
        stored = to_document(record)
        inherited: Json = {
            name: stored[name] for name in ("source", "extent", "boxes", "time", "spans") if name in stored
        }
        passage = Passage(record.id, record.id, 0, text, record.id)
        yield record.id, passage_document(passage, record.title, reader.read(text), inherited, fields)  # type: ignore[attr-defined]


def main(arguments: Sequence[str]) -> int:
    from evaluation.collections import ncar
    from evaluation.temporary_index import temporary_passages
    from sonde.settings import load_settings
    from sonde.wiring.clients import elasticsearch_client
    from sonde.wiring.documents import passage_reader
    from sonde.wiring.models import Models
    from sonde.wiring.search import ranking_config, search_parts

    settings, questions = load_settings(), load_questions()
    shared = Path(os.environ["SONDE_SHARED"]) / "data"
    records = chosen(ncar.load(shared, QUESTIONS.with_name("ncar")).records, questions)
    answers = answers_of(questions, records)
    client, models = elasticsearch_client(settings), Models(settings)
    with ExitStack() as stack:
        passages = documents(records, models.embedder(), passage_reader(models))
        prefix = stack.enter_context(temporary_passages(client, models.embedder().card, passages))
        resolver = ServingResolver(client, prefix, models.embedder)
        by_variant = {}
        for name, config in variants(ranking_config(settings)):
            retriever = PassageRetriever(search_parts(client, resolver, models, config), prefix, AnswerConfig())
            by_variant[name] = asked(retriever, resolver, answers)
    sys.stdout.write(f"{len(records)} passages, {len(answers)} questions of {len(questions)} have an answer\n")
    sys.stdout.writelines(line + "\n" for line in lines(by_variant))
    if arguments[:1] == ["--json"]:
        Path(arguments[1]).write_text(json.dumps(by_variant, indent=1) + "\n", "utf-8")
    return 0


def asked(
    retriever: PassageRetriever, resolver: ServingResolver, answers: Mapping[str, frozenset[str]]
) -> dict[str, dict[str, float]]:
    """The measures of each question. ``answers``: the relevant records of each."""
    rows = {}
    for question, relevant in answers.items():
        found = retriever.retrieve(AskRequest(question, top_k=64, threshold=0.0), resolver.resolve()).passages
        rows[question] = measures([passage.document for passage in found], relevant)
    return rows


def answers_of(questions: Sequence[PlaceQuestion], records: Sequence[Record]) -> dict[str, frozenset[str]]:
    """The relevant records of each question that has any."""
    found = {one.question: frozenset(record.id for record in records if one.answered_by(record)) for one in questions}
    return {question: relevant for question, relevant in found.items() if relevant}


def lines(by_variant: Mapping[str, Mapping[str, dict[str, float]]]) -> Iterator[str]:
    """A line for each half and variant; p compares its nDCG@10 with text alone."""
    base = by_variant["text alone"]
    every = list(base)
    for half, chosen in (("train", every[::2]), ("test", every[1::2]), ("all", every)):
        for name, rows in by_variant.items():
            means = "  ".join(
                f"{measure} {fmean(rows[one][measure] for one in chosen):.4f}" for measure in rows[every[0]]
            )
            ours, text = ({one: run[one]["nDCG@10"] for one in chosen} for run in (rows, base))
            chance = paired_randomisation(ours, text)
            beside = f"p {chance.p:.4f}, {chance.better} better and {chance.worse} worse than text alone"
            yield f"{half:<5} {len(chosen):>2}  {name:<24}  {means}  {beside}"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
