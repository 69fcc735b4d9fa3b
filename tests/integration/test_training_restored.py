"""Weights that learn, restored from a graph that only serves: the way bge-small's package is trained from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import pytest
from tiny_models import WORDS, config

from encoders.locate import Located, weights_digest
from tests.lazy_module import LazyModule
from training.examples import TrainingError
from training.weights import trainable_folder

pytestmark = pytest.mark.models


if TYPE_CHECKING:
    from transformers import BertModel

torch = LazyModule("torch")


def traced(**changes: object) -> BertModel:
    """What a package's exporter traced: three inputs, the states of the last layer."""
    from transformers import BertModel

    class Graph(BertModel):
        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            given = {"input_ids": input_ids, "attention_mask": attention_mask, "token_type_ids": token_type_ids}
            return super().forward(**given).last_hidden_state

    return Graph(config(**changes), add_pooling_layer=False).eval()


def graph_alone(folder: Path, *, renamed: bool = False) -> BertModel:
    """As a package carries a BERT: ``model.onnx`` with the layers' own names, a tokenizer, a card; no weights."""
    folder.mkdir()
    torch.manual_seed(5)
    model = traced(hidden_size=64, num_attention_heads=2, attn_implementation="eager")
    for value in model.parameters():  # the exporter makes one of equal ones, such as fresh biases
        torch.nn.init.normal_(value, std=0.1)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    torch.onnx.export(
        model,
        tuple(torch.ones((1, 5), dtype=torch.long) for _ in names),
        str(folder / "model.onnx"),
        input_names=names,
        output_names=["states"],
        dynamic_axes={name: {0: "batch", 1: "tokens"} for name in [*names, "states"]},
        opset_version=17,
        dynamo=False,
    )
    if renamed:
        graph = onnx.load(str(folder / "model.onnx"))
        for node in graph.graph.node:
            node.name = f"node-{node.output[0]}".replace("/", "-")
        onnx.save(graph, str(folder / "model.onnx"))
    shutil.copyfile(WORDS / "tokenizer.json", folder / "tokenizer.json")
    (folder / "card.json").write_text(json.dumps({"pooling": "cls", "max_tokens": 64, "dims": 64}))
    return model


def located(folder: Path) -> Located:
    return Located(folder.name, folder, weights_digest(folder))


def test_the_restored_weights_are_those_the_graph_was_made_of(tmp_path: Path) -> None:
    from transformers import AutoModel

    wanted = graph_alone(tmp_path / "graph")
    folder = trainable_folder(located(tmp_path / "graph"), tmp_path / "cache")
    assert {"model.safetensors", "tokenizer.json", "card.json"} <= {path.name for path in folder.iterdir()}
    found = AutoModel.from_pretrained(folder).state_dict()
    for name, value in wanted.state_dict().items():
        np.testing.assert_allclose(found[name].numpy(), value.numpy(), atol=1e-6, err_msg=name)
    made = (folder / "model.safetensors").stat().st_mtime_ns
    assert trainable_folder(located(tmp_path / "graph"), tmp_path / "cache") == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == made


def test_a_graph_whose_layers_lost_their_names_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    graph_alone(tmp_path / "graph", renamed=True)
    with pytest.raises(TrainingError, match="name a safetensors model as the base"):
        trainable_folder(located(tmp_path / "graph"), tmp_path / "cache")
    assert [path for path in (tmp_path / "cache").iterdir() if path.is_dir()] == []
