"""From a question to a cited answer: retrieve, refuse if nothing is relevant, answer, check."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Literal

import structlog

from core.deadlines import raise_if_caller_gone, slot_released, within
from core.errors import ModelMissing, SondeError, Unavailable
from core.ports import CrossEncoder, LanguageModel
from reading.sentences import detect_language, sure_language
from search_api.ask.cells import quoted_cell, with_named_cell
from search_api.ask.extract import Judge, best_quotes, checked_sentences, in_cited_section, quoted_text
from search_api.ask.generation import (
    AnswerBuffer,
    build_messages,
    is_refusal,
    retry_messages,
    without_leading_reasoning,
    without_reasoning,
)
from search_api.ask.records import FoundRecords, RecordFinder, asks_for_data, record_titles, with_records
from search_api.search.passages.retrieve import PassageRetriever, RetrievedPassages, numbered
from search_api.search.passages.values import (
    REFUSAL,
    AnswerConfig,
    AskRequest,
    CitedAnswer,
    CitedSentence,
    DocumentTable,
    FoundPassage,
    Mode,
)
from search_api.search.ranking.rank import calibrated
from search_api.search.retrieval.serving import Serving, ServingResolver
from search_api.search.state import Stopwatch

log = structlog.get_logger(__name__)

_ATTEMPTS = 2
"""How often a language model is asked for an answer that the passages support."""
_CELL_SHARE = 1 / 3
"""Of the threshold: the least relevance of a table's part that has the cell which the question names."""


@dataclass(frozen=True, slots=True)
class AnswerParts:
    """``language_model`` None: answers are quotes. ``cross_encoder`` is None if none is configured; it raises
    ModelMissing if it cannot be loaded. ``deadline_s`` limits the calls to Elasticsearch of each stage. ``records``
    None: only documents answer.
    """

    resolver: ServingResolver
    retriever: PassageRetriever
    cross_encoder: Callable[[], CrossEncoder] | None
    config: AnswerConfig
    language_model: LanguageModel | None = None
    deadline_s: float | None = None
    records: RecordFinder | None = None


@dataclass(frozen=True, slots=True)
class AnswerStep:
    """One event of a streamed answer: first the passages, then pieces of text, then the complete checked answer."""

    kind: Literal["passages", "text", "answer"]
    passages: tuple[FoundPassage, ...] = ()
    text: str = ""
    answer: CitedAnswer | None = None


@dataclass(slots=True)
class _State:
    watch: Stopwatch = field(default_factory=Stopwatch)
    degraded: list[str] = field(default_factory=list)


