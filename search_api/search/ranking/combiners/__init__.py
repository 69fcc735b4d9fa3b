"""Every combiner of the ranking: one class and one entry here; the class of another module imports ``combiner``."""

from __future__ import annotations

from search_api.search.ranking.combiners.combiner import Combiner, ReciprocalRanks, Tm2c2

COMBINERS: tuple[type[Combiner], ...] = (Tm2c2, ReciprocalRanks)
