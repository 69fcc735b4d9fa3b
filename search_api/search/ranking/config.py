"""Every number of the ranking: the signals and combiner of each target, weights of words, names and quotes.

The values are in ``config.json``: one section for each target, with one section for each of its signals. They are the
best of the train halves of three judged collections with which all tests of the ranking pass.
To tune the ranking, replace the file, not the code.
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
from search_api.search.ranking.signals.arms import AnswerRelevance
from search_api.search.ranking.signals.signal import Signal

Boosts = Mapping[str, float]
"""By field: the weight of a word there in BM25F."""


@dataclass(frozen=True, slots=True)
class NameWeights:
    """The weight of each way in which a record matches a name in the question, 0..1. Its own exact name has 1.

    ``mention``: the record only mentions the name. ``mention_prefix``: it mentions a word that begins with the name.
    ``name_prefix``: its own name begins with the name in the question. ``typed_form``: it contains an acronym, or the
    acronym's words, as typed; ``other_form``: it contains the other of the two.

    ``rare_share``, ``common_share``: shares of all records. A name in at most ``rare_share`` of them counts in full, a
    name in ``common_share`` of them not at all. ``preference``: the weight of a format or an organisation; ``person``:
    the least weight of a person; ``contact``: of a record that names it beside many others. ``share_with_title``: the
    share of the weight that names keep if the question is the title of a record.

    ``words_per_name_word``: for a name without a digit, and for a name that a record only mentions. The name counts in
    full if the question has at most this many words for each word of the name. From twice as many words on, it does
    not count: in a long question, the other words find the record.
    """

    mention: float
    mention_prefix: float
    name_prefix: float
    typed_form: float
    other_form: float
    common_share: float
    words_per_name_word: float
    rare_share: float = 0.002
    preference: float = 0.1
    person: float = 0.6
    contact: float = 0.95
    share_with_title: float = 0.25

    def __post_init__(self) -> None:
        check_shares(
            mention=self.mention,
            mention_prefix=self.mention_prefix,
            name_prefix=self.name_prefix,
            typed_form=self.typed_form,
            other_form=self.other_form,
            common_share=self.common_share,
            preference=self.preference,
            person=self.person,
            contact=self.contact,
            share_with_title=self.share_with_title,
        )
        check_positive(words_per_name_word=self.words_per_name_word, rare_share=self.rare_share)
        if self.rare_share >= self.common_share:
            raise ValueError("rare_share must be less than common_share")

    def rarity(self, share: float) -> float:
        """0..1: how much a name counts that this share of the records bears, by the logarithm of the share."""
        if share <= 0.0:
            return 1.0
        return min(1.0, max(0.0, math.log(self.common_share / share) / math.log(self.common_share / self.rare_share)))

    def mention_weight(self, name: str, words: int) -> float:
        """0..1: weight of a name without digits; falls with the question's length (``words``)."""
        return min(1.0, max(0.0, 2.0 - words / (self.words_per_name_word * len(name.split()))))


@dataclass(frozen=True, slots=True)
class WordWeights:
    """The weights of fields and words in BM25.

    ``record_fields`` and ``passage_fields``: the fields for a search for records. ``separate_fields``: the fields of an
    older index, which lacks the field ``words``. ``citation_fields``: the fields for passages to cite.

    ``any_language``: the weight of words in the fields without a language. ``place_and_time``: of the words for place
    and time. ``identifier``: of an identifier that matches exactly. ``synonym``, ``narrower``: of a term's other names.
    ``foreign_language``: the share of the weight that words keep if the question is in another language than the
    records. ``minimum_should_match``: how many words must occur, as Elasticsearch writes it. ``record_words``: how many
    words of a record are used to find similar ones. ``bm25_k1``: the parameter k1 for a user's own passages.
    """

    record_fields: Boosts
    separate_fields: Boosts
    passage_fields: Boosts
    citation_fields: Boosts
    any_language: float
    place_and_time: float
    identifier: float
    synonym: float
    narrower: float
    foreign_language: float
    minimum_should_match: str
    record_words: int
    bm25_k1: float
    names: NameWeights

    def __post_init__(self) -> None:
        for boosts in (
            self.record_fields,
            self.separate_fields,
            self.passage_fields,
            self.citation_fields,
        ):
            check_not_negative(**boosts)
        check_not_negative(
            any_language=self.any_language, place_and_time=self.place_and_time, identifier=self.identifier
        )
        check_shares(foreign_language=self.foreign_language)
        check_positive(record_words=self.record_words)
        check_not_negative(synonym=self.synonym, narrower=self.narrower, bm25_k1=self.bm25_k1)


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

    def with_signals(self, *signals: Signal) -> Ranker:
        """A copy with these signals added; they replace signals with the same name."""
        return replace(self, signals={**self.signals, **{signal.name: signal for signal in signals}})

    def without(self, *kinds: type[Signal]) -> Ranker:
        """A copy without these signals."""
        names = {kind.name for kind in kinds}
        return replace(self, signals={name: signal for name, signal in self.signals.items() if name not in names})


