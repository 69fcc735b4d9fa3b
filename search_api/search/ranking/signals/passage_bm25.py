"""BM25 over passages; a record has its best passage's."""

from __future__ import annotations

from search_api.search.ranking.signals.arms import Words


class PassageBm25(Words):
    name = "passage_bm25"
    where = "words in its documents"
