"""The signal of names: what bears the asked names stands first, of equals the newest version."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from search_api.search.ranking.candidates import Candidates, Target, fields_of
from search_api.search.ranking.config import default_config
from search_api.search.ranking.signals.record import VERSION, NamesSignal, newness, version_numbers
from search_api.search.ranking.signals.signal import RankingInput


def _asked(names: list[float | None], versions: list[str]) -> RankingInput:
    read = [fields_of({"source": ["s"], "names.version": [version]}, [VERSION]) for version in versions]
    ids = [f"s:{number}" for number in range(len(names))]
    return RankingInput(Candidates.of(ids, {"names": names}, read, [VERSION]), Target())


def test_versions_are_compared_by_number() -> None:
    assert version_numbers("V061") > version_numbers("006")
    assert version_numbers("4.10") > version_numbers("4.9")
    assert version_numbers("") == ()


def test_the_newest_of_those_that_bear_the_name_stands_first_and_no_kin_passes_them() -> None:
    measured = NamesSignal(weight=1.0, newest=0.05).measure(_asked([1.0, 1.0, 0.5, 0.0], ["5", "61", "99", "100"]))
    assert measured is not None
    assert measured.counted is not None
    assert list(np.argsort(-measured.counted)) == [1, 0, 2, 3]


def test_a_question_that_no_record_answers_by_name_is_ranked_as_without_the_signal() -> None:
    assert NamesSignal(weight=1.0, newest=0.05).measure(_asked([0.0, 0.0], ["1", "2"])) is None


def test_one_version_alone_is_neither_new_nor_old() -> None:
    assert newness(np.array([1.0, 1.0]), [(6,), (6,)]).tolist() == [1.0, 1.0]


def test_a_name_counts_by_how_rare_it_is_among_all_records() -> None:
    weights = replace(default_config().words.names, rare_share=0.001, common_share=0.1)
    assert [weights.rarity(share) for share in (0.0, 0.001, 0.1, 0.5)] == [1.0, 1.0, 0.0, 0.0]
    assert weights.rarity(0.01) == pytest.approx(0.5)  # half way by the logarithm
    with pytest.raises(ValueError, match="rare"):
        replace(weights, rare_share=0.2)
