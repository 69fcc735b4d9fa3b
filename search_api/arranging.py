"""From a ranking to what is shown: doubles folded under the best of them, then siblings spread."""

from __future__ import annotations

from collections.abc import Mapping

from search_api.ranking.diversity import Spread, spread
from search_api.ranking.facts import Facts
from search_api.ranking.folding import fold
from search_api.ranking.rank import Ranking
from search_api.request import SearchRequest


def arranged(
    ranking: Ranking, facts: Mapping[str, Facts], request: SearchRequest
) -> tuple[list[int], dict[str, list[str]]]:
    """Positions of the ranking in the order to show, and under each shown id the ids folded into it.

    How many there are does not depend on the page, and pages do not overlap. `hausdorff` orders by distance and nothing
    else, so siblings are not spread there.
    """
    ids = ranking.ids()
    folded: dict[str, list[str]] = {}
    if request.group == "identity":
        folded = fold(ids, {record: facts[record].likeness for record in ids})
    kept = [position for position, record in enumerate(ids) if not folded or record in folded]
    if not request.diversity or request.spatial == "hausdorff":
        return kept, folded
    families = [facts[ids[position]].families for position in kept]
    scores = ranking.score[ranking.order[kept]].tolist()
    order = spread(families, scores, Spread(), first=request.offset + request.limit)
    return [kept[place] for place in order], folded
