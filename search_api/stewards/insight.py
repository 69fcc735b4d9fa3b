"""What stewards see of the query log, and nightly measurements of the judged questions of an installation."""

from __future__ import annotations

import html
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Literal

from core.json_types import Json, JsonMapping
from core.record import Record
from es_gateway.client import Elasticsearch
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias

QuestionView = Literal["asked", "not_found", "not_opened", "slow"]
Interval = Literal["day", "week", "month"]

LEAST_PEOPLE = 5
"""A question of fewer people could reveal who asked; it is only counted."""
SLOW_MS = 1_000.0
_MOST_GROUPED = 2_000
_MOST_VALUES = 50
_DISTINCT = 3_000


@dataclass(frozen=True, slots=True)
class QuestionSlice:
    """A selection of questions by language (ISO 639-1), place and decade in the question, and time (ISO 8601)."""

    language: str | None = None
    place: str | None = None
    decade: int | None = None
    since: str | None = None
    before: str | None = None

    def filters(self) -> list[Json]:
        terms = {"language": self.language, "places": self.place, "decades": self.decade}
        clauses: list[Json] = [{"term": {name: value}} for name, value in terms.items() if value is not None]
        edges = {"gte": self.since, "lt": self.before}
        at = {name: edge for name, edge in edges.items() if edge is not None}
        return [*clauses, {"range": {"at": at}}] if at else clauses


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question. ``people``: at least five; ``opened``: the number of searches that led to a record."""

    question: str
    asked: int
    people: int
    opened: int
    not_found: int
    median_ms: float
    records: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Questions:
    """``hidden``: questions of fewer than five people, and how often they were asked."""

    rows: Sequence[QuestionRow]
    hidden_questions: int
    hidden_asked: int


class QuestionReader:
    """Reads the log. Raises the gateway's errors; an index that does not exist yet is empty."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._index = alias(prefix, "queries")

    def questions(self, view: QuestionView, selection: QuestionSlice, limit: int) -> Questions:
        """Most asked first; of ``slow`` the slowest."""
        answer = self._search(_query(view, selection), {"questions": _BY_QUESTION})
        buckets = answer.get("questions", {}).get("buckets", [])
        if view == "not_opened":
            buckets = [bucket for bucket in buckets if bucket["opened"]["doc_count"] == 0]
        frequent = [bucket for bucket in buckets if bucket["people"]["value"] >= LEAST_PEOPLE]
        rows = [_question_row(bucket) for bucket in frequent]
        if view == "slow":
            rows.sort(key=lambda row: -row.median_ms)
        other_count = answer.get("questions", {}).get("sum_other_doc_count", 0)
        hidden = other_count + sum(bucket["doc_count"] for bucket in buckets) - sum(row.asked for row in rows)
        return Questions(rows[:limit], len(buckets) - len(frequent), hidden)

    def summary(self, selection: QuestionSlice, interval: Interval) -> Json:
        """Totals, over time, by language, place and decade. Leaves out places and decades of fewer than five people."""
        answer = self._search({"bool": {"filter": selection.filters()}}, _summary_aggregations(interval))
        if not answer:
            return {"asked": 0, "over_time": [], "by": {}}
        return {
            "asked": answer["asked"]["value"],
            "not_found": answer["not_found"]["doc_count"],
            "opened": answer["opened"]["doc_count"],
            "median_ms": _median(answer["took"]),
            "over_time": [_bucket_json(bucket) for bucket in answer["over_time"]["buckets"]],
            "by": {
                "language": _counts_by_value(answer["language"], 1),
                "place": _counts_by_value(answer["places"], LEAST_PEOPLE),
                "decade": _counts_by_value(answer["decades"], LEAST_PEOPLE),
            },
        }

    def shown(self, questions: Sequence[str]) -> dict[str, list[str]]:
        """The records that each question showed at its last search, best first."""
        latest = {"top_hits": {"size": 1, "sort": [{"at": "desc"}], "_source": ["shown"]}}
        by_question = {"terms": {"field": "question", "size": max(1, len(questions))}, "aggs": {"latest": latest}}
        answer = self._search({"terms": {"question": list(questions)}}, {"questions": by_question})
        records: dict[str, list[str]] = {}
        for bucket in answer.get("questions", {}).get("buckets", []):
            source = bucket["latest"]["hits"]["hits"][0]["_source"]
            records[bucket["key"]] = list(source.get("shown", ()))
        return records

    def leading_to(self, record: str) -> Questions:
        """The questions from which the record was opened, most asked first; ``asked`` counts all searches of each."""
        answer_by_record = self._search({"term": {"opened": record}}, {"questions": {"terms": _TERMS}})
        names = [bucket["key"] for bucket in answer_by_record.get("questions", {}).get("buckets", [])]
        if not names:
            return Questions((), 0, 0)
        answer = self._search({"terms": {"question": names}}, {"questions": _BY_QUESTION})
        buckets = answer.get("questions", {}).get("buckets", [])
        rows = [_question_row(bucket) for bucket in buckets if bucket["people"]["value"] >= LEAST_PEOPLE]
        hidden = sum(bucket["doc_count"] for bucket in buckets) - sum(row.asked for row in rows)
        return Questions(rows, len(buckets) - len(rows), hidden)

    def _search(self, query: Json, aggs: Json) -> Json:
        response = self._client.search(index=self._index, query=query, aggs=aggs, size=0, ignore_unavailable=True)
        answer: Json = response.body.get("aggregations", {})
        return answer


