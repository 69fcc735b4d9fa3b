"""Persons and organisations of a question that stand behind records: as typed, a person's name in any order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.json_types import Json, JsonMapping
from reading.names import ContactCandidate
from reading.sentences import Claims
from search_api.search.retrieval.filters import Clause
from search_api.search.retrieval.record_texts import phrase
from search_api.search.understanding.interpretation import NameAsked, TextSpan

_PERSON, _ORGANISATION, _WHOLE_ORGANISATION = (
    "contacts.name",
    "contacts.organisation",
    "contacts.organisation.exact",
)
_TURNED = 5  # how far the words of a person's name may stand from where they were typed: last name first, initials
_FEW = 1_000
_BEHIND = "( ?[,;:(/].*)?"  # an organisation's name goes on with its department or its place


def contacts_body(candidates: Sequence[ContactCandidate]) -> Json:
    """Counts the records behind which each candidate (at least one) stands; no hits."""
    filters: dict[str, Clause] = {}
    for number, one in enumerate(candidates):
        filters[f"contact{number}"] = bears_contact(one.text) if one.is_whole else _bears_whole(one.text)
        if one.is_whole:
            filters[f"text{number}"] = phrase(one.text)
    return {"size": 0, "track_total_hits": True, "aggs": {"counts": {"filters": {"filters": filters}}}}


def contacts_asked(candidates: Sequence[ContactCandidate], answer: JsonMapping, length: int) -> tuple[NameAsked, ...]:
    """Those behind records; of overlapping ones the longer. A question that texts hold rather asks for these texts."""
    counts = {name: one["doc_count"] for name, one in answer["aggregations"]["counts"]["buckets"].items()}
    every, claims, found = max(answer["hits"]["total"]["value"], _FEW), Claims(length), []
    for number, one in enumerate(candidates):
        count = counts[f"contact{number}"]
        if count > counts.get(f"text{number}", 0) and claims.claim((one.start, one.end)):
            span = TextSpan(one.text, one.start, one.end, "contacts", 1.0)
            found.append(NameAsked(span, "exact", (), count, count / every, is_contact=True))
    return tuple(sorted(found, key=lambda one: one.found.start))


def bears_contact(text: str) -> Clause:
    """Records of the person, or of an organisation with these words one after another."""
    return {"bool": {"should": [_of_person(text), {"match_phrase": {_ORGANISATION: text}}]}}


def _bears_whole(text: str) -> Clause:
    """The same, but the organisation's name begins so, and goes on only behind a sign."""
    letters = "".join(re.escape(letter) if letter.isascii() else letter for letter in text.lower())
    named: Clause = {"regexp": {_WHOLE_ORGANISATION: {"value": letters + _BEHIND, "case_insensitive": True}}}
    return {"bool": {"should": [_of_person(text), named]}}


def _of_person(text: str) -> Clause:
    return {"match_phrase": {_PERSON: {"query": text, "slop": _TURNED}}}
