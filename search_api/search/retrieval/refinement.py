"""Refines a question by what the catalogue has: its names, and its spelling."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import orjson

from core.json_types import Json, JsonMapping
from core.names import folded_words
from core.record_keys import words_key
from es_gateway.searching import Search
from reading.acronyms import AcronymCandidate
from reading.concepts import Label
from search_api.search.caches import AnswerCache, IndexState
from search_api.search.retrieval.clauses import Clause, lucene_escaped, phrase
from search_api.search.retrieval.contacts import contacts_body, matched_contacts, respelt_contacts
from search_api.search.retrieval.known_names import abstracts_body, matched_names, names_body, ordinary_ranges
from search_api.search.retrieval.spelling import LONGEST, near_words_section, read_unknown_word, sure_correction
from search_api.search.understanding.interpretation import (
    ACRONYM_LIST,
    CATALOGUE,
    Interpretation,
    QueryName,
    QueryTerm,
    TextSpan,
    UnknownWord,
)
from search_api.search.understanding.topic import topic_of

_SHORTEST = 4
_SHORTEST_KNOWN = 7  # of a word that some record contains: short words have real neighbours (moss, most)
_FAR_MORE = 30
_LEAST_SIMILARITY, _SURE_SIMILARITY = 0.7, 0.8  # 1 minus the share of different letters
_MOST_WORDS = 12
_WORD = re.compile(rf"(?=[^\W_]*[^\W\d_])[^\W_]{{{_SHORTEST},}}")


@dataclass(frozen=True, slots=True)
class Spelling:
    """The question with corrected spelling.

    ``sure``: each word that no record contains has one very near neighbour, and no other as near. If one of them has
    none, the question is probably about something that is not in the catalogue. A rare word that some record contains
    may be meant.
    """

    question: str
    sure: bool
    replaced: tuple[tuple[str, str], ...] = ()
    """Each word in small letters, and what it should be."""


@dataclass(frozen=True, slots=True)
class CheckedWords:
    """``unknown``: in small letters, words of four letters and more that no record contains. ``spelling``: None if
    every word is known or no word is near.
    """

    unknown: tuple[str, ...] = ()
    spelling: Spelling | None = None


@dataclass(frozen=True, slots=True)
class WordCheck:
    """``keys``: of the checked words in the cache, whose answers hold at ``state``. ``fields``: where records have
    words. ``searches``: for the words that are not cached.
    """

    question: str
    fields: Collection[str]
    state: IndexState
    cache: AnswerCache
    keys: Mapping[str, bytes]
    cached: Mapping[bytes, JsonMapping]
    searches: Mapping[str, Search]
    real_words: Collection[str] = ()

    @classmethod
    def of(
        cls,
        question: str,
        words: str,
        index: str,
        fields: Collection[str],
        state: IndexState,
        cache: AnswerCache,
        real_words: Collection[str] = (),
    ) -> WordCheck:
        """Checks only ``words``: the question without its places and times. ``real_words`` are no typing errors."""
        checkable = _checkable(words)
        keys = {word: orjson.dumps(["word", *fields, word]) for word in checkable}
        cached = cache.get("words", state, list(keys.values())) if keys else {}
        new = [word for word in checkable if keys[word] not in cached]
        searches: dict[str, Search] = {"words": ({"index": index}, _body(fields, new))} if new else {}
        return cls(question, fields, state, cache, keys, cached, searches, real_words)

    def read(self, answers: Mapping[str, JsonMapping]) -> CheckedWords:
        if not self.keys:
            return CheckedWords()
        new = [word for word, key in self.keys.items() if key not in self.cached]
        fresh = _by_word(self.fields, new, answers["words"]) if new else {}
        self.cache.put(self.state, {self.keys[word]: counts for word, counts in fresh.items()})
        words = {word: fresh.get(word) or self.cached[key] for word, key in self.keys.items()}
        return _check(self.question, words, self.real_words)


def _checkable(words: str) -> list[str]:
    """In small letters, the first ones with enough letters."""
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(words)))[:_MOST_WORDS]


def _by_word(fields: Collection[str], words: Sequence[str], answer: JsonMapping) -> dict[str, JsonMapping]:
    """How many records contain each word, and its neighbours in all fields."""
    counts, suggested = answer["aggregations"]["known"]["buckets"], answer.get("suggest", {})
    entries = [entry for field in fields for entry in suggested.get(field, ())]
    neighbours = {
        word: [option for entry in entries if entry["text"] == word for option in entry["options"]] for word in words
    }
    return {word: {"held": counts[word]["doc_count"], "near": neighbours[word]} for word in words}


def _check(question: str, counts: Mapping[str, JsonMapping], real_words: Collection[str]) -> CheckedWords:
    """``counts``: by word, as ``_by_word`` reads it."""
    unknown = tuple(word for word, count in counts.items() if count["held"] == 0)
    corrections = {
        word: None if word in real_words else _best(count["near"], word, count["held"])
        for word, count in counts.items()
    }
    corrected = question
    for word, correction in corrections.items():
        if correction is not None:
            corrected = re.sub(rf"\b{re.escape(word)}\b", correction.text, corrected, flags=re.IGNORECASE)
    if corrected == question:
        return CheckedWords(unknown)
    replaced = {word: correction.similarity for word, correction in corrections.items() if correction is not None}
    alone = all(_is_alone(counts[word]["near"], corrections[word]) for word in replaced)
    sure = tuple(replaced) == unknown and min(replaced.values()) >= _SURE_SIMILARITY and alone
    pairs = tuple((word, correction.text) for word, correction in corrections.items() if correction is not None)
    return CheckedWords(unknown, Spelling(corrected, sure, pairs))


def _body(fields: Collection[str], words: list[str]) -> Json:
    fields_by_language = [f"{field}{language}" for field in fields for language in ("", ".en")]
    word_queries = {word: {"multi_match": {"query": word, "fields": fields_by_language}} for word in words}
    suggestions = {
        field: {"term": {"field": field, "suggest_mode": "popular", "prefix_length": 1, "min_word_length": _SHORTEST}}
        for field in fields
    }
    short_words = " ".join(word for word in words if len(word) <= LONGEST)
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"known": {"filters": {"filters": word_queries}}},
        **({"suggest": {"text": short_words, **suggestions}} if short_words else {}),
    }


class _Correction(NamedTuple):
    """Compared by similarity (0..1), then by the number of records that contain it."""

    similarity: float
    record_count: int
    text: str


def _best(neighbours: Sequence[JsonMapping], word: str, records: int) -> _Correction | None:
    """A word in ``records`` records counts as misspelt only if a very near word is far more common."""
    options = [_Correction(option["score"], option["freq"], option["text"]) for option in neighbours]
    options = [option for option in options if option.similarity >= _LEAST_SIMILARITY]
    if records:
        options = [option for option in options if _replaces(option, word, records)]
    return max(options, default=None)


def _is_alone(neighbours: Sequence[JsonMapping], correction: _Correction | None) -> bool:
    """Whether no other word is as near: *walus* may be *walrus* or *walls*."""
    return correction is None or not any(
        option["score"] >= correction.similarity and option["text"] != correction.text for option in neighbours
    )


def _replaces(correction: _Correction, word: str, records: int) -> bool:
    usual = correction.record_count >= _FAR_MORE * records
    return usual and len(word) >= _SHORTEST_KNOWN and correction.similarity >= _SURE_SIMILARITY


AskAll = Callable[[Sequence[Json]], Sequence[JsonMapping]]
"""Answers searches over all records that the caller may see."""


def with_catalogue_names(
    ask: AskAll, interpretation: Interpretation, *, spelling: bool = False, finds_people: bool = True
) -> Interpretation:
    """Adds names, contacts and acronyms of the question that the catalogue has; without candidates, asks nothing.

    ``spelling``: whether words that no record has are looked up too if names are not. ``finds_people``: whether
    contacts are also people, not only organisations.
    """
    possible = interpretation.possible
    if not finds_people:
        organisations = tuple(replace(contact, may_be_person=False) for contact in possible.contacts)
        possible = replace(possible, contacts=organisations)
        interpretation = replace(interpretation, possible=possible)
    bodies = [names_body(possible.names)] if possible.names else []
    bodies += [acronyms_body(possible.acronyms)] if possible.acronyms else []
    bodies += [contacts_body(possible.contacts)] if possible.contacts else []
    title_body = title_and_words_body(interpretation) if possible.is_looked_up or spelling else None
    bodies += [title_body] if title_body is not None else []
    if not bodies:
        return interpretation
    answers = list(ask(bodies))
    is_title, unknown_words = (
        read_title_and_words(interpretation, answers.pop()) if title_body is not None else (False, ())
    )
    contacts = _contacts(ask, interpretation, answers.pop(), unknown_words) if possible.contacts else ()
    meanings = terms_of(possible.acronyms, answers.pop()) if possible.acronyms else ()
    ordinary = ordinary_ranges(possible.names, answers[-1]) if possible.names else ()
    names = _names(ask, interpretation, answers.pop()) if possible.names else ()
    # What the catalogue's projects mean by the capitals of an ordinary word is not asked: FRONT.
    meanings = tuple(
        term
        for term in meanings
        if term.mention.source != CATALOGUE or (term.mention.start, term.mention.end) not in ordinary
    )
    contacts = tuple(contact for contact in contacts if not any(_is_better(name, contact) for name in names))
    names = (*contacts, *(name for name in names if not _overlaps(name.mention, contacts)))
    # A part of a longer name or term is no acronym: PAN in "PAN 10 M", PM in "PM 2.5".
    longer = [
        *(name.mention for name in names if name.how != "unknown"),
        *(name.mention for name in interpretation.terms),
    ]
    acronyms = [acronym for acronym in meanings if not _is_within(acronym.mention, longer)]
    interpretation = _with_parts_outside_topic(
        replace(interpretation, names=names, terms=(*interpretation.terms, *acronyms), is_title=is_title)
    )
    if is_title:  # what a title writes is what it is about
        interpretation = replace(interpretation, exclusions=(), offers=())
    # A word of a term is not unknown: its synonyms are searched too, in other languages as well.
    words = f" {interpretation.other_words.lower()} "
    contact_words = {word for contact in interpretation.contacts for word in _checkable(contact.text)}
    unknown_words = tuple(word for word in unknown_words if word.text in words and word.text not in contact_words)
    return replace(interpretation, unknown_words=unknown_words)


def _contacts(
    ask: AskAll, interpretation: Interpretation, answer: JsonMapping, unknown_words: Sequence[UnknownWord]
) -> tuple[QueryName, ...]:
    """Asks again for misspelt last names. A last name within a term is none: Hadley cell."""
    candidates, length = interpretation.possible.contacts, len(interpretation.text)
    corrections = {word.text: correction for word in unknown_words if (correction := sure_correction(word)) is not None}
    contacts = matched_contacts(candidates, answer, length)
    respelt = [
        candidate
        for candidate in respelt_contacts(candidates, answer, corrections)
        if not any(candidate.start < name.mention.end and name.mention.start < candidate.end for name in contacts)
    ]
    if respelt:
        contacts = (*contacts, *matched_contacts(respelt, ask([contacts_body(respelt)])[0], length))
    return tuple(
        contact
        for contact in contacts
        if not contact.keys
        or not (_is_term(contact.mention, interpretation.terms) or contact.mention.text in corrections)
    )


def _with_parts_outside_topic(interpretation: Interpretation) -> Interpretation:
    """Formats, people and organisations leave the topic, if words remain in it: they say how or by whom, not what."""
    names = () if interpretation.is_title else interpretation.names  # what a title writes is what it is about
    outside_topic = [name for name in names if name.is_contact or name.is_preference]
    claimed = [*interpretation.possible.claimed, *((name.mention.start, name.mention.end) for name in outside_topic)]
    topic = topic_of(interpretation.text, claimed) if outside_topic else ""
    if not topic:
        outside_topic, claimed, topic = [], list(interpretation.possible.claimed), interpretation.thematic
    terms = tuple(term for term in interpretation.terms if not _overlaps(term.mention, outside_topic))
    ranges = [*claimed, *((term.mention.start, term.mention.end) for term in terms)]
    foreign_topic, other_words = "", topic_of(interpretation.text, ranges)
    if interpretation.foreign_topic:
        names_outside = [name.mention.text for name in outside_topic]
        foreign_topic = topic if outside_topic else interpretation.foreign_topic
        topic = _without_names(interpretation.thematic, names_outside)
        other_words = _without_names(interpretation.other_words, names_outside)
    return replace(
        interpretation,
        thematic=topic,
        other_words=other_words,
        foreign_topic=foreign_topic,
        named=" ".join(
            [*filter(None, [interpretation.named]), *(name.mention.text for name in outside_topic if name.is_contact)]
        ),
        terms=terms,
        outside_topic=tuple(name.mention for name in outside_topic),
    )


def _without_names(topic: str, names: Iterable[str]) -> str:
    """A translated topic without these: names are not translated."""
    ranges = [(at, at + len(name)) for name in names if (at := topic.find(name)) >= 0]
    return topic_of(topic, ranges)


def _names(ask: AskAll, interpretation: Interpretation, answer: JsonMapping) -> tuple[QueryName, ...]:
    """Looks into the abstracts only for a word that no record has and no name, title or keyword begins with."""
    body = abstracts_body(interpretation.possible.names, answer)
    prefix_answer = ask([body])[0] if body is not None else None
    names = matched_names(interpretation.possible.names, answer, len(interpretation.text), prefix_answer)
    return tuple(
        name
        for name in names
        if name.how not in ("unknown", "spelling") or not _is_term(name.mention, interpretation.terms)
    )


def _is_term(span: TextSpan, terms: Iterable[QueryTerm]) -> bool:
    """Whether a vocabulary has other words for it: ``PM2.5`` is then no name that is missing here."""
    return any(term.mention.start <= span.start and span.end <= term.mention.end for term in terms)


def _is_better(name: QueryName, contact: QueryName) -> bool:
    """Whether it explains words of the contact better: a longer name around it, or one that needs no correction."""
    if not _overlaps(name.mention, [contact]):
        return False
    is_longer = name.how == "exact" and len(name.mention.text) > len(contact.mention.text)
    return is_longer or (contact.how == "spelling" and name.how in ("exact", "beginning"))


def _overlaps(span: TextSpan, names: Iterable[QueryName]) -> bool:
    return any(name.mention.start < span.end and span.start < name.mention.end for name in names)


def _is_within(span: TextSpan, spans: Iterable[TextSpan]) -> bool:
    """Whether it is a part of a longer one."""
    longer = (other for other in spans if len(other.text) > len(span.text))
    return any(other.start <= span.start and span.end <= other.end for other in longer)


def identifiers_search(index: str, interpretation: Interpretation) -> Search | None:
    """Counts the records with each identifier of the question."""
    if not interpretation.identifiers:
        return None
    values = {
        identifier.value: {"term": {"identifiers": identifier.value}} for identifier in interpretation.identifiers
    }
    return {"index": index}, {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"borne": {"filters": {"filters": values}}},
    }


def with_known_identifiers(interpretation: Interpretation, answer: JsonMapping) -> Interpretation:
    """Marks each identifier with whether any record has it; ``answer``: to ``identifiers_search``."""
    buckets = answer["aggregations"]["borne"]["buckets"]
    identifiers = [
        replace(identifier, known=bool(buckets[identifier.value]["doc_count"]))
        for identifier in interpretation.identifiers
    ]
    return replace(interpretation, identifiers=tuple(identifiers))


_DEFINED = "names.acronyms"
_AGREEING = 2  # records that must define an acronym alike
_LEAST_SENSE_SHARE = 0.5  # a further sense must be written by this share of the records of the most frequent one
_MOST_SENSES = 3


def acronyms_body(candidates: Sequence[AcronymCandidate]) -> Json:
    """Counts each sense of the candidates (at least one) and collects what the records define; no hits."""
    written_forms: dict[str, Clause] = {}
    defined: Json = {}
    for number, candidate in enumerate(candidates):
        for place, sense in enumerate(candidate.senses):
            text = sense.expansion if candidate.short else sense.acronym
            written_forms[f"{number}.{place}"] = phrase(text)
        defined[f"d{number}"] = {
            "filter": {"prefix": {_DEFINED: f"{candidate.key}="}},
            "aggs": {
                "pairs": {
                    "terms": {"field": _DEFINED, "include": f"{lucene_escaped(candidate.key)}=.*", "size": _MOST_SENSES}
                }
            },
        }
    aggregations: Json = {"written": {"filters": {"filters": written_forms}}} if written_forms else {}
    return {"size": 0, "track_total_hits": False, "aggs": {**aggregations, **defined}}


def terms_of(candidates: Sequence[AcronymCandidate], answer: JsonMapping) -> tuple[QueryTerm, ...]:
    """The other forms as terms, which widen a question; only what the catalogue uses."""
    aggregations = answer["aggregations"]
    buckets = aggregations.get("written", {}).get("buckets", {})
    senses = []
    for number, candidate in enumerate(candidates):
        counts = {place: buckets[f"{number}.{place}"]["doc_count"] for place in range(len(candidate.senses))}
        largest = max(counts.values(), default=0)
        listed_texts = [
            candidate.senses[place].expansion if candidate.short else candidate.senses[place].acronym
            for place in sorted(counts, key=lambda place: -counts[place])
            if counts[place] and counts[place] >= _LEAST_SENSE_SHARE * largest
        ]
        learnt = [
            str(bucket["key"]).partition("=")[2]
            for bucket in aggregations[f"d{number}"]["pairs"]["buckets"]
            if bucket["doc_count"] >= _AGREEING
        ]
        listed_keys = {words_key(text) for text in listed_texts}
        learnt = [text for text in learnt if words_key(text) not in listed_keys]
        for source, texts in ((ACRONYM_LIST, listed_texts), (CATALOGUE, learnt)):
            if texts:
                labels = tuple(Label(text, "en") for text in texts[:_MOST_SENSES])
                senses.append(
                    QueryTerm(
                        TextSpan(candidate.text, candidate.start, candidate.end, source, _confidence(texts)),
                        "",
                        labels,
                        (),
                    )
                )
    return tuple(senses)


def _confidence(senses: Sequence[str]) -> float:
    return 1.0 / len(senses)


_TITLE = "title_sort"  # folded
_NO_LETTERS = "[^a-z0-9]*"
_LONGEST = 900  # characters of a pattern: Elasticsearch reads a thousand
_WORD_FIELDS = ("words", "words.en")


def title_clause(text: str) -> Clause | None:
    """Records with this title, whatever the signs between its words; None for a text without words or with too many."""
    letters = folded_words(text)
    pattern = _NO_LETTERS + _NO_LETTERS.join(letters) + _NO_LETTERS
    if not letters or len(pattern) > _LONGEST:
        return None
    return {"regexp": {_TITLE: {"value": pattern}}}


def title_and_words_body(interpretation: Interpretation) -> Json | None:
    """Counts the records with this title, and with each of the topic's words; None if there is nothing to count."""
    title = title_clause(interpretation.text) if interpretation.possible.is_looked_up else None
    filters: dict[str, Clause] = {} if title is None else {"title": title}
    words = _words_of(interpretation)
    for word in words:
        filters[f"word {word}"] = {"multi_match": {"query": word, "fields": list(_WORD_FIELDS)}}
    if not filters:
        return None
    body: Json = {"size": 0, "track_total_hits": False, "aggs": {"held": {"filters": {"filters": filters}}}}
    near_words = near_words_section(words)
    return {**body, "suggest": near_words} if near_words else body


def read_title_and_words(interpretation: Interpretation, answer: JsonMapping) -> tuple[bool, tuple[UnknownWord, ...]]:
    """Whether the question is a title, and its words that no record contains."""
    counts = {name: bucket["doc_count"] for name, bucket in answer["aggregations"]["held"]["buckets"].items()}
    unknown = [word for word in _words_of(interpretation) if counts[f"word {word}"] == 0]
    return counts.get("title", 0) > 0, tuple(read_unknown_word(word, answer) for word in unknown)


def asked_title_clause(interpretation: Interpretation) -> Clause | None:
    """Records whose title is the question, if there are any."""
    return title_clause(interpretation.text) if interpretation.is_title else None


def _words_of(interpretation: Interpretation) -> list[str]:
    return _checkable(interpretation.checkable_words)
