"""Records that answer a question: the best hits of a search for it, as passages with a calibrated relevance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.document import document_of_record
from search_api.ask.asked_value import AskedMeaning, asked_value
from search_api.search.answer import Answer, FoundRecord
from search_api.search.flow import SearchPipeline, overlaps
from search_api.search.passages.coverage import content_words, coverage, weights
from search_api.search.passages.retrieve import MOST_NEAR, RetrievedPassages, in_context, numbered
from search_api.search.passages.values import AskRequest, CitedSentence, FoundPassage
from search_api.search.ranking.signals.arms import Dense, LateInteraction, Relevance
from search_api.search.ranking.signals.temporal import Temporal
from search_api.search.request import SearchRequest
from search_api.search.understanding.interpretation import Interpretation
from search_api.search.understanding.topic import significant_words

_CONSIDERED = 12
_MOST_CHARACTERS = 2000
"""Of an abstract; the rest seldom answers, and a language model reads each passage whole."""

_DATA = r"(?:\w*data(?:\s?sets?)?|records|observations|measurements|products|images|imagery|simulations|maps?)"
_HOLDINGS = rf"(?:{_DATA}|(?:time\s)?series|soundings|profiles|samples|cores|surveys|forecasts|reanalyses)"
_DATEN = r"(?:\w*(?:daten|datensätze|messungen|messreihen|karten|aufnahmen))"
_ROMANCE = r"(?:données|jeux|mesures|cartes|datos|conjuntos|mediciones|mapas|dati|dataset|insiemi|misure|mappe|dados)"
_ROMANCE_ASKING = r"quel(?:le)?s|(?:y\s+a|existe)-t-il|avez-vous|qué|hay|quali|ci\s+sono|quais|há|existem|existen"
_BETWEEN = r"(?:[\w'’-]+\s+){0,4}?"
_PRESENT = r"(?!\s+(?:was|were|did|(?:is|are)\s+\w+ed)\b)"
_ASKED_DATA = re.compile(
    rf"""\b(?:which|what|any)\s+{_BETWEEN}{_DATA}\b{_PRESENT}
      | \b(?:is|are)\s+there\s+{_BETWEEN}{_HOLDINGS}\b
      | \bdo\s+(?:you|we)\s+have\s+{_BETWEEN}{_HOLDINGS}\b
      | \bwhere\s+(?:can|could|do|may)\s+(?:I|we|one)\s+(?:find|get|download|obtain)\b
      | \b(?:welche|gibt\s+es|habt\s+ihr|haben\s+sie)\s+{_BETWEEN}{_DATEN}\b(?!\s+(?:wurden?|waren?)\b)
      | \bwo\s+(?:finde|bekomme|gibt|kann)\b
      | \b(?:{_ROMANCE_ASKING})\s+{_BETWEEN}{_ROMANCE}\b
      | \b(?:où|dónde|dove|onde)\s+(?:\w+\s+)?(?:trouver|trouve|encontrar|encuentro|trovare|trovo|encontro)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASKING_WORDS = content_words(
    """data dataset datasets set sets record records available contain contains include includes cover covers show shows
    describe describes exist exists find get download obtain there any some hold holds offer provide give list
    Daten Datensatz Datensätze Datensätzen gibt es finde zeigen enthalten beschreiben vorhanden zum zur über wo welche
    données jeux jeu trouver contiennent existe datos conjuntos conjunto encontrar contienen hay existen
    dati insiemi trovare contengono sono ci dados conjunto encontrar contêm há existem"""
)


def asks_for_data(question: str) -> bool:
    """Whether the question asks which data there are, so that records are the answer; in six languages."""
    return _ASKED_DATA.search(question) is not None


@dataclass(frozen=True, slots=True)
class FoundRecords:
    """``passages``: title and abstract of each record, in the order of the search. ``degraded``: as in a search."""

    passages: tuple[FoundPassage, ...] = ()
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordFinder:
    """Finds records by the same search as ``/search``; stateless."""

    pipeline: SearchPipeline

    def find(self, request: AskRequest) -> FoundRecords:
        """Nothing for a question that is limited to documents. Raises InvalidInput, Unavailable."""
        if not _reads_records(request):
            return FoundRecords()
        filters = request.filters
        if request.record is not None:
            filters = replace(filters, expression=({"term": {"id": request.record}},))
        question = in_context(request.question, request.turns)
        answer = self.pipeline.search(SearchRequest(q=question, filters=filters, limit=_CONSIDERED))
        if answer.is_off_topic or answer.is_weak:
            return FoundRecords((), answer.degraded)
        hits = [
            hit
            for hit in answer.hits
            if document_of_record(hit.record.id) is None and _is_there_and_then(hit, answer.interpretation)
        ]
        return FoundRecords(tuple(self._passages(question, hits, answer)), answer.degraded)

    def _passages(self, question: str, hits: Sequence[FoundRecord], answer: Answer) -> list[FoundPassage]:
        shares = _shares(question, answer.interpretation, hits)
        return [
            FoundPassage(
                id=hit.record.id,
                document="",
                text=_abstract(hit.record.abstract) or hit.record.title,
                relevance=max(self._relevance(hit, share), hit.relevance or 0.0),
                score=hit.hit.score,
                signals=hit.hit.signals,
                record=hit.record.id,
                title=hit.record.title,
                kind="record",
            )
            for hit, share in zip(hits, shares, strict=True)
        ]

    def _relevance(self, hit: FoundRecord, share: float) -> float:
        """0..1, by the curves that judge passages. ``share``: of the question's words, in title and abstract."""
        curves = self.pipeline.parts.config.passages[Relevance]
        cosine, interaction = hit.hit.signals.get(Dense.name), hit.hit.signals.get(LateInteraction.name)
        covered = np.array([share])
        if cosine is None:
            return float(curves.words_only.at(np.zeros(1), covered, np.zeros(1))[0])
        curve = curves.by_words if interaction is None else curves.by_tokens
        likeness = np.array([self.pipeline.parts.resolver.resolve().cosines.likeness(cosine)])
        return float(curve.at(likeness, covered, np.array([interaction or 0.0]))[0])


