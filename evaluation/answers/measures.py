"""Asks each question to the serving answerer and measures the result.

Every share has its number of questions, and is None if that is zero.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from statistics import fmean

import numpy as np
from jinja2 import Environment, StrictUndefined

from core.ports import LanguageModel
from evaluation.answers.questions import AnswerQuestion
from evaluation.judgements import JudgementFile, agreement, qrels_of
from reading.sentences import sentences
from search_api.ask.answerer import Answerer
from search_api.ask.extract import without_citations
from search_api.search.passages.coverage import content_words
from search_api.search.passages.values import AnswerConfig, AskRequest, CitedAnswer, FoundPassage
from search_api.search.retrieval.serving import ServingResolver

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
CUTS = (1, 3, 5, 8, 32, 64)
_DEPTH = 64
_FIRST = 8
_LONG_SENTENCE = 60  # characters
_RESAMPLES = 10_000
_BOOTSTRAP_SEED = 20_05  # any number; fixed, so that an interval can be computed again
Progress = Callable[[int, int], None]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class AnswerMeasures:
    """The result of one question.

    ``rank``: of the first passage of its text (from 1), None if none is among 64. ``found``: passages at or above the
    threshold. ``best`` and ``mean``: relevance of the first passage and mean of the first eight (0..1), ignoring the
    threshold. ``citations`` and ``right``: the passages that the answer cites, and those of them from its text.
    ``sentences`` and ``supported``: of the answer. ``recall``: of the reference answer's words, None without a
    reference; ``without``: the same without retrieval. ``statements``: the share of the reference's statements that the
    answer makes. ``on_page`` and ``first_on_page``: whether any and the first citation is of a named page, None if
    no page is named. ``withheld_refused``: whether it would be refused without its text and those that repeat a long
    sentence of it; None for a question without an answer.
    """

    id: str
    answerable: bool
    rank: int | None
    found: int
    best: float
    mean: float
    refused: bool
    citations: int = 0
    right: int = 0
    sentences: int = 0
    supported: int = 0
    recall: float | None = None
    without: float | None = None
    statements: float | None = None
    on_page: bool | None = None
    first_on_page: bool | None = None
    kind: str = ""
    off_topic: bool = False
    withheld_refused: bool | None = None


def answer_recall(answer: str, references: Sequence[str]) -> float | None:
    """The share of a reference's content words in the answer, for the best reference, 0..1.

    None without a reference. The recall half of the token F1 of Rajpurkar et al., EMNLP 2016.
    """
    present = content_words(answer)
    references_words = [words for reference in references if (words := content_words(reference))]
    return max((len(words & present) / len(words) for words in references_words), default=None)


def statement_recall(answer: str, references: Sequence[str]) -> float | None:
    """The share of a reference's sentences that the answer says, for the best reference, 0..1. None without one.

    A sentence counts as given if the answer has three fifths of its content words and all of its numbers.
    """
    present, numbers = content_words(answer), set(_NUMBER.findall(answer))
    shares = [
        fmean(_stated_share(statement, present, numbers) for statement in statements)
        for reference in references
        if (statements := [statement_text for statement_text in sentences(reference) if content_words(statement_text)])
    ]
    return max(shares, default=None)


def _stated_share(statement: str, present: frozenset[str], numbers: set[str]) -> float:
    words = content_words(statement)
    return float(len(words & present) >= 0.6 * len(words) and numbers.issuperset(_NUMBER.findall(statement)))


def share(hits: Iterable[bool]) -> float | None:
    """0..1."""
    all_of = list(hits)
    return sum(all_of) / len(all_of) if all_of else None


def by_kind(rows: Sequence[AnswerMeasures]) -> dict[str, dict[str, float | int | None]]:
    """``figures`` of each kind of question, in the order of the first of each; empty where no kind is named."""
    return {kind: figures(rows_of_kind) for kind, rows_of_kind in _rows_by_kind(rows).items()}


def intervals_by_kind(rows: Sequence[AnswerMeasures]) -> dict[str, dict[str, Interval]]:
    """``intervals`` of each kind of question, as ``by_kind``."""
    return {kind: intervals(rows_of_kind) for kind, rows_of_kind in _rows_by_kind(rows).items()}


def _rows_by_kind(rows: Sequence[AnswerMeasures]) -> dict[str, list[AnswerMeasures]]:
    kinds = dict.fromkeys(row.kind for row in rows if row.kind)
    return {kind: [row for row in rows if row.kind == kind] for kind in kinds}


def figures(rows: Sequence[AnswerMeasures]) -> dict[str, float | int | None]:
    """The whole table. Refusals of answerable questions and answers to unanswerable ones are errors.

    Questions off the topic count in ``off_topic`` and ``off_topic_refused`` only.
    """
    off_topic = [row for row in rows if row.off_topic]
    rows = [row for row in rows if not row.off_topic]
    can = [row for row in rows if row.answerable]
    cannot = [row for row in rows if not row.answerable]
    answered_rows = [row for row in can if not row.refused]
    rows_with_reference = [row for row in can if row.recall is not None]
    return {
        "questions": len(rows),
        "answerable": len(can),
        **{f"recall@{depth}": share(row.rank is not None and row.rank <= depth for row in can) for depth in CUTS},
        "share_with_any_result": share(row.found > 0 for row in rows),
        "mean_score_first": _mean(row.best for row in can),
        "mean_score_first_eight": _mean(row.mean for row in can),
        "refused_wrongly": share(row.refused for row in can),
        "unanswerable": len(cannot),
        "refused_rightly": share(row.refused for row in cannot),
        "withheld_refused": share(row.withheld_refused for row in can if row.withheld_refused is not None),
        "off_topic": len(off_topic),
        "off_topic_refused": share(row.refused for row in off_topic),
        "with_reference_answer": len(rows_with_reference),
        "answer_recall": _mean(row.recall for row in rows_with_reference),
        "statement_recall": _mean(row.statements for row in rows_with_reference),
        "answer_recall_without_retrieval": _mean(row.without for row in rows_with_reference),
        "citations": sum(row.citations for row in answered_rows),
        "citation_precision": _ratio(
            sum(row.right for row in answered_rows), sum(row.citations for row in answered_rows)
        ),
        "right_page_cited": share(row.on_page for row in can if row.on_page is not None),
        "right_page_first": share(row.first_on_page for row in can if row.first_on_page is not None),
        "sentences": sum(row.sentences for row in answered_rows),
        "sentences_supported": _ratio(
            sum(row.supported for row in answered_rows), sum(row.sentences for row in answered_rows)
        ),
    }


def intervals(rows: Sequence[AnswerMeasures]) -> dict[str, Interval]:
    """95 % of each share by the bootstrap over its questions (Efron 1979), by a fixed seed; none without questions."""
    can = [row for row in rows if row.answerable]
    cannot = [row for row in rows if not row.answerable and not row.off_topic]
    hits = {
        **{f"recall@{depth}": [row.rank is not None and row.rank <= depth for row in can] for depth in CUTS},
        "refused_wrongly": [row.refused for row in can],
        "refused_rightly": [row.refused for row in cannot],
        "withheld_refused": [row.withheld_refused for row in can if row.withheld_refused is not None],
        "off_topic_refused": [row.refused for row in rows if row.off_topic],
    }
    return {name: bootstrap_interval(values) for name, values in hits.items() if values}


def bootstrap_interval(hits: Sequence[bool]) -> Interval:
    """The 2.5th and 97.5th percentile of the share in resamples of as many questions, 0..1.

    The number of hits in a resample with replacement is binomial.
    """
    resamples = np.random.default_rng(_BOOTSTRAP_SEED).binomial(len(hits), sum(hits) / len(hits), _RESAMPLES)
    low, high = np.quantile(resamples / len(hits), (0.025, 0.975))
    return float(low), float(high)


def _mean(values: Iterable[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return fmean(numbers) if numbers else None


def _ratio(part: int, total: int) -> float | None:
    return part / total if total else None


@dataclass(frozen=True, slots=True)
class MeasuredAnswer:
    """A question, its answer as it was given, and its measures."""

    question: AnswerQuestion
    answer: CitedAnswer
    measures: AnswerMeasures


@dataclass(frozen=True, slots=True)
class Examination:
    """``model``: also asked without passages, to measure its own knowledge; None if answers are quotes, which without
    retrieval can only repeat the question's words.
    """

    answerer: Answerer
    resolver: ServingResolver
    model: LanguageModel | None = None

    def ask(self, question: AnswerQuestion) -> MeasuredAnswer:
        """Raises Unavailable if Elasticsearch or the model does not answer."""
        deep = AskRequest(question.question, top_k=_DEPTH, threshold=0.0)
        passages = self.answerer.retriever.retrieve(deep, self.resolver.resolve()).passages
        answer = self.answerer.answer(AskRequest(question.question))
        measures = measures_of(question, passages, answer, self._answer_alone(question))
        refused = is_refused_without_its_text(question, passages, self.answerer.config)
        return MeasuredAnswer(question, answer, replace(measures, withheld_refused=refused))

    def _answer_alone(self, question: AnswerQuestion) -> str:
        if self.model is None:
            return question.question
        return "".join(self.model.stream([{"role": "user", "content": question.question}]))


def is_refused_without_its_text(
    question: AnswerQuestion, passages: Sequence[FoundPassage], config: AnswerConfig
) -> bool | None:
    """Whether no other passage is relevant enough: a question on the topic that the other texts do not answer.

    ``passages``: best first, without a threshold. None for a question without an answer.
    """
    if not question.answerable:
        return None
    answering = {sentence for passage in passages if passage.document in question.texts for sentence in _long(passage)}
    other_passages = [
        passage
        for passage in passages
        if passage.document not in question.texts and answering.isdisjoint(_long(passage))
    ]
    return all(passage.relevance < config.threshold for passage in other_passages[: config.top_k])


def _long(passage: FoundPassage) -> list[str]:
    return [sentence for sentence in sentences(passage.text) if len(sentence) >= _LONG_SENTENCE]


def measures_of(
    question: AnswerQuestion, passages: Sequence[FoundPassage], answer: CitedAnswer, alone: str
) -> AnswerMeasures:
    """``passages``: the first 64 without a threshold; ``alone``: the answer without retrieval."""
    text_of = {passage.number: passage.document for passage in answer.passages}
    cited_numbers = [number for sentence in answer.sentences for number in sentence.citations]
    relevances = [passage.relevance for passage in passages[:_FIRST]]
    text = "" if answer.refused else without_citations(answer.text)
    on_page = _on_page(
        question,
        [
            shown_passage
            for number in cited_numbers
            for shown_passage in answer.passages
            if shown_passage.number == number
        ],
    )
    return AnswerMeasures(
        id=question.id,
        answerable=question.answerable,
        rank=next(
            (rank for rank, shown_passage in enumerate(passages, 1) if shown_passage.document in question.texts), None
        ),
        found=len(answer.passages),
        best=relevances[0] if relevances else 0.0,
        mean=fmean(relevances) if relevances else 0.0,
        refused=answer.refused,
        citations=len(cited_numbers),
        right=sum(text_of.get(number) in question.texts for number in cited_numbers),
        sentences=len(answer.sentences),
        supported=sum(sentence.supported for sentence in answer.sentences),
        recall=answer_recall(text, question.answers),
        without=answer_recall(alone, question.answers),
        statements=statement_recall(text, question.answers),
        on_page=any(on_page) if on_page is not None else None,
        first_on_page=on_page[:1] == [True] if on_page is not None else None,
        kind=question.kind,
        off_topic=question.off_topic,
    )


def _on_page(question: AnswerQuestion, cited: Sequence[FoundPassage]) -> list[bool] | None:
    """For each citation, whether its passage touches a page that the question names; None if it names none."""
    if not question.pages or not question.answerable:
        return None
    return [passage.document == question.text and _is_on_one_of(passage, question.pages) for passage in cited]


def _is_on_one_of(passage: FoundPassage, pages: Sequence[int]) -> bool:
    first, last = passage.first_page, passage.last_page or passage.first_page
    return first is not None and last is not None and any(first <= page <= last for page in pages)


def examine(examination: Examination, questions: Sequence[AnswerQuestion], progress: Progress) -> list[MeasuredAnswer]:
    """In the order of the questions."""
    results = []
    for number, question in enumerate(questions, 1):
        results.append(examination.ask(question))
        progress(number, len(questions))
    return results


def answer_id(answer: MeasuredAnswer) -> str:
    """Equal for the same answer to the same question, in any run."""
    return hashlib.sha256(f"{answer.question.id}\n{answer.answer.text}".encode()).hexdigest()[:16]


def grading_page(name: str, origin: str, answers: Iterable[MeasuredAnswer]) -> str:
    """A complete page; its script uses nothing external. ``origin``: a sentence on how the answers were made."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files(__package__).joinpath("page.html").read_text(encoding="utf-8"))
    rows = [
        {
            "id": answer_id(answer),
            "question": answer.question,
            "text": answer.answer.text,
            "sentences": answer.answer.sentences,
            "passages": answer.answer.passages,
        }
        for answer in answers
    ]
    return template.render(name=name, made=origin, answers=rows)


def grade_statistics(file: JudgementFile) -> list[str]:
    """Statistics as lines: number of answers, mean grade (of medians, 0 to 3), agreement between graders."""
    grades = file.grades()
    if not grades:
        return ["Nobody has graded an answer yet."]
    median = [grade for answers in qrels_of(grades).values() for grade in answers.values()]
    lines = [
        f"{len(median)} answers are graded; mean {fmean(median):.2f} of 3, {_full_share(median):.0%} answer in full."
    ]
    for pair in agreement(grades):
        weighted_text = "" if pair.weighted is None else f", weighted {pair.weighted:.2f}"
        lines.append(f"{' and '.join(pair.of)}: kappa {pair.kappa:.2f}{weighted_text} on {pair.pairs} answers")
    return lines


def _full_share(grades: Sequence[int]) -> float:
    return sum(grade == 3 for grade in grades) / len(grades)
