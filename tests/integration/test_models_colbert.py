"""PyLate's models in the heavy slot: late interaction when a question is asked."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import tiny_colbert

from core.errors import ModelMissing
from encoders.catalogue import load_cross_encoder
from encoders.specs import CrossEncoderSpec

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> CrossEncoderSpec:
    home = tmp_path_factory.mktemp("colbert")
    return CrossEncoderSpec(str(tiny_colbert(home / "model")), home / "cache")


def by_hand(folder: Path, text: str, ignored: str = "") -> Any:
    """Unit vectors of a text's tokens: the transformer, then the matrix beside it."""
    import torch
    from safetensors.torch import load_file
    from transformers import AutoTokenizer, BertModel

    read = AutoTokenizer.from_pretrained(str(folder))(text, return_tensors="pt")
    with torch.inference_mode():
        states = BertModel.from_pretrained(str(folder)).eval()(**read).last_hidden_state[0]
    vectors = states @ load_file(folder / "1_Dense" / "model.safetensors")["linear.weight"].T
    words = AutoTokenizer.from_pretrained(str(folder)).convert_ids_to_tokens(read["input_ids"][0])
    kept = np.array([word not in ignored.split() for word in words])
    found = vectors.numpy()[kept]
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_the_score_is_the_mean_over_the_question_s_tokens_of_the_best_cosine(spec: CrossEncoderSpec) -> None:
    model, folder = load_cross_encoder(spec), Path(str(spec.name))
    texts = ["rain gauges. and snow", "sea ice", "rain in Africa"]
    asked = by_hand(folder, "rain in Africa")
    expected = [float((asked @ by_hand(folder, text, ".").T).max(axis=1).mean()) for text in texts]
    np.testing.assert_allclose(model.score("rain in Africa", texts), expected, atol=1e-4)
    assert model.score("rain", []).shape == (0,)
    assert model.card.max_tokens == 24
    assert not model.card.judges


def test_a_text_is_read_up_to_the_limit_of_the_model_or_of_the_settings(spec: CrossEncoderSpec) -> None:
    long = "rain and snow " * 5
    whole, same = load_cross_encoder(spec).score("ice", [long + "then sea ice on lakes", long + "then"])
    assert whole != same  # 24 tokens reach "sea ice"
    short = load_cross_encoder(replace(spec, max_tokens=8))
    assert short.card.max_tokens == 8
    cut, same = short.score("ice", [long + "then sea ice on lakes", long + "then"])
    assert cut == pytest.approx(same, abs=1e-6)


def test_missing_weights_and_onnx_runtime_are_refused(spec: CrossEncoderSpec, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="which runs in PyTorch; use the runtime auto or torch"):
        load_cross_encoder(replace(spec, runtime="onnx"))
    copied = Path(shutil.copytree(str(spec.name), tmp_path / "model"))
    (copied / "1_Dense" / "model.safetensors").unlink()
    with pytest.raises(ModelMissing, match="cannot be loaded by sentence-transformers"):
        load_cross_encoder(replace(spec, name=str(copied)))
    deeper = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps({**deeper, "num_hidden_layers": 3}))
    with pytest.raises(ModelMissing, match=r"holds only a part of the weights: encoder\.layer\.2"):
        load_cross_encoder(replace(spec, name=str(copied)))
