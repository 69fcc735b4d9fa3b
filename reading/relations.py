"""The relation of a question to its places: "north of Italy", "between Rome and Naples", "along the coast of Kenya".

The caller gives the places as character ranges; a word inside such a range ("North" of "North Sea") is part of the
name, not a relation. ``targets`` computes the area of a relation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from reading import relation_words as words
from reading.relation_words import ADJECTIVES, COMPASS, Relation
from reading.spans import Claims, Range, lowered

_LONGEST_LEAD = 56  # characters before a place in which its relation can start
_DEEPEST = 3  # "near the coast of northern Italy"


@dataclass(frozen=True, slots=True)
class RelationMention:
    """A relation, the position of its words (offsets, end exclusive; without the places), and its places.

    ``arguments`` are indexes into the mentions given, in text order: two or more for ``between``, every member of a
    list ("in Kenya, Uganda and Malawi") for the others, none for ``global``.
    """

    relation: Relation
    start: int
    end: int
    arguments: tuple[int, ...]


def _lead(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives})(?:(?<=['’])|\s{{1,2}})\s?{words.ARTICLE}$")


def _choice(choices: dict[str, words.Compass]) -> str:
    return "|".join(re.escape(word).replace(r"\-", r"[\s-]?") for word in sorted(choices, key=len, reverse=True))


_COMPASS, _ADJECTIVE = _choice(COMPASS), _choice(ADJECTIVES)
_PART_OF = _lead(
    rf"(?:in|im|dans|en|nel|nell['’]|no|na)\s(?:the\s|le\s|l['’]|el\s)?(?P<where>{_COMPASS}|{_ADJECTIVE})"
    rf"(?:\s(?:parts?|half|regions?|teile?n?))?\s{words.OF}"
    rf"|(?:the\s)?(?P<part>{_COMPASS}|{_ADJECTIVE})\s(?:parts?|half)\s{words.OF}"
)
_AWAY = _lead(rf"(?:(?:to\sthe|just|au|al|a|ad|ao)\s|(?:à l|all)['’]\s?)(?P<where>{_COMPASS}|{_ADJECTIVE})\s{words.OF}")
# "the north of Italy" and "norte de España" are parts; "north of Italy" and "nördlich von Italien" are not.
_NOUN = _choice({word: compass for word, compass in COMPASS.items() if len(word) > 2})
_NOUN_OF = _lead(
    rf"(?:the|le|la|el|il|lo|o|der|l['’])\s?(?P<the>{_NOUN})\s{words.OF}|(?P<where>{_NOUN})\s{words.OF_PART}"
)
_OF = _lead(rf"(?P<where>{_COMPASS}|{_ADJECTIVE})\s{words.OF}|(?P<short>[ns]?[ew]|[ns])\sof")
_BESIDE = _choice({word: compass for word, compass in COMPASS.items() if word not in ("e", "sur")})  # and, over
_PART = _lead(rf"(?P<where>{_BESIDE}|(?:{_ADJECTIVE})(?:e[snrm]?)?)")
_ATTACHED = re.compile(r"(?<!\w)(?P<where>nordost|nordwest|südost|südwest|nord|süd|ost|west)-?$")
_CENTRAL = re.compile(rf"{_lead(words.CENTRAL).pattern}|(?<!\w)(?:zentral|mittel)-?$")
_BEHIND = re.compile(
    rf"(?:\s(?:du|del|do)\s(?P<where>{_COMPASS})|\s(?P<adjective>{_ADJECTIVE}))(?!\w)(?!\s{words.OF}\s)"
)
_COAST_BEHIND = re.compile(rf"{words.COAST_BEHIND}(?!\w)")
_GLOBAL = re.compile(rf"(?<!\w)(?:{words.GLOBAL})(?!\w)")
_AND = re.compile(rf"\s{{0,2}}(?:,\s?(?:(?:{words.AND})\s)?|\s(?:{words.AND})\s){words.ARTICLE}")
_TO = re.compile(rf"\s(?:{words.AND}|to|bis|à|a)\s{words.ARTICLE}")
_BETWEEN = _lead(words.BETWEEN)
_WORDS: tuple[tuple[Relation, re.Pattern[str]], ...] = (
    ("outside", _lead(words.OUTSIDE)),
    ("off_coast", _lead(words.OFF_COAST)),
    ("coast", _lead(words.COAST)),
    ("near", _lead(words.NEAR)),
    ("within", _lead(words.WITHIN)),
    ("over", _lead(words.OVER)),
    ("in", _lead(words.IN)),
)


_COMPASS_FORMS = (
    (_PART_OF, "part_{}"),
    (_AWAY, "{}_of"),
    (_NOUN_OF, "part_{}"),
    (_OF, "{}_of"),
    (_PART, "part_{}"),
    (_ATTACHED, "part_{}"),
)


def read_relations(text: str, mentions: Sequence[Range]) -> list[RelationMention]:
    """Every relation word of a mention, and words for the whole world, in text order.

    ``mentions``: character ranges (end exclusive) in text order. A place without such a word has no relation.
    """
    low = lowered(text)
    found: list[RelationMention] = []
    index = 0
    while index < len(mentions):
        last = _end_of_list(low, mentions, index)
        found += _read_before(low, mentions, index, last)
        found += _read_behind(low, mentions, last)
        index = last + 1
    claims = Claims(len(text))
    for mention in mentions:
        claims.block(mention)
    for match in _GLOBAL.finditer(low):
        if claims.is_free(match.span()):
            found.append(RelationMention("global", *match.span(), ()))
    return sorted(found, key=lambda mention: (mention.start, mention.end))


def _end_of_list(low: str, mentions: Sequence[Range], index: int) -> int:
    """The last place joined to this one by commas and "and", or by "between ... and"."""
    between = _BETWEEN.search(_before(low, mentions, index, mentions[index][0]))
    while index + 1 < len(mentions):
        gap = low[mentions[index][1] : mentions[index + 1][0]]
        if not (_AND.fullmatch(gap) or (between and _TO.fullmatch(gap))):
            break
        index += 1
    return index


def _before(low: str, mentions: Sequence[Range], index: int, end: int) -> str:
    behind = mentions[index - 1][1] if index else 0
    return low[max(behind, end - _LONGEST_LEAD) : end]


def _read_before(low: str, mentions: Sequence[Range], index: int, last: int) -> Iterator[RelationMention]:
    """Reads backwards from the place, each relation directly before the last: "near the coast of northern X"."""
    places = tuple(range(index, last + 1))
    end = mentions[index][0]
    for _ in range(_DEEPEST):
        lead = _before(low, mentions, index, end)
        read = _nearest(lead, several=last > index)
        if read is None:
            return
        relation, match = read
        start = end - len(lead) + match.start()
        yield RelationMention(relation, start, start + len(match[0].rstrip()), places)
        end = start


def _nearest(lead: str, *, several: bool) -> tuple[Relation, re.Match[str]] | None:
    if several and (match := _BETWEEN.search(lead)):
        return "between", match
    for pattern, form in _COMPASS_FORMS:
        match = pattern.search(lead)
        if match is not None:
            return _named(form, _compass(match)), match
    if match := _CENTRAL.search(lead):
        return "part_central", match
    for relation, pattern in _WORDS:
        if match := pattern.search(lead):
            return relation, match
    return None


def _read_behind(low: str, mentions: Sequence[Range], index: int) -> Iterator[RelationMention]:
    """ "Italia settentrionale", "Kenya's coast"."""
    end = mentions[index][1]
    if match := _BEHIND.match(low, end):
        yield RelationMention(_named("part_{}", _compass(match)), end + 1, match.end(), (index,))
    elif match := _COAST_BEHIND.match(low, end):
        yield RelationMention("coast", end + (low[end] == " "), match.end(), (index,))


def _compass(match: re.Match[str]) -> words.Compass:
    written = next(word for word in match.groupdict().values() if word)
    for known in (written, re.sub(r"\s", "-", written), re.sub(r"[\s-]", "", written)):
        for table in (COMPASS, ADJECTIVES):
            if known in table:
                return table[known]
    return ADJECTIVES[re.sub(r"e[snrm]?$", "", written)]


_RELATIONS: dict[str, Relation] = {name: name for name in get_args(Relation)}


def _named(form: str, compass: words.Compass) -> Relation:
    return _RELATIONS[form.format(compass)]
