"""RAFT and DPO rows that teach a small language model to answer from passages, as chat messages for the usual trainers.

The prompt is the serving one, so that a model trained on the rows sees the same form in `/ask`.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.document import Passage
from core.errors import SondeError
from core.json_types import Json
from core.ports import LanguageModel
from reading.sentences import EMPTY_WORDS, sentences
from search_api.ask.generation import build_messages
from search_api.search.passages.values import REFUSAL, FoundPassage
from training.corpora import CorpusDocument
from training.examples import TrainingError
from training.hard_negatives import Bm25Index
from training.questions.language_model import GeneratedPair

Row = Json
_WORD = re.compile(r"\w+")
_CITATION = re.compile(r"\s*\[\d+\]")


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """``passages`` numbered from 1; ``right``: the number of the one that answers, None if none does."""

    passages: tuple[FoundPassage, ...]
    right: int | None


class OtherPassages:
    """Passages of other documents that share words with a question, as a search would return."""

    def __init__(self, passages: Sequence[Passage], titles: dict[str, str] | None = None) -> None:
        """``titles``: document id -> title, shown with each passage."""
        self._passages, self._titles = list(passages), titles or {}
        self._by_id = {passage.id: passage for passage in passages}
        self._words = Bm25Index([passage.text for passage in passages])

    def context(
        self, question: str, source: CorpusDocument, count: int, chance: random.Random, *, right: bool
    ) -> AnswerContext:
        """``count`` passages in a random order. Without ``right`` the source's whole document is left out, because
        another of its passages may answer; fewer passages if there are no more.
        """
        source_passage = self._by_id[source.id]
        depth = min(len(self._passages), 8 * count + 8)
        other_passages = [
            self._passages[row]
            for row in self._words.best(question, depth)
            if self._passages[row].document != source_passage.document
        ]
        context_passages = [source_passage, *other_passages[: count - 1]] if right else other_passages[:count]
        chance.shuffle(context_passages)
        found_passages = tuple(self._number(passage, number) for number, passage in enumerate(context_passages, 1))
        return AnswerContext(
            found_passages,
            next(
                (
                    numbered_passage.number
                    for numbered_passage in found_passages
                    if right and numbered_passage.id == source_passage.id
                ),
                None,
            ),
        )

    def _number(self, passage: Passage, number: int) -> FoundPassage:
        return FoundPassage(
            id=passage.id,
            document=passage.document,
            text=passage.text,
            number=number,
            title=self._titles.get(passage.document, ""),
            section_path=passage.section_path,
            first_page=passage.first_page,
            last_page=passage.last_page,
        )


def without(context: AnswerContext) -> AnswerContext:
    """The same context without the passage that answers; the others are numbered again."""
    other_passages = [passage for passage in context.passages if passage.number != context.right]
    return AnswerContext(
        tuple(replace(passage, number=number) for number, passage in enumerate(other_passages, 1)), None
    )


@dataclass(frozen=True, slots=True)
class AnswerSets:
    """``passages`` per context; after ``answerable`` answered rows, one without an answer.

    ``relevance`` 0..1: the least share of an answer's content words in its passage. GeoGPT-RAG
    (doi:10.48550/arXiv.2509.09686) has 7 to 1 and 0.4.
    """

    passages: int = 5
    answerable: int = 7
    relevance: float = 0.4
    seed: int = 0


def raft(pairs: Iterable[GeneratedPair], other_passages: OtherPassages, settings: AnswerSets) -> Iterator[Row]:
    """``{"messages": [system, user, assistant]}``: other passages with the right one and an answer that cites it; every
    eighth with others only, and the refusal.
    """
    for number, (pair, context) in enumerate(_contexts(pairs, other_passages, settings)):
        unanswerable = number % (settings.answerable + 1) == settings.answerable
        answer_context = without(context) if unanswerable else context
        answer = REFUSAL if unanswerable else add_citation(pair.answer, answer_context.right)
        yield {"messages": [*_prompt(pair, answer_context), _assistant(answer)]}


def dpo(
    pairs: Iterable[GeneratedPair], other_passages: OtherPassages, model: LanguageModel, settings: AnswerSets
) -> Iterator[Row]:
    """``{"prompt", "chosen", "rejected"}``. Chosen: the cited answer; rejected: the model's answer without any passage,
    which has no evidence. Every eighth is reversed: without an answer in the passages, the refusal is chosen and the
    answer rejected. A row with two equal sides is left out.

    Raises TrainingError if the endpoint fails; earlier rows have been yielded by then.
    """
    for number, (pair, context) in enumerate(_contexts(pairs, other_passages, settings)):
        if number % (settings.answerable + 1) == settings.answerable:
            yield _preference(_prompt(pair, without(context)), REFUSAL, add_citation(pair.answer, 1))
            continue
        cited_answer, answer_alone = add_citation(pair.answer, context.right), _answer_alone(pair, model)
        if answer_alone and _CITATION.sub("", cited_answer).strip() != answer_alone:
            yield _preference(_prompt(pair, context), cited_answer, answer_alone)


def add_citation(answer: str, number: int | None) -> str:
    """Each sentence with its passage: ``It rained. [2]`` becomes ``It rained [2].``"""
    if number is None:
        return answer
    return " ".join(_with_number(_CITATION.sub("", sentence).strip(), number) for sentence in sentences(answer))


def support(answer: str, text: str) -> float:
    """The share of the answer's content words in the text, 0..1; 0 for an answer without any."""
    words = {word for word in _WORD.findall(answer.lower()) if word not in EMPTY_WORDS and len(word) > 2}
    in_text = set(_WORD.findall(text.lower()))
    return len(words & in_text) / len(words) if words else 0.0


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """JSON lines, each written when it is made, so that rows survive a failure of the endpoint. Returns their number.

    Raises TrainingError if the disk fails.
    """
    count = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                file.flush()
                count += 1
            os.fsync(file.fileno())
    except OSError as error:
        raise TrainingError(f"{path} cannot be written: {error.strerror}; {count} rows are there.") from error
    return count


def _contexts(
    pairs: Iterable[GeneratedPair], other_passages: OtherPassages, settings: AnswerSets
) -> Iterator[tuple[GeneratedPair, AnswerContext]]:
    """For answers support by their passage, if there is others."""
    for pair in pairs:
        document = pair.question.document
        if support(pair.answer, document.text) < settings.relevance:
            continue
        chance = random.Random(f"{settings.seed}:{document.id}")  # noqa: S311 # nosec B311 - a draw to be repeated
        context = other_passages.context(pair.question.question, document, settings.passages, chance, right=True)
        if len(context.passages) > 1:
            yield pair, context


def _prompt(pair: GeneratedPair, context: AnswerContext) -> list[dict[str, str]]:
    return build_messages(pair.question.question, context.passages, (), None)


def _answer_alone(pair: GeneratedPair, model: LanguageModel) -> str:
    messages = [{"role": "user", "content": f"{pair.question.question} Answer briefly."}]
    try:
        return "".join(model.stream(messages)).strip()
    except SondeError as error:
        raise TrainingError(f"The language model does not answer: {error}") from error


def _preference(prompt: list[dict[str, str]], better: str, worse: str) -> Row:
    return {"prompt": prompt, "chosen": [_assistant(better)], "rejected": [_assistant(worse)]}


def _assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def _with_number(sentence: str, number: int) -> str:
    end = sentence[-1] if sentence.endswith((".", "!", "?")) else "."
    return f"{sentence.rstrip('.!?')} [{number}]{end}"
