"""The people and organisations of records that a question names: as typed, a person's name in any order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from core.json_types import Json, JsonMapping
from core.names import folded_words
from reading.names import ContactCandidate, is_desk, is_initials, surnames_of
from reading.sentences import Claims
from search_api.search.request import NAMES_APART
from search_api.search.retrieval.clauses import Clause, fits_pattern, lucene_escaped, phrase
from search_api.search.understanding.interpretation import QueryName, TextSpan

_PERSON, _ORGANISATION, _WHOLE_ORGANISATION = (
    "contacts.name",
    "contacts.organisation",
    "contacts.organisation.exact",
)
_WORDS = "words"
_MOST_FIRST_NAMES = 2_000  # words of contacts that begin with one letter
_FEW_RECORDS = 1_000
_DEPARTMENT_OR_PLACE = "( ?[,;:(/].*)?"  # what may follow an organisation's name
_RARE_ELSEWHERE = 2  # times: a surname has so many more records than other texts with the word
_OFTEN_ELSEWHERE = 4  # times: so many more texts may have the whole name of an organisation
_LEAST_FIRST_NAME = 3  # letters
_PET_ENDINGS = ("e", "y", "i")  # Steve of Steven, Kathy of Kathryn
_SAMPLE = 20  # records whose contacts show whether a word is a last name
_NEAR_CONTACTS: Json = {
    "field": _PERSON,
    "suggest_mode": "missing",
    "prefix_length": 1,
    "max_edits": 1,
    "min_word_length": 6,
    "size": 2,
}
_USUAL_SCORE = 4  # BM25, of a contact


def contacts_body(candidates: Sequence[ContactCandidate]) -> Json:
    """Counts the records that name each candidate as a contact. Needs at least one candidate; returns no hits."""
    filters: dict[str, Clause] = {"all": {"match_all": {}}}
    surnames: dict[str, Clause] = {}
    suggestions: Json = {}
    for number, candidate in enumerate(candidates):
        name, is_surname = candidate.name, candidate.is_surname
        has_pattern = not is_surname and fits_pattern(name)
        if (is_surname and not candidate.may_be_person) or not (is_surname or candidate.is_whole or has_pattern):
            continue
        organisation = {} if is_surname else _named_organisation(name)
        if is_surname:
            contact = surnames[f"contact{number}"] = _of_person(name)
        elif candidate.is_whole:
            contact = contact_clause(name, may_be_person=candidate.may_be_person)
        else:  # within a question, an organisation's name begins with the text, and only a sign may follow
            contact = _of_contact(name, organisation, may_be_person=candidate.may_be_person)
        filters[f"contact{number}"] = contact
        if has_pattern:
            filters[f"exact{number}"] = organisation
        if is_surname or candidate.is_whole:
            filters[f"text{number}"] = {"bool": {"must": [phrase(name)], "must_not": [contact]}}
        if candidate.may_be_person and len(name.split()) == 1:
            filters[f"word{number}"] = {"match": {_WORDS: name}}
            suggestions[f"near{number}"] = {"text": name.lower(), "term": _NEAR_CONTACTS}
    aggregations: Json = {"counts": {"filters": {"filters": filters}}}
    if surnames:
        sample = {"top_hits": {"size": _SAMPLE, "_source": [_PERSON]}}
        aggregations["surnames"] = {"filters": {"filters": surnames}, "aggs": {"some": sample}}
    suggested: Json = {"suggest": suggestions} if suggestions else {}
    return {"size": 0, "track_total_hits": True, "aggs": aggregations, **suggested}


def matched_contacts(candidates: Sequence[ContactCandidate], answer: JsonMapping, length: int) -> tuple[QueryName, ...]:
    """The contacts of records; of overlapping names the longer one. A name that more texts contain is left out."""
    counts, aggregations = counts_of(answer), answer["aggregations"]
    samples = aggregations.get("surnames", {"buckets": {}})["buckets"]
    total, claims, names = max(answer["hits"]["total"]["value"], _FEW_RECORDS), Claims(length), []
    for number, candidate in enumerate(candidates):
        count, text = counts.get(f"contact{number}", 0), counts.get(f"text{number}", 0)
        exact, is_surname, mention = counts.get(f"exact{number}", 0), candidate.is_surname, candidate
        if is_surname:
            is_contact = count > _RARE_ELSEWHERE * text and _is_surname(candidate.name, samples[f"contact{number}"])
        else:
            is_contact = count > text or _OFTEN_ELSEWHERE * exact > text
        if is_contact and is_surname:
            mention = _with_first_name(candidate, candidates, samples[f"contact{number}"])
        if is_contact and claims.claim((mention.start, mention.end)):
            is_person = candidate.may_be_person and not exact and not is_desk(candidate.name)
            name = _contact(candidate, mention, count, count / total)
            names.append(replace(name, may_be_person=candidate.may_be_person, is_person=is_person))
    return tuple(sorted(names, key=lambda name: name.mention.start))


def respelt_contacts(
    candidates: Sequence[ContactCandidate], answer: JsonMapping, common_words: Collection[str] = ()
) -> list[ContactCandidate]:
    """Words that neither texts nor contacts have, as the one contact with nearly this last name writes it.

    ``common_words``: words of the question that may be misspelt words of the texts instead.
    """
    counts, respelt = counts_of(answer), []
    for number, candidate in enumerate(candidates):
        entries = answer.get("suggest", {}).get(f"near{number}", ())
        near = [option["text"] for entry in entries for option in entry["options"]]
        is_new = not counts.get(f"word{number}") and not counts[f"contact{number}"] if near else False
        if is_new and len(near) == 1 and candidate.text.lower() not in common_words:
            respelt.append(replace(candidate, is_whole=False, spelling=near[0]))
    return respelt


def _contact(candidate: ContactCandidate, mention: ContactCandidate, count: int, share: float) -> QueryName:
    span = TextSpan(mention.text, mention.start, mention.end, "contacts", 1.0)
    keys = tuple(folded_words(candidate.name)) if candidate.is_surname else ()
    return QueryName(span, "spelling" if candidate.spelling else "exact", keys, count, share, is_contact=True)


def _with_first_name(
    surname: ContactCandidate, candidates: Sequence[ContactCandidate], sample: JsonMapping
) -> ContactCandidate:
    """With the word before it, if that is a short or a long form of a contact's first name: Don of Donald."""
    last = folded_words(surname.text)
    words = {word for name in _contacts_with(surname.name, sample) for word in folded_words(name)} - set(last)
    full_forms = [word for word in words if len(word) >= _LEAST_FIRST_NAME]
    for candidate in candidates:
        first, *others = folded_words(candidate.text) or [""]
        if candidate.end != surname.end or others != last or len(first) < _LEAST_FIRST_NAME:
            continue
        stem = first[:-1] if len(first) > _LEAST_FIRST_NAME and first.endswith(_PET_ENDINGS) else first
        if any(form.startswith(stem) or first.startswith(form) for form in full_forms):
            return candidate
    return surname


