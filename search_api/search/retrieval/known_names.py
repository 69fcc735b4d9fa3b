"""The names of a question that records have: products, platforms, instruments, projects."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.json_types import Json, JsonMapping
from core.names import looks_like_name
from reading.acronyms import own_acronyms
from reading.names import NameCandidate, is_notation
from reading.sentences import Claims, Range
from reading.translation import is_term_of_field
from search_api.search.ranking.config import NameWeights
from search_api.search.retrieval.clauses import Clause, any_of, every_word, lucene_escaped, phrase
from search_api.search.retrieval.contacts import counts_of, scored_contact
from search_api.search.understanding.interpretation import NameMatch, QueryName, QueryTerm, TextSpan

WeightedClause = tuple[Clause, float]

_ANYWHERE = "words"
_OWN, _MENTIONED = "names.keys", "names.mentioned"
_DEFINED = "names.acronyms"
_FORMATS, _ORGANISATIONS = "formats", "contacts.organisation"
_LEAST_NAME_PREFIX = 3  # characters of a beginning
_LEAST_WORD_PREFIX = 5  # letters of the beginning of a word of an abstract
_LEAST_SPELT = 5  # characters of a name that may be misspelt
_LIKE = 0.81  # 1 minus the share of different letters
_OFTEN_ORDINARY = 12  # times: a word that so many more texts have is no name
_LEAST_IN_CAPITALS = 0.5  # share of the texts with a word that write it in capitals, if it is a name
_LEAST_DEFINED = 0.5  # share of those that say what the capitals mean
_LONGEST_AMBIGUOUS = 2  # letters of an acronym that means many things: PR
_FEW = 1_000  # records: in a smaller catalogue, a name of some records is still rare


def matched_names(
    candidates: Sequence[NameCandidate], answer: JsonMapping, length: int, beginnings: JsonMapping | None = None
) -> tuple[QueryName, ...]:
    """The names that do not overlap, from left to right; of overlapping ones the exact and the longer one.

    ``answer``: to ``names_body``; ``beginnings``: to ``abstracts_body``. ``length``: of the question.
    """
    counts = {**counts_of(answer), **(counts_of(beginnings) if beginnings is not None else {})}
    total = max(answer["hits"]["total"]["value"], _FEW)
    ordinary = ordinary_ranges(candidates, answer)
    candidates = [_without_ordinary_capitals(candidate, ordinary) for candidate in candidates]
    looked_up = [
        _NameLookup(candidate, number, counts, _spelt(answer.get("suggest", {}), candidate, number))
        for number, candidate in enumerate(candidates)
    ]
    # With several unknown words, the question is probably about something that is not in the catalogue.
    unknown = sum(lookup.is_unknown_word for lookup in looked_up)
    query_names = [lookup.read(total, unknown) for lookup in looked_up]
    surest_first = ("exact", "beginning", "spelling", "unknown")
    names = sorted((name for name in query_names if name is not None), key=lambda name: surest_first.index(name.how))
    claims, claimed = Claims(length), []
    for name in names:
        if claims.claim((name.mention.start, name.mention.end)):
            claimed.append(name)
    return tuple(sorted(claimed, key=lambda name: name.mention.start))


def ordinary_ranges(candidates: Sequence[NameCandidate], answer: JsonMapping) -> tuple[Range, ...]:
    """The words in capitals that are no names: most texts write them small, or they are words of the field.

    So is a word with such a word beside it, unless most texts write it in capitals: COLD FRONT. ``answer``: to
    ``names_body``.
    """
    counts = counts_of(answer)
    words = sorted(
        ((number, candidate) for number, candidate in enumerate(candidates) if _is_in_capitals(candidate)),
        key=lambda numbered: numbered[1].start,
    )
    small = {number for number, _ in words if _is_mostly_small(counts, number)}
    ordinary = {
        number
        for number, candidate in words
        if not (_is_defined(counts, number) or _is_offer(counts, number) or _is_notation_or_agency(candidate))
        and (number in small or is_term_of_field(candidate.text))
    }
    for (first, left), (second, right) in pairwise(words):
        if right.start - left.end == 1:
            ordinary |= {a for a, b in ((first, second), (second, first)) if a in small and b in ordinary}
    return tuple((candidates[number].start, candidates[number].end) for number in sorted(ordinary))


def _is_in_capitals(candidate: NameCandidate) -> bool:
    return candidate.certain and candidate.is_word and candidate.text.isalpha() and candidate.text.isupper()


def _is_mostly_small(counts: Mapping[str, int], number: int) -> bool:
    return counts.get(f"sign{number}", 0) < _LEAST_IN_CAPITALS * counts.get(f"typed{number}", 0)


def _is_defined(counts: Mapping[str, int], number: int) -> bool:
    return counts.get(f"defined{number}", 0) >= max(1.0, _LEAST_DEFINED * counts.get(f"said{number}", 0))


def _is_offer(counts: Mapping[str, int], number: int) -> bool:
    return counts.get(f"offer{number}", 0) >= max(1, counts.get(f"said{number}", 0))


def _without_ordinary_capitals(candidate: NameCandidate, ordinary: Sequence[Range]) -> NameCandidate:
    """The candidate as if it were in small letters, if only ordinary words made it look like a name."""
    inside = [(a - candidate.start, b - candidate.start) for a, b in ordinary if candidate.start <= a < candidate.end]
    if not candidate.certain or not inside:
        return candidate
    rest = candidate.text
    for a, b in inside:
        rest = rest[:a] + rest[a:b].lower() + rest[b:]
    return replace(candidate, certain=any(map(looks_like_name, rest.split())))


def abstracts_body(candidates: Sequence[NameCandidate], answer: JsonMapping) -> Json | None:
    """Asks for abstracts with words that begin like the question's one unknown word; None if there is no such word.

    ``answer``: to ``names_body``. Only such a question pays for a second request.
    """
    counts = counts_of(answer)
    unknown = [
        number
        for number, candidate in enumerate(candidates)
        if _NameLookup(candidate, number, counts, None).is_unknown_word
    ]
    if len(unknown) != 1:
        return None
    number, key = unknown[0], candidates[unknown[0]].keys[-1]
    if not (key.isalpha() and len(key) >= _LEAST_WORD_PREFIX):
        return None
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"counts": {"filters": {"filters": {f"text{number}": {"prefix": {_ANYWHERE: key}}}}}},
    }


def names_body(candidates: Sequence[NameCandidate]) -> Json:
    """Counts the records for each kind of match of each candidate. Needs at least one; returns no hits."""
    filters: dict[str, Clause] = {}
    for number, candidate in enumerate(candidates):
        filters[f"own{number}"] = {"terms": {_OWN: list(candidate.keys)}}
        filters[f"said{number}"] = {"terms": {_MENTIONED: list(candidate.keys)}}
        filters[f"word{number}"] = every_word(candidate.text)
        if candidate.certain and candidate.text.isalpha():
            filters[f"offer{number}"] = _offers(candidate.text)
        if _is_in_capitals(candidate):
            key = candidate.keys[-1]
            filters[f"sign{number}"] = {"regexp": {_MENTIONED: f"{key}[0-9]{{0,4}}"}}  # ACE, ACE-1
            filters[f"typed{number}"] = {"term": {_ANYWHERE: key}}
            filters[f"defined{number}"] = {"prefix": {_DEFINED: f"{key}="}}
        if len(candidate.keys[-1]) >= _LEAST_NAME_PREFIX:
            filters[f"begun{number}"] = begins(candidate.keys[-1])
    suggestions = {
        f"{field}{number}": {"text": candidate.keys[-1], "term": _suggestions(field)}
        for number, candidate in enumerate(candidates)
        if len(candidate.keys[-1]) >= _LEAST_SPELT
        for field in (_OWN, _MENTIONED)
    }
    return {
        "size": 0,
        "track_total_hits": True,  # without a query an index knows its number of records: measured, costs nothing
        "aggs": {"counts": {"filters": {"filters": filters}}},
        **({"suggest": suggestions} if suggestions else {}),
    }


def begins(key: str) -> Clause:
    """Records with a name or a word of the title that begins with the key."""
    return {"bool": {"should": [{"prefix": {_OWN: key}}, {"prefix": {_MENTIONED: key}}]}}


def _offers(word: str) -> Clause:
    """Records in a format or of an organisation whose name has this word: ``PDF: Portable Document Format``."""
    letters = lucene_escaped(word.lower())
    formats: Clause = {"regexp": {_FORMATS: {"value": f"(.*[^a-z0-9])?{letters}([^a-z0-9].*)?"}}}
    return {"bool": {"should": [formats, {"match": {_ORGANISATIONS: word}}]}}


def _suggestions(field: str) -> Json:
    return {
        "field": field,
        "analyzer": "keyword",
        "suggest_mode": "always",
        "prefix_length": 1,
        "min_word_length": _LEAST_SPELT,
        "size": 3,
    }


def _is_notation_or_agency(candidate: NameCandidate) -> bool:
    """Whether it is a unit, a time zone or an organisation: what it says about data is not their topic."""
    return candidate.certain and (is_notation(candidate.text) or own_acronyms().is_agency(candidate.text))


@dataclass(frozen=True, slots=True)
class _NameLookup:
    candidate: NameCandidate
    number: int
    counts: dict[str, int]
    spelt: str | None

    @property
    def is_unknown_word(self) -> bool:
        is_known = any(self._count(kind) for kind in ("own", "said", "word", "begun"))
        return not is_known and self.candidate.is_word

    def read(self, total: int, unknown: int) -> QueryName | None:
        """``total``: the number of records; ``unknown``: of unknown words in the question."""
        candidate = self.candidate
        own_count, mention_count, word_count, prefix_count = (
            self._count(kind) for kind in ("own", "said", "word", "begun")
        )
        numbered = any(letter.isdigit() for letter in candidate.keys[0])
        if own_count or (mention_count and (candidate.certain or numbered or not word_count)):
            offer, most = self._count("offer") if candidate.certain else 0, max(own_count, mention_count)
            # What far more texts have is ordinary: AND in capitals, and words without a sign of a name (Doppler radar).
            texts = word_count if candidate.is_word or not candidate.certain else 0
            texts = (
                self.counts.get(f"typed{self.number}", texts) if candidate.certain else texts
            )  # not its stem: PREDICT
            least = texts / _OFTEN_ORDINARY
            if not numbered and (most if candidate.certain else own_count) < least and offer < least:
                return None
            exact = self._query_name("exact", candidate.keys, own_count or mention_count, total)
            is_preference = offer >= most or _is_notation_or_agency(candidate)
            return replace(
                exact,
                share=max(most, offer, texts) / total,
                listed_share=own_count / most if own_count and not numbered else 1.0,
                is_preference=is_preference,
            )
        if word_count and not candidate.certain:
            return None  # an ordinary word, which the words of the records answer
        if prefix_count and (candidate.certain or unknown == 0):
            return self._query_name("beginning", candidate.keys[-1:], prefix_count, total)
        if text := self._count("text"):
            return replace(self._query_name("beginning", candidate.keys[-1:], text, total), in_abstracts=True)
        if self.spelt is not None and not word_count and (unknown == 1 or candidate.certain):
            return self._query_name("spelling", (self.spelt,), 1, total)
        return (
            self._query_name("unknown", candidate.keys, 0, total)
            if candidate.certain and candidate.is_word and not word_count
            else None
        )

    def _count(self, kind: str) -> int:
        return self.counts.get(f"{kind}{self.number}", 0)

    def _query_name(self, match: NameMatch, keys: tuple[str, ...], count: int, total: int) -> QueryName:
        candidate = self.candidate
        return QueryName(
            TextSpan(candidate.text, candidate.start, candidate.end, "names", 1.0), match, keys, count, count / total
        )


def _spelt(suggest: JsonMapping, candidate: NameCandidate, number: int) -> str | None:
    options = [
        (option["score"], option["freq"], option["text"])
        for field in (_OWN, _MENTIONED)
        for entry in suggest.get(f"{field}{number}", ())
        for option in entry["options"]
        if option["score"] >= _LIKE and option["text"] != candidate.keys[-1]
    ]
    return max(options)[2] if options else None


def names_query(
    weights: NameWeights,
    names: Iterable[QueryName],
    forms: Iterable[QueryTerm] = (),
    words: int = 1,
    *,
    alone: bool = False,
    title_clause: Clause | None = None,
) -> Clause | None:
    """Scores 0..1: the share of the question's names that a record has. Its own names score more than mentions.

    Rare names count more. A common name counts only if the question has no other words (``alone``). ``words``: the
    number of words of the question. Names that begin with the name in the question score less, and so does the other
    form of an acronym (``forms``). ``title_clause``: matches records whose title is the question, which score most.
    None if no record has a name that counts.
    """
    known_names = [name for name in names if name.how != "unknown"]
    forms_by_range: dict[Range, list[QueryTerm]] = defaultdict(list)
    for term in forms:
        forms_by_range[term.mention.start, term.mention.end].append(term)
    parts = {
        (name.mention.start, name.mention.end): _without_zero(_name_clauses(weights, name, words))
        for name in known_names
    }
    counts = {(name.mention.start, name.mention.end): _count_of(weights, name, alone=alone) for name in known_names}
    for place, group in forms_by_range.items():
        parts[place] = [*parts.get(place, ()), *_other_forms(weights, group)]
        counts.setdefault(place, 1.0)
    total = math.fsum(counts.values())
    total = total if alone else max(total, 1.0)
    clauses = [_best(part, counts[place] / total) for place, part in parts.items() if part and counts[place] > 0.0]
    if title_clause is not None:
        return {
            "dis_max": {
                "queries": [
                    _weighted(title_clause, 1.0),
                    *(_weighted(clause, weights.share_with_title) for clause in clauses),
                ]
            }
        }
    return any_of(*clauses) if clauses else None


def _weighted(clause: Clause, boost: float) -> Clause:
    if "script_score" in clause:
        return {"script_score": {**clause["script_score"], "boost": boost}}
    return {"constant_score": {"filter": clause, "boost": boost}}


def _count_of(weights: NameWeights, name: QueryName, *, alone: bool) -> float:
    """0..1: how much the name counts. Nothing else is asked (``alone``): even a common one counts."""
    if name.is_preference:
        return weights.preference
    if name.how == "beginning" and name.keys[-1].isalpha() and not name.in_abstracts and not alone:
        return 0.0
    rarity = max(weights.rarity(name.share), weights.person if name.is_person else 0.0)
    return max(rarity, weights.preference) if alone else rarity


def _name_clauses(weights: NameWeights, name: QueryName, words: int) -> list[WeightedClause]:
    if name.is_contact:
        return [(scored_contact(name, weights.contact), 1.0)]
    key, keys, weight = name.keys[-1], list(name.keys), weights.mention_weight(name.mention.text, words)
    # The code of a product counts in full, however long the question is.
    own_weight = 1.0 if any(letter.isdigit() for letter in key) else weight
    listed_weight = own_weight * (weights.mention + (1.0 - weights.mention) * name.listed_share)
    if name.is_preference:
        return [(_offers(name.mention.text), 1.0), ({"terms": {_OWN: keys}}, 1.0), ({"terms": {_MENTIONED: keys}}, 1.0)]
    if name.in_abstracts:
        return [({"prefix": {_ANYWHERE: key}}, weights.mention_prefix * weight)]
    if name.how == "beginning":
        return [({"prefix": {_OWN: key}}, own_weight), ({"prefix": {_MENTIONED: key}}, weights.mention_prefix * weight)]
    name_prefix: list[WeightedClause] = (
        [({"prefix": {_OWN: key}}, weights.name_prefix * own_weight)] if len(key) > _LEAST_NAME_PREFIX else []
    )
    return [
        ({"terms": {_OWN: keys}}, listed_weight),
        ({"terms": {_MENTIONED: keys}}, weights.mention * weight),
        *name_prefix,
    ]


def _other_forms(weights: NameWeights, terms: Sequence[QueryTerm]) -> list[WeightedClause]:
    """What was typed as a phrase, before the acronym's words or the words' acronym."""
    labels = dict.fromkeys(label.text for term in terms for label in term.synonyms)
    forms = [label for label in labels if len(label) > _LONGEST_AMBIGUOUS]
    weighted = [(terms[0].mention.text, weights.typed_form), *((form, weights.other_form) for form in forms)]
    return [(phrase(text), weight) for text, weight in weighted]


def _without_zero(parts: Sequence[WeightedClause]) -> list[WeightedClause]:
    """Without what counts nothing: in Elasticsearch it would still be a hit."""
    return [part for part in parts if part[1] > 0.0]


def _best(parts: Sequence[WeightedClause], share: float) -> Clause:
    weighted = [_weighted(clause, boost * share) for clause, boost in parts]
    return {"dis_max": {"queries": weighted}}
