"""Refines the reading of a question with the index: names, acronyms, spelling, and identifiers without a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from core.json_types import Json, JsonMapping
from core.names import name_key
from es_gateway.searching import Later, SearchBatch
from search_api.search.retrieval.candidates import COUNTED, CandidateSet
from search_api.search.retrieval.known_acronyms import acronyms_body, terms_of
from search_api.search.retrieval.known_contacts import contacts_asked, contacts_body
from search_api.search.retrieval.known_names import abstracts_body, names_asked, names_body
from search_api.search.retrieval.known_titles import held_body, read_held
from search_api.search.retrieval.spelling import CheckedWords, Spelling, WordCheck
from search_api.search.understanding.interpretation import Interpretation, NameAsked, TermFound, TextSpan
from search_api.search.understanding.topic import topic_of

_ALL_COUNT = 3
"""A hit contains each of this many words; of more words it may lack some, and a misspelt one goes unnoticed."""


def words_checked(
    batch: SearchBatch, check: WordCheck, read: Interpretation, found: CandidateSet
) -> Later[CheckedWords]:
    """Only if few records contain every word: what many records say is not a typing error. Places are not corrected.

    A word of a term is not unknown: its synonyms are searched too, in other languages as well.
    """
    if not read.thematic or (found.with_every_word >= COUNTED and len(read.thematic.split()) <= _ALL_COUNT):
        return CheckedWords
    words = read.thematic
    for place in read.places:  # still in the topic if no record gives its place in numbers
        words = words.replace(place.found.text, " ")
    checked, beside = check.checked(batch, read.text, words), read.beside_terms.lower()

    def without_terms() -> CheckedWords:
        found = checked()
        return replace(found, unknown=tuple(word for word in found.unknown if word in beside))

    return without_terms


AskAll = Callable[[Sequence[Json]], Sequence[JsonMapping]]
"""Answers searches over all records that the caller may see."""


def named(ask: AskAll, read: Interpretation) -> Interpretation:
    """With the names that the catalogue bears, the people and organisations behind its records, and what its acronyms
    mean; asks nothing without candidates.
    """
    possible = read.possible
    bodies = [names_body(possible.names)] if possible.names else []
    bodies += [acronyms_body(possible.acronyms)] if possible.acronyms else []
    bodies += [contacts_body(possible.contacts)] if possible.contacts else []
    held = held_body(read) if possible.is_looked_up else None
    bodies += [held] if held is not None else []
    if not bodies:
        return read
    answers = list(ask(bodies))
    is_title, unknown = read_held(read, answers.pop()) if held is not None else (False, ())
    contacts = contacts_asked(possible.contacts, answers.pop(), len(read.text)) if possible.contacts else ()
    meanings = terms_of(possible.acronyms, answers.pop()) if possible.acronyms else ()
    names = _names(ask, read, answers.pop()) if possible.names else ()
    names = (*contacts, *(one for one in names if not _overlaps(one.found, contacts)))
    # A part of a longer name or term is no acronym: PAN in "PAN 10 M", PM in "PM 2.5".
    longer = [*(one.found for one in names if one.how != "unknown"), *(one.found for one in read.terms)]
    acronyms = [one for one in meanings if not _is_within(one.found, longer)]
    read = _beside_the_topic(replace(read, names=names, terms=(*read.terms, *acronyms), is_title=is_title))
    # A word of a term is not unknown: its synonyms are searched too, in other languages as well.
    words = f" {read.beside_terms.lower()} "
    return replace(read, unknown=tuple(word for word in unknown if word in words))


def _beside_the_topic(read: Interpretation) -> Interpretation:
    """Formats, people and organisations leave the topic, if it says more: they are how or by whom, not what."""
    aside = [one for one in read.names if one.is_contact or one.is_preference]
    taken = [*read.possible.taken, *((one.found.start, one.found.end) for one in aside)]
    topic = topic_of(read.text, taken) if aside else ""
    if not topic:
        aside, taken, topic = [], list(read.possible.taken), read.thematic
    terms = tuple(one for one in read.terms if not _overlaps(one.found, aside))
    ranges = [*taken, *((one.found.start, one.found.end) for one in terms)]
    return replace(
        read,
        thematic=topic,
        named=" ".join([*filter(None, [read.named]), *(one.found.text for one in aside)]),
        terms=terms,
        beside_terms=topic_of(read.text, ranges),
        aside=tuple(one.found for one in aside),
    )


def _names(ask: AskAll, read: Interpretation, answer: JsonMapping) -> tuple[NameAsked, ...]:
    """Looks into the abstracts only for a word that no record has and no name, title or keyword begins with."""
    body = abstracts_body(read.possible.names, answer)
    begun = ask([body])[0] if body is not None else None
    named = names_asked(read.possible.names, answer, len(read.text), begun)
    return tuple(one for one in named if one.how not in ("unknown", "spelling") or not _is_term(one.found, read.terms))


def _is_term(found: TextSpan, terms: Iterable[TermFound]) -> bool:
    """Whether a vocabulary has other words for it: ``PM2.5`` is then no name that is missing here."""
    return any(one.found.start <= found.start and found.end <= one.found.end for one in terms)


def _overlaps(found: TextSpan, names: Iterable[NameAsked]) -> bool:
    return any(one.found.start < found.end and found.start < one.found.end for one in names)


def _is_within(found: TextSpan, others: Iterable[TextSpan]) -> bool:
    """Whether it is a part of a longer one."""
    longer = (one for one in others if len(one.text) > len(found.text))
    return any(one.start <= found.start and found.end <= one.end for one in longer)


def looked_up(batch: SearchBatch, index: str, read: Interpretation) -> Later[Interpretation]:
    """Marks each identifier with whether any record has it."""
    if not read.identifiers:
        return lambda: read
    values = {one.value: {"term": {"identifiers": one.value}} for one in read.identifiers}
    body = {"size": 0, "track_total_hits": False, "aggs": {"borne": {"filters": {"filters": values}}}}
    answer = batch.add({"index": index}, body)
    return lambda: _marked(read, answer()["aggregations"]["borne"]["buckets"])


def _marked(read: Interpretation, borne: JsonMapping) -> Interpretation:
    known = [replace(one, known=bool(borne[one.value]["doc_count"])) for one in read.identifiers]
    return replace(read, identifiers=tuple(known))


def is_meant(read: Interpretation, spelling: Spelling) -> bool:
    """Whether each word to be corrected was already read as the beginning of a name, or as a slip of the same one."""
    return all(
        any(
            one.found.text.lower() == word and (one.how == "beginning" or name_key(better) in one.keys)
            for one in read.names
        )
        for word, better in spelling.replaced
    )
