"""What ships is whole, small, and still gives the numbers that were recorded of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ModelMissing
from encoders.catalogue import load_cross_encoder
from encoders.locate import SHIPPED, locate
from encoders.registry import own_entry, verify
from encoders.specs import DEFAULT_CROSS_ENCODER, CrossEncoderSpec
from tests.model_cards import read_card

MODELS = sorted(folder.name for folder in SHIPPED.iterdir() if folder.is_dir())
LARGEST_MIB = 25


@pytest.mark.parametrize("name", MODELS)
def test_it_is_whole_small_and_what_was_measured(name: str, tmp_path: Path) -> None:
    entry = own_entry(SHIPPED / name)
    assert entry is not None
    assert entry.name == f"shipped:{name}"
    assert [check for check in verify(entry, tmp_path) if check.holds is not True] == []
    assert sum(file.stat().st_size for file in (SHIPPED / name).iterdir()) < LARGEST_MIB * 2**20


@pytest.mark.parametrize("name", MODELS)
def test_its_card_says_the_licence_of_all_that_it_learnt_from(name: str) -> None:
    card = read_card(SHIPPED / name)
    assert all(one.licence and one.licence != "not stated" for one in card.data)
    assert card.licence == "MIT"


def test_the_default_reranker_reads_the_right_part_of_a_long_text() -> None:
    model = load_cross_encoder(CrossEncoderSpec(DEFAULT_CROSS_ENCODER))
    filler = "The station was built of wood and painted every other year. " * 30
    told, silent = model.score("snow depth in winter", [filler + "It measures the depth of snow.", filler])
    assert told > silent
    assert model.card.weight == pytest.approx(0.1)
    assert not model.card.judges
    assert load_cross_encoder(CrossEncoderSpec(DEFAULT_CROSS_ENCODER, weight=0.2)).card.weight == pytest.approx(0.2)


def test_a_name_that_does_not_ship_is_refused_with_those_that_do(tmp_path: Path) -> None:
    for wrong in ("shipped:other", "shipped:../shipped/late-interaction-4l", "shipped:"):
        with pytest.raises(ModelMissing, match="these do: shipped:late-interaction-4l"):
            locate(wrong, tmp_path)
