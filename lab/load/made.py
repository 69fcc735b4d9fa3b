"""As many records and passages as are wanted, made of real ones, and a vector for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.json_types import Json
from core.passage import Passage
from core.ports import Embedder
from core.record import Record
from es_mappings.codecs.vectors import VECTOR, to_fields
from reading.sentences import sentences

SOURCE = "load"

_SEED = 20_11
_STEP = 7_919  # a prime: abstracts move on against titles, and pairs come back late
_NOISE = 0.5  # cosine to the vector it came from: about 1 / sqrt(1 + 0.5²) = 0.89
_SENTENCES = 3  # of a passage


def made_records(real: Sequence[Record], number: int) -> Iterator[Record]:
    """First the real ones under ids of their own, then each title with the abstract of another; all are distinct."""
    for place in range(number):
        lap, at = divmod(place, len(real))
        own, other = real[at], real[(at + lap * _STEP) % len(real)]
        name = f"{place:07d}"
        yield replace(
            own,
            id=f"{SOURCE}:{name}",
            source=SOURCE,
            identifier=name,
            abstract=other.abstract,
            doi=None,  # by it two made of one would be folded into one hit
            parent=None,
        )


def passage_texts(real: Sequence[Record]) -> list[str]:
    """Three sentences after another of each abstract, in order; where nothing is described, the title."""
    texts = []
    for record in real:
        said = sentences(record.abstract) or [record.title]
        texts += [" ".join(said[start : start + _SENTENCES]) for start in range(0, len(said), _SENTENCES)]
    return texts


def made_passages(texts: Sequence[str], number: int, records: int) -> Iterator[tuple[Passage, int]]:
    """Each with the place of its record; spread over all records, texts begin again where they end."""
    for place in range(number):
        ordinal, record = divmod(place, records)
        document = f"{SOURCE}-document-{record:07d}"
        passage = Passage(
            f"{document}:{ordinal}",
            document,
            ordinal,
            texts[place % len(texts)],
            f"{SOURCE}:{record:07d}",
            section_path=("Description",),
            section_role="body",
            first_page=ordinal + 1,
            last_page=ordinal + 1,
        )
        yield passage, record


@dataclass(frozen=True, slots=True)
class MadeVectors:
    """``real``: the fields of each text's vectors. Past them each vector is a real one moved by noise, the same every
    time, with the token vectors of the real one.
    """

    real: Sequence[Json]

    @classmethod
    def of(cls, texts: Sequence[str], embedder: Embedder, most: int) -> MadeVectors:
        """Embeds the first ``most`` texts."""
        return cls(to_fields(embedder.encode(texts[:most], "document"), embedder.card, embedder.card.tokens))

    def at(self, place: int) -> Json:
        """The fields; the vector has unit norm."""
        fields = self.real[place % len(self.real)]
        if place < len(self.real):
            return fields
        base = np.array(fields[VECTOR])
        moved = base + np.random.default_rng([_SEED, place]).normal(size=len(base)) * (_NOISE / np.sqrt(len(base)))
        return {**fields, VECTOR: (moved / np.linalg.norm(moved)).tolist()}
