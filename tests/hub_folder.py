"""A cross-encoder of a few hundred random weights, as a hub keeps it: graphs in ``onnx/``, ``config.json`` and
``tokenizer.json``. Made without PyTorch.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

if TYPE_CHECKING:
    import onnx

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "rain", "rainfall", "snow", "ice", "sea", "in", "Africa", "monthly", "of")
_DIMS = 16
_RANDOM = np.random.default_rng(5)
TABLE = _RANDOM.normal(size=(len(WORDS), _DIMS)).astype(np.float32)
SEGMENTS = _RANDOM.normal(size=(2, _DIMS)).astype(np.float32)
HEAD = _RANDOM.normal(size=(_DIMS, 2)).astype(np.float32)


def expected(question: str, text: str, labels: int = 1) -> float:
    """What ``model.onnx`` with ``bias`` 0 gives for the pair."""
    first = [2, *_ids(question), 3]
    second = [*_ids(text), 3]
    states = np.tanh(TABLE[first + second] + SEGMENTS[[0] * len(first) + [1] * len(second)])
    logits: NDArray[np.float32] = states.mean(axis=0) @ HEAD[:, :labels]
    return float(logits[0] if labels == 1 else logits[1] - logits[0])


def hub_folder(folder: Path, graphs: Sequence[str], *, labels: int = 1, architecture: str = "Bert") -> Path:
    """``folder`` with these files in ``onnx/``; the logits of the first one are 100 higher, of the second one 200."""
    (folder / "onnx").mkdir(parents=True)
    for number, name in enumerate(graphs, 1):
        write_graph(folder / "onnx" / name, labels=labels, bias=100.0 * number)
    kind = {"architectures": [f"{architecture}ForSequenceClassification"], "model_type": architecture.lower()}
    (folder / "config.json").write_text(json.dumps({**kind, "max_position_embeddings": 64}), encoding="utf-8")
    _write_tokenizer(folder / "tokenizer.json")
    return folder


def write_graph(file: Path, *, labels: int = 1, bias: float = 0.0, states: bool = False, more: str = "") -> None:
    """``states``: as an embedder's graph, one row for each token. ``more``: a further input, which it needs."""
    from onnx import TensorProto, checker, helper, numpy_helper, save

    names = ["input_ids", "attention_mask", "token_type_ids", *([more] if more else [])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in names]
    shape: list[str | int | None] = ["batch", "tokens", _DIMS] if states else ["batch", labels]
    output = helper.make_tensor_value_info("states" if states else "logits", TensorProto.FLOAT, shape)
    added = np.zeros(labels, dtype=np.float32)
    added[-1] = bias
    arrays = {"table": TABLE, "segments": SEGMENTS, "head": HEAD[:, :labels], "bias": added}
    arrays |= {"last": np.array([2], dtype=np.int64), "second": np.array([1], dtype=np.int64)}
    held = [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in arrays.items()]
    nodes = [*_states(), *([] if states else _logits())]
    graph = helper.make_graph(nodes, "tiny", inputs, [output], held)
    model: onnx.ModelProto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    save(model, str(file))


def _states() -> list[onnx.NodeProto]:
    from onnx.helper import make_node

    return [
        make_node("Gather", ["table", "input_ids"], ["words"]),
        make_node("Gather", ["segments", "token_type_ids"], ["places"]),
        make_node("Add", ["words", "places"], ["sum"]),
        make_node("Tanh", ["sum"], ["states"]),
    ]


def _logits() -> list[onnx.NodeProto]:
    from onnx import TensorProto
    from onnx.helper import make_node

    return [
        make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        make_node("Unsqueeze", ["mask", "last"], ["column"]),
        make_node("Mul", ["states", "column"], ["seen"]),
        make_node("ReduceSum", ["seen", "second"], ["total"], keepdims=0),
        make_node("ReduceSum", ["column", "second"], ["count"], keepdims=0),
        make_node("Div", ["total", "count"], ["mean"]),
        make_node("MatMul", ["mean", "head"], ["raw"]),
        make_node("Add", ["raw", "bias"], ["logits"]),
    ]


def _ids(text: str) -> list[int]:
    return [WORDS.index(word) if word in WORDS else 1 for word in text.split()]


def _write_tokenizer(file: Path) -> None:
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(file))
