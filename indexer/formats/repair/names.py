"""The names of a record while it is read: of products, platforms, instruments, variables and projects.

What a keyword's vocabulary says (``platform``, GCMD's lists, CF's standard names) counts as much as a separate field.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from core.json_types import JsonMapping
from core.names import Names, Variable, looks_like_code, names_once, variables_once
from indexer.formats.json_documents.parsing import first_object, objects_in, text_in, texts_in
from indexer.formats.repair.text import is_placeholder, line

NameKind = Literal[
    "platform", "instrument", "project", "variable", "standard name", "science keyword", "processing level"
]

_MAX_NAMES = 200  # of each kind
_LONGEST_GUESS = 40
_LONGEST = 200  # a longer text describes, and names nothing
_KINDS: tuple[tuple[re.Pattern[str], NameKind], ...] = (
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
_NO_VALUE_PREFIXES = ("not provided", "not applicable", "unspecified", "inapplicable")
_SHORT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]+")
_GENERATED_ID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f-]{4,}|[0-9a-f]{16,}", re.IGNORECASE)  # a UUID, a hash


@lru_cache(maxsize=4096)
def kind_of_vocabulary(vocabulary: str) -> NameKind | None:
    """What a vocabulary's title says its terms are: ``GCMD Platforms``, ``AODN Instrument Vocabulary``."""
    title = vocabulary.casefold()
    return next((kind for pattern, kind in _KINDS if pattern.search(title)), None)


def is_short_name(text: str) -> bool:
    """Whether a word looks like a product's short name (``MOD11_L2``, ``ERA5``); no number, UUID or DOI does."""
    return (
        len(text) <= _LONGEST_GUESS
        and (looks_like_code(text) or "_" in text)
        and any(letter.isalpha() for letter in text)
        and _SHORT_NAME.fullmatch(text) is not None
        and _GENERATED_ID.search(text) is None
        and not text.startswith("10.")
    )


def is_standard_name(text: str) -> bool:
    """Whether the text has the form of CF's standard names of several words."""
    return _STANDARD_NAME.fullmatch(text) is not None


@dataclass(slots=True)
class NameCollector:
    """Takes texts as written; ``finish`` gives each name once, whatever its case."""

    short_names: list[str] = field(default_factory=list)
    platforms: list[str] = field(default_factory=list)
    instruments: list[str] = field(default_factory=list)
    projects: list[str] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    processing_level: str | None = None

    def add_short_name(self, text: str) -> None:
        _append(self.short_names, text)

    def add_possible_short_names(self, *texts: str) -> None:
        for text in texts:
            if is_short_name(line(text)):
                self.add_short_name(text)

    def add_platform(self, text: str) -> None:
        _append(self.platforms, _last_step(line(text)))

    def add_instrument(self, text: str) -> None:
        _append(self.instruments, _last_step(line(text)))

    def add_project(self, text: str) -> None:
        _append(self.projects, _last_step(line(text)))

    def add_variable(self, name: str, standard_name: str = "", unit: str = "") -> None:
        """``name`` may carry CF's standard name behind it: ``Temperature (sea_water_temperature)``."""
        text, standard, unit_text = line(name), line(standard_name), line(unit)
        name_match = _NAME_AND_STANDARD_NAME.fullmatch(text)
        if name_match is not None:
            text, standard = name_match[1], standard or name_match[2]
        text = text or standard
        if len(text) <= _LONGEST and not _is_placeholder(text):
            self.variables.append(Variable(text, standard or None, None if _is_placeholder(unit_text) else unit_text))

    def set_level(self, text: str) -> None:
        """``Level 2A``, ``2A`` and ``L2A`` are ``L2A``; other words stay as they are. The first counts."""
        words = line(text)
        if self.processing_level is not None or _is_placeholder(words):
            return
        level_match = _LEVEL.fullmatch(words)
        self.processing_level = words if level_match is None else f"L{level_match[1].upper()}"

    def add_keyword(self, term: str, vocabulary: str | None) -> None:
        """What a keyword names, judged by its vocabulary; most name nothing."""
        kind = kind_of_vocabulary(vocabulary or "")
        if _EARTH_SCIENCE.match(term):
            kind = "science keyword"
        if kind is not None:
            self.add(kind, term)

    def add(self, kind: NameKind, term: str) -> None:
        match kind:
            case "platform":
                self.add_platform(term)
            case "instrument":
                self.add_instrument(term)
            case "project":
                self.add_project(term)
            case "variable":
                self.add_variable(_STEP.split(line(term))[-1])
            case "standard name":
                self.add_variable("", _STEP.split(line(term))[-1])
            case "processing level":
                self.set_level(term)
            case "science keyword":
                steps = _STEP.split(line(term))
                if len(steps) > 2:  # category and topic alone name no variable
                    self.add_variable(steps[-1])

    def finish(self) -> Names:
        return Names(
            short_names=names_once(self.short_names)[:_MAX_NAMES],
            platforms=names_once(self.platforms)[:_MAX_NAMES],
            instruments=names_once(self.instruments)[:_MAX_NAMES],
            variables=variables_once(self.variables)[:_MAX_NAMES],
            projects=names_once(self.projects)[:_MAX_NAMES],
            processing_level=self.processing_level,
        )


def _append(names: list[str], text: str) -> None:
    words = line(text)
    if len(words) <= _LONGEST and not _is_placeholder(words):
        names.append(words)


def _is_placeholder(text: str) -> bool:
    return not text or is_placeholder(text) or text.casefold().startswith(_NO_VALUE_PREFIXES)


def _last_step(term: str) -> str:
    """The short name in GCMD's ways of writing: ``AQUA > Earth Observing System, AQUA``, also behind its categories,
    and ``Satellites > GOES > GOES-13``: the last step if it is one word, else the shorter of the last two.
    """
    steps = [step for step in _STEP.split(term) if step]
    if len(steps) < 2:
        return term
    return steps[-1] if len(steps[-1].split()) == 1 else min(steps[-2:], key=len)


def read_names(names: NameCollector, members: JsonMapping) -> None:
    for member in ("platform", "constellation", "mission", "osc:missions"):
        for text in texts_in(members.get(member)):
            names.add_platform(text)
    for text in texts_in(members.get("instruments")):
        names.add_instrument(text)
    for text in texts_in(members.get("osc:project")):
        names.add_project(text)
    for text in texts_in(members.get("product:type")):
        names.add_short_name(text)
    for text in texts_in(members.get("processing:level")):
        names.set_level(text)
    read_variables(names, members)


def read_variables(names: NameCollector, members: JsonMapping) -> None:
    """Also of an asset. Of a cube only those that hold data: an auxiliary one describes an axis."""
    for name, variable in first_object(members.get("cube:variables")).items():
        if isinstance(variable, dict) and variable.get("type") != "auxiliary":
            attributes = first_object(variable.get("attrs"))
            unit = text_in(variable.get("unit")) or text_in(attributes.get("units"))
            names.add_variable(str(name), text_in(attributes.get("standard_name")), unit)
    for parameter in objects_in(members.get("cf:parameter")):
        name = text_in(parameter.get("name"))
        standard = name if is_standard_name(name) else ""
        names.add_variable("" if standard else name, standard, text_in(parameter.get("unit")))
    for text in texts_in(members.get("osc:variables")):
        names.add_variable(text)