_TOOK: Json = {"percentiles": {"field": "took_ms", "percents": [50]}}
_PEOPLE: Json = {"cardinality": {"field": "who", "precision_threshold": _DISTINCT}}
_WAS_OPENED: Json = {"filter": {"exists": {"field": "opened"}}}
_NOT_FOUND: Json = {"filter": {"term": {"matched": 0}}}
_TERMS: Json = {"field": "question", "size": _MOST_GROUPED}
_BY_QUESTION: Json = {
    "terms": _TERMS,
    "aggs": {
        "people": _PEOPLE,
        "opened": _WAS_OPENED,
        "not_found": _NOT_FOUND,
        "took": _TOOK,
        "records": {"terms": {"field": "opened", "size": 5}},
    },
}


def _query(view: QuestionView, selection: QuestionSlice) -> Json:
    filters = selection.filters()
    if view == "not_found":
        filters.append({"term": {"matched": 0}})
    if view == "not_opened":
        filters.append({"range": {"matched": {"gt": 0}}})
    if view == "slow":
        filters.append({"range": {"took_ms": {"gte": SLOW_MS}}})
    return {"bool": {"filter": filters}}


def _summary_aggregations(interval: Interval) -> Json:
    def by(field: str) -> Json:
        return {"terms": {"field": field, "size": _MOST_VALUES}, "aggs": {"people": _PEOPLE}}

    by_date = {"date_histogram": {"field": "at", "calendar_interval": interval, "min_doc_count": 0}}
    return {
        "asked": {"value_count": {"field": "at"}},
        "not_found": _NOT_FOUND,
        "opened": _WAS_OPENED,
        "took": _TOOK,
        "over_time": by_date | {"aggs": {"not_found": _NOT_FOUND, "opened": _WAS_OPENED, "took": _TOOK}},
        "language": by("language"),
        "places": by("places"),
        "decades": by("decades"),
    }


def _question_row(bucket: JsonMapping) -> QuestionRow:
    return QuestionRow(
        question=bucket["key"],
        asked=bucket["doc_count"],
        people=bucket["people"]["value"],
        opened=bucket["opened"]["doc_count"],
        not_found=bucket["not_found"]["doc_count"],
        median_ms=_median(bucket["took"]),
        records={record["key"]: record["doc_count"] for record in bucket["records"]["buckets"]},
    )


def _bucket_json(bucket: JsonMapping) -> Json:
    return {
        "from": bucket["key_as_string"],
        "asked": bucket["doc_count"],
        "not_found": bucket["not_found"]["doc_count"],
        "opened": bucket["opened"]["doc_count"],
        "median_ms": _median(bucket["took"]),
    }


def _counts_by_value(answer: JsonMapping, minimum: int) -> list[Json]:
    buckets = [bucket for bucket in answer["buckets"] if minimum <= 1 or bucket["people"]["value"] >= minimum]
    return [{"value": bucket["key"], "asked": bucket["doc_count"]} for bucket in buckets]


def _median(answer: JsonMapping) -> float:
    value = answer["values"]["50.0"]
    return 0.0 if value is None else round(float(value), 1)


RecordTexts = Callable[[Sequence[str]], Iterable[Record]]
"""The records with these ids that the steward may see."""

_RUN = "served"


