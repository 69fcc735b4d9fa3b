"""The content of a report, collected once for both forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from core.json_types import Json, JsonMapping
from core.ports import CrossEncoderCard, EmbedderCard
from evaluation.collection import JudgedCollection
from evaluation.evaluate import ComparedRun, Evaluation, KindResult, by_kind, worst_losses
from evaluation.metrics import HEADLINE
from evaluation.report import plots

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
        template = environment.from_string(files(__package__).joinpath("page.html").read_text(encoding="utf-8"))
        column = self.evaluation.measures.column(HEADLINE)
        return template.render(
            report=self.as_dict(),
            headline=HEADLINE,
            worst=self._worst(),
            against=self.comparisons[0].name if self.comparisons else "a full mark",
            recall_plot=plots.lines(self._recalls()),
            histogram_plot=plots.histogram(list(column.values())),
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
