"""Variants of the pipeline: complete, or with one stage switched off."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from core.extent import BBox
from core.json_types import Json
from search_api.search.ranking.target import SpatialMode
from search_api.search.request import ALL_PARTS, Algorithm, Filters, Part, SearchRequest


@dataclass(frozen=True, slots=True)
class Variant:
    """The search settings that evaluation varies; ``inside`` filters by the first place in the question."""

    name: str = "full"
    algorithm: Algorithm = "hybrid"
    rerank: bool = True
    spatial: SpatialMode = "blend"
    temporal: bool = True
    interpret: frozenset[Part] = ALL_PARTS
    inside: bool = False
    diversity: bool = True

    def request(self, text: str) -> SearchRequest:
        return SearchRequest(
            q=text,
            algorithm=self.algorithm,
            rerank=self.rerank,
            spatial=self.spatial,
            temporal=self.temporal,
            interpret=self.interpret,
            diversity=self.diversity,
            group="none",  # folded records are judged too, so nothing is folded
        )

    def inside_request(self, text: str, area: BBox) -> SearchRequest:
        """The same, limited to the records that intersect ``area``."""
        return replace(self.request(text), filters=Filters(area=area))

    def as_dict(self) -> Json:
        return {**asdict(self), "interpret": sorted(self.interpret)}


def ablations(full: Variant) -> tuple[Variant, ...]:
    """``full`` with each stage switched off in turn, and baselines for questions of place and time."""
    text_alone = replace(full, spatial="off", temporal=False)
    each = (
        replace(full, name="bm25 alone", algorithm="bm25", rerank=False),
        replace(full, name="dense alone", algorithm="dense", rerank=False),
        replace(full, name="no late interaction", rerank=False),
        replace(full, name="no place", spatial="off"),
        replace(full, name="no time", temporal=False),
        replace(full, name="no scale, no kind", interpret=full.interpret - {"scale", "kind"}),
        replace(full, name="no understanding", interpret=frozenset()),
        replace(full, name="no diversity", diversity=False),
        replace(full, name="hausdorff", spatial="hausdorff"),
        replace(text_alone, name="text alone"),
        replace(text_alone, name="text, filtered by the box read", inside=True),
    )
    return tuple(variant for variant in each if replace(variant, name=full.name) != full)