def with_records(
    from_documents: RetrievedPassages, found_records: FoundRecords, threshold: float, count: int, *, records_first: bool
) -> RetrievedPassages:
    """Both together, renumbered, at most ``count``; each at or above the threshold. Best first, or the records first.

    Records take at most half of the places that passages of documents could have.
    """
    relevant = [record for record in found_records.passages if record.relevance >= threshold]
    documents = from_documents.passages
    if records_first:
        passages = [*relevant, *documents]
    else:
        places = max(count // 2, count - len(documents))
        passages = sorted((*documents, *relevant[:places]), key=lambda passage: -passage.relevance)
    near = (
        []
        if passages
        else sorted((*from_documents.near_misses, *found_records.passages), key=lambda hit: -hit.relevance)
    )
    degraded = tuple(dict.fromkeys((*from_documents.degraded, *found_records.degraded)))
    return RetrievedPassages(numbered(passages[:count]), numbered(near[:MOST_NEAR]), degraded)


def record_titles(passages: Sequence[FoundPassage], count: int) -> tuple[CitedSentence, ...]:
    """The titles of the first records, each cited: the answer to the question which data there are."""
    records = [passage for passage in passages if passage.kind == "record"][:count]
    return tuple(CitedSentence(record.title, (record.number,), True) for record in records)


def _is_there_and_then(hit: FoundRecord, interpretation: Interpretation) -> bool:
    """Whether the record is of the asked place and period; one without an extent must name the place."""
    period = hit.hit.signals.get(Temporal.name)
    if period is not None and period <= 0.0:
        return False
    if not interpretation.areas:
        return True
    if not hit.record.extents:
        words = _words_of(hit).lower()
        return any(question_value.mention.text.lower() in words for question_value in interpretation.places)
    return overlaps(hit.record.extents, interpretation.areas)


def _reads_records(request: AskRequest) -> bool:
    is_of_documents = request.document or request.documents or request.roles or request.shared
    return request.scope != "mine" and not is_of_documents


def _abstract(text: str) -> str:
    """The first sentences, as many as fit."""
    if len(text) <= _MOST_CHARACTERS:
        return text
    end = text[:_MOST_CHARACTERS].rfind(". ")
    return text[: end + 1 if end > 0 else _MOST_CHARACTERS]


def _topic_words(question: str, interpretation: Interpretation) -> frozenset[str]:
    """Without places and times, which a record has as extents, and without the words of asking."""
    topic = content_words(significant_words(interpretation.thematic), interpretation.topic_language)
    return topic - _ASKING_WORDS if asks_for_data(question) else topic


def _shares(question: str, interpretation: Interpretation, hits: Sequence[FoundRecord]) -> list[float]:
    """0..1 by record: the weighted share of the topic in title, keywords and abstract; 1 without a topic.

    A record that explains a name has it in its title: there the title counts half.
    """
    question_value = asked_value(question)
    if isinstance(question_value, AskedMeaning):
        name = content_words(question_value.name)
        in_titles = _covered(name, [hit.record.title for hit in hits], None)
        in_words = _covered(name, [_words_of(hit) for hit in hits], None)
        return [(title + words) / 2.0 for title, words in zip(in_titles, in_words, strict=True)]
    topic = _topic_words(question, interpretation)
    return _covered(topic, [_words_of(hit) for hit in hits], interpretation.topic_language)


def _covered(topic: frozenset[str], texts: Sequence[str], language: str | None) -> list[float]:
    if not topic:
        return [1.0] * len(texts)
    words = [content_words(text, language) for text in texts]
    topic_weights = weights(words, topic)
    return [coverage(topic_weights, text_words) for text_words in words]


def _words_of(hit: FoundRecord) -> str:
    keywords = " ".join(keyword.term for keyword in hit.record.keywords)
    return f"{hit.record.title} {keywords} {hit.record.abstract}"