def _is_surname(word: str, sample: JsonMapping) -> bool:
    """Whether most contacts of the sample with this word have it as their last name."""
    words, named = set(folded_words(word)), _contacts_with(word, sample)
    return 2 * sum(words <= set(surnames_of(name)) for name in named) > len(named)


def _contacts_with(word: str, sample: JsonMapping) -> list[str]:
    """The names of the sample that have the word."""
    words = set(folded_words(word))
    contacts = [
        str(contact["name"])
        for hit in sample["some"]["hits"]["hits"]
        for contact in hit["_source"].get("contacts", ())
        if contact.get("name")
    ]
    return [name for name in contacts if words <= set(folded_words(name))]


def contact_clause(text: str, *, may_be_person: bool = True) -> Clause:
    """Records of the person, or of an organisation that has these words one after another in its name."""
    return _of_contact(text, {"match_phrase": {_ORGANISATION: text}}, may_be_person=may_be_person)


def _named_organisation(text: str) -> Clause:
    value = lucene_escaped(text.lower()) + _DEPARTMENT_OR_PLACE
    return {"regexp": {_WHOLE_ORGANISATION: {"value": value, "case_insensitive": True}}}


def _of_contact(text: str, organisation: Clause, *, may_be_person: bool) -> Clause:
    return {"bool": {"should": [*([_of_person(text)] if may_be_person else []), organisation]}}


def _of_person(text: str) -> Clause:
    """The name in any order. Of first names that are typed as initials, only the first has to agree."""
    words = [word.strip(",;") for word in text.split()]
    initials = [word for word in words if is_initials(word)] if len(words) > 1 else []
    if not initials or len(initials) == len(words):
        return {"match_phrase": {_PERSON: {"query": text, "slop": NAMES_APART}}}
    last_name = " ".join(word for word in words if word not in initials)
    beginning = {"query": f"{last_name} {initials[0][0]}", "slop": NAMES_APART, "max_expansions": _MOST_FIRST_NAMES}
    return {"match_phrase_prefix": {_PERSON: beginning}}


def mention_clause(contact: QueryName) -> Clause:
    """Records whose texts have the last name of the person, or the whole name of the organisation."""
    text = contact.mention.text
    names = contact.keys or (surnames_of(text) if contact.is_person else ())
    return phrase(" ".join(names) or text)


def scored_contact(name: QueryName, least: float) -> Clause:
    """Scores ``least`` to 1: a record that names the contact in several roles, beside few others, is more its own."""
    text = name.mention.text
    clause = _of_person(" ".join(name.keys)) if name.keys else contact_clause(text, may_be_person=name.may_be_person)
    source = "params.least + (1 - params.least) * _score / (_score + params.usual)"
    parameters = {"least": least, "usual": _USUAL_SCORE}
    return {"script_score": {"query": clause, "script": {"source": source, "params": parameters}}}


def counts_of(answer: JsonMapping) -> dict[str, int]:
    """The records for each filter of the aggregation ``counts``."""
    return {name: bucket["doc_count"] for name, bucket in answer["aggregations"]["counts"]["buckets"].items()}
