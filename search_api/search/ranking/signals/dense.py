"""The cosine of the question and a record."""

from __future__ import annotations

from search_api.search.ranking.signals.arms import Meaning


class Dense(Meaning):
    name = "dense"
    where = "meaning of the record"
