"""BM25 over a record's own words."""

from __future__ import annotations

from search_api.search.ranking.signals.arms import Words


class Bm25(Words):
    name = "bm25"
    where = "words in the record"
