"""The second output of an embedder's graph: the states that its last layers read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.errors import ModelMissing
from core.ports import EmbedderCard
from encoders.embedder import OnnxEmbedder
from encoders.onnx_graphs import LOWER_STATES, REPLACED_LAYERS, add_lower_states
from encoders.onnx_session import Compute, OnnxSession, TokenIds
from encoders.recipe import Recipe
from encoders.token_head import TokenHead
from encoders.torch_models import export
from tests.lazy_module import LazyModule

torch, transformers = LazyModule("torch"), LazyModule("transformers")

_IDS = [5, 6, 7, 8]


def _exported(folder: Path, layers: int) -> transformers.BertModel:
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=40, hidden_size=32, num_hidden_layers=layers, num_attention_heads=4, intermediate_size=64
    )
    model = transformers.BertModel(config, add_pooling_layer=False).eval()
    model.save_pretrained(str(folder / "weights"), safe_serialization=True)
    export(folder / "weights", folder / "model.onnx", "states")
    return model


def test_it_is_what_the_last_layers_read(tmp_path: Path) -> None:
    model = _exported(tmp_path, REPLACED_LAYERS + 2)
    assert add_lower_states(tmp_path / "model.onnx")
    session = OnnxSession(tmp_path / "model.onnx", Compute(1))
    assert list(session.outputs) == ["states", LOWER_STATES]
    found = session.map_outputs([TokenIds(_IDS)], [LOWER_STATES, "states"], lambda outputs, _mask, _batch: [outputs])[0]
    with torch.no_grad():
        wanted = model(torch.tensor([_IDS]), output_hidden_states=True)
    assert np.allclose(found[0], wanted.hidden_states[2].numpy(), atol=1e-4)
    assert np.allclose(found[1], wanted.last_hidden_state.numpy(), atol=1e-4)


def test_a_graph_of_too_few_layers_stays_as_it_is_and_serves_no_token_layers(tmp_path: Path) -> None:
    _exported(tmp_path, REPLACED_LAYERS)
    before = (tmp_path / "model.onnx").read_bytes()
    assert not add_lower_states(tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").read_bytes() == before
    (tmp_path / "tokenizer.json").write_text(
        '{"version": "1.0", "added_tokens": [], "model": {"type": "WordLevel", "vocab": {"a": 1}, "unk_token": "a"}}'
    )
    head = TokenHead(np.zeros(32, np.float32), np.eye(32, 8, dtype=np.float32), frozenset(), tmp_path / "model.onnx")
    card = EmbedderCard("made", 32, 16, 0.0, "", "onnx-fp32")
    with pytest.raises(ModelMissing, match="no states for the token layers"):
        OnnxEmbedder(tmp_path / "model.onnx", Recipe("mean", 16, 32), card, Compute(1), head)
