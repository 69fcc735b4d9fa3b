"""What a question asks for: a number, a share, a measure, a date or what a name means; and whether a sentence says it.

In English, German, French, Spanish, Italian and Portuguese. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reading.sentences import alternatives
from search_api.search.passages.coverage import content_words

_WORDS_TO_UNIT = 4
"""A unit stands at most this many words behind its number: "12 commercial fishing vessels"."""
_YEAR = r"(?<![\d.,])(?:1[0-9]|20)\d\d(?![\d.,]\d)"
_COUNT_WORDS = """two three four five six seven eight nine ten eleven twelve dozen dozens hundred hundreds thousand
thousands million millions billion billions half zwei drei vier fünf sechs sieben acht neun zehn hundert tausend Million
Millionen Hälfte deux trois quatre cinq sept huit neuf dix cent mille millions moitié dos tres cuatro cinco seis siete
ocho nueve diez cien mil millones mitad due tre quattro cinque sei sette otto nove dieci cento mila milioni metà dois
três quatro sete oito nove dez cem milhões metade"""
_NUMBER = rf"(?:\d[\d.,]*|\b(?:{alternatives(set(_COUNT_WORDS.split()))})\b)"
_CITATION = re.compile(r"\([^()]*[^\W\d_]{3}[^()]*\b(?:1[89]|20)\d\d[a-z]?\)|\[\d+(?:[,–-]\s*\d+)*\]")
"""References have numbers that are no values: "(Mora and others, 2013)", "[12]"."""


def _words(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


def _measure(units: str) -> re.Pattern[str]:
    return re.compile(rf"{_NUMBER}[\s-]*(?:\w+\s+)?(?:{units})(?!\w)", re.IGNORECASE)


_SHARE = r"%|per ?cent\w*|Prozent|pour cent|por ciento|por cento"
_LENGTH = (
    r"[kcmµn]?m|(?:kilo|centi|milli)?met(?:re|er)s?|mètres?|metros?|metri|Metern?|kilómetros|chilometri|feet|foot|ft"
    r"|miles?|inch(?:es)?|fathoms?"
)
_TIME = (
    r"s|min|h|(?:second|minute|hour|day|week|month|year|decade|centur)\w*|Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?"
    r"|Monaten?|Jahren?|jours?|mois|ans|années|días|meses|años|giorni|mesi|anni|dias|anos"
)
_HEAT = r"°\s*[CFK]?|K|degrees?|Grad|degrés|grados|gradi|graus"
_SPEED = r"m/s|m\s?s[-−–]1|km/h|knots?|kn|(?:kilo|centi)?met(?:re|er)s? (?:per|a) \w+|miles (?:per|an) hour"
_AREA_OR_LENGTH = rf"{_LENGTH}|(?:square|cubic) \w+|k?m[²2³3]|hectares?|ha|acres?"
_MONTHS = (
    r"Jan(?:uary)?|Feb(?:ruary)?|March|April|May|June|July|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?"
    r"|Dec(?:ember)?"
)
_DATE = re.compile(
    rf"{_YEAR}|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|\b(?:{_MONTHS})\b|\d(?:st|nd|rd|th) century|\bcentur(?:y|ies)\b"
    r"|\b(?:spring|summer|autumn|winter|Jahrhundert|siècle|siglo|secolo|século)\b|\d\s*(?:BP|BC|AD|BCE|CE)\b"
    r"|(?:thousand|million|billion) years|years ago",
)
_ANY_NUMBER = re.compile(_NUMBER, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedValue:
    """``form``: how a text writes it; None: any number, better with one of the ``units`` (stemmed words) behind it."""

    form: re.Pattern[str] | None = None
    units: frozenset[str] = frozenset()

    def match(self, sentence: str) -> float:
        """1 with the value; 0.5 with a number that may be of another unit; 0 without one."""
        text = _CITATION.sub(" ", sentence)
        if self.form is not None and self.form.search(text):
            return 1.0
        if self.form is _DATE:
            return 0.0
        numbers = [match for match in _ANY_NUMBER.finditer(text) if not re.fullmatch(_YEAR, match[0].rstrip(".,"))]
        if self.form is None and any(self._has_unit(text[match.end() :]) for match in numbers):
            return 1.0
        return 0.5 if numbers else 0.0

    def _has_unit(self, text_behind: str) -> bool:
        return not self.units.isdisjoint(content_words(" ".join(text_behind.split()[:_WORDS_TO_UNIT])))


_FORMS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        _words(
            r"(?:what|which) (?:\w+ )?(?:percentage|percent|per cent|share|proportion|fraction)|wie viel Prozent"
            r"|welcher Anteil|quel pourcentage|qué porcentaje|quale percentuale"
            r"|qual a p[eo]rcentagem"
        ),
        _measure(rf"{_SHARE}|of"),
    ),
    (
        _words(
            r"when (?:did|do|does|is|are|was|were|will|has|have|had|can|could|should|would)"
            r"|(?:in |since |until )?(?:what|which) (?:years?|months?|decades?|century|dates?|days?)|wann"
            r"|in welchem (?:Jahr|Monat)|seit wann|quand|en quelle année|cuándo|en qué año|quando|in (?:che|quale) anno"
            r"|em que ano"
        ),
        _DATE,
    ),
    (
        _words(r"how (?:deep|high|tall|far|wide|thick|big|large)|wie (?:tief|hoch|weit|breit|dick|groß)"),
        _measure(_AREA_OR_LENGTH),
    ),
    (_words(r"how long|wie lange?"), _measure(rf"{_TIME}|{_LENGTH}")),
    (_words(r"how old|wie alt"), re.compile(rf"{_measure(_TIME).pattern}|\baged? (?:of )?\d", re.IGNORECASE)),
    (_words(r"how (?:warm|cold|hot)|wie (?:warm|kalt|heiß)"), _measure(_HEAT)),
    (_words(r"how fast|wie schnell"), _measure(_SPEED)),
)
_COUNT = re.compile(
    r"\b(?:how (?:many|much)|what (?:number|amount|quantity) of|wie ?viele?|combien(?: de)?|cuánt[oa]s?"
    r"|quant[iaeo]s?)\b",
    re.IGNORECASE,
)


_DEFINED = re.compile(
    r"^\W*(?:what(?:'s| is| are| does)|was (?:ist|sind|bedeutet)|qu['’]est[- ]ce qu(?:e|['’])|qué (?:es|son|significa)"
    r"|(?:che )?cos(?:a è|['’]è)|o que (?:é|são))\s+(?:(?:an?|the|der|die|das|ein|eine|l[ae]s?|un|une|el|il|o|a)\s+)?"
    r"(?P<name>[\w/.+'’-]+(?:\s+[\w/.+'’-]+){0,3}?)(?:\s+(?:mean|stand for))?\s*\?*\s*$",
    re.IGNORECASE,
)
_ARTICLES = r"(?:an?|the|one|ein|eine|der|die|das|un|une|le|la|el|una|il|lo|o|a|um|uma)"


@dataclass(frozen=True, slots=True)
class AskedMeaning:
    """``definition``: how a text says what the name is."""

    name: str
    definition: re.Pattern[str]

    @classmethod
    def of(cls, name: str) -> AskedMeaning:
        return cls(
            name,
            re.compile(
                rf"(?:^|\W)(?:{re.escape(name)}(?:\s*\([^()]*\))?|\({re.escape(name)}\))[,\s]+"
                rf"(?:is|are|was|were|ist|sind|war|est|sont|es|son|è|sono|é|são)\s+{_ARTICLES}\s",
                re.IGNORECASE,
            ),
        )

    def match(self, sentence: str) -> float:
        """1 for a sentence that says what the name means, else 0."""
        return float(self.definition.search(sentence) is not None)


def asked_value(question: str) -> AskedValue | AskedMeaning | None:
    """What the question asks for; None if it asks for something else."""
    if (named := _DEFINED.match(question)) is not None:
        return AskedMeaning.of(named["name"])
    for asked, form in _FORMS:
        if asked.search(question):
            return AskedValue(form)
    if (match := _COUNT.search(question)) is None:
        return None
    return AskedValue(None, content_words(" ".join(question[match.end() :].split()[:3])))
