"""Brings a BERT graph of opset 11 to opset 17, with one operator for each layer normalisation.

ONNX Runtime joins the nine operators of an older export by itself, but otherwise around int8 operators: the sums round
differently, and an int8 vector then has a cosine of .9996 with that of a newer export of the same weights. In this form
the vectors are the same to the last bit (ADR 0032).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from core.errors import ModelMissing

OPSET, _IR = 17, 8


def write_with_layer_norms(source: Path, target: Path) -> None:
    """Raises ModelMissing if an older graph has none of the known pattern; a newer one stays as it is."""
    model = onnx.load(str(source))
    if model.opset_import[0].version >= OPSET:
        onnx.save(model, str(target))
        return
    nodes = [_with_axes_as_input(node) for node in _Norms(model.graph).joined()]
    del model.graph.node[:]
    model.graph.node.extend(each for some in nodes for each in some)
    del model.opset_import[:]
    model.opset_import.append(helper.make_opsetid("", OPSET))
    model.ir_version = _IR
    onnx.checker.check_model(model)
    onnx.save(model, str(target))


class _Norms:
    """The normalisations of a graph: (x - mean) / sqrt(mean of squares + epsilon) * weight + bias."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self._nodes = graph.node
        self._makers = {name: node for node in graph.node for name in node.output}

    def joined(self) -> list[onnx.NodeProto]:
        """The graph's nodes in order, without the joined ones."""
        single: dict[str, onnx.NodeProto] = {}
        gone: set[str] = set()
        for node in self._nodes:
            if (parts := self._parts(node)) is not None:
                single[node.output[0]] = self._operator(node, parts)
                gone |= {part.output[0] for part in parts}
        if not single:
            raise ModelMissing("the graph is no BERT of opset 11: it has no layer normalisation of the known form")
        return [single.get(node.output[0], node) for node in self._nodes if node.output[0] not in gone]

    def _parts(self, last: onnx.NodeProto) -> list[onnx.NodeProto] | None:
        """The eight operators before the last addition, from back to front; None for another addition."""
        if last.op_type != "Add":
            return None
        found: list[onnx.NodeProto] = []
        at = last
        for kind, place in (("Mul", 0), ("Div", 0), ("Sqrt", 1), ("Add", 0), ("ReduceMean", 0), ("Pow", 0), ("Sub", 0)):
            maker = self._makers.get(at.input[place])
            if maker is None or maker.op_type != kind:
                return None
            found.append(maker)
            at = maker
        return [*found, self._makers[at.input[1]]]

    def _operator(self, last: onnx.NodeProto, parts: list[onnx.NodeProto]) -> onnx.NodeProto:
        scaled, plus, centred = parts[0], parts[3], parts[6]
        epsilon = numpy_helper.to_array(self._makers[plus.input[1]].attribute[0].t)
        inputs = [centred.input[0], scaled.input[1], last.input[1]]
        return helper.make_node(
            "LayerNormalization", inputs, list(last.output), name=last.name, axis=-1, epsilon=float(epsilon)
        )


def _with_axes_as_input(node: onnx.NodeProto) -> list[onnx.NodeProto]:
    """Since opset 13 ``Unsqueeze`` takes its axes as an input."""
    if node.op_type != "Unsqueeze":
        return [node]
    axes = helper.get_attribute_value(node.attribute[0])
    name = f"{node.output[0]}.axes"
    constant = helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.array(axes, dtype=np.int64)))
    return [constant, helper.make_node("Unsqueeze", [node.input[0], name], list(node.output), name=node.name)]
