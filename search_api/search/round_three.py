"""Round three: what the answer shows, in one request: the page, facets, spelling, and what is beyond the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from core.hit import Hit
from core.json_types import Json, JsonMapping
from core.record import Record
from core.versions import newest_version
from es_gateway.searching import Search
from reading.sentences import sure_language
from search_api.search.answer import FoundRecord
from search_api.search.caches import Version
from search_api.search.parts import SearchParts
from search_api.search.ranking.diversity import possible_versions
from search_api.search.ranking.signals.record import NamesSignal
from search_api.search.ranking.signals.signal import Reason
from search_api.search.request import FacetName, SearchRequest
from search_api.search.result_window import (
    BeyondWindow,
    BeyondWindowCount,
    BeyondWindowHits,
    DisplayOrder,
    ResultWindow,
    fold_and_diversify,
    needs_hits_beyond,
    result_window,
    sorted_window,
)
from search_api.search.retrieval.conditions import exclusion_reasons, offer_reasons
from search_api.search.retrieval.facets import Choices, Facet, FacetCounts, read_facets, region_boxes
from search_api.search.retrieval.record_reads import BestPassage, PagePassages, PageRecords, read_highlights
from search_api.search.retrieval.refinement import CheckedWords, WordCheck, identifiers_search, with_known_identifiers
from search_api.search.retrieval.spelling import is_name_by_capital
from search_api.search.round_one import COUNTED
from search_api.search.state import SearchResults, SearchState
from search_api.search.understanding.interpretation import Interpretation
from search_api.search.understanding.topic import real_words

_ALL_COUNT = 3
"""A hit contains each of this many words; of more words it may lack some, and a misspelt one goes unnoticed."""


@dataclass(frozen=True, slots=True)
class PageAnswers:
    """What a page shows of its ids. ``successors``: the newest version of a record, where it is another one."""

    ids: tuple[str, ...]
    records: Mapping[str, Record]
    highlights: Mapping[str, Mapping[str, list[str]]]
    passages: Mapping[str, BestPassage]
    successors: Mapping[str, Record]


@dataclass(frozen=True, slots=True)
class PageSearch:
    """The records of a page with their highlights, the best passage of each, and what may be other versions of them."""

    ids: tuple[str, ...]
    relatives: Mapping[str, Sequence[str]]
    records: PageRecords
    passages: PagePassages | None
    searches: Mapping[str, Search]

    @classmethod
    def of(
        cls, parts: SearchParts, state: SearchState, ids: Sequence[str], known_versions: Mapping[str, Version]
    ) -> PageSearch:
        """``known_versions``: the versions of these records and of others."""
        keys = {record: fields.duplicate_key for record, fields in state.candidates.fields.items()}
        relatives = possible_versions(ids, keys)
        versions = {record: known_versions[record] for record in dict.fromkeys(chain(ids, *relatives.values()))}
        marks = state.plan.marked if state.request.highlight else None
        records = PageRecords.of(state.plan.index, versions, parts.caches.records, marks, ids)
        passages, index = None, state.serving.passages
        if index is not None:
            best = state.candidates.passages
            passage_keys = {record: best[record] for record in ids if record in best}
            passages = PagePassages.of(index.index, passage_keys, parts.caches.passages)
        searches = {**records.searches, **({} if passages is None else passages.searches)}
        return cls(tuple(ids), relatives, records, passages, searches)

    def read(self, answers: Mapping[str, JsonMapping]) -> PageAnswers:
        passages = {} if self.passages is None else self.passages.read(answers)
        records = self.records.read(answers)
        successors: dict[str, Record] = {}
        for id, others in self.relatives.items():
            versions = [records[other] for other in others if other in records]
            if id in records and (newest := newest_version(records[id], versions)) is not None:
                successors[id] = newest
        return PageAnswers(self.ids, records, read_highlights(answers), passages, successors)


@dataclass(frozen=True, slots=True)
class RoundThreeAnswers:
    """``hits``: those beyond the window, if it was clear before this round that the page needs them."""

    count: BeyondWindowCount
    facets: Mapping[FacetName, Facet]
    words: CheckedWords
    interpretation: Interpretation
    page: PageAnswers
    hits: BeyondWindowHits | None


@dataclass(frozen=True, slots=True)
class RoundThree:
    """``inside``: the ranking alone, in display order."""

    parts: SearchParts
    state: SearchState
    beyond: BeyondWindow
    inside: DisplayOrder
    known_count: BeyondWindowCount | None
    facets: tuple[FacetName, ...]
    choices: Choices
    words: WordCheck
    page: PageSearch
    searches: Mapping[str, Search]

    @classmethod
    def of(cls, parts: SearchParts, state: SearchState) -> RoundThree:
        request, session, index = state.request, state.session, state.plan.index
        facets, choices = state.serving.countable(request.facets), _choices(parts, state)
        beyond_window = BeyondWindow(session, state.plan, state.candidates, parts.config.records)
        facet_counts = FacetCounts.of(facets, choices) if facets else FacetCounts()
        known_count = None if facet_counts.aggregations else beyond_window.known_count()
        searches: dict[str, Search] = {}
        if known_count is None:
            searches["count"] = beyond_window.count_search(facet_counts)
        words = _word_check(parts, state)
        searches |= words.searches
        if (identifiers := identifiers_search(index, state.interpretation)) is not None:
            searches["identifiers"] = identifiers
        display_order = fold_and_diversify(state.ranking, state.candidates.fields, request)
        page = PageSearch.of(parts, state, _first_page(state, display_order), state.candidates.versions)
        searches |= page.searches
        limit = parts.config.records.max_results
        if (
            not facets
            and known_count is not None
            and needs_hits_beyond(known_count, _whole_list(state), display_order, limit)
        ):
            searches["next hits"] = beyond_window.hits_search(limit)
        return cls(parts, state, beyond_window, display_order, known_count, facets, choices, words, page, searches)

    def read(self, answers: Mapping[str, JsonMapping]) -> RoundThreeAnswers:
        read, words = self.state.interpretation, self.words.read(answers)
        # A word of a term is not unknown: its synonyms are searched too, in other languages as well.
        other_words = read.other_words.lower()
        words = replace(words, unknown=tuple(word for word in words.unknown if word in other_words))
        count = self.known_count or self.beyond.read_count(answers["count"])
        return RoundThreeAnswers(
            count,
            read_facets(self.facets, count.aggregations, self.choices) if self.facets else {},
            words,
            with_known_identifiers(read, answers["identifiers"]) if "identifiers" in answers else read,
            self.page.read(answers),
            self.beyond.read_hits(answers["next hits"]) if "next hits" in answers else None,
        )

    def results(self, answers: RoundThreeAnswers) -> SearchResults:
        """Only a long list, a sorted one, and a page that these change need further requests. Raises Unavailable."""
        state = self.state
        request, sortby = _whole_list(state), state.request.sortby
        window = result_window(state.ranking, self.beyond, answers.count, request, self.inside, answers.hits)
        if sortby is not None:
            window = sorted_window(window, sortby, state.session, state.plan.index)
        return SearchResults(
            self._hits(window, answers.page), window, answers.facets, answers.words, answers.interpretation
        )

    def _hits(self, window: ResultWindow, page: PageAnswers) -> tuple[FoundRecord, ...]:
        state, request = self.state, self.state.request
        positions = list(window.order[request.offset : request.offset + request.limit])
        hits = window.hits(positions)
        ids = tuple([hit.id for hit in hits])
        if ids != page.ids:
            search = PageSearch.of(self.parts, state, ids, window.versions(state.candidates.versions))
            page = search.read(state.session.ask(search.searches))
        relevance = self._relevance(hits)
        return tuple(
            [
                FoundRecord(
                    hit=hit,
                    record=page.records[hit.id],
                    highlights=page.highlights.get(hit.id, {}),
                    passages=(page.passages[hit.id],) if hit.id in page.passages else (),
                    explanation=self._explanation(window, position, page.records[hit.id]) if request.explain else None,
                    relevance=relevance.get(hit.id),
                    folded=tuple(window.folded.get(hit.id, ())),
                    successor=page.successors.get(hit.id),
                )
                for position, hit in zip(positions, hits, strict=True)
                if hit.id in page.records
            ]
        )

    def _explanation(self, window: ResultWindow, position: int, record: Record) -> JsonMapping:
        """With what the question leaves out, and what the record says of the formats and licences that it prefers."""
        offers, names = self.state.interpretation.offers, self.state.interpretation.names
        explanation, reasons = window.explanation(position), offer_reasons(record, offers)
        parts = [_with_reasons(part, reasons, only=not names) for part in explanation["signals"]]
        left_out = exclusion_reasons(self.state.interpretation.exclusions)
        conditions = [{"code": reason.code, "text": reason.text, **reason.values} for reason in left_out]
        return {**explanation, "signals": parts, **({"conditions": conditions} if conditions else {})}

    def _relevance(self, hits: Sequence[Hit]) -> dict[str, float]:
        """By record id; of none beyond the window, and of none if meaning does not judge what is a hit."""
        state = self.state
        is_judged = state.is_off_topic or state.plan.nearness is not None
        judged = [hit for hit in hits if hit.signals and is_judged]
        if not judged:
            return {}
        words: frozenset[str] = frozenset() if state.is_off_topic else state.candidates.all_words
        has_words = [hit.id in words for hit in judged]
        signals = [hit.signals for hit in judged]
        scores = self.parts.config.relevance.of_each(signals, state.serving.cosines, has_words)
        return dict(zip([hit.id for hit in judged], scores, strict=True))


def _with_reasons(part: Json, reasons: Sequence[Reason], *, only: bool) -> Json:
    """``only``: the question has no name besides, so the share of names says nothing."""
    if part["signal"] != NamesSignal.name or not reasons:
        return part
    texts = [*([] if only else [part["reason"]]), *(reason.text for reason in reasons)]
    codes = [*([] if only else part["reasons"]), *({"code": reason.code, **reason.values} for reason in reasons)]
    return {**part, "reason": "; ".join(texts), "reasons": codes}


def _choices(parts: SearchParts, state: SearchState) -> Choices:
    """The inputs that decide the values of facets."""
    request = state.request
    regions = region_boxes(parts.geocoder) if "region" in request.facets else {}
    return Choices(request.filters, state.place, parts.now_ms(), regions, request.cells)


def _word_check(parts: SearchParts, state: SearchState) -> WordCheck:
    """Only if few records contain every word: what many records say is not a typing error.

    Places and contacts are not corrected.
    """
    interpretation, words = state.interpretation, ""
    is_checked = not interpretation.foreign_topic  # else its words are of another language
    if is_checked and (state.candidates.with_every_word < COUNTED or len(interpretation.thematic.split()) > _ALL_COUNT):
        words = interpretation.checkable_words
    serving = state.serving
    fields, known_words = serving.word_fields(parts.config.words), _real_words(parts, state) if words else frozenset()
    return WordCheck.of(
        interpretation.text, words, state.plan.index, fields, serving.state, parts.caches.answers, known_words
    )


def _real_words(parts: SearchParts, state: SearchState) -> frozenset[str]:
    """Of the topic, in small letters: words that exist, names, and words of another language."""
    interpretation, embedder = state.interpretation, state.serving.embedder
    words = list(dict.fromkeys(interpretation.thematic.lower().split()))
    if state.serving.lacks(sure_language(interpretation.thematic)):
        return frozenset(words)
    known = real_words(words, interpretation.language, parts.understander.vocabulary().translator, embedder)
    contacts = {word for name in interpretation.names if name.is_contact for word in name.mention.text.lower().split()}
    return known | contacts | {word for word in words if is_name_by_capital(word, interpretation.text)}


def _first_page(state: SearchState, display_order: DisplayOrder) -> list[str]:
    """The page if nothing that follows the window changes it; a sorted list is not known yet."""
    if state.request.sortby:
        return []
    ids, first = state.ranking.ids(), state.request.offset
    return [ids[position] for position in display_order.positions[first : first + state.request.limit]]


def _whole_list(state: SearchState) -> SearchRequest:
    """Another order than the best first needs all hits that can be paged."""
    if state.request.sortby is None:
        return state.request
    return replace(state.request, offset=0, limit=state.ranking.ranker.max_results)