class Answerer:
    """Answers questions from passages; keeps nothing between two questions, so threads may share it."""

    def __init__(self, parts: AnswerParts) -> None:
        self._parts = parts

    @property
    def retriever(self) -> PassageRetriever:
        return self._parts.retriever

    @property
    def config(self) -> AnswerConfig:
        return self._parts.config

    def answer(self, question: AskRequest) -> CitedAnswer:
        """The complete answer. Raises InvalidInput, Unavailable."""
        for step in self.steps(question):
            if step.answer is not None:
                return step.answer
        raise AssertionError("unreachable: the last step is the answer")

    def steps(self, request: AskRequest) -> Iterator[AnswerStep]:
        """The answer step by step. Errors of retrieval are raised before the first step."""
        raise_if_caller_gone()
        state = _State()
        serving = self._parts.resolver.resolve()
        language = detect_language(request.question)
        with state.watch.stage("retrieve"), self._deadline():
            passages_found = self._retrieve(request, serving)
        passages = passages_found.passages
        state.degraded += passages_found.degraded
        yield AnswerStep("passages", passages)
        if not passages:
            yield AnswerStep("text", text=REFUSAL)
            yield AnswerStep(
                "answer", answer=replace(_refusal((), language, state), near_misses=passages_found.near_misses)
            )
            return
        if (model := self._parts.language_model) is not None:
            messages = build_messages(request.question, passages, request.turns, language)
            answer = yield from self._generate(model, messages, passages, language, state)
            if answer is not None:
                yield AnswerStep("answer", answer=answer)
                return
        with state.watch.stage("extract"), self._deadline():
            if passages[0].kind == "record" and asks_for_data(request.question):
                titles = record_titles(passages, self._parts.config.records)
                answer = _cited_answer(quoted_text(titles), "extractive", titles, passages, language, state)
            else:
                answer = self._quote(request.question, passages, serving, language, state)
        yield AnswerStep("text", text=answer.text)
        yield AnswerStep("answer", answer=answer)

    def _retrieve(self, request: AskRequest, serving: Serving) -> RetrievedPassages:
        """Passages of documents and of records, each at or above the threshold."""
        from_documents = self._parts.retriever.retrieve(request, serving)
        if not from_documents.passages:
            from_documents = self._with_named_cells(request, from_documents)
        found_records = FoundRecords() if self._parts.records is None else self._parts.records.find(request)
        config = self._parts.config
        threshold = config.threshold if request.threshold is None else request.threshold
        return with_records(
            from_documents,
            found_records,
            threshold,
            request.top_k or config.top_k,
            records_first=asks_for_data(request.question),
        )

    def _with_named_cells(self, request: AskRequest, found: RetrievedPassages) -> RetrievedPassages:
        """The parts of tables below the threshold answer if the question names one cell, which few words tell."""
        config = self._parts.config
        least = _CELL_SHARE * (config.threshold if request.threshold is None else request.threshold)
        tables = self._parts.retriever.tables(found.near_misses)
        passages = with_named_cell(request.question, found.near_misses, tables, least)
        return replace(found, passages=numbered(passages), near_misses=()) if passages else found

    def _deadline(self) -> AbstractContextManager[None]:
        seconds = self._parts.deadline_s
        return nullcontext() if seconds is None else within(seconds)

    def _generate(
        self,
        model: LanguageModel,
        messages: Sequence[Mapping[str, str]],
        passages: Sequence[FoundPassage],
        language: str | None,
        state: _State,
    ) -> Generator[AnswerStep, None, CitedAnswer | None]:
        """The model's answer, or its refusal. None if the model failed before its first supported sentence, its text
        is empty, or no passage supports either of two answers. Yields the text from the first supported sentence on.
        """
        for attempt in range(_ATTEMPTS):
            buffer = AnswerBuffer(lambda text: self._check(text, passages, state))
            text = yield from self._stream(model, messages, buffer, state)
            if text is None:
                return None
            if is_refusal(text):
                return _refusal(passages, language, state)
            sentences = self._check(text, passages, state)
            if any(sentence.supported for sentence in sentences):
                yield from (AnswerStep("text", text=piece) for piece in buffer.rest())
                return _cited_answer(text, "model", sentences, passages, language, state)
            log.warning("ask.model_unsupported", attempt=attempt + 1, sentences=len(sentences))
            messages = retry_messages(messages, text)
        state.degraded.append("language_model_support")
        return None

    def _stream(
        self, model: LanguageModel, messages: Sequence[Mapping[str, str]], buffer: AnswerBuffer, state: _State
    ) -> Generator[AnswerStep, None, str | None]:
        """Yields the pieces that ``buffer`` releases. Returns the whole text; None if it is empty, or if the model
        failed before a piece was released.
        """
        with state.watch.stage("generate"):
            try:
                with slot_released():
                    for piece in without_reasoning(model.stream(messages)):
                        raise_if_caller_gone()
                        yield from (AnswerStep("text", text=text_piece) for text_piece in buffer.add(piece))
            except SondeError as error:
                log.warning("ask.model_failed", reason=str(error), characters=len(buffer.text))
                if buffer.is_open:
                    raise Unavailable("The language model stopped in the middle of its answer.") from error
                state.degraded.append("language_model")
                return None
        text = without_leading_reasoning(buffer.text)
        if not text:  # the model used all of its tokens for reasoning
            log.warning("ask.empty_completion")
            state.degraded.append("language_model")
        return text or None

    def _check(self, text: str, passages: Sequence[FoundPassage], state: _State) -> tuple[CitedSentence, ...]:
        with state.watch.stage("check"):
            return checked_sentences(text, passages, self._judge(), self._parts.config.support)

    def _quote(
        self, question: str, passages: Sequence[FoundPassage], serving: Serving, language: str | None, state: _State
    ) -> CitedAnswer:
        weights = self._parts.retriever.parts.config.quotes
        embedder = serving.reading(sure_language(question)).embedder
        tables = self._parts.retriever.tables(passages)
        rows = [_with_header(passage, tables) for passage in passages]
        quotes = best_quotes(question, rows, embedder, self._parts.config.quotes, weights, language)
        if not quotes:
            return _refusal(passages, language, state)
        quotes = tuple(_with_cell(question, quote, tables) for quote in quotes)
        return _cited_answer(quoted_text(quotes), "extractive", quotes, passages, language, state)

    def _judge(self) -> Judge | None:
        """The cross-encoder as a judge of support; None if there is none that can judge."""
        if self._parts.cross_encoder is None:
            return None
        try:
            cross_encoder = self._parts.cross_encoder()
        except ModelMissing:
            return None
        if not cross_encoder.card.judges:
            return None
        return lambda sentence, evidence: float(
            calibrated(cross_encoder.score(sentence, [evidence]), cross_encoder.card)[0]
        )


def _with_header(passage: FoundPassage, tables: Mapping[int, DocumentTable]) -> FoundPassage:
    table = tables.get(passage.number)
    return passage if table is None else replace(passage, header=table.header_lines)


def _with_cell(question: str, quote: CitedSentence, tables: Mapping[int, DocumentTable]) -> CitedSentence:
    """A row of a table with the cell that the question asks for."""
    table = tables.get(quote.citations[0])
    return quote if table is None else replace(quote, cell=quoted_cell(question, quote.text, table))


def _refusal(passages: Sequence[FoundPassage], language: str | None, state: _State) -> CitedAnswer:
    return _cited_answer(REFUSAL, "refusal", (), passages, language, state)


def _cited_answer(
    text: str,
    mode: Mode,
    sentences: tuple[CitedSentence, ...],
    passages: Sequence[FoundPassage],
    language: str | None,
    state: _State,
) -> CitedAnswer:
    degraded, took_ms = tuple(state.degraded), state.watch.took_ms
    cited_passages = tuple(in_cited_section(passage, sentences) for passage in passages)
    return CitedAnswer(text, mode, sentences, cited_passages, language, degraded, took_ms)