def judged_collection(shown_hits: Mapping[str, Sequence[str]], texts: RecordTexts) -> bytes:
    """A zip for ``sonde judge``. ``shown_hits``: the records of each question, best first, without deleted records."""
    ids = list(dict.fromkeys(record for records in shown_hits.values() for record in records))
    records_by_id = {record.id: record for record in texts(ids)}
    queries = [{"_id": question_id(question), "text": question} for question in shown_hits]
    corpus = [{"_id": record.id, "title": record.title, "text": record.abstract} for record in records_by_id.values()]
    run = [
        f"{question_id(question)} Q0 {record} {rank} {1.0 / rank:.6f} {_RUN}\n"
        for question, records in shown_hits.items()
        for rank, record in enumerate((record for record in records if record in records_by_id), 1)
    ]
    zip_file = io.BytesIO()
    with zipfile.ZipFile(zip_file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("queries.jsonl", _json_lines(queries))
        archive.writestr("corpus.jsonl", _json_lines(corpus))
        archive.writestr("run.trec", "".join(run))
    return zip_file.getvalue()


def question_id(question: str) -> str:
    """Equal in all exports, so that judgements keep their question."""
    return "q" + sha256(question.encode()).hexdigest()[:12]


def _json_lines(rows: Iterable[Mapping[str, str]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


MOST_MEASUREMENTS = 1_000
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 640, 240, 44, 16, 28


@dataclass(frozen=True, slots=True)
class Measurement:
    """``at``: ISO 8601. ``judged``: hash of questions and judgements; only equal ones are compared. ``fall``: the
    median nDCG@10 of the seven measurements before minus this one; 0 without earlier ones.
    """

    at: str
    judged: str
    questions: int
    ndcg_at_10: float
    recall_at_100: float
    fall: float
    model: str
    version: str


class MeasurementStore:
    """Stored in the index ``{prefix}-measurements``. Raises the errors of the gateway."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._index = alias(prefix, "measurements")

    def keep(self, measurement: Measurement) -> None:
        """Visible when this returns. Creates the index if necessary."""
        ensure_without_vectors(self._client, self._prefix, ("measurements",))
        self._client.index(index=self._index, document=asdict(measurement), refresh=True, require_alias=True)

    def latest(self, size: int = MOST_MEASUREMENTS, judged: str | None = None) -> list[Measurement]:
        """Oldest first. ``judged``: only measurements with these judgements."""
        query: Json = {"match_all": {}} if judged is None else {"term": {"judged": judged}}
        answer = self._client.search(
            index=self._index, query=query, size=size, sort=[{"at": "desc"}], ignore_unavailable=True
        )
        return [Measurement(**hit["_source"]) for hit in reversed(answer.body["hits"]["hits"])]


def chart(measurements: Sequence[Measurement]) -> str:
    """nDCG@10 over time as SVG. A new line begins where the judgements or the model changed."""
    lowest = min((measurement.ndcg_at_10 for measurement in measurements), default=0.0)
    floor = max(0.0, round(lowest - 0.1, 1))
    points = [_point(place, measurement, len(measurements), floor) for place, measurement in enumerate(measurements)]
    lines = "".join(
        f'<polyline fill="none" stroke="currentColor" stroke-width="2" points="{" ".join(part)}"/>'
        for part in _line_segments(measurements, points)
    )
    dots = "".join(
        f'<circle cx="{point.partition(",")[0]}" cy="{point.partition(",")[2]}" r="3" fill="currentColor">'
        f"<title>{html.escape(measurement.at[:10])}: {measurement.ndcg_at_10:.3f} ({measurement.questions} questions, "
        f"{html.escape(measurement.model)})</title></circle>"
        for measurement, point in zip(measurements, points, strict=True)
    )
    marks = "".join(_grid_line(floor + step * (1.0 - floor) / 4, floor) for step in range(5))
    ends = f"{measurements[0].at[:10]} to {measurements[-1].at[:10]}" if measurements else "nothing measured yet"
    title = html.escape(f"nDCG@10 of the judged questions, {ends}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{title}" '
        f'font-family="sans-serif" font-size="12" color="#1f5f8b"><title>{title}</title>{marks}{lines}{dots}'
        f'<text x="{_LEFT}" y="{_HEIGHT - 8}" fill="#555">{html.escape(ends)}</text></svg>'
    )


def _point(place: int, measurement: Measurement, count: int, floor: float) -> str:
    x = _LEFT + (_WIDTH - _LEFT - 12) * (place / (count - 1) if count > 1 else 0.5)
    return f"{x:.1f},{_height(measurement.ndcg_at_10, floor):.1f}"


def _height(value: float, floor: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1.0 - (value - floor) / (1.0 - floor or 1.0))


def _line_segments(measurements: Sequence[Measurement], points: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = []
    previous: tuple[str, str] | None = None
    for measurement, point in zip(measurements, points, strict=True):
        if (measurement.judged, measurement.model) != previous:
            parts.append([])
        parts[-1].append(point)
        previous = (measurement.judged, measurement.model)
    return parts


def _grid_line(value: float, floor: float) -> str:
    y = _height(value, floor)
    return (
        f'<line x1="{_LEFT}" x2="{_WIDTH - 12}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ccc"/>'
        f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{value:.2f}</text>'
    )


@dataclass(frozen=True, slots=True)
class RecordQuality:
    """``completeness``: 0..1. ``missing`` and ``repaired`` as in the quality report of a source."""

    completeness: float
    missing: tuple[str, ...]
    repaired: tuple[str, ...]


QualityOf = Callable[[str], RecordQuality]
"""Of a record's id. Raises NotFound, also for one that the caller may not see."""
