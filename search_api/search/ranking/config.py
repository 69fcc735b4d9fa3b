"""The numbers of the ranking, shared by serving and evaluation.

The values are in ``config.json``, one section for each target, and in it one for each signal. They were chosen on the
train halves of three judged collections, among settings under which every law in the tests holds.
New tuning replaces the file, not the code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from core.hit import SignalName
from core.json_types import Json
from search_api.search.ranking.candidates import AnyColumn
from search_api.search.ranking.combiners import COMBINERS
from search_api.search.ranking.combiners.combiner import Combiner
from search_api.search.ranking.diversity import Diversity
from search_api.search.ranking.numbers import check_not_negative, check_positive, check_shares, exactly, section
from search_api.search.ranking.signals import SIGNALS
from search_api.search.ranking.signals.signal import Signal
from search_api.search.ranking.words import WordWeights

S = TypeVar("S", bound=Signal)


@dataclass(frozen=True, slots=True)
class Ranker:
    """How to rank one target: its signals, the combiner, and the window.

    ``candidate_window``: the number of candidates per arm. ``max_results``: the number of hits that can be paged.
    """

    combiner: Combiner
    signals: Mapping[SignalName, Signal]
    candidate_window: int
    max_results: int
    diversity: Diversity | None = None
    """How to spread siblings of one series over the answer; None: do not spread them."""

    def __post_init__(self) -> None:
        check_positive(candidate_window=self.candidate_window, max_results=self.max_results)

    @property
    def columns(self) -> tuple[AnyColumn, ...]:
        """What the signals read of each candidate, each column once."""
        return tuple({column.name: column for signal in self.signals.values() for column in signal.columns}.values())

    def find(self, kind: type[S]) -> S | None:
        """The signal of that kind; None if this target does not use it."""
        found = self.signals.get(kind.name)
        return found if isinstance(found, kind) else None

    def __getitem__(self, kind: type[S]) -> S:
        """The signal of that kind. Raises KeyError if this target does not use it."""
        found = self.find(kind)
        if found is None:
            raise KeyError(kind.name)
        return found

    def with_signals(self, *changed: Signal) -> Ranker:
        """A copy with these signals added; they replace signals with the same name."""
        signals = {**self.signals, **{signal.name: signal for signal in changed}}
        return replace(self, signals=signals)

    def without(self, *kinds: type[Signal]) -> Ranker:
        """The same where these signals do not count."""
        names = {kind.name for kind in kinds}
        return replace(self, signals={name: one for name, one in self.signals.items() if name not in names})


@dataclass(frozen=True, slots=True)
class Extensions:
    """The names that a configuration may use."""

    signals: Sequence[type[Signal]] = SIGNALS
    combiners: Sequence[type[Combiner]] = COMBINERS


EVERYTHING = Extensions()


@dataclass(frozen=True, slots=True)
class QuoteWeights:
    """How to choose sentences to quote: ``words`` is the share of the question's words, the rest is meaning;
    ``relevance`` adds the passage's own relevance. ``second``: how far below the best score the second sentence is
    still quoted; ``near``: the same for all further ones.
    """

    words: float
    relevance: float
    second: float
    near: float

    def __post_init__(self) -> None:
        check_shares(words=self.words)
        check_not_negative(relevance=self.relevance, second=self.second, near=self.near)


_TARGETS = ("records", "passages", "similar")


@dataclass(frozen=True, slots=True)
class RankingConfig:
    """Every number of the ranking.

    ``records`` ranks `/search`; ``passages`` ranks what `/ask` cites and what is found in one's own documents;
    ``similar`` ranks the records that are like a given one.
    """

    records: Ranker
    passages: Ranker
    similar: Ranker
    words: WordWeights
    quotes: QuoteWeights
    record_columns: tuple[AnyColumn, ...] = field(init=False, repr=False, compare=False)
    """What is read of a record, whichever target ranks it: one cache holds it for all."""

    def __post_init__(self) -> None:
        every = {column.name: column for ranker in (self.records, self.similar) for column in ranker.columns}
        object.__setattr__(self, "record_columns", tuple(every.values()))

    @classmethod
    def from_json(cls, text: str, known: Extensions = EVERYTHING) -> RankingConfig:
        """Every number must be there and nothing else; raises ValueError that names what is not."""
        raw = exactly(json.loads(text), {*_TARGETS, "words", "quotes"}, "ranking configuration")
        return cls(
            records=_ranker(raw["records"], "records", known),
            passages=_ranker(raw["passages"], "passages", known),
            similar=_ranker(raw["similar"], "similar", known),
            words=section(WordWeights, raw["words"], "words"),
            quotes=section(QuoteWeights, raw["quotes"], "quotes"),
        )

    def to_json(self) -> str:
        targets = {name: _as_json(getattr(self, name)) for name in _TARGETS}
        return json.dumps({**targets, "words": asdict(self.words), "quotes": asdict(self.quotes)}, indent=2) + "\n"


@cache
def default_config() -> RankingConfig:
    """The default numbers."""
    return RankingConfig.from_json(files(__package__).joinpath("config.json").read_text(encoding="utf-8"))


def _ranker(raw: object, where: str, known: Extensions) -> Ranker:
    parts = exactly(raw, {"combiner", "signals", "candidate_window", "max_results", "diversity"}, where)
    return Ranker(
        combiner=_combiner(parts["combiner"], known.combiners, f"{where}.combiner"),
        signals=_signals(parts["signals"], known.signals, f"{where}.signals"),
        candidate_window=parts["candidate_window"],
        max_results=parts["max_results"],
        diversity=None if parts["diversity"] is None else section(Diversity, parts["diversity"], f"{where}.diversity"),
    )


def _combiner(raw: object, kinds: Sequence[type[Combiner]], where: str) -> Combiner:
    """``{"name": {its numbers}}``."""
    known = {kind.name: kind for kind in kinds}
    if not isinstance(raw, dict) or len(raw) != 1 or not raw.keys() <= known.keys():
        raise ValueError(f"{where}: one of {', '.join(known)} is expected with its numbers, not {raw!r}")
    ((name, numbers),) = raw.items()
    return section(known[name], numbers, f"{where}.{name}")


def _signals(raw: object, kinds: Sequence[type[Signal]], where: str) -> dict[SignalName, Signal]:
    """A target uses the signals that its section names."""
    if not isinstance(raw, dict):
        raise ValueError(f"{where}: an object is expected")
    known = {kind.name: kind for kind in kinds}
    unknown = sorted(raw.keys() - known.keys())
    if unknown:
        raise ValueError(f"{where}: no such signal: {', '.join(unknown)}")
    return {name: section(known[name], numbers, f"{where}.{name}") for name, numbers in raw.items()}


def _as_json(ranker: Ranker) -> Json:
    return {
        "combiner": {ranker.combiner.name: _numbers(ranker.combiner)},
        "signals": {name: _numbers(signal) for name, signal in ranker.signals.items()},
        "candidate_window": ranker.candidate_window,
        "max_results": ranker.max_results,
        "diversity": None if ranker.diversity is None else _numbers(ranker.diversity),
    }


def _numbers(part: Any) -> Json:
    return asdict(part)
