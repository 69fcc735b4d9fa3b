"""Asks each question to the serving answerer and measures the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from core.ports import LanguageModel
from evaluation.answers.measures import Asked, answer_recall, statement_recall
from evaluation.answers.questions import AnswerQuestion
from search_api.ask.answerer import Answerer
from search_api.ask.citations import without_citations
from search_api.search.passages.values import AskRequest, CitedAnswer, FoundPassage
from search_api.search.retrieval.serving import ServingResolver

_DEPTH = 64
_FIRST = 8

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, its answer as it was given, and its measures."""

    question: AnswerQuestion
    answer: CitedAnswer
    measured: Asked


@dataclass(frozen=True, slots=True)
class Examination:
    """``model``: also asked without passages, to measure its own knowledge; None if answers are quotes, which without
    retrieval can only repeat the question's words.
    """

    answerer: Answerer
    resolver: ServingResolver
    model: LanguageModel | None = None

    def ask(self, question: AnswerQuestion) -> Answered:
        """Raises Unavailable if Elasticsearch or the model does not answer."""
        deep = AskRequest(question.question, top_k=_DEPTH, threshold=0.0)
        passages = self.answerer.retriever.retrieve(deep, self.resolver.resolve()).passages
        answer = self.answerer.answer(AskRequest(question.question))
        return Answered(question, answer, measured(question, passages, answer, self._alone(question)))

    def _alone(self, question: AnswerQuestion) -> str:
        if self.model is None:
            return question.question
        return "".join(self.model.stream([{"role": "user", "content": question.question}]))


def measured(question: AnswerQuestion, passages: Sequence[FoundPassage], answer: CitedAnswer, alone: str) -> Asked:
    """``passages``: the first 64 without a threshold; ``alone``: the answer without retrieval."""
    text_of = {passage.number: passage.document for passage in answer.passages}
    cited = [number for sentence in answer.sentences for number in sentence.citations]
    relevances = [passage.relevance for passage in passages[:_FIRST]]
    said = "" if answer.refused else without_citations(answer.text)
    on_page = _on_page(question, [one for number in cited for one in answer.passages if one.number == number])
    return Asked(
        id=question.id,
        answerable=question.answerable,
        rank=next((rank for rank, one in enumerate(passages, 1) if one.document in question.texts), None),
        found=len(answer.passages),
        best=relevances[0] if relevances else 0.0,
        mean=fmean(relevances) if relevances else 0.0,
        refused=answer.refused,
        citations=len(cited),
        right=sum(text_of.get(number) in question.texts for number in cited),
        sentences=len(answer.sentences),
        supported=sum(sentence.supported for sentence in answer.sentences),
        recall=answer_recall(said, question.answers),
        without=answer_recall(alone, question.answers),
        statements=statement_recall(said, question.answers),
        on_page=any(on_page) if on_page is not None else None,
        first_on_page=on_page[:1] == [True] if on_page is not None else None,
        kind=question.kind,
    )


def _on_page(question: AnswerQuestion, cited: Sequence[FoundPassage]) -> list[bool] | None:
    """For each citation, whether its passage touches a page that the question names; None if it names none."""
    if not question.pages or not question.answerable:
        return None
    return [one.document == question.text and _touches(one, question.pages) for one in cited]


def _touches(passage: FoundPassage, pages: Sequence[int]) -> bool:
    first, last = passage.first_page, passage.last_page or passage.first_page
    return first is not None and last is not None and any(first <= page <= last for page in pages)


def examine(examination: Examination, questions: Sequence[AnswerQuestion], progress: Progress) -> list[Answered]:
    """In the order of the questions."""
    done = []
    for number, question in enumerate(questions, 1):
        done.append(examination.ask(question))
        progress(number, len(questions))
    return done
