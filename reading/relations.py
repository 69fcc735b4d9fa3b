"""Words of relation in a question: in, near, north of.

The caller gives the places as character ranges; a word inside such a range ("North" of "North Sea") is part of the
name, not a relation. The words of six languages are parts of patterns, in lower case.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.geo import EARTH_RADIUS_KM
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
    r"hors(?: d(?:e|u|es))?|en dehors d(?:e|u|es)|sauf(?: en)?|excepto(?: en)?|fuera d(?:e|el)|fuori d(?:a|al|alla)|"
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


def _text_ending_with(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives})(?:(?<=['’-])|\s{{1,2}})\s?{ARTICLE}$")


def _choice(choices: dict[str, Compass]) -> str:
    return "|".join(re.escape(word).replace(r"\-", r"[\s-]?") for word in sorted(choices, key=len, reverse=True))


_COMPASS, _ADJECTIVE = _choice(COMPASS), _choice(ADJECTIVES)
_PART_OF = _text_ending_with(
    rf"(?:in|im|dans|en|nel|nell['’]|no|na)\s(?:the\s|le\s|l['’]|el\s)?(?P<where>{_COMPASS}|{_ADJECTIVE})"
    rf"(?:\s(?:parts?|half|regions?|teile?n?))?\s{OF}"
    rf"|(?:the\s)?(?P<part>{_COMPASS}|{_ADJECTIVE})\s(?:parts?|half)\s{OF}"
)
_DIRECTION_BEFORE = _text_ending_with(
    rf"(?:(?:to\sthe|just|au|al|a|ad|ao)\s|(?:à l|all)['’]\s?)(?P<where>{_COMPASS}|{_ADJECTIVE})\s{OF}"
)
# "the north of Italy" and "norte de España" are parts; "north of Italy" and "nördlich von Italien" are not.
_NOUN = _choice({word: compass for word, compass in COMPASS.items() if len(word) > 2})
_NOUN_OF = _text_ending_with(
    rf"(?:the|le|la|el|il|lo|o|der|l['’])\s?(?P<the>{_NOUN})\s{OF}|(?P<where>{_NOUN})\s{OF_PART}"
)
_OF = _text_ending_with(rf"(?P<where>{_COMPASS}|{_ADJECTIVE})\s{OF}|(?P<short>[ns]?[ew]|[ns])\sof")
_BESIDE = _choice({word: compass for word, compass in COMPASS.items() if word not in ("e", "sur")})  # and, over
_PART = _text_ending_with(rf"(?P<where>{_BESIDE}|(?:{_ADJECTIVE})(?:e[snrm]?)?)")
_PREFIX_DIRECTION = re.compile(r"(?<!\w)(?P<where>nordost|nordwest|südost|südwest|nord|süd|ost|west)-?$")
_CENTRAL = re.compile(rf"{_text_ending_with(CENTRAL).pattern}|(?<!\w)(?:zentral|mittel)-?$")
_DIRECTION_AFTER = re.compile(
    rf"(?:(?:\s(?:du|del|do)\s(?P<where>{_COMPASS})|\s(?P<adjective>{_ADJECTIVE}))(?!\w)(?!\s{OF}\s)"
    r"|\s(?P<bare>(?:nord|sud|ouest|norte|oeste|sul|leste|ovest)(?=\s\d|[,;]|$)|(?:sur|est|este)(?=[,;]|$)))"
)
_COAST_BEHIND = re.compile(rf"{COAST_BEHIND}(?!\w)")
_GLOBAL = re.compile(rf"(?<!\w)(?:{GLOBAL})(?!\w)")
_AND = re.compile(rf"\s{{0,2}}(?:,\s?(?:(?:{AND})\s)?|\s(?:{AND})\s){ARTICLE}")
_TO = re.compile(rf"\s(?:{AND}|to|bis|à|a)\s{ARTICLE}")
_BETWEEN = _text_ending_with(BETWEEN)
_DISTANCE_UNIT = "|".join(sorted(map(re.escape, DISTANCE_UNITS), key=len, reverse=True))
_DISTANCE = _text_ending_with(
    rf"(?:(?:{DISTANCE_LEAD})\s)?(?P<number>\d{{1,3}}(?:[.,]\d{{3}})+|\d{{1,7}}(?:[.,]\d{{1,2}})?|{WRITTEN_NUMBER})"
    rf"[\s-]?(?P<unit>{_DISTANCE_UNIT})\s"
    rf"(?:(?:to\sthe\s|au\s|al\s|a\s|ao\s|à\sl['’]|all['’])?(?P<where>{_COMPASS}|{_ADJECTIVE})\s)?(?:{DISTANCE_FROM})"
)
_ALONG_RIVER = re.compile(rf"(?!oberhalb|unterhalb)(?:{ALONG_RIVER})(?!\w)")  # "oberhalb der Alpen" is above
# After a place these leave out a part of it: "all of Africa but Kenya".
_BUT = _text_ending_with(r"(?:but|bis auf|à part|menos|meno|a parte)(?: in| en)?")
_WORDS: tuple[tuple[Relation, re.Pattern[str]], ...] = (
    ("outside", _text_ending_with(OUTSIDE)),
    ("off_coast", _text_ending_with(OFF_COAST)),
    ("coast", _text_ending_with(COAST)),
    ("near", _text_ending_with(NEAR)),
    ("within", _text_ending_with(WITHIN)),
    ("over", _text_ending_with(OVER)),
    ("in", _text_ending_with(IN)),
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