@dataclass(frozen=True, slots=True)
class Extensions:
    """The names that a configuration may use."""

    signals: Sequence[type[Signal]] = SIGNALS
    combiners: Sequence[type[Combiner]] = COMBINERS


INCLUDED = Extensions()


@dataclass(frozen=True, slots=True)
class QuoteWeights:
    """How to choose sentences to quote.

    ``words``: the share of the question's words in a sentence's score; the rest is meaning. ``relevance``: the weight
    of the passage's own relevance. ``value``: what a sentence gains by the number or date that the question asks for.
    ``second_margin``: how far the score of the second sentence may be below the best;
    ``further_margin``: the same for all further sentences.
    """

    words: float
    relevance: float
    value: float
    second_margin: float
    further_margin: float

    def __post_init__(self) -> None:
        check_shares(words=self.words)
        check_not_negative(
            relevance=self.relevance,
            value=self.value,
            second_margin=self.second_margin,
            further_margin=self.further_margin,
        )


_TARGETS = ("records", "passages", "similar")


@dataclass(frozen=True, slots=True)
class RankingConfig:
    """Every number of the ranking.

    ``records`` ranks `/search`; ``passages`` ranks what `/ask` cites and what is found in one's own documents;
    ``similar`` ranks the records that are like a given one. ``relevance`` is the absolute score of a hit of `/search`.
    """

    records: Ranker
    passages: Ranker
    similar: Ranker
    words: WordWeights
    quotes: QuoteWeights
    relevance: AnswerRelevance
    record_columns: tuple[AnyColumn, ...] = field(init=False, repr=False, compare=False)
    """The columns of a record that any target reads; all targets share one cache."""

    def __post_init__(self) -> None:
        columns = {column.name: column for ranker in (self.records, self.similar) for column in ranker.columns}
        object.__setattr__(self, "record_columns", tuple(columns.values()))

    @classmethod
    def from_json(cls, text: str, extensions: Extensions = INCLUDED) -> RankingConfig:
        """Raises ValueError with the name of a missing or unknown number."""
        raw = exactly(json.loads(text), {*_TARGETS, "words", "quotes", "relevance"}, "ranking configuration")
        return cls(
            records=_ranker(raw["records"], "records", extensions),
            passages=_ranker(raw["passages"], "passages", extensions),
            similar=_ranker(raw["similar"], "similar", extensions),
            words=section(WordWeights, raw["words"], "words"),
            quotes=section(QuoteWeights, raw["quotes"], "quotes"),
            relevance=section(AnswerRelevance, raw["relevance"], "relevance"),
        )

    def to_json(self) -> str:
        targets = {name: _as_json(getattr(self, name)) for name in _TARGETS}
        others = {"words": asdict(self.words), "quotes": asdict(self.quotes), "relevance": asdict(self.relevance)}
        return json.dumps({**targets, **others}, indent=2) + "\n"


@cache
def default_config() -> RankingConfig:
    """The default numbers."""
    return RankingConfig.from_json(files(__package__).joinpath("config.json").read_text(encoding="utf-8"))


def _ranker(raw: object, path: str, extensions: Extensions) -> Ranker:
    parts = exactly(raw, {"combiner", "signals", "candidate_window", "max_results", "diversity"}, path)
    return Ranker(
        combiner=_combiner(parts["combiner"], extensions.combiners, f"{path}.combiner"),
        signals=_signals(parts["signals"], extensions.signals, f"{path}.signals"),
        candidate_window=parts["candidate_window"],
        max_results=parts["max_results"],
        diversity=None if parts["diversity"] is None else section(Diversity, parts["diversity"], f"{path}.diversity"),
    )


def _combiner(raw: object, kinds: Sequence[type[Combiner]], path: str) -> Combiner:
    """``{"name": {its numbers}}``."""
    by_name = {kind.name: kind for kind in kinds}
    if not isinstance(raw, dict) or len(raw) != 1 or not raw.keys() <= by_name.keys():
        raise ValueError(f"{path}: one of {', '.join(by_name)} is expected with its numbers, not {raw!r}")
    ((name, numbers),) = raw.items()
    return section(by_name[name], numbers, f"{path}.{name}")


def _signals(raw: object, kinds: Sequence[type[Signal]], path: str) -> dict[SignalName, Signal]:
    """A target uses the signals that its section names."""
    if not isinstance(raw, dict):
        raise ValueError(f"{path}: an object is expected")
    by_name = {kind.name: kind for kind in kinds}
    unknown = sorted(raw.keys() - by_name.keys())
    if unknown:
        raise ValueError(f"{path}: no such signal: {', '.join(unknown)}")
    return {name: section(by_name[name], numbers, f"{path}.{name}") for name, numbers in raw.items()}


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
