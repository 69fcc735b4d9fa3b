"""The combiners, which make one score of the signals: one module and one line each, chosen in ``config.json``."""

from __future__ import annotations

from search_api.search.ranking.combiners.combiner import Combiner
from search_api.search.ranking.combiners.rrf import ReciprocalRanks
from search_api.search.ranking.combiners.tm2c2 import Tm2c2

COMBINERS: tuple[type[Combiner], ...] = (Tm2c2, ReciprocalRanks)
