"""The mechanical rule of relevance over the NCAR records: topic and extent and period, each graded 0..3.

The grade of a record for a question is the least of the three. ``ncar/RULE.md`` states the rule in words; the numbers
here are the rule. Nothing in it comes from Sonde's own understanding or ranking: the asked box and period are written
by hand beside each question, and the topic is a list of patterns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.geo import BBox, BoxComparison, box_array, compare, diagonal_deg
from core.record import Record
from core.timespan import TimeSpan, instant_ms

# "since 2010" and records without an end last until here, so that grades do not change with the day they are made.
AS_OF_MS = instant_ms("2026-08-31", at_end=True)
YEAR_MS = 365.2425 * 86_400_000
WORLD_KM2 = 510_065_622.0  # the sphere of core.geo
FEW_KEYWORDS = 15

Pattern = re.Pattern[str] | None  # letter case ignored; None matches nothing


@dataclass(frozen=True, slots=True)
class Topic:
    """What a record must say of itself.

    3: a pattern in the title; 2: in a keyword, but 1 where that is one of more than FEW_KEYWORDS (the record holds
    it among much else); 1: in the abstract only. 0 where a pattern of ``never`` is in the title, or where none of
    ``needs`` is in the title or a keyword (``needs_anywhere``: or in the abstract).
    """

    name: str
    title: Pattern
    keywords: Pattern = None
    abstract: Pattern = None
    needs: Pattern = None
    needs_anywhere: Pattern = None
    never: Pattern = None


@dataclass(frozen=True, slots=True)
class Question:
    """One judged question; ``box`` and ``period`` were written by hand, None where it asks for none.

    ``place_names`` decide the extent of records that hold no box. ``topic_words`` is the part of ``text`` that names
    the topic.
    """

    id: str
    text: str
    topic_words: str
    topic: Topic
    box: BBox | None
    period: TimeSpan | None
    place_names: Pattern = None


@dataclass(frozen=True, slots=True)
class Grades:
    """0..3 each; ``relevance`` is the least of them."""

    topic: int
    extent: int
    period: int

    @property
    def relevance(self) -> int:
        return min(self.topic, self.extent, self.period)


def grade(question: Question, record: Record) -> Grades:
    """How well the record fits each part of the question."""
    return Grades(
        topic=topic_grade(question.topic, record),
        extent=extent_grade(question, record),
        period=period_grade(question.period, record.times),
    )


def topic_grade(topic: Topic, record: Record) -> int:
    """See Topic. Keywords are looked at one by one: each is a line of its own."""
    keywords = _keywords(record)
    said = f"{record.title}\n{keywords}"
    if _found(topic.never, record.title) or (topic.needs and not _found(topic.needs, said)):
        return 0
    if topic.needs_anywhere and not _found(topic.needs_anywhere, f"{said}\n{record.abstract}"):
        return 0
    if _found(topic.title, record.title):
        return 3
    if _found(topic.keywords, keywords):
        return 2 if len(record.keywords) <= FEW_KEYWORDS else 1
    return 1 if _found(topic.abstract, record.abstract) else 0


def _keywords(record: Record) -> str:
    return "\n".join(keyword.term for keyword in record.keywords)


def _found(pattern: Pattern, text: str) -> bool:
    return pattern is not None and pattern.search(text) is not None


@dataclass(frozen=True, slots=True)
class PlaceScale:
    """What "fits" means for an asked place of some size: the least share of it a record inside must cover."""

    fits: float  # grade 3
    helps: float  # grade 2
    touches: float  # grade 1


LOCAL = PlaceScale(0.0, 0.0, 0.0)  # up to 15 degrees across: any station in it answers
REGIONAL = PlaceScale(0.02, 0.0, 0.0)  # up to 60 degrees: a single station is part of the answer
CONTINENTAL = PlaceScale(0.10, 0.0, 0.0)  # wider: even one campaign is only a part
VAST = PlaceScale(0.70, 0.30, 0.05)  # a quarter of the globe and more: who asks so wants the whole of it


def place_scale(box: BBox) -> PlaceScale:
    if float(compare(box, box_array([box])).query_km2) >= WORLD_KM2 / 4.0:
        return VAST
    across = diagonal_deg(box)
    if across <= 15.0:
        return LOCAL
    return REGIONAL if across <= 60.0 else CONTINENTAL


def extent_grade(question: Question, record: Record) -> int:
    """The best of the record's boxes; without any, 3 where its title names the place and 2 where its text does.

    A title that names the place lifts a box that is far too wide (1) to 2: the place is in it, badly drawn.
    """
    if question.box is None:
        return 3
    if not record.extents:
        return _named_extent(question, record)
    shares = compare(question.box, box_array(record.extents))
    scale = place_scale(question.box)
    best = max(box_grade(scale, shares, index, box) for index, box in enumerate(record.extents))
    return 2 if best == 1 and _found(question.place_names, record.title) else best


def _named_extent(question: Question, record: Record) -> int:
    if _found(question.place_names, record.title):
        return 3
    return 2 if _found(question.place_names, f"{record.abstract}\n{_keywords(record)}") else 0


def box_grade(scale: PlaceScale, shares: BoxComparison, index: int, box: BBox) -> int:
    """One box: how much of it lies in the asked place, how much of that it covers, and how much larger it is."""
    inside, covered = float(shares.box_share[index]), float(shares.query_share[index])
    ratio = float(shares.box_km2[index]) / shares.query_km2
    if scale is VAST:
        return sum(covered >= least for least in (scale.fits, scale.helps, scale.touches))
    if (inside >= 0.5 and covered >= scale.fits) or (covered >= 0.8 and ratio <= 4.0):
        return 3
    not_too_wide = ratio <= 6.0 or diagonal_deg(box) <= 10.0
    mostly_inside = inside >= 0.5 and covered >= scale.helps
    if mostly_inside or min(inside, covered) >= 0.25 or (covered >= 0.5 and not_too_wide):
        return 2
    return 1 if covered >= 0.5 or inside >= 0.1 else 0


def period_grade(asked: TimeSpan | None, times: tuple[TimeSpan, ...]) -> int:
    """The best of the record's spans; 1 where it says none. 3 where no period is asked."""
    if asked is None:
        return 3
    return max((span_grade(asked, span) for span in times), default=1)


