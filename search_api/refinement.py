"""What stands beside the hits: a better spelling where words were not found."""

from __future__ import annotations

from elasticsearch import Elasticsearch

from search_api.retrieval.candidates import Found
from search_api.retrieval.spelling import did_you_mean
from search_api.understanding.interpretation import Interpretation


def spelling_of(client: Elasticsearch, index: str, read: Interpretation, found: Found) -> str | None:
    """Only where no record holds every word: a question that is answered in full is not corrected."""
    if not read.thematic or found.all_words:
        return None
    return did_you_mean(client, index, read.text, read.thematic)
