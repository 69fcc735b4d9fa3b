"""The models that are part of the code: whole, small, and of known origin."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ModelMissing
from encoders.catalogue import load_cross_encoder
from encoders.locate import SHIPPED, Located, locate
from encoders.model_card import page
from encoders.recipe import read_json
from encoders.registry import entry_of_folder, verify
from encoders.specs import CrossEncoderSpec
from encoders.token_head import token_head
from tests.model_cards import read_card

LARGEST_MIB = 40
MODELS = sorted(folder.name for folder in SHIPPED.iterdir() if folder.is_dir())
HEADS = [name for name in MODELS if read_json(SHIPPED / name / "card.json")["kind"] == "token-head"]


@pytest.mark.parametrize("name", MODELS)
def test_it_is_whole_and_small(name: str, tmp_path: Path) -> None:
    entry = entry_of_folder(SHIPPED / name)
    assert entry is not None
    assert entry.name == f"shipped:{name}"
    assert [check for check in verify(entry, tmp_path) if check.ok is not True] == []
    assert sum(file.stat().st_size for file in (SHIPPED / name).iterdir()) < LARGEST_MIB * 2**20


@pytest.mark.parametrize("name", MODELS)
def test_its_card_says_the_licence_of_all_that_it_learnt_from(name: str) -> None:
    card = read_card(SHIPPED / name)
    assert all(one.licence and one.licence != "not stated" for one in card.data)
    assert card.licence in ("MIT", "Apache-2.0")


@pytest.mark.parametrize("name", HEADS)
def test_a_token_head_is_found_by_the_weights_it_was_made_for(name: str, tmp_path: Path) -> None:
    weights = read_json(SHIPPED / name / "card.json")["weights"]
    found = token_head("auto", Located("any", tmp_path, weights))
    assert found is not None
    assert found[1].code.startswith(name)
    assert token_head("none", Located("any", tmp_path, weights)) is None
    assert token_head("auto", Located("any", tmp_path, "other")) is None
    with pytest.raises(ModelMissing, match="for another embedder"):
        token_head(str(SHIPPED / name), Located("any", tmp_path, "other"))
    with pytest.raises(ModelMissing, match=r"holds no tokens\.safetensors"):
        token_head(str(tmp_path), Located("any", tmp_path, weights))


def test_a_name_that_does_not_ship_is_refused_with_those_that_do(tmp_path: Path) -> None:
    for wrong in ("shipped:other", "shipped:../shipped/tokens-minilm-l6", "shipped:"):
        with pytest.raises(ModelMissing, match="these do: shipped:cross-encoder-minilm-l6, shipped:tokens"):
            locate(wrong, tmp_path)


def test_the_cross_encoder_tells_what_answers_from_what_is_only_about_the_same(tmp_path: Path) -> None:
    model = load_cross_encoder(CrossEncoderSpec("shipped:cross-encoder-minilm-l6", tmp_path, threads=1))
    drilled = "Ice cores were drilled at Dome C to a depth of 3270 m between 1996 and 2004."
    about = "The station at Dome C records hourly air temperature and wind since 2005."
    depth = model.score("How deep were the ice cores at Dome C drilled?", [drilled, about])
    assert depth[0] > 0.0 > depth[1]
    assert (model.score("How warm was the ice at Dome C?", [drilled, about]) < 0.0).all()
    assert model.score("rainfall in South Africa", ["Monthly rainfall totals of South Africa's districts."])[0] > 0.0


@pytest.mark.parametrize("name", MODELS)
def test_its_page_says_what_its_card_says(name: str) -> None:
    assert (SHIPPED / name / "card.md").read_text("utf-8") == page(read_card(SHIPPED / name))
