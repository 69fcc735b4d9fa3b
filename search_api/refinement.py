"""Refines the reading of a question with the index: a better spelling, and identifiers without a record."""

from __future__ import annotations

from dataclasses import replace

from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from search_api.retrieval.candidates import CandidateSet
from search_api.retrieval.spelling import Spelling, did_you_mean
from search_api.understanding.interpretation import Interpretation

_FEW = 20
_ALL_COUNT = 3
"""A hit contains each of this many words; of more words it may lack some, and a misspelt one goes unnoticed."""


def spelling_of(client: Elasticsearch, index: str, read: Interpretation, found: CandidateSet) -> Spelling | None:
    """Only if few records contain every word: what many records say is not a typing error. Places are not corrected."""
    if not read.thematic or (len(found.all_words) > _FEW and len(read.thematic.split()) <= _ALL_COUNT):
        return None
    words = read.thematic
    for place in read.places:  # still in the topic if no record gives its place in numbers
        words = words.replace(place.found.text, " ")
    return did_you_mean(client, index, read.text, words)


def looked_up(client: Elasticsearch, index: str, read: Interpretation) -> Interpretation:
    """Marks each identifier with whether any record has it."""
    if not read.identifiers:
        return read
    values = {one.value: {"term": {"identifiers": one.value}} for one in read.identifiers}
    body = {"size": 0, "track_total_hits": False, "aggs": {"borne": {"filters": {"filters": values}}}}
    borne = search_all(client, [{"index": index}, body])[0]["aggregations"]["borne"]["buckets"]
    known = [replace(one, known=bool(borne[one.value]["doc_count"])) for one in read.identifiers]
    return replace(read, identifiers=tuple(known))
