"""What a question leaves out ("without model data", "no satellite"), and the formats and licences that it prefers.

The words before what is left out are those of six languages. Excluded places are relations (``outside``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.record import ProvenanceKind
from core.timespan import TimeSpan
from reading.kinds import Platform, read_kinds
from reading.sentences import JOINING_WORDS, Claims, Range, lower_case
from reading.times import MonthsMention, TimeMention

_UNWANTED = (
    r"(?:(?:i|we) )?(?:do not|don['’]t) (?:want|need|like)|"
    r"(?:(?:i|we) )?(?:would |['’]d )?rather not (?:want|need|have|see|get|use|include)|as opposed to|"
    r"no (?:quiero|queremos)|non (?:voglio|vogliamo)|não (?:quero|queremos)"
)
_DOUBTED = (
    r"neither(?: from| by| with)?|weder(?: aus| von| mit)?|ni|né|nem|non|avoid(?:ing)?|ignor(?:e|ing)|"
    r"leav(?:e|ing) out|omit(?:ting)?|exclude|hors"
)
"""These leave out a kind of data or an instrument: "non-linear" says nothing of the sort."""
_CUE = re.compile(
    r"(?:(?<=[\s,;(])|^)(?:"
    rf"{_UNWANTED}|{_DOUBTED}|"
    r"(?:but |and )?without(?: any)?|except(?:ing|ed)?(?: for| from)?|excluding|(?:other|rather) than|apart from|"
    r"(?:but |and |rather |, ?)not(?: from| by| with)?|not(?: from| by)?|instead of|(?:but |and )?no|"
    r"ohne|außer|ausser|ausgenommen|(?:aber |und )?kein(?:e[nrms]?)?|(?:aber |und |, ?)?nicht(?: aus| von| mit)?|statt|"
    r"sans|hormis|sauf|excepté|à l['’]exception d(?:es?|u)|(?:mais |et )?pas d(?:es?|u)|au lieu d(?:es?|u)|"
    r"(?:mais |ma |e )non|mais pas(?: d(?:es?|u))?|"
    r"sin|excepto|salvo|en lugar de|(?:pero |y )no(?: de)?|"
    r"senza|tranne|eccetto|esclus[oaie]|invece di|"
    r"sem|exceto|em vez de|(?:mas |e )não(?: d[eoa]s?)?"
    r")(?:\s+(?:using|use of|den|die|das|der|dem|les|las|los|the|any|lo|il|gli|le|la|os|as|d[eiu]|de la|"
    r"verwendung von|utiliser|usar))*(?:\s+|(?<=\bnon)-)"
)
_AUXILIARY = re.compile(
    r"(?:\b(?:is|are|was|were|be|do|does|did|has|have|had|can|could|should|would|will|may|might|must|why|if|or|"
    r"whether)|n['’]t)\s+$"
)
_WORD = re.compile(r"[^\W_]+(?:[-'’./][^\W_]+)*")
_OR = re.compile(
    r"\s*(?:,\s*)?(?:or|nor(?: from| by| with)?|and no|oder|noch|ou|ni|né|nem|o|e|y|et|und|and)\s+|\s*,\s*"
)
_DATA = re.compile(
    r"[\s-]+(?:data(?:[\s-]?sets?)?|products?|outputs?|records?|images?|imagery|measurements?|observations?|retrievals?|"
    r"simulations?|runs?|results?|daten(?:sätze)?|produkte?|messungen|beobachtungen|bilder|données|produits?|images|"
    r"observations|mesures|datos|productos?|imágenes|observaciones|mediciones|dati|prodotti|immagini|osservazioni|"
    r"misure|dados|produtos?|imagens|observações|medições)(?!\w)"
)
_DATA_OF = re.compile(r"(?:data|daten|données|datos|dati|dados)(?:\s+(?:from|of|aus|von|de|di|da|du))?\s+")
_MODEL = re.compile(
    r"(?:numerical |climate |weather )?(?:model(?:l?ed|l?ing|s)?|modell(?:e[ns]?|i|o)?|modèles?|modelos?)(?!\w)"
)
_INSTRUMENT = re.compile(
    r"\w*(?:radar|lidar|sodar|sonde|profiler|gauge|imager|camera|\w\wmeter|mètre|metro|graph)(?:s|es|e|n|en|i)?(?!\w)"
)
"""Instruments by the ends of their names, which the languages share."""
_OFTEN_OTHERWISE = frozenset(("not", "no", "nicht"))
"""Words that seldom exclude in a sentence: "why is ice not melting"; "no" is "in the" in Portuguese. They need a kind,
a name, or a question of keywords ("rainfall not snow").
"""
_SENTENCE_WORDS = re.compile(
    r"(?:is|are|was|were|be|been|do|does|did|has|have|had|can|could|should|would|will|may|might|must|why|if|whether|"
    r"how|what|when|which|who|where|that|there|or|ist|sind|war|waren|wird|werden|hat|haben|kann|warum|ob|wie|wann)"
)
_NO_THING = re.compile(
    r"\w+(?:ed|ing|able|ible|ly|iert|bar)|available|yet|only|just|all|always|known|shown|given|taken|seen|done|made|due|"
    r"present|likely|enough|sufficient|significant|frozen|grown|driven|open|well|very|so|too|been|even|mehr|nur|so|auch"
)
"""A participle or another word after which "not" denies something and leaves nothing out: "not available"."""
_MOST_KEYWORDS = 8  # words of a question that is no sentence
_NO_SUBJECTS = frozenset(("longer", "more", "one", "matter", "change", "significant", "only", "just", "yet", "so"))
_MOST_WORDS = 3
_ENDS = JOINING_WORDS | {"nor", "noch", "ni", "né", "nem"}


@dataclass(frozen=True, slots=True)
class ExclusionMention:
    """A part of the text that says what is not wanted; ``subject`` is that. ``kind``: of product, if it names one.
    ``span``: the time, if it is one.

    Offsets are of the whole part, end exclusive.
    """

    text: str
    start: int
    end: int
    subject: str
    kind: ProvenanceKind | None = None
    platform: Platform | None = None
    span: TimeSpan | None = None


@dataclass(frozen=True, slots=True)
class _Subject:
    start: int
    end: int
    kind: ProvenanceKind | None = None
    platform: Platform | None = None


_Times = Sequence[TimeMention | MonthsMention]


def read_exclusions(
    text: str, places: Sequence[Range] = (), times: _Times = (), language: str | None = "en"
) -> list[ExclusionMention]:
    """What the question leaves out, times last. Places and times end what else is left out.

    NO in capitals is a gas; a word after a verb leaves nothing out ("why is it not").
    """
    low, claims = lower_case(text), Claims(len(text))
    for place in (*places, *((time.start, time.end) for time in times if isinstance(time, TimeMention))):
        claims.block(place)
    excluded_times = _excluded_times(text, low, times, language)
    for mention in excluded_times:
        claims.block((mention.start, mention.end))
    mentions: list[ExclusionMention] = []
    for cue in _CUE.finditer(low):
        is_code = text[cue.start() : cue.end()].strip() in _CODES and not text.isupper()
        if is_code or _AUXILIARY.search(low[: cue.start()]) or not claims.is_free(cue.span()):
            continue
        mentions += _mentions_after(text, low, cue.span(), claims, needs_kind=_is_weak(low, cue, language))
    return mentions + excluded_times


_CODES = frozenset(("NO", "NI", "SIN", "SEM", "NON", "NE"))  # a gas, a metal, a microscope; NOT leaves out
_DOUBT = re.compile(rf"(?:{_DOUBTED})(?:\s.*)?")


def _is_weak(low: str, cue: re.Match[str], language: str | None) -> bool:
    word = cue[0].strip()
    if _DOUBT.fullmatch(word.rstrip("-")):
        return True
    if word not in _OFTEN_OTHERWISE or low[: cue.start()].rstrip().endswith(","):
        return False
    if word == "no":
        return language != "en"
    subject = _WORD.match(low, cue.end())
    return not (_is_keywords(low) and cue.start() > 0 and subject is not None and not _NO_THING.fullmatch(subject[0]))


def _is_keywords(low: str) -> bool:
    words = _WORD.findall(low)
    return (
        len(words) <= _MOST_KEYWORDS
        and not any(map(_SENTENCE_WORDS.fullmatch, words))
        and not low.rstrip().endswith("?")
    )


_BEFORE_TIME = re.compile(
    r"(?:(?:for|in|of|the|year|years|during|im|im jahr|in den|während|dem|jahr|en|au|pour|dans|pendant|durant|le|les|"
    r"el|los|durante|año|l['’]année|nel|no|em|o|il|ano)\s+|(?:nell|l)['’])*"
)


def _excluded_times(text: str, low: str, times: _Times, language: str | None) -> list[ExclusionMention]:
    """The times directly after a word that leaves out: "except 2005", "not 1998", "except in winter"."""
    mentions = []
    time_by_start = {
        _start_of_name(low, time): time
        for time in times
        if not (time.is_attached if isinstance(time, MonthsMention) else time.kind == "recent")
    }
    for cue in _CUE.finditer(low):
        lead = _BEFORE_TIME.match(low, cue.end())
        time = time_by_start.get(lead.end() if lead is not None else cue.end())
        is_in = cue[0].strip() == "no" and language != "en"  # Portuguese: "no inverno de 2005"
        if time is None or is_in or _AUXILIARY.search(low[: cue.start()]):
            continue
        if isinstance(time, MonthsMention) and cue[0].strip() in _OFTEN_OTHERWISE and not _is_keywords(low):
            continue  # "why is snow not in winter"
        subject = text[_start_of_name(low, time) : time.end]
        span = time.span if isinstance(time, TimeMention) else None
        mentions.append(ExclusionMention(text[cue.start() : time.end], cue.start(), time.end, subject, span=span))
    return mentions


def _start_of_name(low: str, time: TimeMention | MonthsMention) -> int:
    """After the small words that a mention can begin with."""
    lead = _BEFORE_TIME.match(low, time.start)
    return time.start if lead is None or lead.end() >= time.end else lead.end()


def _mentions_after(text: str, low: str, cue: Range, claims: Claims, *, needs_kind: bool) -> list[ExclusionMention]:
    """One for each subject: "without model or satellite data" has two."""
    mentions: list[ExclusionMention] = []
    start, position = cue
    while (subject := _subject(text, low, position, claims)) is not None:
        instrument = None if subject.kind is not None else _INSTRUMENT.match(low, subject.start)
        if instrument is not None and needs_kind:
            subject = _Subject(subject.start, _with_data(low, instrument.end()))
        is_thing = subject.kind is not None or instrument is not None
        is_named = _is_name(text[subject.start : subject.end])
        if not is_thing and (mentions or (needs_kind and not is_named)):
            break  # "no hail and snow": only kinds and instruments go on after a conjunction
        claims.block((start, subject.end))
        end = subject.end
        mentions.append(
            ExclusionMention(text[start:end], start, end, text[subject.start : end], subject.kind, subject.platform)
        )
        joint = _OR.match(low, end)
        if joint is None:
            break
        start, position = end + len(joint[0]) - len(joint[0].lstrip()), joint.end()
    return mentions


def _subject(text: str, low: str, start: int, claims: Claims) -> _Subject | None:
    """What is named from ``start`` on: a kind of data, else up to three words."""
    data = _DATA_OF.match(low, start)
    kind = _kind_at(low, start if data is None else data.end())
    if kind is not None:
        return kind if claims.is_free((kind.start, kind.end)) else None
    end = start
    for count, word in enumerate(_WORD.finditer(low, start)):
        gap = low[end : word.start()]
        if count == _MOST_WORDS or gap.strip() or word[0] in _ENDS or not claims.is_free(word.span()):
            break
        if (not count and (word[0][0].isdigit() or word[0] in _NO_SUBJECTS)) or (count and _kind_at(low, word.start())):
            break
        end = word.end()
        if _is_name(text[word.start() : end]):
            return _Subject(start, _with_data(low, end))  # a name: SMAP
    return _Subject(start, end) if end > start else None


def _is_name(word: str) -> bool:
    return sum(letter.isupper() for letter in word) > 1


def _kind_at(low: str, start: int) -> _Subject | None:
    window = low[start : start + 60]
    mention = next((mention for mention in read_kinds(window) if mention.start == 0), None)
    if mention is not None:
        return _Subject(start, _with_data(low, start + mention.end), mention.kind, mention.platform)
    model = _MODEL.match(window)
    return None if model is None else _Subject(start, _with_data(low, start + model.end()), "simulation")


def _with_data(low: str, end: int) -> int:
    """ "satellite" with the word after it, if that is "data" or "images"."""
    data = _DATA.match(low, end)
    return end if data is None else data.end()


OfferKind = Literal["format", "licence"]

_FORMATS = {
    "netcdf": r"net-?cdf-?[34]?|nc[34]?(?= files?| format)|\.nc",
    "csv": r"\.?csv|comma[\s-]separated(?: values?)?",
    "geotiff": r"geo-?tiffs?",
    "hdf": r"hdf-?(?:eos)?[45]?",
    "grib": r"grib-?[12]?",
    "bufr": r"bufr",
    "shape": r"shape-?files?|esri shape",
    "geojson": r"geo-?json",
    "geopackage": r"geo-?packages?|gpkg",
    "kml": r"km[lz]",
    "zarr": r"zarr",
    "parquet": r"(?:geo)?parquet",
    "excel": r"excel|\.?xlsx?|spreadsheets?",
    "ascii": r"ascii",
    "pdf": r"\.?pdfs?",
    "xml": r"xml",
    "json": r"json",
    "icartt": r"icartt",
}
"""The word of ``formats`` in the index, and how questions write it."""

_OPEN = (
    r"open[\s-](?:data(?! cubes?)|licen[cs]e[sd]?|access)|openly licen[cs]ed|freely (?:available|usable)|"
    r"offene[nr]? (?:lizenz(?:en)?|daten)|freie[nr]? (?:lizenz(?:en)?|daten)|"
    r"(?:licences? (?:ouvertes?|libres?)|données (?:ouvertes|libres)|accès (?:libre|ouvert))|"
    r"(?:licencias? (?:abiertas?|libres?)|datos abiertos|acceso abierto)|"
    r"(?:licenz[ae] (?:apert[ae]|liber[ae])|dati aperti|accesso aperto)|"
    r"(?:licenças? (?:abertas?|livres?)|dados abertos|acesso aberto)"
)
_PUBLIC = (
    r"public[\s-]domain|gemeinfreie?[nrs]?(?: (?:daten|lizenz))?|domaine public|dominio público|(?:pubblico dominio|"
    r"dominio pubblico)|domínio público"
)
_CREATIVE = r"cc[\s-]?by(?:[\s-](?:sa|nc|nd)){0,2}(?:[\s-]?[1-4](?:\.0)?)?|cc[\s-]?0|creative commons"
_LEAD = (
    r"(?:(?:in|as|under|with|im|als|unter|mit|en|au|sous|avec|bajo|con|como|sotto|sob|com|no|nel)\s)?"
    r"(?:(?:an?|the|einer|une|una|uma|format|formato|licen[cs]e|lizenz|licencia|licenza|licença)\s)?"
)
_TAIL = r"(?:[\s-](?:files?|formats?|dateien|datei|licen[cs]ed?|lizenz|formato))?"
_OFFERS = re.compile(
    rf"(?<![\w./]){_LEAD}(?:"
    + "|".join(rf"(?P<{name}>{pattern})" for name, pattern in _FORMATS.items())
    + rf"|(?P<open>{_OPEN})|(?P<public>{_PUBLIC})|(?P<licence>{_CREATIVE})){_TAIL}(?!\w)"
)


@dataclass(frozen=True, slots=True)
class OfferMention:
    """A format or a licence that the question prefers. ``value``: a word of the format's name, ``open``,
    ``public domain``, or the licence by SPDX without its version (``CC-BY``).
    """

    text: str
    start: int
    end: int
    kind: OfferKind
    value: str


def read_offers(text: str) -> list[OfferMention]:
    """Formats and licences of the question, in order."""
    mentions = []
    for match in _OFFERS.finditer(lower_case(text)):
        start, end = match.span()
        name = match.lastgroup or "open"
        kind: OfferKind = "format" if name in _FORMATS else "licence"
        value = _spdx(match[name]) if name == "licence" else "public domain" if name == "public" else name
        mentions.append(OfferMention(text[start:end], start, end, kind, value))
    return mentions


def _spdx(words: str) -> str:
    """``cc by 4.0`` as ``CC-BY``, ``CC0`` as itself, Creative Commons as ``CC``."""
    if "0" in words.split("by")[0]:
        return "CC0"
    return "-".join(["CC", *(part.upper() for part in re.findall(r"by|sa|nc|nd", words))])
