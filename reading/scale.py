"""The resolution and extent of the data asked for: "30 m", "0.25 degree", "1:50 000", "daily", "national".

A length is a resolution unless the words around it show another meaning ("2 m temperature", "500 m isobath"). The words
of six languages are parts of patterns, in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from reading.sentences import Claims, alternatives, lower_case

KILOMETRES = r"km|kilomet(?:er|re)s?|kilomètres?|kilómetros?|chilometri|quilômetros?|kilometern"
METRES = r"m|met(?:er|re)s?|metern|mètres?|metros?|metri"
CENTIMETRES = r"cm|centimet(?:er|re)s?"
DEGREES = r"°|degrees?|deg|grad|degrés?|grados?|gradi|graus?"
ARC_MINUTES = r"arc[\s-]?min(?:ute)?s?|bogenminuten?|minutes? d['’]arc|minutos? de arco"
ARC_SECONDS = r"arc[\s-]?sec(?:ond)?s?|bogensekunden?|secondes? d['’]arc|segundos? de arco"

RESOLUTION = (
    r"resolution|auflösung|résolution|resolución|risoluzione|resolução|grid(?:ded)?|raster|pixels?|cells?|spacing|mesh|"
    r"sampling|ground sample distance|gsd|gitter|grille|malla|griglia|grade|dem|dtm|dsm"
)

# What a length measures if it is not a grid: heights of sensors, depths, layers, isobaths.
MEASURES = (
    r"(?:air |dew ?point |surface |maximum |minimum |mean )?temperatures?|air|winds?|dew ?point|humidity|gusts?|u[\s-]|"
    r"v[\s-]|depths?|deep|tiefe|profondeur|profundidad|profondità|profundidade|heights?|high(?!\s?[\s-]resolution)|"
    r"höhe|hauteur|altura|altezza|altitude|elevation(?!\s(?:model|data))|isobaths?|contours?|above|below|under|level|"
    r"tall|towers?|masts?|a\.?s\.?l|amsl|thick|wide|long|radius|buffer|distance|away|from|waves?|snow|soil|water|"
    r"boreholes?|cores?|over ground|agl|s-1|s\^|/s|per|temperatur|wind|vent|viento|vento|température|temperatura"
)
MEASURES_BEFORE = (
    r"(?:depths?|heights?|altitudes?|elevations?|radius|distance|thickness|tiefe|höhe|profondeur)(?: of| from| range)?|"
    r"(?:umkreis|abstand|entfernung) von|rayon de|radio de|raggio di|raio de|moins de|menos de|meno di|bis zu|entro|"
    r"above|below|deeper than|higher than|upper|top|first|under|within|up to|less than|more than|unter|über"
)

# What is measured at a height or a depth: "at 10 m" then gives it.
BY_LEVEL = (
    r"temperatures?|winds?(?: speed| direction| velocity)?|humidity|pressure|salinity|oxygen|currents?|velocity|"
    r"nitrates?|ozone|temperatur|wind(?:geschwindigkeit)?|salzgehalt|température|vent|salinité|temperatura|viento|"
    r"salinidad|vento|salinità|salinidade"
)

_STEP_WORDS = (
    ("PT1H", "hourly stündlich horaire horaires horario horaria orario oraria orari horário horária horários"),
    ("P1D", "daily täglich quotidien quotidienne quotidiens quotidiennes journalier journalière journalières diario "
            "diaria diarios diarias giornaliero giornaliera giornalieri giornaliere diário diária diários diárias"),
    ("P7D", "weekly wöchentlich hebdomadaire hebdomadaires semanal semanales settimanale settimanali semanais"),
    ("P10D", "dekadal"),
    ("P5D", "pentad"),
    ("P1M", "monthly monatlich mensuel mensuelle mensuels mensuelles mensual mensuales mensile mensili mensal mensais"),
    ("P3M", "seasonal quarterly saisonal saisonnier saisonnière saisonnières estacional estacionales stagionale "
            "stagionali sazonal sazonais"),
    ("P1Y", "annual annually yearly jährlich annuel annuelle annuels annuelles anual anuales annuale annuali anuais"),
    ("P10Y", "decadal"),
)  # fmt: skip
STEPS = {word: step for step, words in _STEP_WORDS for word in words.split()}

_UNIT_WORDS = (
    ("PT{}M", "minute minutes minutely min minütlich"),
    ("PT{}H", "hour hours hourly stunden stündlich heures horas ore"),
    ("P{}D", "day days daily tage tägig täglich jours días giorni dias"),
    ("P{}M", "month monthly monatlich"),
    ("P{}Y", "yearly jährlich"),
)
STEP_UNITS = {word: step for step, words in _UNIT_WORDS for word in words.split()}
STEP_NOUNS = r"resolution|data|intervals?|means?|averages?|composites?|steps?|time|auflösung|werte|mittel|sampling"

LEVELS: tuple[tuple[str, str], ...] = (
    ("global", r"global(?!\s(?:warming|change|radiation|irradiance|positioning|navigation))|world-?wide|"
               r"weltweit\w{0,2}|globale[snr]?|mondiale?s?|mundial(?:es)?"),
    ("continental", r"continental(?!\s(?:shelf|slope|margin|crust|drift|rise))|continent-wide|pan-european|"
                    r"kontinental\w{0,2}|continentales?|continentaux"),
    ("national", r"national|nationwide|country-wide|bundesweit\w{0,2}|landesweit\w{0,2}|national(?:e[snr]?|aux)|"
                 r"nacional(?:es)?|nazional[ei]|nacionais"),
    ("regional", r"regional(?!\sclimate\smodel)|regionale[snr]?|régiona(?:le?s?|ux)|regionales|regionali|regionais"),
    ("local", r"local(?!\s(?:time|government|noon))|lokale?[snr]?|locales|locali|locais|locaux"),
    ("very_high", r"(?:very|ultra)[\s-]high[\s-]resolution|vhr|sehr hochauflösend\w{0,2}|très haute résolution|"
                  r"muy alta resolución"),
    ("high", r"(?:high|fine)(?:er|est)?[\s-]resolution|hires|hochauflösend\w{0,2}|hohe[rn]? auflösung|"
    r"haute résolution|"
             r"alta (?:resolución|risoluzione|resolução)"),
    ("low", r"(?:low|coarse)r?[\s-]resolution|grobe[rn]? auflösung|basse résolution|baja resolución|"
    r"bassa risoluzione|"
            r"baixa resolução"),
)  # fmt: skip


Level = Literal["global", "continental", "national", "regional", "local", "very_high", "high", "low"]

METRES_PER_DEGREE = 111_320.0
"""One degree along the equator; the cell of a grid in degrees is widest there."""
_WIDEST_DEGREES = 10.0  # wider than any grid in use: a latitude, an angle or a warming


@dataclass(frozen=True, slots=True)
class ScaleMention:
    """One expression of scale; exactly one of the four meanings is set. Offsets, end exclusive.

    ``metres``: ground distance; ``scale_denominator``: 50000 for 1:50 000; ``time_step``: ISO 8601 duration;
    ``level``: the extent (global to local) or resolution (very_high, high, low) without a number.
    """

    text: str
    start: int
    end: int
    metres: float | None = None
    scale_denominator: int | None = None
    time_step: str | None = None
    level: Level | None = None


_NUMBER = r"\d{1,5}(?:[.,]\d{1,6})?"
_FACTORS = (
    (KILOMETRES, 1000.0),
    (CENTIMETRES, 0.01),
    (METRES, 1.0),
)
_DIVISORS = ((ARC_SECONDS, 3600.0), (ARC_MINUTES, 60.0), (DEGREES, 1.0))
_LENGTH = re.compile(
    rf"(?<![\w.,:/–])(?<!\d-)(?P<number>{_NUMBER})\s?-?(?P<unit>{KILOMETRES}|{CENTIMETRES}|{METRES})"
    rf"(?![\w²³/^])(?!\ss-1|-\d)(?:\s?[x×]\s?{_NUMBER}\s?-?(?:{KILOMETRES}|{METRES})(?!\w))?"
)
_ANGLE = re.compile(
    rf"(?<![\w.,:–])(?<!\d-)(?P<number>1/\d{{1,2}}|{_NUMBER})\s?-?(?P<unit>{DEGREES}|{ARC_MINUTES}|"
    rf"{ARC_SECONDS})(?!\w)(?:\s?[x×]\s?{_NUMBER}\s?-?(?:{DEGREES})(?!\w))?"
)
_NO_ANGLE = re.compile(
    r"\s?(?:[nsewoc](?!\w)|celsius|fahrenheit|kelvin|of\s|warming|north|south|east|west|latitude|longitude|target|goal|"
    r"\d|nord|süd|ost|warmer|hotter)"
)
_IS_RESOLUTION = re.compile(rf"[\s-]{{1,2}}(?:spatial\s|horizontal\s)?(?:{RESOLUTION})(?!\w)")
_LED_TO = re.compile(rf"(?:{RESOLUTION})\s(?:of\s|von\s|de\s|di\s|at\s|is\s|:\s?)?$")
_IS_MEASURE = re.compile(rf"[\s-]{{1,2}}(?:\w{{1,10}}-)?(?:{MEASURES})(?!\w)")
_ELEVATION = re.compile(r"[\s-](?:elevation)(?!\w)")
_LEAST_ALTITUDE_M = 100.0
# "temperature at 1000 m" is a height or a depth; "land cover at 30 m" and "surface temperature at 30 m" are grids.
_AT_A_LEVEL = re.compile(
    rf"(?<!surface )(?<!\w)(?:{BY_LEVEL})(?:\s(?:data|profiles?|measurements?))?\s(?:at|in|à|a)\s$"
)
_LONGEST_LEVEL = 64  # characters of "soil temperature measurements at"
_MEASURE_LEADS = re.compile(rf"(?<!\w)(?:{MEASURES_BEFORE})\s(?:the\s)?$")
_RATIO = re.compile(
    r"(?<![\d:.])1\s?:\s?(?P<number>\d{1,3}(?:[ ,.'  ]\d{3}){1,3}|\d{1,9})"
    r"(?:\s?(?P<times>k|m|million|mio|tausend)(?!\w))?"
)
_TIMES = {"k": 1_000, "tausend": 1_000, "m": 1_000_000, "million": 1_000_000, "mio": 1_000_000}


_STEP = re.compile(rf"(?<!\w)(?P<half>half[\s-])?(?<!sub-)(?<!sub )(?P<word>{alternatives(STEPS)})(?:e[snrm]?)?(?!\w)")
_COUNTED_STEP = re.compile(
    rf"(?<![\w.,–])(?<!\w-)(?P<count>\d{{1,3}})(?:-(?P<joined>{alternatives(STEP_UNITS)})(?:e[snrm]?)?(?!\w)|"
    rf"\s?(?P<apart>\w{{2,10}}(?:ly|lich)(?:e[snrm]?)?)(?!\w)|\s?(?P<noun>{alternatives(STEP_UNITS)})\s(?:{STEP_NOUNS})(?!\w))"
)
_LEVELS = tuple((cast(Level, level), re.compile(rf"(?<!\w)(?:{form})(?!\w)")) for level, form in LEVELS)
_CONTINUING_NAME = re.compile(r"\s[A-Z][a-z]")


def read_scales(text: str) -> list[ScaleMention]:
    """Resolutions, map scales, time steps and words of extent, in text order, without overlaps."""
    low = lower_case(text)
    mentions: list[ScaleMention] = []
    claims = Claims(len(text))
    for reader in (_ratios, _lengths, _angles, _steps, _levels):
        mentions += [mention for mention in reader(text, low) if claims.claim((mention.start, mention.end))]
    return sorted(mentions, key=lambda mention: mention.start)


def time_steps(title: str) -> tuple[str, ...]:
    """The time steps that a title names, each once: "Daily 3-Hourly and 6-Hourly Data"."""
    claims, mentions = Claims(len(title)), _steps(title, lower_case(title))
    return tuple(
        dict.fromkeys(step.time_step for step in mentions if step.time_step and claims.claim((step.start, step.end)))
    )


def _mention(
    text: str,
    match: re.Match[str],
    *,
    metres: float | None = None,
    scale_denominator: int | None = None,
    time_step: str | None = None,
    level: Level | None = None,
) -> ScaleMention:
    start, end = match.span()
    return ScaleMention(text[start:end], start, end, metres, scale_denominator, time_step, level)


def _ratios(text: str, low: str) -> Iterator[ScaleMention]:
    for match in _RATIO.finditer(low):
        denominator = int(re.sub(r"\D", "", match["number"])) * _TIMES.get(match["times"] or "", 1)
        if denominator >= 100:
            yield _mention(text, match, scale_denominator=denominator)


def _lengths(text: str, low: str) -> Iterator[ScaleMention]:
    for match in _LENGTH.finditer(low):
        text_before = low[max(0, match.start() - 24) : match.start()]
        is_resolution = _IS_RESOLUTION.match(low, match.end()) or _LED_TO.search(text_before)
        if not is_resolution and _is_measure(low, text_before, match):
            continue
        factor = next(factor for form, factor in _FACTORS if re.fullmatch(form, match["unit"]))
        metres = _number(match["number"]) * factor
        if metres > 0:
            yield _mention(text, match, metres=metres)


def _is_measure(low: str, text_before: str, match: re.Match[str]) -> bool:
    """Whether a length is not a grid. "30 m elevation" asks for a terrain model, "1000 m elevation" is an altitude."""
    if _ELEVATION.match(low, match.end()) and _number(match["number"]) < _LEAST_ALTITUDE_M:
        return False
    return bool(
        _IS_MEASURE.match(low, match.end())
        or _MEASURE_LEADS.search(text_before)
        or _AT_A_LEVEL.search(low, max(0, match.start() - _LONGEST_LEVEL), match.start())
    )


def _angles(text: str, low: str) -> Iterator[ScaleMention]:
    for match in _ANGLE.finditer(low):
        divisor = next(divisor for form, divisor in _DIVISORS if re.fullmatch(form, match["unit"]))
        degrees = _number(match["number"]) / divisor
        if 0 < degrees <= _WIDEST_DEGREES and not _NO_ANGLE.match(low, match.end()):
            yield _mention(text, match, metres=degrees * METRES_PER_DEGREE)


def _number(number_text: str) -> float:
    if number_text.startswith("1/"):
        return 1.0 / max(int(number_text[2:]), 1)
    return float(number_text.replace(",", "."))


def _steps(text: str, low: str) -> Iterator[ScaleMention]:
    for match in _COUNTED_STEP.finditer(low):
        word = re.sub(r"(?<=ch|ig)e[snrm]?$", "", match["joined"] or match["apart"] or match["noun"])
        form = STEP_UNITS.get(word)
        if form is not None and int(match["count"]) > 0:
            yield _mention(text, match, time_step=form.format(int(match["count"])))
    for match in _STEP.finditer(low):
        step = STEPS[match["word"]]
        if match["half"]:
            if step != "PT1H":
                continue
            step = "PT30M"
        yield _mention(text, match, time_step=step)


def _levels(text: str, low: str) -> Iterator[ScaleMention]:
    for level, form in _LEVELS:
        for match in form.finditer(low):
            is_name = text[match.start()].isupper() and _CONTINUING_NAME.match(text, match.end())
            if not (is_name and level == "national"):  # "National Park Service" is a name
                yield _mention(text, match, level=level)
