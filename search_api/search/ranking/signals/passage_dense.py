"""The cosine of the question and a passage; a record has its best passage's."""

from __future__ import annotations

from search_api.search.ranking.signals.arms import Meaning


class PassageDense(Meaning):
    name = "passage_dense"
    where = "meaning of a passage"
