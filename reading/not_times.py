"""Numbers that look like years but are not: heights, pressures, scales, versions, counts, product names."""

from __future__ import annotations

import re

from reading.identifiers import read_identifiers
from reading.spans import Range

_NUMBER = r"\d{1,9}(?:[.,   ]\d{3}){0,3}(?:[.,]\d{1,6})?"
_UNIT = (
    r"(?:[kcm]?m(?:\s?a\.?\s?s\.?\s?l|²|³|[23])?|µm|nm|hpa|kpa|pa|mbar|mb|dbar|°\s?[cfnsew]?|k(?:elvin)?|%|ft|feet|foot|miles?|nmi|"
    r"(?:kilo|centi|milli)?met(?:er|re)s?n?|mètres|metros|metri|metern|[mgk]?w(?:/m2?)?|[mgk]?hz|pp[mbt]v?|"
    r"mg|kg|tons?|tonnes?|psu|ha|hectares?|acres|arc-?sec(?:onds?)?|degrees?|grad|usd|eur|"
    r"hours?|hrs?|minutes|seconds|days|dpi|pixels?|bits?|[kmgt]b|"
    r"stations?|sites?|samples?|profiles?|species|files|points|pixels|cells|members|gauges|plots|buoys|floats|wells|"
    r"boreholes|people|inhabitants|households|stationen|messstellen|proben|estaciones|estações|stazioni|einwohner)"
)
_MEASURE = re.compile(rf"(?<![\w.]){_NUMBER}(?:\s?(?:-|–|to|and|bis|x|×)\s?{_NUMBER})?[\s-]?{_UNIT}(?!\w)")
_LABELLED = re.compile(
    r"(?<!\w)(?:versions?|ver\.?|v|release|epsg|iso|wgs|grs|nad|etrs|gda|resolution|auflösung|résolution|resolución|"
    r"risoluzione|resolução|scale|level|depths?|altitude|elevation|rcp|ssp|landsat|sentinel|pages?|pp\.?|nos?\.|number|"
    r"cruise|flight|orbit|profile)[\s:-]{0,2}(?:of\s|von\s|de\s)?\d{1,9}(?:[.,]\d{1,6})*"
)
_RATIO = re.compile(r"(?<!\d)1\s?:\s?\d{1,3}(?:[.,   ]?\d{3}){0,3}")
_GRID = re.compile(r"(?<![\w.])\d{1,6}\s?[x×]\s?\d{1,6}(?!\w)")
_NEGATIVE = re.compile(r"(?:(?<=[^\d\s]\s)|(?<=\()|^)[-−]\d{1,9}(?:\.\d{1,6})?")

_SHAPES = (_MEASURE, _LABELLED, _RATIO, _GRID, _NEGATIVE)


def not_time_ranges(text: str, low: str) -> list[Range]:
    """The ranges of such numbers; ``low`` is the text in lower case with the same offsets."""
    ranges = [match.span() for shape in _SHAPES for match in shape.finditer(low)]
    return ranges + [(mention.start, mention.end) for mention in read_identifiers(text)]
