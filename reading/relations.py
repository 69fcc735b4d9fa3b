"""Words of relation in a question (in, near, north of), and the boxes that they mean.

The caller gives the places as character ranges; a word inside such a range ("North" of "North Sea") is part of the
name, not a relation. The words of six languages are parts of patterns, in lower case.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.geo import EARTH_RADIUS_KM, WORLD, BBox, enclosing_box, normalise_longitude
from reading.sentences import Claims, Range, lower_case
from reading.time_words import WRITTEN_NUMBER, number_of

Compass = Literal["north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"]

Relation = Literal[
    "in", "within", "within_distance", "over", "near", "coast", "off_coast", "between", "outside", "global",
    "north_of", "northeast_of", "east_of", "southeast_of", "south_of", "southwest_of", "west_of", "northwest_of",
    "part_north", "part_northeast", "part_east", "part_southeast", "part_south", "part_southwest", "part_west",
    "part_northwest", "part_central",
]  # fmt: skip

_COMPASS_WORDS: tuple[tuple[Compass, str], ...] = (
    ("northeast", "northeast north-east ne nordost nordosten nord-est noreste nordeste"),
    ("northwest", "northwest north-west nw nordwest nordwesten nord-ouest noroeste nord-ovest"),
    ("southeast", "southeast south-east se südost südosten sud-est sureste sudeste"),
    ("southwest", "southwest south-west sw südwest südwesten sud-ouest suroeste sudoeste sud-ovest"),
    ("north", "north n nord norden norte"),
    ("east", "east e ost osten est este leste"),
    ("south", "south s süd süden sud sur sul"),
    ("west", "west w westen ouest oeste ovest"),
)
COMPASS: dict[str, Compass] = {word: compass for compass, words in _COMPASS_WORDS for word in words.split()}

_ADJECTIVES: tuple[tuple[Compass, str], ...] = (
    ("northeast", "northeastern north-eastern nordöstlich"),
    ("northwest", "northwestern north-western nordwestlich"),
    ("southeast", "southeastern south-eastern südöstlich"),
    ("southwest", "southwestern south-western südwestlich"),
    ("north", "northern nördlich septentrional septentrionale settentrionale setentrional"),
    ("east", "eastern östlich oriental orientale"),
    ("south", "southern südlich méridional méridionale meridional meridionale"),
    ("west", "western westlich occidental occidentale ocidental"),
)
ADJECTIVES: dict[str, Compass] = {word: compass for compass, words in _ADJECTIVES for word in words.split()}
CENTRAL = r"central|zentral(?:e[snr]?)?|mittlere[snr]?|mittel|centrale"

OF = r"(?:of|von|vom|des|der|de|du|del|della|dello|dei|degli|delle|di|do|da|dos|das|d['’]|dell['’])"
# What follows a noun for a part ("norte de España", "Norden von Italien", "nord dell'Italia").
OF_PART = r"(?:von|des|der|de|du|del|della|dello|dei|degli|delle|di|do|da|dos|das|d['’]|dell['’])"
ARTICLE = (
    r"(?:(?:the|der|die|das|den|dem|des|le|la|les|el|los|las|il|lo|gli|o|a|os|as|all(?:\sof)?|whole|entire|ganz|"
    r"toute?|tod[oa]|tutt[oa])\s{1,2}|"
    r"l['’]\s?){0,2}"
)

IN = r"in|at|im|auf|aus|dans|en|au|aux|à|nel|nella|nello|nei|negli|nelle|nell['’]|em|no|na|nos|nas"
WITHIN = (
    r"within|inside|innerhalb(?: von)?|à l['’]intérieur d(?:e|u|es)|dentro d(?:e|el|o|a|os|as)|"
    r"all['’]interno d(?:i|el|ella|ell['’])"
)
OVER = (
    r"(?:all )?over|above|beneath|across|throughout|über|unter|quer durch|au-?dessus d(?:e|u|es|['’])|"
    r"au-?dessous d(?:e|u|es|['’])|sous|sur|à travers|sobre|bajo|(?:por )?encima d(?:e|el)|por tod[oa]|su|sul|sulla|"
    r"sull['’]|(?:al di )?sopra|sotto|attraverso|através d[eoa]|a?cima d[eoa]|sob"
)
ALONG_RIVER = (
    r"(?:up|down)stream (?:of|from)|"
    r"(?:stromaufwärts|flussaufwärts|oberhalb|stromabwärts|flussabwärts|unterhalb) (?:von|des|der)|"
    r"en (?:amont|aval) d(?:e|u|es|['’])|aguas (?:arriba|abajo) d(?:e|el)|a (?:monte|valle) d(?:i|el|ella|ell['’])|"
    r"a (?:montante|jusante) d[eoa]"
)
"""Read as near: how rivers flow is not known here."""
NEAR = (
    rf"near|nearby|{ALONG_RIVER}|"
    r"close to|next to|adjacent to|around|surrounding|"
    r"(?:in the )?(?:vicinity|neighbou?rhood|surroundings) of|"
    r"nahe(?: bei)?|in der nähe (?:von|des|der)|nähe|bei|um|rund um|umgebung von|près d(?:e|u|es|"
    r"['’])|proche d(?:e|u|es)|autour d(?:e|u|es|['’])|à proximité d(?:e|u|es|['’])|(?:aux|des) environs d(?:e|u|es|"
    r"['’])|cerca d(?:e|el)|alrededor d(?:e|el)|junto a|próxim[oa] (?:a|ao|de)|vicino (?:a|al|alla|allo|ai|all['’])|"
    r"nei pressi d(?:i|el|ella|ell['’])|presso|intorno (?:a|al|alla)|attorno (?:a|al|alla)|perto d[eoa]|"
    r"em torno d[eoa]|ao redor d[eoa]|nas proximidades d[eoa]"
)
OFF_COAST = (
    r"off the (?:\w{1,12} )?coasts? of|offshore(?: of)?|off|vor der küste(?: von)?|au large d(?:e|u|es|['’])|"
    r"frente a las? costas? d(?:e|el)|al largo d(?:i|el|ella|ell['’])|ao largo d[eoa]"
)
COAST = (
    r"(?:along |on |at )?the (?:\w{1,12} )?(?:coasts?|coastlines?|shores?) of|coasts? of|coastlines? of|shores? of|"
    r"coastal|(?:entlang |an )?der küste(?: von)?|küsten? von|(?:le long )?(?:de la |des |la |les )?côtes? d(?:e|u|es|"
    r"['’])|(?:a lo largo d(?:e la|e las) )?costas? d(?:e|el)|(?:lungo )?(?:la |le )?cost[ae] d(?:i|el|ella|ell['’])|"
    r"(?:ao longo da )?costa d[eoa]"
)
COAST_BEHIND = r"(?:(?:['’]s\s|\s)(?:coasts?|coastlines?|coastal (?:waters|zone|area|areas|region)|küsten?)|küsten?)"
DISTANCE_LEAD = (
    r"(?:with)?in a (?:radius|distance|circle) of|within(?: a)?|up to|less than|radius of|im umkreis von|"
    r"in einem umkreis von|innerhalb von|im radius von|bis zu|dans un rayon de|à moins de|en un radio de|a menos de|"
    r"dentro de|nel raggio di|in un raggio di|entro|a meno di|num raio de|em um raio de|at|in|à|a"
)
KM_PER_DEGREE = math.radians(EARTH_RADIUS_KM)  # of latitude
_UNIT_WORDS = (
    (1.0, "km kms kilometer kilometers kilometre kilometres kilometern kilomètre kilomètres kilómetros kilometri "
          "chilometri quilómetros quilômetros"),
    (1.609344, "mile miles mi meilen milles millas miglia milhas"),
    (1.852, "nmi seemeilen"),
    (KM_PER_DEGREE, "° degree degrees deg grad degré degrés grado grados gradi grau graus"),
)  # fmt: skip
DISTANCE_UNITS = {word: km for km, words in _UNIT_WORDS for word in words.split()} | {"nautical miles": 1.852}
LONGEST_DISTANCE_KM = 5_000.0
"""A longer distance from a place leaves nothing out: it is read as near."""
# After a distance: from its place, or around it.
DISTANCE_FROM = (
    r"of|from|around|away from|radius (?:of|around)|von|vom|um|rund um|entfernt von|d(?:e|u|es|['’])|"
    r"autour d(?:e|u|es|['’])|alrededor d(?:e|el)|del|d(?:a|al|alla|all['’]|i|o|os|as)|intorno (?:a|al|alla)|"
    r"ao redor d[eoa]"
)
BETWEEN = r"between|zwischen|entre|tra|fra|from"
AND = r"and|und|et|y|e|&|nor|noch"
OUTSIDE = (
    r"(?:(?:every|any)where|überall|partout|en todas partes|ovunque|em toda parte) (?:else )?(?:but|except|außer|sauf|"
    r"excepto|menos|tranne|eccetto|exceto)(?: in| en| em)?|(?:rather|other) than(?: in)?|save for|leav(?:e|ing) out|"
    r"omitting|ignoring|avoiding|as opposed to|neither(?: in)?|non-|outside(?: of)?|except(?: for| in)?|excluding|"
    r"(?:but |and )?not(?: in)?|without|apart from|außerhalb(?: von)?|außer(?: in)?|ohne|(?:aber |und )?nicht(?: in)?|"
    r"hors d(?:e|u|es)|en dehors d(?:e|u|es)|sauf(?: en)?|excepto(?: en)?|fuera d(?:e|el)|fuori d(?:a|al|alla)|"
    r"eccetto|tranne|exceto|fora d[eoa]|sem|senza|sans|mais pas(?: en| dans)?|pas (?:en|dans)|pero no(?: en)?|"
    r"ma non(?: in)?|mas não(?: em| n[ao])?"
)
# "global warming" and "global radiation" do not describe an extent.
GLOBAL = (
    r"the (?:whole|entire) (?:world|globe)|globally|global(?!\s(?:warming|change|radiation|irradiance|positioning|"
    r"navigation))|globale[snr]?|globali|globaux|globales|world[\s-]?wide|(?:around|across|all over|in|of|"
    r"for) the (?:whole |entire )?(?:world|globe)|weltweit(?:e[snr]?)?|à l['’]échelle mondiale|mondiale?s?|mondiaux|"
    r"mundial(?:es)?|mondiali|en todo el mundo|dans le monde(?: entier)?|in tutto il mondo|em todo o mundo"
)

_LONGEST_LEAD = 56  # characters before a place in which its relation can start
_DEEPEST = 3  # "near the coast of northern Italy"


@dataclass(frozen=True, slots=True)
class RelationMention:
    """A relation, the position of its words (offsets, end exclusive; without the places), and its places.

    ``distance_km``: for ``within_distance``, and for a direction with a distance ("20 km north of X").
    ``arguments`` are indexes into the mentions given, in text order: two or more for ``between``, every member of a
    list ("in Kenya, Uganda and Malawi") for the others, none for ``global``.
    """

    relation: Relation
    start: int
    end: int
    arguments: tuple[int, ...]
    distance_km: float | None = None


def _lead(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives})(?:(?<=['’-])|\s{{1,2}})\s?{ARTICLE}$")


def _choice(choices: dict[str, Compass]) -> str:
    return "|".join(re.escape(word).replace(r"\-", r"[\s-]?") for word in sorted(choices, key=len, reverse=True))


_COMPASS, _ADJECTIVE = _choice(COMPASS), _choice(ADJECTIVES)
_PART_OF = _lead(
    rf"(?:in|im|dans|en|nel|nell['’]|no|na)\s(?:the\s|le\s|l['’]|el\s)?(?P<where>{_COMPASS}|{_ADJECTIVE})"
    rf"(?:\s(?:parts?|half|regions?|teile?n?))?\s{OF}"
    rf"|(?:the\s)?(?P<part>{_COMPASS}|{_ADJECTIVE})\s(?:parts?|half)\s{OF}"
)
_DIRECTION_BEFORE = _lead(
    rf"(?:(?:to\sthe|just|au|al|a|ad|ao)\s|(?:à l|all)['’]\s?)(?P<where>{_COMPASS}|{_ADJECTIVE})\s{OF}"
)
# "the north of Italy" and "norte de España" are parts; "north of Italy" and "nördlich von Italien" are not.
_NOUN = _choice({word: compass for word, compass in COMPASS.items() if len(word) > 2})
_NOUN_OF = _lead(rf"(?:the|le|la|el|il|lo|o|der|l['’])\s?(?P<the>{_NOUN})\s{OF}|(?P<where>{_NOUN})\s{OF_PART}")
_OF = _lead(rf"(?P<where>{_COMPASS}|{_ADJECTIVE})\s{OF}|(?P<short>[ns]?[ew]|[ns])\sof")
_BESIDE = _choice({word: compass for word, compass in COMPASS.items() if word not in ("e", "sur")})  # and, over
_PART = _lead(rf"(?P<where>{_BESIDE}|(?:{_ADJECTIVE})(?:e[snrm]?)?)")
_PREFIX_DIRECTION = re.compile(r"(?<!\w)(?P<where>nordost|nordwest|südost|südwest|nord|süd|ost|west)-?$")
_CENTRAL = re.compile(rf"{_lead(CENTRAL).pattern}|(?<!\w)(?:zentral|mittel)-?$")
_DIRECTION_AFTER = re.compile(
    rf"(?:\s(?:du|del|do)\s(?P<where>{_COMPASS})|\s(?P<adjective>{_ADJECTIVE}))(?!\w)(?!\s{OF}\s)"
)
_COAST_BEHIND = re.compile(rf"{COAST_BEHIND}(?!\w)")
_GLOBAL = re.compile(rf"(?<!\w)(?:{GLOBAL})(?!\w)")
_AND = re.compile(rf"\s{{0,2}}(?:,\s?(?:(?:{AND})\s)?|\s(?:{AND})\s){ARTICLE}")
_TO = re.compile(rf"\s(?:{AND}|to|bis|à|a)\s{ARTICLE}")
_BETWEEN = _lead(BETWEEN)
_DISTANCE_UNIT = "|".join(sorted(map(re.escape, DISTANCE_UNITS), key=len, reverse=True))
_DISTANCE = _lead(
    rf"(?:(?:{DISTANCE_LEAD})\s)?(?P<number>\d{{1,3}}(?:[.,]\d{{3}})+|\d{{1,7}}(?:[.,]\d{{1,2}})?|{WRITTEN_NUMBER})"
    rf"[\s-]?(?P<unit>{_DISTANCE_UNIT})\s"
    rf"(?:(?:to\sthe\s|au\s|al\s|a\s|ao\s|à\sl['’]|all['’])?(?P<where>{_COMPASS}|{_ADJECTIVE})\s)?(?:{DISTANCE_FROM})"
)
_ALONG_RIVER = re.compile(rf"(?!oberhalb|unterhalb)(?:{ALONG_RIVER})(?!\w)")  # "oberhalb der Alpen" is above
# After a place these leave out a part of it: "all of Africa but Kenya".
_BUT = _lead(r"(?:but|bis auf|à part|menos|meno|a parte)(?: in| en)?")
_WORDS: tuple[tuple[Relation, re.Pattern[str]], ...] = (
    ("outside", _lead(OUTSIDE)),
    ("off_coast", _lead(OFF_COAST)),
    ("coast", _lead(COAST)),
    ("near", _lead(NEAR)),
    ("within", _lead(WITHIN)),
    ("over", _lead(OVER)),
    ("in", _lead(IN)),
)

_COMPASS_FORMS = (
    (_PART_OF, "part_{}"),
    (_DIRECTION_BEFORE, "{}_of"),
    (_NOUN_OF, "part_{}"),
    (_OF, "{}_of"),
    (_PART, "part_{}"),
    (_PREFIX_DIRECTION, "part_{}"),
)


def read_relations(text: str, mentions: Sequence[Range]) -> list[RelationMention]:
    """Every relation word of a mention, and words for the whole world, in text order.

    ``mentions``: character ranges (end exclusive) in text order. A place without such a word has no relation.
    """
    low = lower_case(text)
    relations: list[RelationMention] = []
    index = 0
    while index < len(mentions):
        last = _end_of_list(low, mentions, index)
        relations += _read_before(low, mentions, index, last)
        relations += _read_behind(low, mentions, last)
        index = last + 1
    claims = Claims(len(text))
    for mention in mentions:
        claims.block(mention)
    for match in _GLOBAL.finditer(low):
        if claims.is_free(match.span()):
            relations.append(RelationMention("global", *match.span(), ()))
    return sorted(relations, key=lambda mention: (mention.start, mention.end))


def is_along_river(words: str) -> bool:
    """Whether the words of a relation ask for a side that only the flow of a river decides: upstream of."""
    return _ALONG_RIVER.match(words.lower()) is not None


def _end_of_list(low: str, mentions: Sequence[Range], index: int) -> int:
    """The last place joined to this one by commas and "and", or by "between ... and"."""
    between_match = _BETWEEN.search(_text_before(low, mentions, index, mentions[index][0]))
    while index + 1 < len(mentions):
        gap = low[mentions[index][1] : mentions[index + 1][0]]
        if not (_AND.fullmatch(gap) or (between_match and _TO.fullmatch(gap))):
            break
        index += 1
    return index


def _text_before(low: str, mentions: Sequence[Range], index: int, end: int) -> str:
    last_end = mentions[index - 1][1] if index else 0
    return low[max(last_end, end - _LONGEST_LEAD) : end]


def _read_before(low: str, mentions: Sequence[Range], index: int, last: int) -> Iterator[RelationMention]:
    """Reads backwards from the place, each relation directly before the last: "near the coast of northern X"."""
    places = tuple(range(index, last + 1))
    end = mentions[index][0]
    for _ in range(_DEEPEST):
        lead = _text_before(low, mentions, index, end)
        if (match := _DISTANCE.search(lead)) is not None:
            relation, distance_km = _relation_at_distance(match)
        elif index and (match := _BUT.search(lead)) is not None and not lead[: match.start()].strip(" ,"):
            relation, distance_km = "outside", None
        elif (relation_and_match := _nearest(lead, is_several=last > index)) is not None:
            (relation, match), distance_km = relation_and_match, None
        else:
            return
        start = end - len(lead) + match.start()
        yield RelationMention(relation, start, start + len(match[0].rstrip()), places, distance_km)
        end = start


def _relation_at_distance(match: re.Match[str]) -> tuple[Relation, float | None]:
    distance_km = _number(match["number"]) * DISTANCE_UNITS[match["unit"]]
    if distance_km > LONGEST_DISTANCE_KM:
        return "near", None
    if match["where"] is None:
        return "within_distance", distance_km
    return _relation_of("{}_of", _compass_of(match["where"])), distance_km


def _number(written: str) -> float:
    """A mark before three digits separates thousands ("1,000", "1.000"), any other the decimals."""
    if written[0].isalpha():
        return float(number_of(written))
    whole, mark, last = written.replace(",", ".").rpartition(".")
    return float(whole.replace(".", "") + last) if len(last) == 3 else float(whole + mark + last)


def _nearest(lead: str, *, is_several: bool) -> tuple[Relation, re.Match[str]] | None:
    if is_several and (match := _BETWEEN.search(lead)):
        return "between", match
    for pattern, form in _COMPASS_FORMS:
        match = pattern.search(lead)
        if match is not None:
            return _relation_of(form, _compass(match)), match
    if match := _CENTRAL.search(lead):
        return "part_central", match
    for relation, pattern in _WORDS:
        if match := pattern.search(lead):
            return relation, match
    return None


def _read_behind(low: str, mentions: Sequence[Range], index: int) -> Iterator[RelationMention]:
    """ "Italia settentrionale", "Kenya's coast"."""
    end = mentions[index][1]
    if match := _DIRECTION_AFTER.match(low, end):
        yield RelationMention(_relation_of("part_{}", _compass(match)), end + 1, match.end(), (index,))
    elif match := _COAST_BEHIND.match(low, end):
        yield RelationMention("coast", end + (low[end] == " "), match.end(), (index,))


def _compass(match: re.Match[str]) -> Compass:
    return _compass_of(next(word for word in match.groupdict().values() if word))


def _compass_of(written: str) -> Compass:
    for spelling in (written, re.sub(r"\s", "-", written), re.sub(r"[\s-]", "", written)):
        for table in (COMPASS, ADJECTIVES):
            if spelling in table:
                return table[spelling]
    return ADJECTIVES[re.sub(r"e[snrm]?$", "", written)]


_RELATIONS: dict[str, Relation] = {name: name for name in get_args(Relation)}


def _relation_of(form: str, compass: Compass) -> Relation:
    return _RELATIONS[form.format(compass)]


LEAST_MARGIN_DEG = 0.5
COAST_MARGIN_DEG = 0.5
SEA_MARGIN_DEG = 2.0
LEAST_SIDE_DEG = 1.0
LEAST_REACH_KM = 10.0
_POLAR_DEG = 85.0


def target_box(relation: Relation, boxes: Sequence[BBox], distance_km: float | None = None) -> BBox | None:
    """Where the answer should lie; None where a box cannot say it (``outside``, no boxes, north of the pole).

    With w and h the width and height of the box around all places:

    - ``in``, ``within``, ``over``: that box; ``global``: the world.
    - ``near``: grown on each side by max(0.5 deg, w / 2) and max(0.5 deg, h / 2); ``coast`` by 0.5 deg, ``off_coast``
      by 2 deg (which side is sea is not known here).
    - ``within_distance``: grown by ``distance_km``; a direction with a distance means the square around the point
      that far from the centre, half the distance to each side and at least ``LEAST_REACH_KM``.
    - ``between``: the box spanned by the centres of the first and last place, the shorter way around, each side at
      least half the mean of theirs and 1 deg.
    - ``north_of``: the neighbour of the same size that shares the northern edge, and so on; ``northeast_of`` shares
      the corner. Sides count at least 1 deg, so that a point has a north too.
    - ``part_north``: the northern half; ``part_northeast``: that quarter; ``part_central``: the middle half of
      each side.
    """
    if relation == "global":
        return WORLD
    enclosing = enclosing_box(tuple(boxes))
    if enclosing is None or relation == "outside":
        return None
    if relation == "between":
        return _between(boxes[0], boxes[-1])
    if relation.startswith("part_"):
        return _part(relation.removeprefix("part_"), enclosing)
    if distance_km is not None:
        return _at_distance(relation, enclosing, distance_km)
    if relation.endswith("_of"):
        return _neighbour(relation.removesuffix("_of"), enclosing)
    return _grow(relation, enclosing)


def _box(west: float, south: float, east: float, north: float) -> BBox | None:
    """A box from edges that can exceed the poles and the antimeridian; None if nothing is left of it."""
    south, north = max(south, -90.0), min(north, 90.0)
    if south >= north:
        return None
    if east - west >= 360.0:
        return BBox(-180.0, south, 180.0, north)
    return BBox(normalise_longitude(west), south, normalise_longitude(east), north)


def _grow(relation: Relation, box: BBox) -> BBox | None:
    if relation == "near":
        half_width, along = max(LEAST_MARGIN_DEG, box.width_deg / 2), max(LEAST_MARGIN_DEG, box.height_deg / 2)
    elif relation in ("coast", "off_coast"):
        half_width = along = COAST_MARGIN_DEG if relation == "coast" else SEA_MARGIN_DEG
    else:
        return box
    return _box(box.west - half_width, box.south - along, box.unrolled_east + half_width, box.north + along)


def _at_distance(relation: Relation, box: BBox, distance_km: float) -> BBox | None:
    longitude, latitude = box.centre
    is_pole = box.width_deg >= 360.0 and abs(latitude) > _POLAR_DEG
    if is_pole:
        latitude = math.copysign(90.0, latitude)  # a point, however large its box
    if relation == "within_distance":
        up, across = _degrees(distance_km, latitude)
        return _box(box.west - across, box.south - up, box.unrolled_east + across, box.north + up)
    compass = relation.removesuffix("_of")
    diagonal = 1.0 if compass in ("north", "south", "east", "west") else math.sqrt(0.5)
    latitude += _degrees(distance_km * diagonal, latitude)[0] * (("north" in compass) - ("south" in compass))
    up, across = _degrees(max(LEAST_REACH_KM, distance_km / 2.0), latitude)
    longitude += _degrees(distance_km * diagonal, latitude)[1] * (("east" in compass) - ("west" in compass))
    across = 180.0 if is_pole else across
    return _box(longitude - across, latitude - up, longitude + across, latitude + up)


def _degrees(distance_km: float, latitude: float) -> tuple[float, float]:
    """Of latitude and of longitude at this latitude; a distance that reaches over a pole is all around it."""
    up = distance_km / KM_PER_DEGREE
    is_over_pole = abs(latitude) + up >= 90.0
    return up, 180.0 if is_over_pole else min(180.0, up / math.cos(math.radians(latitude)))


def _between(first: BBox, last: BBox) -> BBox | None:
    (first_lon, first_lat), (last_lon, last_lat) = first.centre, last.centre
    step = (last_lon - first_lon + 180.0) % 360.0 - 180.0  # the shorter way around
    middle_lon, middle_lat = first_lon + step / 2.0, (first_lat + last_lat) / 2.0
    half_width = max(abs(step), (first.width_deg + last.width_deg) / 4.0, LEAST_SIDE_DEG) / 2.0
    half_height = max(abs(last_lat - first_lat), (first.height_deg + last.height_deg) / 4.0, LEAST_SIDE_DEG) / 2.0
    return _box(middle_lon - half_width, middle_lat - half_height, middle_lon + half_width, middle_lat + half_height)


def _neighbour(compass: str, box: BBox) -> BBox | None:
    width, height = max(box.width_deg, LEAST_SIDE_DEG), max(box.height_deg, LEAST_SIDE_DEG)
    west, east = box.centre[0] - width / 2.0, box.centre[0] + width / 2.0
    south, north = box.south, box.south + height
    if "north" in compass:
        south, north = box.north, box.north + height
    elif "south" in compass:
        south, north = box.south - height, box.south
    if "east" in compass:
        west, east = box.unrolled_east, box.unrolled_east + width
    elif "west" in compass:
        west, east = box.west - width, box.west
    if box.width_deg >= 360.0 and ("east" in compass or "west" in compass):
        return None
    return _box(west, south, east, north)


def _part(part: str, box: BBox) -> BBox | None:
    west, south, east, north = box.west, box.south, box.unrolled_east, box.north
    if part == "central":
        quarter_width, along = box.width_deg / 4.0, box.height_deg / 4.0
        return _box(west + quarter_width, south + along, east - quarter_width, north - along) or box
    middle_lon, middle_lat = (west + east) / 2.0, (south + north) / 2.0
    south = middle_lat if "north" in part else south
    north = middle_lat if "south" in part else north
    west = middle_lon if "east" in part else west
    east = middle_lon if "west" in part else east
    return _box(west, south, east, north) or box
