"""Weights of words in the lexical queries, by field and by origin of the word."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from search_api.search.ranking.numbers import check_not_negative, check_positive, check_shares

Boosts = Mapping[str, float]
"""By field: the weight of a word there in BM25F."""


@dataclass(frozen=True, slots=True)
class NameWeights:
    """How well a record matches a name in the question; 1 = its own exact name.

    ``mentioned``: it only mentions the name. ``begun``: it mentions a word that begins as asked. ``kin``: its own name
    begins with the asked one. ``typed``, ``other``: an acronym or its words as typed, and in the other form.
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
