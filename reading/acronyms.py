"""The acronyms of the field that ship with Sonde, with their senses: ``acronyms.tsv``, our own compilation.

One row is one sense: ``acronym, expansion, sense, field, source``. An acronym with several senses has several rows.
``sense`` names the sense in every language (``land-surface-temperature``). ``source`` names an authority that uses the
acronym in this sense; ``common scientific use`` where there is no single one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from core.errors import SondeError

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
        "oc", "pace", "pan", "par", "pic", "pm", "pop", "pr", "prism", "prisma", "rap", "sage", "sam", "sat",
        "sep", "sic", "sie", "som", "sos", "swat", "swot", "tao", "tempo", "tern", "timed", "tin", "tm", "tri",
        "wis",
    )
)  # fmt: skip

_ACRONYM = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+/ -]{0,14}")
_SENSE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_WORD = re.compile(r"[^\W_]+")
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
        self._by_acronym = _grouped((acronym_key(one.acronym), one) for one in self.senses)
        self._by_words = _grouped((words_key(one.expansion), one) for one in self.senses)
        self.longest_words = max((len(_words(one.expansion)) for one in self.senses), default=0)

    def senses_of(self, acronym: str) -> tuple[Sense, ...]:
        """What the acronym may mean, in the order of the list; empty where it is not known."""
        return self._by_acronym.get(acronym_key(acronym), ())

    def acronyms_for(self, words: str) -> tuple[Sense, ...]:
        """The senses whose whole expansion these words are: "land surface temperatures" gives LST."""
        return self._by_words.get(words_key(words), ())


def reads_as_acronym(token: str) -> bool:
    """Whether a token within a question may be an acronym: what is also an ordinary word needs its capitals.

    A question that is this token and nothing else may mean the acronym in small letters, too ("dem").
    """
    return token.lower() not in ORDINARY_WORDS or _CAPITALS_OR_DIGITS.search(token[1:]) is not None


def acronym_key(acronym: str) -> str:
    """SSM/I, ssm-i and SSMI are one."""
    return "".join(_words(acronym)) + ("+" if acronym.endswith("+") else "")


def words_key(words: str) -> str:
    """Words in small letters without accents, the last one without its plural s."""
    found = _words(words)
    if found and len(found[-1]) > 3 and found[-1].endswith("s") and not found[-1].endswith(("ss", "us", "is")):
        found[-1] = found[-1][:-1]
    return " ".join(found)


def parse_acronyms(text: str) -> tuple[Sense, ...]:
    """The rows of the list in their order. Raises BadAcronyms that names every row that is not in order."""
    first, *rows = text.splitlines() or [""]
    faults = [] if tuple(first.split("\t")) == HEADER else [f"line 1 is not {', '.join(HEADER)}"]
    senses: list[Sense] = []
    seen: dict[tuple[str, str], int] = {}
    for number, row in enumerate(rows, 2):
        wrong = _wrong(row.split("\t"))
        if wrong is not None:
            faults.append(f"line {number} {wrong}")
            continue
        sense = Sense(*row.split("\t"))
        earlier = seen.setdefault((acronym_key(sense.acronym), sense.sense), number)
        if earlier != number:
            faults.append(f"line {number} repeats {sense.acronym} as {sense.sense} of line {earlier}")
        senses.append(sense)
    if faults:
        raise BadAcronyms(faults)
    return tuple(senses)


@cache
def own_acronyms() -> Acronyms:
    """The list that ships. Raises BadAcronyms."""
    return Acronyms(parse_acronyms(files(__package__).joinpath("acronyms.tsv").read_text(encoding="utf-8")))


def _wrong(cells: list[str]) -> str | None:
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


def _grouped(pairs: Iterable[tuple[str, Sense]]) -> Mapping[str, tuple[Sense, ...]]:
    found: dict[str, list[Sense]] = {}
    for key, sense in pairs:
        found.setdefault(key, []).append(sense)
    return {key: tuple(senses) for key, senses in found.items()}


def _words(text: str) -> list[str]:
    return list(_folded(text))


def _folded(text: str) -> Iterator[str]:
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return (match[0].lower() for match in _WORD.finditer(plain))
