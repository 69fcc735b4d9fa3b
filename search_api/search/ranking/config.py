"""Every number of the ranking: the signals and combiner of each target, weights of words, names and quotes.

The values are in ``config.json``, one section for each target, and in it one for each signal. They were chosen on the
train halves of three judged collections, among settings with which all tests of the ranking pass.
New tuning replaces the file, not the code.
"""

from __future__ import annotations

import json
import math
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

Boosts = Mapping[str, float]
"""By field: the weight of a word there in BM25F."""


@dataclass(frozen=True, slots=True)
class NameWeights:
    """How well a record matches a name in the question; 1 = its own exact name.

    ``mentioned``: it only mentions the name. ``begun``: it mentions a word that begins with the name. ``kin``: its own
    name begins with the name in the question. ``typed``, ``other``: an acronym or its words as typed, and in
    the other form.
    ``rare``, ``common``: a name that at most the share ``rare`` of the records bears counts in full, one that
    ``common`` of them bear not at all. ``preferred``: how much a format or an organisation of many records counts.
    ``beside_title``: the part of a name's weight that is left if a record has the question as its title.
    ``passing``: a name without a digit,
    and any name that a record only mentions, counts in full if the question has at most this many words for each word
    of the name, and not at all from twice as many on: a long question names it in passing, and the words find it.
    """

    mentioned: float
    begun: float
    kin: float
    typed: float
    other: float
    common: float
    passing: float
    rare: float = 0.002
    preferred: float = 0.1
    beside_title: float = 0.25

    def __post_init__(self) -> None:
        check_shares(
            mentioned=self.mentioned,
            begun=self.begun,
            kin=self.kin,
            typed=self.typed,
            other=self.other,
            common=self.common,
            preferred=self.preferred,
            beside_title=self.beside_title,
        )
        check_positive(passing=self.passing, rare=self.rare)
        if self.rare >= self.common:
            raise ValueError("rare must be less than common")

    def rarity(self, share: float) -> float:
        """0..1: how much a name counts that this share of the records bears, by the logarithm of the share."""
        if share <= 0.0:
            return 1.0
        return min(1.0, max(0.0, math.log(self.common / share) / math.log(self.common / self.rare)))

    def mention_weight(self, name: str, words: int) -> float:
        """0..1: weight of a name without digits; falls with the question's length (``words``)."""
        return min(1.0, max(0.0, 2.0 - words / (self.passing * len(name.split()))))


@dataclass(frozen=True, slots=True)
class WordWeights:
    """``record_fields`` and ``passage_fields``: where a search for records looks; ``parted_fields``: where it looks in
    an index without the field of all words; ``cited_fields``: where a search for passages looks.

    ``plain``: the folded reading beside the one in the question's language. ``named``: words of place and time.
    ``identifier``: an identifier that matches exactly. ``synonym``, ``narrower``: other names of a term.
    ``foreign``: the share of their weight that words keep beside meaning if the question is surely in a language that
    the records are not in. ``enough``: how many words must occur, as Elasticsearch's minimum_should_match.
    ``of_a_record``: how many words of a record search for others like it. ``saturation``: BM25's k1 for a user's own
    passages.
    """

    record_fields: Boosts
    parted_fields: Boosts
    passage_fields: Boosts
    cited_fields: Boosts
    plain: float
    named: float
    identifier: float
    synonym: float
    narrower: float
    foreign: float
    enough: str
    of_a_record: int
    saturation: float
    names: NameWeights

    def __post_init__(self) -> None:
        for boosts in (
            self.record_fields,
            self.parted_fields,
            self.passage_fields,
            self.cited_fields,
        ):
            check_not_negative(**boosts)
        check_not_negative(plain=self.plain, named=self.named, identifier=self.identifier)
        check_shares(foreign=self.foreign)
        check_positive(of_a_record=self.of_a_record)
        check_not_negative(synonym=self.synonym, narrower=self.narrower, saturation=self.saturation)


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
        signal = self.signals.get(kind.name)
        return signal if isinstance(signal, kind) else None

    def __getitem__(self, kind: type[S]) -> S:
        """The signal of that kind. Raises KeyError if this target does not use it."""
        signal = self.find(kind)
        if signal is None:
            raise KeyError(kind.name)
        return signal

    def with_signals(self, *changed: Signal) -> Ranker:
        """A copy with these signals added; they replace signals with the same name."""
        signals = {**self.signals, **{signal.name: signal for signal in changed}}
        return replace(self, signals=signals)

    def without(self, *kinds: type[Signal]) -> Ranker:
        """A copy without these signals."""
        names = {kind.name for kind in kinds}
        return replace(self, signals={name: signal for name, signal in self.signals.items() if name not in names})


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
