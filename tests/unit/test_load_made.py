"""Records, passages and vectors that a load is made of."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.record import Record
from lab.load.catalogue import MadeVectors, made_passages, made_records, passage_texts

REAL = [
    Record("s:a", "s", "a", "Rain", "It rains. It pours. It floods. It dries.", doi="10.1/a"),
    Record("s:b", "s", "b", "Snow", "It snows."),
    Record("s:c", "s", "c", "Wind"),
]


def test_first_the_real_ones_then_titles_with_other_abstracts() -> None:
    made = list(made_records(REAL, 5))
    assert [one.id for one in made] == [f"load:{place:07d}" for place in range(5)]
    assert [one.title for one in made] == ["Rain", "Snow", "Wind", "Rain", "Snow"]
    # 7919 = 3 * 2639 + 2: on the second lap each title takes the abstract two places on.
    assert [one.abstract for one in made] == [
        REAL[0].abstract,
        "It snows.",
        "",
        "",
        REAL[0].abstract,
    ]
    assert len({one.identity for one in made}) == 5, "none is folded into another"


def test_passages_are_three_sentences_and_lie_over_all_records() -> None:
    texts = passage_texts(REAL)
    assert texts == ["It rains. It pours. It floods.", "It dries.", "It snows.", "Wind"]
    made = list(made_passages(texts, 5, records=2))
    assert [(one.id, record) for one, record in made] == [
        ("load-document-0000000:0", 0),
        ("load-document-0000001:0", 1),
        ("load-document-0000000:1", 0),
        ("load-document-0000001:1", 1),
        ("load-document-0000000:2", 0),
    ]
    assert [one.record for one, _ in made][:2] == ["load:0000000", "load:0000001"]
    assert made[4][0].text == texts[0], "texts begin again"


VECTORS = MadeVectors([{"vector": row.tolist(), "tokens": place} for place, row in enumerate(np.eye(4, 384))])


def test_real_vectors_come_first_as_they_are() -> None:
    assert [VECTORS.at(place) for place in range(4)] == VECTORS.real


@given(st.integers(4, 1_000_000))
def test_perturbed_vectors_are_near_the_one_they_came_from_and_always_the_same(place: int) -> None:
    vector = VECTORS.at(place)["vector"]
    assert VECTORS.at(place)["tokens"] == place % 4
    assert abs(np.linalg.norm(vector) - 1.0) < 1e-6
    # 1 / sqrt(1 + 0.5²) = 0.894; 384 draws of noise move that by some hundredths.
    assert 0.75 < vector[place % 4] < 0.99
    assert vector == VECTORS.at(place)["vector"]
    assert vector != VECTORS.at(place + 4)["vector"]
