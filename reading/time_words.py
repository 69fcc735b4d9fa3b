"""The words of time in English, German, French, Spanish, Italian and Portuguese, as parts of patterns (lower case)."""

from __future__ import annotations

from reading.sentences import alternatives

_MONTH_NAMES = (
    "january jan januar jänner janvier enero gennaio janeiro",
    "february feb februar février fevrier févr fev febrero febbraio fevereiro",
    "march mar märz mars marzo março",
    "april apr avril abr abril aprile",
    "may mai mayo maggio maio",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet juil julio luglio julho",
    "august aug août aout agosto",
    "september sep sept septembre septiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre outubro",
    "november nov novembre noviembre novembro",
    "december dec dezember dez dic déc décembre decembre diciembre dicembre dezembro",
)
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, start=1) for name in names.split()}

# Meteorological seasons of the northern hemisphere as first month; winter begins in the December before.
_SEASON_NAMES = (
    (3, "spring frühling frühjahr printemps primavera mam"),
    (6, "summer sommer été verano estate verão jja"),
    (9, "autumn fall herbst automne otoño autunno outono son"),
    (12, "winter hiver invierno inverno djf"),
)
SEASONS = {name: month for month, names in _SEASON_NAMES for name in names.split()}

MONTHS_OF_SEASONS = frozenset(("mam", "jja", "son", "djf"))
"""Seasons by the letters of their months, which are the same in both hemispheres."""

# Seasons by another calendar: the topic before the word, the word, first month, number of months.
YEARLY_SEASONS = (
    (
        "",
        r"water years?|wy|hydrologic(?:al)? years?|hydrologisch(?:es|en) jahr(?:es)?|abflussjahr|année hydrologique|"
        r"año hidrológico|anno idrologico|ano hidrológico",
        10,
        12,
    ),
    (r"hurricane |tropical storm |hurrikan", "season|saison", 6, 6),
    (r"typhoon |taifun", "season|saison", 5, 6),
    (r"monsoon |monsun", "season|saison", 6, 4),
    (r"cyclone |zyklonen", "season|saison", 11, 6),
    ("", r"saison(?= des ouragans)|temporada(?= de huracanes)", 6, 6),
)

# "the nineties": in English only after a word that excludes the winds of the roaring forties.
_DECADE_WORDS = (
    (20, "twenties zwanziger vingt veinte venti vinte"),
    (30, "thirties dreißiger trente treinta trenta trinta"),
    (40, "forties vierziger quarante cuarenta quaranta quarenta"),
    (50, "fifties fünfziger cinquante cincuenta cinquanta cinquenta"),
    (60, "sixties sechziger soixante sesenta sessanta sessenta"),
    (70, "seventies siebziger soixante-dix setenta settanta"),
    (80, "eighties achtziger quatre-vingt quatre-vingts ochenta ottanta oitenta"),
    (90, "nineties neunziger quatre-vingt-dix noventa novanta"),
)
DECADES = {name: decade for decade, names in _DECADE_WORDS for name in names.split()}

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
)
ORDINALS = {name: number for number, name in enumerate(_ORDINALS.split(), start=1)}
ORDINALS |= {"neunzehntes": 19, "neunzehnten": 19, "zwanzigstes": 20, "zwanzigsten": 20}

_COUNT_WORDS = (
    (1, "one a an ein eine einem einer un une uno una um uma"),
    (2, "two zwei deux dos due dois duas"),
    (3, "three drei trois tres tre três"),
    (4, "four vier quatre cuatro quattro quatro"),
    (5, "five fünf cinq cinco cinque"),
    (6, "six sechs seis sei"),
    (7, "seven sieben sept siete sette sete"),
    (8, "eight acht huit ocho otto oito"),
    (9, "nine neun neuf nueve nove"),
    (10, "ten zehn dix diez dieci dez"),
    (15, "fifteen fünfzehn quinze quince quindici"),
    (20, "twenty zwanzig vingt veinte venti vinte"),
    (30, "thirty dreißig trente treinta trenta trinta"),
    (40, "forty vierzig quarante cuarenta quaranta quarenta"),
    (50, "fifty fünfzig cinquante cincuenta cinquanta cinquenta"),
    (100, "hundred hundert cent cien cento cem"),
)
COUNTS = {name: number for number, names in _COUNT_WORDS for name in names.split()}
SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "tausend": 1_000, "millionen": 1_000_000}
_COUNT = alternatives(COUNTS)
WRITTEN_NUMBER = rf"(?:{_COUNT})(?:[\s-](?:{_COUNT}|{'|'.join(SCALES)})){{0,2}}"


