"""The kind of product in a text: observation, simulation, projection, reanalysis or derived.

For a question ``read_kinds`` finds each word with its position; for a record ``infer_kind`` weighs title, abstract and
lineage. ``is_companion`` tells the logs and photos of a campaign from its data.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from core.record import ProvenanceKind
from reading.sentences import Claims, lower_case

Platform = Literal["satellite", "airborne", "in_situ"]


@dataclass(frozen=True, slots=True)
class KindExpression:
    """Words of a question, in lower case, and the kind they ask for."""

    pattern: re.Pattern[str]
    kind: ProvenanceKind
    confidence: float
    platform: Platform | None = None


def _words(alternatives: str) -> re.Pattern[str]:
    """Each alternative begins with a letter or a digit, so ``\\b`` finds its start, in half the time of a look back."""
    return re.compile(rf"\b(?:{alternatives})(?!\w)")


_REANALYSIS = (
    r"re-?analys[ei]s|re-?analysen?|réanalyses?|reanálisis|rianalisi|reanálises?|era-?5(?:-land)?|era-?interim|era-?40|"
    r"era-?20c|merra-?2?|jra-?(?:25|55|3q)|ncep[/-]ncar|cfsr|20cr"
)
_PROJECTION = (
    r"(?<!map )projections?(?! system)|projected|(?:rcp|ssp)\s?[1-8][-\s]?\d?(?:\.\d)?|scenarios?|future(?: climate)?|"
    r"(?:zu)?künftige?[nrms]?|zukunft|futurs?|futur[oa]s?|futuri|"
    r"climate futures|szenari(?:o|os|en)|(?:klima)?projektionen|klimaszenarien|scénarios?|proyecciones|proyección|"
    r"escenarios?|proiezion[ei]|scenari|projeções|projeção|cenários?|climate change impacts"
)
_SIMULATION = (
    r"simulations?|simulated|simulierte?|simulationen|modell?ed|model(?:l)? (?:output|runs?|results|data|ensembles?)|"
    r"hindcasts?|re-?forecasts?|forecasts?|modellergebnisse|modelldaten|modellläufe|sorties de modèles?|modélisations?|"
    r"simulaciones|simulación|salidas de modelos?|simulazion[ei]|simulações|simulação|saídas de modelos?"
)
_ERA = r"pre-?\s?industrial|historical|historische[nr]?|vorindustrielle[nr]?"
_ERA_BEHIND = (
    r"historiques?|pré-?industrielles?|históric[oa]s?|preindustrial(?:es|i)?|storic(?:a|he|o)|pré-?industria(?:l|is)"
)
_RUN = r"control|simulations?|runs?|experiments?|ensembles?|simulationen|kontroll\w{1,12}|experimente?"
_RUN_BEFORE = r"simulations?|simulaci(?:ón|ones)|simulazion[ei]|simulaç(?:ão|ões)|contr[oô]les?|controllo"
_MODEL = r"cmip\s?[3-7]|cordex|cesm[12]?|ccsm[34]|waccm(?:-x)?|gfdl-\w{2,12}|mpi-esm\S{0,5}|ukesm1?|ec-earth3?|e3sm"
_EXPERIMENT = (
    rf"(?:{_ERA})\s(?:[a-z][\w-]*\s){{0,2}}(?:{_RUN})|(?:{_RUN_BEFORE})\s(?:[a-z][\w-]*\s)?(?:{_ERA_BEHIND})|"
    rf"(?:{_MODEL})\s(?:{_ERA})(?:\s(?:{_RUN}))?|(?:{_ERA})\s(?:{_MODEL})|"
    r"pi-?control|control (?:runs?|simulations?)|large ensembles?"
)
"""Experiments of climate models, whose names hold an era that is not the time of the data."""
_FORECAST = r"(?:wetter)?vorhersagen?|prévisions?|pronósticos?|previsi(?:one|oni|ón|ones)|previs(?:ão|ões)"
_IN_SITU = (
    r"observations?|observed|observational|measure(?:ments?|d)|in[\s-]situ|(?:weather |gauging |monitoring )?stations?|"
    r"(?:rain |stream |tide |river )?gauges?|buoys?|(?:argo )?floats|moorings?|radiosondes?|soundings?|field (?:data|"
    r"surveys?)|messungen|messdaten|messwerte|beobachtungen|beobachtungsdaten|messstation(?:en)?|stationsdaten|pegel|"
    r"mesures?|mesurées?|stations?|observaciones|observación|mediciones|estaciones|aforos|osservazion[ei]|misure|"
    r"misurazioni|stazioni|observações|medições|estações"
)
_SATELLITE = (
    r"satellites?|remote(?:ly)?[\s-]sens(?:ing|ed)|earth observation|landsat|modis|sentinel-?\s?\d?[ab]?|viirs|"
    r"fernerkundung\w{0,8}|satelliten\w{0,8}|satellitaires?|télédétection|satélites?|satelital(?:es)?|"
    r"teledetección|satellit(?:i|ar[ei])?|telerilevamento|sensoriamento remoto"
)
_AIRBORNE = r"airborne|aircraft|aerial|lidar|drone|uav|flugzeug\w{0,8}|aéroporté\w{0,2}|aéreo|aereo"
_DERIVED_KINDS = (
    r"derived|gridded(?: products?)?|interpolated|ind(?:ex|ices)|classification|classified|composites?|climatolog(?:y|"
    r"ies)|abgeleitete?\w?|gerasterte?\w?|indizes|klassifikation|dérivée?s?|indices?|classification|derivad[oa]s?|"
    r"índices?|clasificación|derivat[oiae]|indic[ei]|classificazione|classificação"
)

QUESTION_KINDS: tuple[KindExpression, ...] = (
    KindExpression(_words(_REANALYSIS), "reanalysis", 0.95),
    KindExpression(_words(_PROJECTION), "projection", 0.85),
    KindExpression(_words(_EXPERIMENT), "simulation", 0.9),
    KindExpression(_words(r"cmip[3-7]|cordex"), "projection", 0.5),
    KindExpression(_words(rf"{_SIMULATION}|{_FORECAST}"), "simulation", 0.85),
    KindExpression(_words(_SATELLITE), "observation", 0.8, "satellite"),
    KindExpression(_words(_AIRBORNE), "observation", 0.7, "airborne"),
    KindExpression(_words(_IN_SITU), "observation", 0.85, "in_situ"),
    KindExpression(_words(_DERIVED_KINDS), "derived", 0.6),
)

# Clauses about other data than the record's own.
ASIDES = re.compile(
    r"(?:(?:used|useful|intended|designed|suitable|available|applied|needed) (?:to|for|in|as)|in order to|"
    r"to (?:evaluate|validate|verify|force|drive|initiali[sz]e|calibrate|test|improve|constrain)|"
    r"for (?:model |the )?(?:evaluation|validation|verification|forcing|calibration|initiali[sz]ation)|"
    r"(?:compared|validated|evaluated|verified|calibrated|corrected|tested|tuned) (?:with|against|to|by|using)|"
    r"(?:driven|forced|initiali[sz]ed|nudged) (?:by|with|from)|boundary conditions (?:from|of)|"
    r"assimilat(?:es?|ed|ing|ion of))(?!\w)[^.;:]{0,90}"
)

_Votes = tuple[tuple[re.Pattern[str], float], ...]


def _votes(*votes: tuple[str, float]) -> _Votes:
    return tuple((_words(words), weight) for words, weight in votes)


VOTES: dict[ProvenanceKind, _Votes] = {
    "reanalysis": _votes(
        (r"re-?analys[ei]s|réanalyse|reanálisis|rianalisi|reanálise", 2.5),
        (r"era-?5(?:-land)?|era-?interim|era-?40|merra-?2?|jra-?(?:25|55|3q)|cfsr|20cr", 1.0),
        (r"data assimilation|retrospective analysis|fixed assimilation system", 0.8),
    ),
    "projection": _votes(
        (r"(?<!map )(?<!cartographic )projections?(?! (?:system|is|parameters|information))|projektionen|"
         r"proyecciones|proiezioni|projeções", 1.6),
        (r"(?:rcp|ssp)\s?[1-8][-\s]?\d?(?:\.\d)?|representative concentration pathways?|"
         r"shared socio-?economic pathways?", 1.4),
        (r"(?:emissions?|climate(?: change)?|future|forcing|warming) scenarios?|sres|a1b|future climate", 1.2),
        (r"projected|cmip[3-7]|cordex|nex-gddp|loca2?|end of the century|mid-century|2081-2100|to 2100", 0.8),
    ),
    "derived": _votes(
        (r"(?:derived|interpolated|computed|calculated|estimated|compiled|generated|produced|constructed|"
         r"created|retrieved|"
         r"aggregated|mapped|merged|blended|combined|reconstructed) (?:\w{1,15} ){0,3}?(?:from|using|by|with|"
         r"based on)", 2.2),
        (r"(?:\w+-)?derived|abgeleitet|dérivée?s?|derivad[oa]s?", 1.2),
        (r"gridded|interpolat(?:ed|ion)|kriging|blended|merged|composites?|mosaic|climatolog(?:y|ies)", 1.2),
        (r"ind(?:ex|ices)|classification|classified|land (?:cover|use) maps?|inventory|level[\s-][34]|"
         r"reconstructions?", 1.0),
        (r"digital (?:elevation|terrain|surface) models?|dem|statistics|estimates|averages|anomalies", 0.7),
    ),
    "simulation": _votes(
        (r"simulat(?:ions?|ed|es)|model(?:l)? (?:output|runs?|experiments?|integrations?|results)", 1.6),
        (r"hindcasts?|re-?forecasts?|forecasts?|ensemble members?|control run|large ensemble|"
         r"model intercomparison", 1.2),
        (r"general circulation model|(?:earth system|regional climate|climate|ocean|atmospher\w+|"
         r"hydrological) models?|"
         r"gcms?|rcms?|wrf|cesm\d?|ccsm\d?|cam\d|echam\d?", 0.8),
    ),
    "observation": _votes(
        (r"observations?|observed|observational|measure(?:ments?|d)|beobachtung(?:en)?|messung(?:en)?|mesures|"
         r"observaciones|"
         r"mediciones|osservazioni|misure|observações|medições", 1.3),
        (r"in[\s-]situ|(?:weather|meteorological|synoptic|surface|upper[\s-]air|monitoring|gauging|ground) stations?|"
         r"station (?:data|records|observations)|(?:rain|stream|tide|river|snow) gauges?", 1.3),
        (r"rawinsondes?|radiosondes?|dropsondes?|soundings?|buoys?|moorings?|floats|ctd|xbt|radar|lidar|"
         r"instruments?|sensors?|"
         r"samples?|samplers?|cruises?|flights?|aircraft|field (?:campaign|project|experiment|survey)s?|sonde|"
         r"profilers?", 1.0),
        (r"satellites?|imagery|images?|radiances?|landsat|sentinel-?\d|modis|viirs|avhrr|goes|photographs?", 0.8),
        (r"stations?|surveys?|monitoring|collected|recorded|deployed|logged", 0.6),
    ),
}  # fmt: skip
"""Expressions and their votes by kind; their order breaks ties."""


_TITLE_WEIGHT, _REST_WEIGHT = 2.0, 1.0
_OPENING_CHARACTERS = 400  # an abstract first describes the data, later their use
_OPENING_WEIGHT = 1.5
_LONGEST_CHARACTERS = 2_000
_LEAST_SCORE = 0.9
_EDGE = "\0"  # neither a word nor white space: no expression crosses it


@dataclass(frozen=True, slots=True)
class KindMention:
    """A word for a kind of product (offsets, end exclusive); ``confidence`` 0..1.

    ``platform`` is where an observation is made from, if the word implies it.
    """

    text: str
    start: int
    end: int
    kind: ProvenanceKind
    confidence: float
    platform: Platform | None = None


def read_kinds(text: str) -> list[KindMention]:
    """Every word for a kind in a question, in order, without overlaps."""
    low = lower_case(text)
    mentions: list[KindMention] = []
    claims = Claims(len(text))
    for form in QUESTION_KINDS:
        for match in form.pattern.finditer(low):
            start, end = match.span()
            if claims.claim((start, end)):
                mentions.append(KindMention(text[start:end], start, end, form.kind, form.confidence, form.platform))
    return sorted(mentions, key=lambda mention: mention.start)


def infer_kind(title: str, abstract: str, lineage: str | None) -> tuple[ProvenanceKind, float]:
    """The kind of data in a record, and the confidence (0..1); ``unknown`` and 0.0 without evidence.

    Each expression counts once, where it weighs most: title 2, beginning of the abstract 1.5, rest and lineage 1.
    Asides ("used to evaluate models", "driven by ERA5") describe other data and do not count. Confidence is the
    winner's share of all votes, lower if there are few; ties go to the first of reanalysis, projection, derived,
    simulation, observation.
    """
    texts = _Texts.of(title, abstract, lineage or "")
    scores = {kind: sum(vote * texts.weight(pattern) for pattern, vote in votes) for kind, votes in VOTES.items()}
    best = max(scores, key=lambda kind: scores[kind])
    if scores[best] < _LEAST_SCORE:
        return "unknown", 0.0
    share = scores[best] / sum(scores.values())
    return best, round(share * (1.0 - math.exp(-scores[best])), 2)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Title, abstract and lineage one behind the other, so that an expression's first place is its best one."""

    text: str
    title_end: int
    opening_end: int

    @classmethod
    def of(cls, *texts: str) -> _Texts:
        title, abstract, lineage = (_without_asides(text) for text in texts)
        start = len(title) + len(_EDGE)
        return cls(_EDGE.join((title, abstract, lineage)), start, start + min(len(abstract), _OPENING_CHARACTERS))

    def weight(self, pattern: re.Pattern[str]) -> float:
        """The weight of an expression at its best place; 0.0 if it does not occur."""
        match = pattern.search(self.text)
        if match is None:
            return 0.0
        if match.start() < self.title_end:
            return _TITLE_WEIGHT
        return _OPENING_WEIGHT if match.start() < self.opening_end else _REST_WEIGHT


