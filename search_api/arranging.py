"""From a ranking to what is shown: doubles folded under the best of them, then siblings spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from search_api.ranking.diversity import Family, Spread, spread
from search_api.ranking.folding import Likeness, fold
from search_api.ranking.rank import Ranking
from search_api.request import SearchRequest

Fields = Mapping[str, Sequence[Any]]
"""Doc values of one candidate, lists of values by field."""


def arranged(
    ranking: Ranking, fields: Mapping[str, Fields], request: SearchRequest
) -> tuple[list[int], dict[str, list[str]]]:
    """Positions of the ranking in the order to show, and under each shown id the ids folded into it.

    How many there are does not depend on the page, and pages do not overlap. `hausdorff` orders by distance and nothing
    else, so siblings are not spread there.
    """
    ids = ranking.ids()
    folded: dict[str, list[str]] = {record: [] for record in ids}
    if request.group == "identity":
        folded = fold(ids, {record: _likeness(fields[record]) for record in ids})
    kept = [position for position, record in enumerate(ids) if record in folded]
    if not request.diversity or request.spatial == "hausdorff":
        return kept, folded
    families = [_families(fields[ids[position]]) for position in kept]
    scores = [float(ranking.score[ranking.order[position]]) for position in kept]
    order = spread(families, scores, Spread(), first=request.offset + request.limit)
    return [kept[place] for place in order], folded


def _likeness(fields: Fields) -> Likeness:
    return Likeness(str(_first(fields, "source")), _first(fields, "identity"), _first(fields, "signature"))


def _families(fields: Fields) -> list[Family]:
    return [(kind, name) for kind in ("series", "parent") if (name := _first(fields, kind)) is not None]


def _first(fields: Fields, name: str) -> str | None:
    values = fields.get(name)
    return str(values[0]) if values else None
