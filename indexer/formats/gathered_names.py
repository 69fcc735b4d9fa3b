"""The names of a record while it is read: of products, platforms, instruments, variables and projects.

What a keyword's vocabulary says (``platform``, GCMD's lists, CF's standard names) counts as much as a field of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from core.names import Names, Variable, looks_like_code, names_once, variables_once
from indexer.formats.text import is_placeholder, line

Kind = Literal["platform", "instrument", "project", "variable", "standard name", "science keyword", "processing level"]

_MOST = 200  # of each kind
_LONGEST_GUESS = 40
_LONGEST = 200  # a longer text describes, and names nothing
_KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"standard[\s_-]*names?\b|^cf\b|climate and forecast"), "standard name"),
    (re.compile(r"\bplatforms?\b|\bmissions?\b"), "platform"),
    (re.compile(r"\binstruments?\b|\bsensors?\b"), "instrument"),
    (re.compile(r"\bprojects?\b|\bcampaigns?\b"), "project"),
    (re.compile(r"(?:gcmd|global change master directory)\b.*\bscience\b|\bearth science keywords"), "science keyword"),
    (re.compile(r"\bprocessing levels?\b"), "processing level"),
    (re.compile(r"\bparameters?\b|\bvariables?\b|\bobserved propert"), "variable"),
)
_EARTH_SCIENCE = re.compile(r"earth science\s*[>|]", re.IGNORECASE)
_STEP = re.compile(r"\s*(?:>|\|)\s*")
_STANDARD_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_NAME_AND_STANDARD_NAME = re.compile(rf"(.*\S)\s*\(({_STANDARD_NAME.pattern})\)")
_LEVEL = re.compile(r"(?:processing\s*)?(?:level|l)?[\s_-]*(\d[a-z]{0,2})", re.IGNORECASE)
_NOT_SAID = ("not provided", "not applicable", "unspecified", "inapplicable")
_SHORT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]+")
_MADE_UP = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f-]{4,}|[0-9a-f]{16,}", re.IGNORECASE)  # a UUID, a hash


@lru_cache(maxsize=4096)
def kind_of_vocabulary(vocabulary: str) -> Kind | None:
    """What a vocabulary's title says its terms are: ``GCMD Platforms``, ``AODN Instrument Vocabulary``."""
    said = vocabulary.casefold()
    return next((kind for pattern, kind in _KINDS if pattern.search(said)), None)


def is_short_name(text: str) -> bool:
    """Whether a word looks like a product's short name (``MOD11_L2``, ``ERA5``); no number, UUID or DOI does."""
    return (
        len(text) <= _LONGEST_GUESS
        and (looks_like_code(text) or "_" in text)
        and any(letter.isalpha() for letter in text)
        and _SHORT_NAME.fullmatch(text) is not None
        and _MADE_UP.search(text) is None
        and not text.startswith("10.")
    )


def is_standard_name(text: str) -> bool:
    """Whether the text has the form of CF's standard names of several words."""
    return _STANDARD_NAME.fullmatch(text) is not None


@dataclass(slots=True)
class GatheredNames:
    """Takes texts as written; ``finish`` gives each name once, whatever its case."""

    short_names: list[str] = field(default_factory=list)
    platforms: list[str] = field(default_factory=list)
    instruments: list[str] = field(default_factory=list)
    projects: list[str] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    processing_level: str | None = None

    def short_name(self, text: str) -> None:
        _take(self.short_names, text)

    def maybe_short_name(self, *texts: str) -> None:
        for text in texts:
            if is_short_name(line(text)):
                self.short_name(text)

    def platform(self, text: str) -> None:
        _take(self.platforms, _of_path(line(text)))

    def instrument(self, text: str) -> None:
        _take(self.instruments, _of_path(line(text)))

    def project(self, text: str) -> None:
        _take(self.projects, _of_path(line(text)))

    def variable(self, name: str, standard_name: str = "", unit: str = "") -> None:
        """``name`` may carry CF's standard name behind it: ``Temperature (sea_water_temperature)``."""
        said, standard, measured = line(name), line(standard_name), line(unit)
        both = _NAME_AND_STANDARD_NAME.fullmatch(said)
        if both is not None:
            said, standard = both[1], standard or both[2]
        said = said or standard
        if len(said) <= _LONGEST and not _is_placeholder(said):
            self.variables.append(Variable(said, standard or None, None if _is_placeholder(measured) else measured))

    def level(self, text: str) -> None:
        """``Level 2A``, ``2A`` and ``L2A`` are ``L2A``; other words stay as they are. The first counts."""
        said = line(text)
        if self.processing_level is not None or _is_placeholder(said):
            return
        usual = _LEVEL.fullmatch(said)
        self.processing_level = said if usual is None else f"L{usual[1].upper()}"

    def keyword(self, term: str, vocabulary: str | None) -> None:
        """What a keyword names, judged by its vocabulary; most name nothing."""
        kind = kind_of_vocabulary(vocabulary or "")
        if _EARTH_SCIENCE.match(term):
            kind = "science keyword"
        if kind is not None:
            self.of_kind(kind, term)

    def of_kind(self, kind: Kind, term: str) -> None:
        match kind:
            case "platform":
                self.platform(term)
            case "instrument":
                self.instrument(term)
            case "project":
                self.project(term)
            case "variable":
                self.variable(_STEP.split(line(term))[-1])
            case "standard name":
                self.variable("", _STEP.split(line(term))[-1])
            case "processing level":
                self.level(term)
            case "science keyword":
                steps = _STEP.split(line(term))
                if len(steps) > 2:  # category and topic alone name no variable
                    self.variable(steps[-1])

    def finish(self) -> Names:
        return Names(
            short_names=names_once(self.short_names)[:_MOST],
            platforms=names_once(self.platforms)[:_MOST],
            instruments=names_once(self.instruments)[:_MOST],
            variables=variables_once(self.variables)[:_MOST],
            projects=names_once(self.projects)[:_MOST],
            processing_level=self.processing_level,
        )


def _take(names: list[str], text: str) -> None:
    said = line(text)
    if len(said) <= _LONGEST and not _is_placeholder(said):
        names.append(said)


def _is_placeholder(text: str) -> bool:
    return not text or is_placeholder(text) or text.casefold().startswith(_NOT_SAID)


def _of_path(term: str) -> str:
    """The short name in GCMD's ways of writing: ``AQUA > Earth Observing System, AQUA``, also behind its categories,
    and ``Satellites > GOES > GOES-13``: the last step if it is one word, else the shorter of the last two.
    """
    steps = [step for step in _STEP.split(term) if step]
    if len(steps) < 2:
        return term
    return steps[-1] if len(steps[-1].split()) == 1 else min(steps[-2:], key=len)