def span_grade(asked: TimeSpan, span: TimeSpan) -> int:
    """How much of the asked time the record covers, and how much of the record lies in it.

    An asked period without a start ("before 1950") counts as covered by 20 years. A record inside an asked period of
    more than two years fits only where it covers 5 % of it; within more than ten years it helps (2) only where it
    covers 1 %.
    """
    asked_start, asked_end = _ends_ms(asked)
    start, end = _ends_ms(span)
    shared = min(asked_end, end) - max(asked_start, start) + 1.0
    if shared <= 0.0:
        return 0
    asked_length = 20.0 * YEAR_MS if asked.start_ms is None else asked_end - asked_start + 1.0
    covered, inside = min(shared / asked_length, 1.0), shared / (end - start + 1.0)
    if asked_length > 2.0 * YEAR_MS:
        return _long_grade(covered, inside, least=0.01 if asked_length > 10.0 * YEAR_MS else 0.0)
    if covered >= 0.8 or inside >= 0.5:
        return 3
    return 2 if covered >= 0.5 or inside >= 0.25 else 1


def _long_grade(covered: float, inside: float, least: float) -> int:
    if covered >= 0.5 or (inside >= 0.5 and covered >= 0.05):
        return 3
    return 2 if covered >= 0.2 or (inside >= 0.5 and covered >= least) else 1


def _ends_ms(span: TimeSpan) -> tuple[float, float]:
    start = float("-inf") if span.start_ms is None else float(span.start_ms)
    end = float(max(AS_OF_MS, span.start_ms or 0)) if span.end_ms is None else float(span.end_ms)
    return start, end
