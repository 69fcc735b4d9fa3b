"""What the acronyms of a question mean in this catalogue, and which acronyms it uses for the question's words.

The list that ships proposes senses, and the records decide: a sense that no record writes out is none here. Records
also define acronyms of their own; one that a single record defines counts for nothing until another agrees.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.json_types import Json, JsonMapping
from core.record_keys import words_key
from reading.acronyms import AcronymCandidate
from reading.vocabulary import Label
from search_api.search.retrieval.filters import Clause
from search_api.search.retrieval.record_texts import phrase
from search_api.search.understanding.interpretation import ACRONYM_LIST, CATALOGUE, TermFound, TextSpan

_DEFINED = "names.acronyms"
_AGREEING = 2  # records that must define an acronym alike
_BESIDE = 0.5  # a further sense must be written by this share of the records of the most frequent one
_MOST_SENSES = 3


def acronyms_body(candidates: Sequence[AcronymCandidate]) -> Json:
    """Counts each sense of the candidates (at least one) and collects what the records define; no hits."""
    written: dict[str, Clause] = {}
    defined: Json = {}
    for number, one in enumerate(candidates):
        for place, sense in enumerate(one.senses):
            text = sense.expansion if one.short else sense.acronym
            written[f"{number}.{place}"] = phrase(text)
        defined[f"d{number}"] = {
            "filter": {"prefix": {_DEFINED: f"{one.key}="}},
            "aggs": {
                "pairs": {"terms": {"field": _DEFINED, "include": f"{_escaped(one.key)}=.*", "size": _MOST_SENSES}}
            },
        }
    counted: Json = {"written": {"filters": {"filters": written}}} if written else {}
    return {"size": 0, "track_total_hits": False, "aggs": {**counted, **defined}}


def terms_of(candidates: Sequence[AcronymCandidate], answer: JsonMapping) -> tuple[TermFound, ...]:
    """The other forms as terms, which widen a question; only what the catalogue uses."""
    aggregations = answer["aggregations"]
    buckets = aggregations.get("written", {}).get("buckets", {})
    found = []
    for number, one in enumerate(candidates):
        counts = {place: buckets[f"{number}.{place}"]["doc_count"] for place in range(len(one.senses))}
        most = max(counts.values(), default=0)
        listed = [
            one.senses[place].expansion if one.short else one.senses[place].acronym
            for place in sorted(counts, key=lambda place: -counts[place])
            if counts[place] and counts[place] >= _BESIDE * most
        ]
        learnt = [
            str(bucket["key"]).partition("=")[2]
            for bucket in aggregations[f"d{number}"]["pairs"]["buckets"]
            if bucket["doc_count"] >= _AGREEING
        ]
        known = {words_key(text) for text in listed}
        learnt = [text for text in learnt if words_key(text) not in known]
        for source, texts in ((ACRONYM_LIST, listed), (CATALOGUE, learnt)):
            if texts:
                labels = tuple(Label(text, "en") for text in texts[:_MOST_SENSES])
                found.append(
                    TermFound(TextSpan(one.text, one.start, one.end, source, _confidence(texts)), "", labels, ())
                )
    return tuple(found)


def _confidence(senses: Sequence[str]) -> float:
    return 1.0 / len(senses)


def _escaped(text: str) -> str:
    """For Lucene's regular expressions."""
    return re.sub(r"([.?+*|{}\[\]()\"\\#@&<>~^$-])", r"\\\1", text)
