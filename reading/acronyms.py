"""The acronyms of the field that ship with Sonde, with their senses: ``acronyms.tsv``, our own compilation.

One row is one sense: ``acronym, expansion, sense, field, source``. An acronym with several senses has several rows.
``sense`` names the sense in every language (``land-surface-temperature``). ``source`` names an authority that uses the
acronym in this sense; ``common scientific use`` where there is no single one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice

from core.errors import SondeError
from core.record_keys import acronym_key, words_key
from reading.sentences import Range

HEADER = ("acronym", "expansion", "sense", "field", "source")
FIELDS = frozenset(
    (
        "agency", "agriculture", "air-quality", "atmosphere", "biology", "chemistry", "climate", "cryosphere", "data",
        "ecology", "geodesy", "hazards", "hydrology", "instrument", "land", "mission", "model", "ocean", "paleo",
        "platform", "programme", "remote-sensing", "soil", "solid-earth", "space", "statistics",
    )
)  # fmt: skip

# Ordinary words of the six languages of the page: in small letters within a question, "mar" is the sea, not an acronym.
ORDINARY_WORDS = frozenset(
    (
        "alt", "ao", "ar", "arm", "asi", "aster", "atlas", "bas", "bc", "bom", "cape", "co", "cod", "cosmic",
        "dart", "dem", "do", "echo", "ela", "emit", "era", "et", "fair", "fir", "gem", "geo", "grace", "icon",
        "inspire", "las", "leo", "lip", "lis", "los", "mar", "mis", "ml", "mt", "mur", "nam", "nemo", "neon",
        "lidar", "oc", "pace", "pan", "par", "pic", "pm", "pop", "pr", "prism", "prisma", "radar", "rap",
        "sage", "sam", "sat",
        "sep", "sic", "sie", "som", "sonar", "sos", "swat", "swot", "tao", "tempo", "tern", "timed", "tin", "tm", "tri",
        "wis",
    )
)  # fmt: skip

_ACRONYM = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+/ -]{0,14}")
_SENSE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TOKEN = re.compile(r"[^\W_](?:[^\s,;:!?()\[\]\"]*[^\W_+])?\+?")
_SHORTEST, _LONGEST = 2, 10  # characters of an acronym's key
_MOST_WORDS, _LONGEST_WORDS = 8, 200  # of an expansion, and their characters
_MOST_READ = 24  # words of a question
MOST_CANDIDATES = 16  # of a question
_CAPITALS_OR_DIGITS = re.compile(r"[A-Z0-9]")


class BadAcronyms(SondeError):
    """The list cannot be used; the message names each bad row by its line."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("The list of acronyms cannot be used: " + "; ".join(faults) + ".")
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of one acronym."""

    acronym: str
    expansion: str
    sense: str
    field: str
    source: str


class Acronyms:
    """Senses by acronym and by words; letter case, accents, separators and a plural s at the end do not matter."""

    def __init__(self, senses: Iterable[Sense]) -> None:
        self.senses = tuple(senses)
        self._by_acronym = _by_short_form((acronym_key(sense.acronym), sense) for sense in self.senses)
        self._by_words = _by_short_form((words_key(sense.expansion), sense) for sense in self.senses)

    def senses_of(self, acronym: str) -> tuple[Sense, ...]:
        """What the acronym may mean, in the order of the list; empty where it is not known."""
        return self._by_acronym.get(acronym_key(acronym), ())

    def is_agency(self, acronym: str) -> bool:
        """Whether all of its senses are organisations."""
        senses = self.senses_of(acronym)
        return bool(senses) and all(sense.field == "agency" for sense in senses)

    def acronyms_for(self, words: str) -> tuple[Sense, ...]:
        """The senses whose whole expansion these words are: "land surface temperatures" gives LST."""
        return self._by_words.get(words_key(words), ())


def reads_as_acronym(token: str) -> bool:
    """Whether a token within a question may be an acronym: what is also an ordinary word needs its capitals.

    A question that is this token and nothing else may mean the acronym in small letters, too ("dem").
    """
    return token.lower() not in ORDINARY_WORDS or _CAPITALS_OR_DIGITS.search(token[1:]) is not None


def parse_acronyms(text: str) -> tuple[Sense, ...]:
    """The rows of the list in their order. Raises BadAcronyms that names every row that is not in order."""
    first, *rows = text.splitlines() or [""]
    faults = [] if tuple(first.split("\t")) == HEADER else [f"line 1 is not {', '.join(HEADER)}"]
    senses: list[Sense] = []
    first_line: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows, 2):
        fault = _fault_of(row.split("\t"))
        if fault is not None:
            faults.append(f"line {number} {fault}")
            continue
        sense = Sense(*row.split("\t"))
        earlier_number = first_line.setdefault((acronym_key(sense.acronym), sense.sense), number)
        if earlier_number != number:
            faults.append(f"line {number} repeats {sense.acronym} as {sense.sense} of line {earlier_number}")
        senses.append(sense)
    if faults:
        raise BadAcronyms(faults)
    return tuple(senses)


@cache
def own_acronyms() -> Acronyms:
    """The list that ships. Raises BadAcronyms."""
    return Acronyms(parse_acronyms(files(__package__).joinpath("acronyms.tsv").read_text(encoding="utf-8")))


def _fault_of(cells: list[str]) -> str | None:
    """What is wrong with one row, as the end of a sentence; None for nothing."""
    if len(cells) != len(HEADER):
        return f"has {len(cells)} columns, not {len(HEADER)}"
    if any(cell != cell.strip() or not cell for cell in cells):
        return "has an empty cell, or white space around one"
    acronym, expansion, sense, field, _ = cells
    if not _ACRONYM.fullmatch(acronym) or _CAPITALS_OR_DIGITS.search(acronym) is None:
        return f"has {acronym!r}, which is no acronym"
    if words_key(expansion) == words_key(acronym):
        return f"expands {acronym} to itself"
    if not _SENSE.fullmatch(sense):
        return f"has the sense {sense!r}, which is not small letters and digits joined by hyphens"
    return None if field in FIELDS else f"has the field {field!r}, which is unknown"


def _by_short_form(pairs: Iterable[tuple[str, Sense]]) -> Mapping[str, tuple[Sense, ...]]:
    senses_by_form: dict[str, list[Sense]] = {}
    for key, sense in pairs:
        senses_by_form.setdefault(key, []).append(sense)
    return {key: tuple(senses) for key, senses in senses_by_form.items()}


@dataclass(frozen=True, slots=True)
class AcronymCandidate:
    """A part of a question that may be an acronym (``short``) or the words of one. ``senses``: of the list that ships.

    ``key``: of an acronym its letters, of words the words, as ``core.record_keys`` writes both.
    """

    text: str
    start: int
    end: int
    short: bool
    key: str
    senses: tuple[Sense, ...] = ()


def acronym_candidates(text: str, occupied_ranges: Sequence[Range], acronyms: Acronyms) -> list[AcronymCandidate]:
    """From left to right, acronyms before words; at most ``MOST_CANDIDATES``. ``occupied_ranges`` have a meaning.

    What the list does not know is a candidate too, if it is in capitals or alone, since a catalogue may define it.
    """
    tokens = list(islice(_TOKEN.finditer(text), _MOST_READ))
    words = [match for match in tokens if not any(match.start() < e and s < match.end() for s, e in occupied_ranges)]
    is_alone = len(tokens) == 1
    return [*_short_forms(words, acronyms, alone=is_alone), *_long_forms(text, words, acronyms)][:MOST_CANDIDATES]


def _short_forms(words: Sequence[re.Match[str]], acronyms: Acronyms, *, alone: bool) -> Iterator[AcronymCandidate]:
    for word in words:
        key, senses = acronym_key(word[0]), acronyms.senses_of(word[0])
        capitals = word[0].isupper() and len(key) > 1 and any(letter.isalpha() for letter in key)
        is_known = bool(senses) and (alone or reads_as_acronym(word[0]))
        if _SHORTEST <= len(key) <= _LONGEST and (is_known or capitals or alone):
            yield AcronymCandidate(word[0], word.start(), word.end(), True, key, senses)


def _long_forms(text: str, words: Sequence[re.Match[str]], acronyms: Acronyms) -> Iterator[AcronymCandidate]:
    keys_found: set[str] = set()
    for length in range(min(_MOST_WORDS, len(words)), 1, -1):
        for first, last in zip(words, words[length - 1 :], strict=False):
            part = text[first.start() : last.end()]
            key, senses = words_key(part), acronyms.acronyms_for(part)
            if len(key) <= _LONGEST_WORDS and key not in keys_found and (senses or len(words) <= _MOST_WORDS):
                keys_found.add(key)
                yield AcronymCandidate(part, first.start(), last.end(), False, key, senses)