def number_of(words: str) -> int:
    """Of ``WRITTEN_NUMBER``: words multiply with a larger one behind ("two hundred") and else add ("twenty five")."""
    number = 0
    for word in words.replace("-", " ").split():
        value = SCALES.get(word) or COUNTS[word]
        number = number * value if 0 < number < value else number + value
    return number


_UNIT_WORDS = (
    ("days", "day days tag tage tagen jour jours día días dia dias giorno giorni"),
    ("weeks", "week weeks woche wochen semaine semaines semana semanas settimana settimane"),
    ("months", "month months monat monate monaten mois mes meses mese mesi mês"),
    ("years", "year years yr yrs jahr jahre jahren an ans année années año años anno anni ano anos"),
    ("decades", "decade decades jahrzehnt jahrzehnte jahrzehnten dekade dekaden décennie décennies década décadas "
                "decennio decenni"),
    ("centuries", "century centuries jahrhundert jahrhunderte jahrhunderten siècle siècles siglo siglos secolo secoli "
                  "século séculos"),
)  # fmt: skip
UNITS = {name: unit for unit, names in _UNIT_WORDS for name in names.split()}

LAST = (
    r"last|past|previous|preceding|letzte[nrms]?|vergangene[nrms]?|derni[eè]res?|derniers?|últim[oa]s?|ultim[oiae]|"
    r"passées?|passés?|pasad[oa]s?|passad[oa]s?|scors[oiae]"
)
NEXT = (
    r"next|coming|following|nächste[nrms]?|kommende[nrms]?|prochaine?s?|próxim[oa]s?|prossim[oiae]|"
    r"à venir|venider[oa]s|futuri|venturi"
)

