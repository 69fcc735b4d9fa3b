"""Names and identifiers in a text.

Only its index knows which of them a catalogue contains.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from core.names import folded_words, looks_like_name, name_key, without_version_words
from reading.sentences import EMPTY_WORDS, Claims, Range, is_within, word_set

IdentifierKind = Literal["doi", "uuid", "file_identifier"]

_DOI = re.compile(
    r"(?:https?://(?:dx\.|www\.)?doi\.org/|(?<!\w)doi:?\s?|(?<![\w./]))(10\.\d{4,9}(?:\.\d{1,9}){0,3}/[^\s\"<>]{1,300})",
    re.IGNORECASE,
)
_UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_URL = re.compile(r"\b[a-z]{2,8}://\S{1,2000}|\bwww\.\S{1,2000}", re.IGNORECASE)
_TOKEN = re.compile(r"(?<!\S)[\"'(\[]?([A-Za-z0-9](?:[A-Za-z0-9._:~/-]{0,398}[A-Za-z0-9])?)")
_FILE_IDENTIFIERS = (
    # gov.noaa.ncdc:C00835, urn:x-wmo:md:int.wmo.wis, oai:pangaea.de:doi
    re.compile(r"(?=.{8})[A-Za-z][\w.~-]*[\w](?::{1,2}[\w.~/-]+)+"),
    # edu.ucar.gdex.d083002, de.dkrz.wdcc.cmip5
    re.compile(r"(?=.{10})[A-Za-z]{2,}(?:\.[\w-]{2,}){2,}"),
    # GPCC_full_data_2018
    re.compile(r"(?=.{8})(?=[^\d]*\d)[A-Za-z0-9]+_[\w.-]+"),
    # NOAA-NCEI-0123456
    re.compile(r"[A-Za-z]{2,}(?:-[A-Za-z]{2,}){1,5}-\d{4,}"),
    # NCAR's research data archive: ds083.2 before 2023, d083002 since
    re.compile(r"ds\d{3}\.\d|d\d{6}"),
)
_SIGNS_OF_IDENTIFIERS = frozenset(":.")


@dataclass(frozen=True, slots=True)
class IdentifierMention:
    """``value`` is what to look up: a DOI without prefix and in lower case, the others as written. Offsets, end
    exclusive.
    """

    kind: IdentifierKind
    value: str
    start: int
    end: int


def read_identifiers(text: str) -> list[IdentifierMention]:
    """DOIs (bare, ``doi:``, as a link), UUIDs and words in the form of a file identifier, in text order.

    The form is not enough: a ``file_identifier`` that no record has is an ordinary word of the question.
    """
    mentions = _dois(text)
    claims = Claims(len(text))
    for mention in mentions:
        claims.block((mention.start, mention.end))
    for match in _URL.finditer(text):
        claims.block(match.span())
    for match in _UUID.finditer(text):
        if claims.claim(match.span()):
            mentions.append(IdentifierMention("uuid", match[0], *match.span()))
    for match in _TOKEN.finditer(text):
        if claims.claim(match.span(1)) and _is_file_identifier(match[1]):
            mentions.append(IdentifierMention("file_identifier", match[1], *match.span(1)))
    return sorted(mentions, key=lambda mention: mention.start)


def _is_file_identifier(word: str) -> bool:
    """Each form has a digit or one of these signs; most words have neither."""
    may_be = any(map(str.isdigit, word)) or not _SIGNS_OF_IDENTIFIERS.isdisjoint(word)
    return may_be and any(form.fullmatch(word) for form in _FILE_IDENTIFIERS)


def _dois(text: str) -> list[IdentifierMention]:
    mentions = []
    for match in _DOI.finditer(text):
        doi = _without_closing_marks(match[1])
        if not doi.endswith("/"):
            mentions.append(IdentifierMention("doi", doi.lower(), match.start(), match.start(1) + len(doi)))
    return mentions


def _without_closing_marks(doi: str) -> str:
    """A DOI may contain brackets, but a final mark or unopened bracket belongs to the sentence."""
    while doi:
        last = doi[-1]
        is_unopened = last in ")]}" and doi.count(last) > doi.count("([{"[")]}".index(last)])
        if not is_unopened and last not in ".,;:!?'’”*":
            break
        doi = doi[:-1]
    return doi


MOST_NAMES = 16  # candidates of a question
_MOST_WORDS = 16  # of a question that are looked at
_SHORT = 3  # words: in a question as short as this every word may be a name
_LONGEST_RUN = 4  # words of a name
_LEAST, _LONGEST = 2, 60  # characters of a key
_WORD = re.compile(r"\S+")
_AROUND = ".,;:!?()[]{}\"'“”„«»‘’…"
_ORDINAL = re.compile(r"\d+(?:s|st|nd|rd|th)", re.IGNORECASE)
_ELEMENTS = r"(?:Cl|Br|Si|Na|Mg|Ca|Fe|[HCNOSPFK])[2-6]?"
_FORMULA = re.compile(rf"[ONH][23]|(?=.*\d)(?:{_ELEMENTS}){{2,4}}[+-]?")
_ZEROS = re.compile(r"^[0.]+(?=\d)")
_OPERATORS = frozenset(("AND", "OR", "NOT"))
_NOTATION = word_set(
    "AEDT AEST AKDT AKST BRT BST CDT CEST CET CST EAT EDT EEST EET EST GMT HST IST JST KST LST LT MDT MESZ MEZ MSK "
    "MST NZDT NZST PDT PST SAST UT UTC WEST WET "
    "AU CM DB DBZ DU GHZ HPA HZ KG KHZ KM KPA KT MB MHZ MM PPB PPM PPT PPTV PSU SI "
    "API DOI FTP HTTP HTTPS ISO OPENDAP SFTP THREDDS URI URL WCS WFS WMS QA QC PI TBD NA NAN"
)
"""Time zones, units, ways of transfer, and other abbreviations that say how data are written, not what they are."""


@dataclass(frozen=True, slots=True)
class NameCandidate:
    """``keys``: possible spellings in an index, most exact first. ``certain``: it looks unlike an ordinary word."""

    text: str
    start: int
    end: int
    keys: tuple[str, ...]
    certain: bool

    @property
    def is_word(self) -> bool:
        """Whether it is a single word."""
        return len(self.text.split()) == 1


def name_candidates(
    text: str, occupied_ranges: Sequence[Range] = (), distance_ranges: Sequence[Range] = ()
) -> list[NameCandidate]:
    """Longest first, then from left to right; at most ``MOST_NAMES``.

    ``occupied_ranges``: ranges that mean something else, places and times. ``distance_ranges``: those of distances,
    whose words do not make a question long: "within 100 km of".
    """
    words = _words(text, occupied_ranges)
    meaningful = [
        word
        for word in words
        if word.text.lower() not in EMPTY_WORDS and not is_within((word.start, word.end), distance_ranges)
    ]
    is_short = len(meaningful) <= _SHORT
    candidates: dict[str, NameCandidate] = {}
    for first in range(len(words)):
        if words[first].is_small:
            continue
        certain = False
        for last in range(first, min(first + _LONGEST_RUN, len(words))):
            if words[last].is_occupied:  # a year within a word is part of a name: FLUXNET-2015
                break
            certain = certain or words[last].is_name_like
            if not words[last].is_small and (certain or is_short):
                candidate = _candidate(text, words[first : last + 1], certain=certain)
                if candidate is not None:
                    candidates.setdefault(candidate.keys[0], candidate)
    longest_first = sorted(candidates.values(), key=lambda word: (word.start - word.end, word.start))
    return longest_first[:MOST_NAMES]


@dataclass(frozen=True, slots=True)
class _Word:
    """``is_small``: a name neither begins nor ends with it. ``is_occupied``: it is a part of what means something
    else.
    """

    text: str
    start: int
    end: int
    is_small: bool
    is_name_like: bool
    is_occupied: bool


def _words(text: str, occupied_ranges: Sequence[Range]) -> list[_Word]:
    """The first words of the text that have a letter or a digit."""
    words: list[_Word] = []
    for match in _WORD.finditer(text):
        word = match[0].strip(_AROUND)
        if any(map(str.isalnum, word)):
            start = match.start() + match[0].find(word)
            end, is_like = start + len(word), looks_like_name(word)
            is_small = word in _OPERATORS or (not is_like and word.lower() in EMPTY_WORDS)
            # Neither a number in words (20th, 1990s) nor a substance (CO2) is a name.
            is_like = is_like and not (_ORDINAL.fullmatch(word) or _FORMULA.fullmatch(word))
            words.append(_Word(word, start, end, is_small, is_like, is_within((start, end), occupied_ranges)))
            if len(words) == _MOST_WORDS:
                break
    return words


def is_notation(word: str) -> bool:
    """Whether the word is a time zone, a unit or a way of transfer in capitals: ``GMT``, ``hPa``, ``FTP``."""
    return word.upper() in _NOTATION and any(letter.isupper() for letter in word[1:])


def _candidate(text: str, run: Sequence[_Word], *, certain: bool) -> NameCandidate | None:
    """None if no spelling of these words can be a name."""
    keys = [key for key in _keys([word.text for word in run]) if _LEAST <= len(key) <= _LONGEST and not key.isdigit()]
    start, end = run[0].start, run[-1].end
    return NameCandidate(text[start:end], start, end, tuple(keys), certain) if keys else None


def _keys(words: Sequence[str]) -> Iterable[str]:
    """As typed, then without words such as "version", then without the zeros of a version behind."""
    without_version = without_version_words(words)
    without_zeros = (
        [*without_version[:-1], _ZEROS.sub("", without_version[-1])] if len(without_version) > 1 else without_version
    )
    variants = ("".join(words), "".join(without_version), "".join(without_zeros))
    return dict.fromkeys(map(name_key, dict.fromkeys(variants)))


_MOST_CONTACT_WORDS = 10  # of a question that are looked at
_LONGEST_CONTACT = 5  # words of a name within a question
_MOST_CONTACTS = 24  # candidates of several words
_LEAST_SURNAME = 3  # letters
_CONTACT_WORD = re.compile(r"[^\W\d_][\w.'’&-]*")
_INITIALS = re.compile(r"[^\W\d_]|(?:[^\W\d_]\.-?){1,4}[^\W\d_]?")
_AFTER_NAMES = word_set("jr sr ii iii iv phd md")
DESK_WORDS = word_set(
    "abteilung assistance center centre centro contact data daten datos dati dados datenzentrum department desk "
    "dienst dipartimento division equipe gestion gestore group groupe grupo gruppe gruppo help helpdesk info "
    "information informationen institut institute kontakt laboratory manager management office oficina project "
    "projekt proyecto progetto projeto scientist secretariat service servicio servizio services soporte "
    "staff support supporto suporte team ufficio webmaster"
)
"""Words in the names of help desks and groups, folded, in six languages."""


@dataclass(frozen=True, slots=True)
class ContactCandidate:
    """``is_whole``: the question is only this name. ``may_be_person``: else only an organisation.

    A candidate of one word within a question is a surname (``is_surname``). ``spelling``: as contacts write it, if the
    question misspells it.
    """

    text: str
    start: int
    end: int
    is_whole: bool
    may_be_person: bool = True
    spelling: str = ""

    @property
    def name(self) -> str:
        return self.spelling or self.text

    @property
    def is_surname(self) -> bool:
        return not self.is_whole and len(self.text.split()) == 1


def contact_candidates(text: str, occupied_ranges: Sequence[Range] = ()) -> list[ContactCandidate]:
    """Longest first, surnames last.

    ``occupied_ranges``: places and times. A name may contain them, but needs further words.
    """
    words = [match.span() for match in _CONTACT_WORD.finditer(text)][:_MOST_CONTACT_WORDS]
    is_occupied = [is_within(word, occupied_ranges) for word in words]
    initials = [word for word in words if is_initials(text[slice(*word)])]
    candidates: list[ContactCandidate] = []
    for first in range(len(words)):
        for last in range(first, min(first + _LONGEST_CONTACT, len(words))):
            if not all(is_occupied[first : last + 1]) and not (first == last and _is_beside(words[first], initials)):
                start, end = words[first][0], words[last][1]
                candidate = ContactCandidate(text[start:end], start, end, False)
                if _may_be_contact(candidate):
                    candidates.append(candidate)
    whole_text = text.strip(" .,;:?!")
    start = text.find(whole_text)
    if words and not any(map(str.isdigit, whole_text)) and not all(is_occupied):
        whole_candidate = ContactCandidate(whole_text, start, start + len(whole_text), True)
        candidates = [whole_candidate, *[contact for contact in candidates if contact.text != whole_text]]
    candidates.sort(key=lambda contact: (contact.start - contact.end, contact.start))
    longer = [contact for contact in candidates if not contact.is_surname]
    return [*longer[:_MOST_CONTACTS], *(contact for contact in candidates if contact.is_surname)]


def _is_beside(word: Range, initials: Sequence[Range]) -> bool:
    """Whether it has initials before or after it: those say who is meant."""
    start, end = word
    return bool(initials) and any(-2 <= start - before <= 2 or -2 <= after - end <= 2 for after, before in initials)


def is_initials(word: str) -> bool:
    """First names by their first letters: ``K``, ``K.``, ``J.-P.``"""
    return _INITIALS.fullmatch(word) is not None


def surnames_of(name: str) -> list[str]:
    """The folded last name of a contact; of ``Last, First`` all words before the comma. Empty for a help desk."""
    before, comma, _ = name.partition(",")
    words = [word for word in folded_words(before) if word not in _AFTER_NAMES]
    if is_desk(name):
        return []
    return words if comma else words[-1:]


def is_desk(name: str) -> bool:
    """Whether a contact's name is that of a help desk or a group: ``EOL Data Support``."""
    return not DESK_WORDS.isdisjoint(folded_words(name))


def _may_be_contact(candidate: ContactCandidate) -> bool:
    words = candidate.text.split()
    if candidate.is_surname:
        word = words[0].strip(".,")
        return len(word) >= _LEAST_SURNAME and word.lower() not in EMPTY_WORDS and not is_initials(words[0])
    # Within a question, a letter without a dot is rarely a first name: the L band, a C grid.
    for edge in (words[0], words[-1]):
        if len(edge) == 1 or (edge.lower().strip(".,") in EMPTY_WORDS and not is_initials(edge)):
            return False
    return True
