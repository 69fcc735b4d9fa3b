"""The area that a title names, for a record that states none: only where the data surely are from the place.

A title also names makers and instruments ("UK Met Office", "Wyoming Cloud Radar", "French Falcon") and people in square
brackets. A title with a place that is not sure beside a sure one ("U.S. and Canada") gives no area at all.
"""

from __future__ import annotations

import re
from functools import cache

from core.geo import BBox
from reading.gazetteer import Gazetteer, NameWord, name_key, words
from reading.namesakes import is_centre_inside
from reading.place_context import DIRECTIONS, INSTITUTIONS, SKIPPED_WORDS, STRICT_PREPOSITIONS
from reading.places import PlaceMention, PlaceReader

_MOST_BOXES = 8
_LEAST_OF_LONE_REGION = 0.55
_LEAST = 0.45
_RIVAL_GAP = 0.2  # in importance
_BRACKETS = re.compile(r"\[[^\]]*\]")
_CLAUSE_END = re.compile(r"[,;:()|/]| [-–] |\. ")
_WORLDWIDE = re.compile(r"\b(?:globa(?:l|le|ux|li|les|is)|world(?:wide)?|weltweite?|m[ou]ndia\w*)\b", re.IGNORECASE)
_MAKERS = INSTITUTIONS | frozenset((
    "agency", "air", "aircraft", "army", "associates", "association", "authority", "bureau", "center", "centre",
    "coast", "commission", "corps", "council", "department", "division", "force", "foundation", "government", "group",
    "guard", "lab", "laboratories", "laboratory", "lidar", "met", "ministry", "model", "museum", "navy", "office",
    "radar", "satellite", "service", "ship", "society", "state", "survey", "eruption", "eruptions", "forcing",
    "forcings",
))  # fmt: skip
_MAKER_REACH = 3
_FEATURES = frozenset((
    "bay", "canyon", "cape", "channel", "creek", "falls", "fjord", "glacier", "gulf", "hills", "island", "islands",
    "lake", "mountain", "mountains", "peninsula", "plateau", "point", "pond", "reef", "ridge", "river", "sea", "shelf",
    "sound", "springs", "strait", "valley", "volcano",
))  # fmt: skip
_ELSEWHERE = DIRECTIONS | {"from", "by", "off", "outside", "beyond", "von", "aus", "par", "por", "dal"}
_AND = frozenset(("and", "und", "et", "y", "e"))


@cache
def title_areas() -> TitleAreas:
    """The reader with the embedded gazetteer."""
    return TitleAreas(Gazetteer())


class TitleAreas:
    """Reads titles with the reader of questions; takes a tenth of a millisecond."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer
        self._reader = PlaceReader(gazetteer)

    def boxes(self, title: str, language: str | None = None) -> tuple[BBox, ...]:
        """Each once, in the order of the title; of two that lie in each other only the smaller."""
        if _WORLDWIDE.search(title):
            return ()
        text = _BRACKETS.sub(lambda match: "|" * len(match[0]), title)
        mentions = self._reader.read(text, language)
        contexts = [MentionContext.of(text, mention) for mention in mentions]
        sure = [self._is_sure(mention, context) for mention, context in zip(mentions, contexts, strict=True)]
        if _has_unsure_neighbour(contexts, sure):
            return ()
        boxes = dict.fromkeys(mention.place.bbox for mention, is_sure in zip(mentions, sure, strict=True) if is_sure)
        innermost = tuple(box for box in boxes if not any(_surrounds(box, other) for other in boxes))
        return innermost if len(innermost) <= _MOST_BOXES else ()

    def _is_sure(self, mention: PlaceMention, context: MentionContext) -> bool:
        if mention.source == "coordinates":
            return True
        if context.is_elsewhere or context.is_part or not (context.is_located or context.is_free):
            return False
        name = self._gazetteer.named(name_key(mention.text))
        if name is not None and name.is_adjective:
            return False
        if mention.place.kind == "city" and name is not None:
            return context.is_located and mention.place.importance >= _LEAST and not mention.alternatives
        if mention.place.kind == "city":
            return any(mark in mention.text for mark in ",(")  # qualified, "Mobile Alabama" may be a van
        least = _LEAST if context.is_located else _LEAST_OF_LONE_REGION
        is_too_small = mention.place.kind == "region" and name is not None and mention.place.importance < least
        return not is_too_small and not _has_rival(mention)


class MentionContext:
    """The words around a mention. ``before``: without articles; ``after``: up to the end of the clause."""

    def __init__(self, mention: str, before: list[NameWord], after: list[NameWord], *, is_all_upper: bool) -> None:
        self._mention = mention
        self._before = before
        self._after = after
        self._is_all_upper = is_all_upper

    @classmethod
    def of(cls, text: str, mention: PlaceMention) -> MentionContext:
        before = words(text[: mention.start])
        while before and before[-1].folded in SKIPPED_WORDS:
            before.pop()
        clause = _CLAUSE_END.split(text[mention.end :].removeprefix("."), maxsplit=1)[0]
        return cls(mention.text, before, words(clause), is_all_upper=text.isupper())

    @property
    def is_located(self) -> bool:
        """Whether a preposition of place precedes."""
        return bool(self._before) and self._before[-1].folded in STRICT_PREPOSITIONS

    @property
    def is_elsewhere(self) -> bool:
        """Whether the data are only from there, or beside it: "from Belgium", "north of Alaska"."""
        return bool(self._before) and self._before[-1].folded in _ELSEWHERE

    @property
    def is_part(self) -> bool:
        """Whether a longer name begins with the place: "China Lake"."""
        return bool(self._after) and self._after[0].folded in _FEATURES

    @property
    def is_free(self) -> bool:
        """Whether it is neither an acronym nor the first word of a maker's or an instrument's name."""
        if self._mention.isupper() and not self._is_all_upper:
            return False
        if any(word.folded in _MAKERS for word in self._after[:_MAKER_REACH]):
            return False
        is_before_acronym = bool(self._after) and len(self._after[0].text) > 1 and self._after[0].text.isupper()
        return self._is_all_upper or not is_before_acronym

    @property
    def follows_and(self) -> bool:
        return bool(self._before) and self._before[-1].folded in _AND

    @property
    def precedes_and(self) -> bool:
        return bool(self._after) and self._after[0].folded in _AND


def _has_unsure_neighbour(contexts: list[MentionContext], sure: list[bool]) -> bool:
    """Whether an "and" joins a place to another that is not sure, or to something that is no place."""
    for number, context in enumerate(contexts):
        is_joined = number > 0 and contexts[number - 1].precedes_and and context.follows_and
        if context.follows_and and not (is_joined and sure[number - 1] and sure[number]):
            return True
        is_joined = number + 1 < len(contexts) and context.precedes_and and contexts[number + 1].follows_and
        if context.precedes_and and not is_joined:
            return True
    return False


def _surrounds(outer: BBox, inner: BBox) -> bool:
    """Whether ``inner`` lies in ``outer`` with all its edges."""
    west = (inner.west - outer.west) % 360.0
    is_across = west + inner.width_deg <= outer.width_deg
    return outer != inner and is_across and outer.south <= inner.south and inner.north <= outer.north


def _has_rival(mention: PlaceMention) -> bool:
    """Whether the name is nearly as likely that of a place elsewhere."""
    box = mention.place.bbox
    return any(
        other.importance >= mention.place.importance - _RIVAL_GAP
        and not (is_centre_inside(other.bbox, box) or is_centre_inside(box, other.bbox))
        for other in mention.alternatives
    )
