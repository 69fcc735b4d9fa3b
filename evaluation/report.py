"""The report of an evaluation: its content, collected once for both forms, with small plots as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from core.json_types import Json, JsonMapping
from core.ports import CrossEncoderCard, EmbedderCard
from evaluation.collection import JudgedCollection
from evaluation.evaluate import ComparedRun, Evaluation, KindResult, by_kind, worst_losses
from evaluation.metrics import HEADLINE

_WIDTH, _HEIGHT = 560, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 130, 10, 30
_COLOURS = ("#1f5f8b", "#c2571a", "#4b8b3b", "#7a4f9a", "#8a6d1d", "#a03050")


def lines(series: Mapping[str, Sequence[tuple[str, float]]]) -> str:
    """One line for each series of (label, value 0..1); the labels of the first are on the x axis, evenly spaced."""
    labels = [label for label, _ in next(iter(series.values()))]
    step = (_WIDTH - _LEFT - _RIGHT) / max(len(labels) - 1, 1)
    parts = [_axes()]
    parts += [_text(_LEFT + place * step, _HEIGHT - 10, label, "middle") for place, label in enumerate(labels)]
    for number, (name, points) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(f"{_LEFT + place * step:.1f},{_y(value):.1f}" for place, (_, value) in enumerate(points))
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
        parts.append(_text(_WIDTH - _RIGHT + 8, _TOP + 14 + 16 * number, name, "start", colour))
    return _picture("".join(parts))


def histogram(values: Sequence[float], bins: int = 10) -> str:
    """The number of values (0..1) in each of ``bins`` equal steps; 1 itself is in the last."""
    counts = histogram_counts(values, bins)
    width = (_WIDTH - _LEFT - _RIGHT) / bins
    parts = [_axes(top=str(max(counts)))]
    for place, count in enumerate(counts):
        height = (_HEIGHT - _TOP - _BOTTOM) * count / max(*counts, 1)
        x = _LEFT + place * width
        parts.append(
            f'<rect x="{x + 1:.1f}" y="{_HEIGHT - _BOTTOM - height:.1f}" width="{width - 2:.1f}" height="{height:.1f}" '
            f'fill="{_COLOURS[0]}"><title>{count}</title></rect>'
        )
        parts.append(_text(x, _HEIGHT - 10, f"{place / bins:g}", "middle"))
    parts.append(_text(_WIDTH - _RIGHT, _HEIGHT - 10, "1", "middle"))
    return _picture("".join(parts))


def histogram_counts(values: Sequence[float], bins: int) -> list[int]:
    counts = [0] * bins
    for value in values:
        counts[min(int(value * bins), bins - 1)] += 1
    return counts


def _y(value: float) -> float:
    return _TOP + (1.0 - value) * (_HEIGHT - _TOP - _BOTTOM)


def _axes(top: str = "1") -> str:
    floor = _HEIGHT - _BOTTOM
    edges = f'<path d="M{_LEFT} {_TOP} V{floor} H{_WIDTH - _RIGHT}" fill="none" stroke="#888"/>'
    return edges + _text(_LEFT - 6, _TOP + 8, top, "end") + _text(_LEFT - 6, floor, "0", "end")


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#333") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _picture(inside: str) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" font-size="12">{inside}</svg>'


_RECALLS = ("R@1", "R@3", "R@5", "R@8", "R@10", "R@32", "R@64", "R@100")
_WORST = 25
_SHOWN_FIRST = 3


@dataclass(frozen=True, slots=True)
class ReportSetup:
    """What was evaluated: the models' cards, the ranking's numbers, Sonde's version, the date."""

    embedder: EmbedderCard
    cross_encoder: CrossEncoderCard | None
    ranking: JsonMapping
    version: str
    at: str


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    collection: JudgedCollection
    evaluation: Evaluation
    comparisons: Sequence[ComparedRun]
    setup: ReportSetup

    def as_dict(self) -> Json:
        """Everything except the run: metrics on top, then the configuration, the comparisons, each question."""
        return {
            "collection": self.collection.name,
            "documents": len(self.collection.records),
            "questions": len(self.collection.questions),
            "notes": list(self.collection.notes),
            **self.evaluation.as_dict(),
            "made_with": asdict(self.setup),
            "by_kind": [asdict(row) for row in self.kinds()],
            "compared": [comparison.as_dict() for comparison in self.comparisons],
            "by_question": {question: dict(row) for question, row in self.evaluation.measures.by_question.items()},
        }

    def kinds(self) -> list[KindResult]:
        return by_kind(self.evaluation.run, self.collection, self.evaluation.measures)

    def to_html(self) -> str:
        """A whole page without scripts and external files."""
        environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
        template = environment.from_string(files(__package__).joinpath("report.html").read_text(encoding="utf-8"))
        column = self.evaluation.measures.column(HEADLINE)
        return template.render(
            report=self.as_dict(),
            headline=HEADLINE,
            worst=self._worst(),
            against=self.comparisons[0].name if self.comparisons else "a full mark",
            recall_plot=lines(self._recalls()),
            histogram_plot=histogram(list(column.values())),
        )

    def _recalls(self) -> dict[str, list[tuple[str, float]]]:
        rows = {self.evaluation.variant.name: self.evaluation.measures.means}
        rows |= {comparison.name: comparison.measures.means for comparison in self.comparisons[:5]}
        return {
            name: [(measure.removeprefix("R@"), means[measure]) for measure in _RECALLS] for name, means in rows.items()
        }

    def _worst(self) -> list[Json]:
        """The largest losses against the first comparison, with the first hit and the expected one."""
        first_measures = self.comparisons[0].measures if self.comparisons else None
        texts = {question.id: question.text for question in self.collection.questions}
        titles = {self.collection.documents[record.id]: record.title for record in self.collection.records}
        return [
            {
                "id": question,
                "text": texts[question],
                "own": value,
                "other": other_value,
                "first": [self._entry(question, document, titles) for document in self._first(question)],
                "wanted": [self._entry(question, document, titles) for document in self._relevant(question)],
            }
            for question, value, other_value in worst_losses(self.evaluation.measures, first_measures, _WORST)
        ]

    def _first(self, question: str) -> list[str]:
        return [document for document, _ in self.evaluation.run.get(question, ())[:_SHOWN_FIRST]]

    def _relevant(self, question: str) -> list[str]:
        grades = self.collection.qrels[question]
        relevant = sorted((document for document in grades if grades[document] > 0), key=lambda d: (-grades[d], d))
        return relevant[:_SHOWN_FIRST]

    def _entry(self, question: str, document: str, titles: Mapping[str, str]) -> Json:
        ranks = {hit: rank for rank, (hit, _) in enumerate(self.evaluation.run.get(question, ()), 1)}
        grade = self.collection.qrels[question].get(document)
        return {"id": document, "title": titles[document], "grade": grade, "rank": ranks.get(document)}