SINCE = (
    r"since|starting (?:in|from|with)|beginning (?:in|from|with)|as of|seit|ab|depuis|dès|"
    r"[àa] partir d[euo]|a partir del|desde|dal|dall|dai|dagli|a partire dal|sin dal|fin dal|>=|≥"
)
FROM = r"from|von|vom"
UNTIL = (
    r"until|till|up to|through|(?:until|up to|through) and including|bis|bis zum|bis einschließlich|"
    r"jusqu['’](?:en|à|au|aux)|hasta|hasta el|hasta los|fino al|fino agli|fino a|até|até o|ao|<=|≤"
)
BY = r"by|d['’]ici|d['’]ici à|para|hacia|entro|entro il|bis"
BEFORE = (
    r"before|prior to|earlier than|pre|vor|avant|antes d[eo]|antes del|antes dos|prima del|prima dei|"
    r"anterior(?:es|i)? al?|(?<![<>=-])<"
)
AFTER = r"after|later than|post|nach|après|después del?|dopo|dopo il|dopo gli|depois d[eo]|depois dos|após|(?<![<>=-])>"
AROUND = r"around|about|circa|ca\.?|approximately|um|vers|environ|alrededor de|verso|intorno al|por volta de"
BETWEEN = r"between|zwischen|entre|tra|fra"
AND = r"and|und|et|y|e|ed|&"
TO = (
    r"to|through|thru|until|till|up to|(?:to|until|up to|through) and including|bis|bis zum?|bis einschließlich|"
    r"à|a|ad|au|aux|agli|ai|aos|jusqu['’](?:en|à|au)|al|hasta|hasta el|fino al|fino a|até|ao"
)
DURING = (
    r"throughout|(?:in|over) the course of|pendant|durant|au cours d(?:e|es|u)|au long d(?:e|es|u)|im laufe|im verlauf|"
    r"durante|en el (?:transcurso|curso) del?|a lo largo del?|nel corso d(?:i|ei|egli|el)|no decorrer d[eo]s?|"
    r"ao longo d[eo]s?|während"
)
OPENING = r"from|in|during|for|von|vom|im|zwischen|de|du|des|del|dal|dai|dagli|da|do|dos|desde|depuis|between|en|nel|em"
PRESENT = (
    r"present|the present|present day|now|today|date|heute|jetzt|aujourd['’]hui|présent|maintenant|nos jours|"
    r"hoy|presente|la actualidad|oggi|hoje|ongoing|continuing|\.\."
)
ONWARDS = (
    r"onwards?|on|and later|and after(?!\s\d)|or later|and beyond|und später|et après|et plus tard|en adelante|"
    r"y después|in poi|in avanti|em diante"
)
EARLIER = r"(?:and|or) (?:earlier|before(?!\s\d))|(?:und|oder) früher|et (?:avant|plus tôt)|y antes|e prima|e antes"
ARTICLES = (
    r"the|year|years|dem|den|der|des|das|jahr|jahre|le|la|les|l|an|année|el|los|las|año|il|lo|gli|o|os|as|anno|ano|"
    r"about|around|circa|ca\.?|approximately"
)
EARLY = (
    r"early|beginning of|start of|first third of|frühen?|anfang|beginn|début|début d[eu]|début des|"
    r"principios del?|comienzos del?|inizio|inizio d[ei]|inizio del|inizi|inizi d[ei]|inizi del|"
    r"início|início d[eo]|começo d[eo]|princípios? d[eo]"
)
MID = (
    r"mid|middle of|mitte|mittleren|mi(?=-)|milieu|milieu d[eu]|mediados del?|metà|metà d[ei]|metà del|"
    r"meados|meados d[eo]"
)
LATE = (
    r"late|end of|later|last third of|späten?|ende|fin|fin d[eu]|fin des|finales del?|fin del|"
    r"fines del?|fine|fine di|fine del|final d[eo]|finais d[eo]|fim d[eo]|fins d[eo]"
)
_HALF = r"half(?: of)?|hälfte|moitié d[eu]|mitad del?|metà d(?:i|el)|metade d[eo]"
FIRST_HALF = rf"(?:first|erste[nr]?|première|primera|prima|primeira)\s(?:{_HALF})"
SECOND_HALF = rf"(?:second|latter|zweite[nr]?|seconde|segunda|seconda)\s(?:{_HALF})"
_QUARTER = r"(?:quarter(?: of)?|viertel|quartal|trimestre(?: d[eu]l?)?|quart d[eu]|cuarto del?|quarto d(?:i|el|[eo]))"
_NO_LIST = r"(?<![td]\sand\s)(?<![td]\sto\s)(?<!q\d\sand\s)(?<!q\d\sto\s)(?<!q\d[-–/])"  # "Q1-Q3 2015"
_ORDINALS_OF_QUARTERS = (
    r"first|1st|erste[ns]?|1\.|premier|1er|primer|primo|primeiro",
    r"second|2nd|zweite[ns]?|2\.|deuxième|segundo|secondo",
    r"third|3rd|dritte[ns]?|3\.|troisième|tercer|terzo|terceiro",
    r"fourth|4th|last|vierte[ns]?|letzte[ns]?|4\.|quatrième|dernier|cuarto|último|quarto|ultimo",
)
QUARTERS = tuple(
    rf"{_NO_LIST}(?:(?:{ordinals})\s{_QUARTER}|q{number}(?: of)?)"
    for number, ordinals in enumerate(_ORDINALS_OF_QUARTERS, start=1)
)
