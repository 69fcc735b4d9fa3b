"""Values of a question for an answer, and of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from search_api.search.passages.tables import QuotedCell
from search_api.search.request import Filters

REFUSAL = "Sorry. I cannot find the answer based on the context."
"""The sentence of GeoGPT-RAG (doi:10.48550/arXiv.2509.09686), the same in every language."""

Scope = Literal["public", "mine", "both"]
Mode = Literal["model", "extractive", "refusal"]


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """An earlier question with its answer."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class AnswerConfig:
    """``top_k`` passages are read; those with a relevance (0..1) below ``threshold`` are dropped. ``support``: the
    least support (0..1) of a sentence by its cited text. ``quotes``: the most that are given where no model answers.
    """

    top_k: int = 8
    threshold: float = 0.35
    support: float = 0.35
    quotes: int = 5


@dataclass(frozen=True, slots=True)
class SharedDocuments:
    """Documents that a collection opens to the caller: public ones, and those that ``owner`` put into it."""

    owner: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskRequest:
    """``top_k`` and ``threshold`` override the configuration if given. ``owner``: the user from the token; None: an
    anonymous caller, for whom only public passages are visible. ``shared`` replaces ``scope`` and ``owner``.
    ``documents``: only these, where any are named.
    """

    question: str
    turns: tuple[ConversationTurn, ...] = ()
    filters: Filters = field(default_factory=Filters)
    record: str | None = None
    document: str | None = None
    documents: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    scope: Scope = "public"
    owner: str | None = None
    shared: SharedDocuments | None = None
    top_k: int | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage with its signals; ``relevance`` is calibrated, 0..1. Citations use ``number``, which starts at 1.

    ``table``: the number of the table that it is a part of, in its document, from 1. ``language``: of the text, ISO
    639-1; None: unknown.
    """

    id: str
    document: str
    text: str
    number: int = 0
    relevance: float = 0.0
    score: float = 0.0
    signals: Mapping[str, float | None] = field(default_factory=dict)
    record: str | None = None
    title: str = ""
    kind: str = "text"
    section_path: tuple[str, ...] = ()
    section_role: str | None = None
    first_page: int | None = None
    last_page: int | None = None
    table: int | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """One sentence of an answer with its cited passages. ``supported``: the citations exist and support it.

    ``cell``: the cell of a table that the sentence, a row of it, is quoted for.
    """

    text: str
    citations: tuple[int, ...] = ()
    supported: bool = False
    why: str = ""
    cell: QuotedCell | None = None


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """``text`` as shown; ``passages``: the evidence for the answer, best first. ``near_misses``: of a refusal, the best
    passages below the threshold.
    """

    text: str
    mode: Mode
    sentences: tuple[CitedSentence, ...] = ()
    passages: tuple[FoundPassage, ...] = ()
    language: str | None = None
    degraded: tuple[str, ...] = ()
    took_ms: Mapping[str, float] = field(default_factory=dict)
    near_misses: tuple[FoundPassage, ...] = ()

    @property
    def refused(self) -> bool:
        return self.mode == "refusal"