def _without_asides(text: str) -> str:
    return ASIDES.sub(" ", lower_case(text[:_LONGEST_CHARACTERS]))


_COMPANION = re.compile(
    r"\b(?:(?:flight|ship|cruise|mission|event|chat|deck|scientists?'?s?|operators?'?s?) log(?:s|books?)?|chats?|"
    r"(?:flight|field|processing|mission|scientists?'?s?) notes?|notebooks?|quick-?\s?looks?|"
    r"(?<!aerial )(?<!satellite )(?<!air )(?:photos?|photographs?|photography|pictures)|"
    r"(?<!all-sky )(?<!all sky )cameras?|movies?|videos?|"
    r"(?:flight|mission) (?:reports?|summar(?:y|ies))|documentation|presentations?)\b(?!-)",
    re.IGNORECASE,
)
_ASKS_COMPANION = re.compile(
    r"\b(?:log(?:s|books?)?|chats?|notes?|notebooks?|quick-?\s?looks?|photo\w*|pictures?|images?|imagery|cameras?|"
    r"movies?|videos?|films?|reports?|summar(?:y|ies)|documentation|presentations?|fotos?|fotografías?|bilder)\b",
    re.IGNORECASE,
)


def is_companion(title: str) -> bool:
    """Whether a title is that of logs, notes, photos or quick looks of a campaign, not of its data."""
    return _COMPANION.search(title) is not None


def asks_companion(question: str) -> bool:
    """Whether a question may ask for such a record."""
    return _ASKS_COMPANION.search(question) is not None
