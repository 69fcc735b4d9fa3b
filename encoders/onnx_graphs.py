"""Rewrites ONNX graphs: one operator for each layer normalisation, a second output, large arrays in a separate file.

A serving process imports this module, but not onnx.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.errors import ModelMissing

if TYPE_CHECKING:
    import onnx

LOWER_STATES = "below"
"""Name of the output (n, tokens, dims) that the last ``REPLACED_LAYERS`` layers of the embedder read."""
REPLACED_LAYERS = 3
"""How many of the embedder's layers the token layers replace (ADR 0053). With another number, prepared graphs are made
again: increase ``encoders.prepare._VERSIONS``.
"""

_END = re.compile(r"layer\.(\d+)/output/LayerNorm/[^/]+$")
_LEAST_BYTES = 4 << 20  # smaller arrays are multiplied: ONNX Runtime copies those into its own order
OPSET, _IR = 17, 8


def add_lower_states(graph: Path) -> bool:
    """Adds the output ``LOWER_STATES`` to the graph and writes its file again.

    Returns False, and changes nothing, for a graph that is not a BERT whose layers have their usual names.
    """
    import onnx

    model = onnx.load(str(graph))
    layer_ends = {int(match[1]): node for node in model.graph.node if (match := _END.search(node.name))}
    last_lower = layer_ends.get(max(layer_ends, default=0) - REPLACED_LAYERS)
    if last_lower is None:
        return False
    last_lower_output = last_lower.output[0]
    for node in model.graph.node:
        for names in (node.input, node.output):
            for position, name in enumerate(names):
                names[position] = LOWER_STATES if name == last_lower_output else name
    width = model.graph.output[0].type.tensor_type.shape.dim[2].dim_value
    # Its other axes have no names: by the inputs' names ONNX Runtime joins other operators, which round differently.
    value_info = onnx.helper.make_tensor_value_info(LOWER_STATES, onnx.TensorProto.FLOAT, [None, None, width])
    model.graph.output.append(value_info)
    onnx.save(model, str(graph))
    return True


def move_weights_beside(graph: Path) -> None:
    """Graphs with the same large arrays share one file, ``weights-<hash>.data``; a graph with small ones has none."""
    import onnx

    model = onnx.load(str(graph))
    large = [tensor for tensor in model.graph.initializer if len(tensor.raw_data) >= _LEAST_BYTES]
    if not large:
        return
    name = f"weights-{hashlib.sha256(b''.join(tensor.raw_data for tensor in large)).hexdigest()[:12]}.data"
    data_file = graph.with_name(name)
    data_file.unlink(missing_ok=True)  # onnx appends to an existing file
    onnx.save_model(
        model,
        str(graph),
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location=name,
        size_threshold=_LEAST_BYTES,
    )
    data_file.chmod(0o644)  # onnx makes it for its owner only


def write_with_weights(graph: Path, target: Path) -> None:
    """Copies a graph with all of its arrays in one file."""
    import onnx

    onnx.save_model(onnx.load(str(graph)), str(target))


def write_with_layer_norms(source: Path, target: Path) -> None:
    """Writes the graph with one operator for each layer normalisation. A graph of opset 17 or newer stays as it is.

    Raises ModelMissing if an older graph has no normalisation in nine operators.

    ONNX Runtime also joins the nine operators of an older export, but differently around int8 operators. The sums then
    round differently: an int8 vector has a cosine of .9996 with that of a newer export of the same weights. With one
    operator in the file, the vectors are equal to the last bit (ADR 0032).
    """
    import onnx

    model = onnx.load(str(source))
    if model.opset_import[0].version >= OPSET:
        onnx.save(model, str(target))
        return
    nodes = [_with_axes_as_input(node) for node in _Norms(model.graph).join()]
    del model.graph.node[:]
    model.graph.node.extend(node for group in nodes for node in group)
    del model.opset_import[:]
    model.opset_import.append(onnx.helper.make_opsetid("", OPSET))
    model.ir_version = _IR
    onnx.checker.check_model(model)
    onnx.save(model, str(target))


class _Norms:
    """The normalisations of a graph: (x - mean) / sqrt(mean of squares + epsilon) * weight + bias."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self._nodes = graph.node
        self._makers = {name: node for node in graph.node for name in node.output}

    def join(self) -> list[onnx.NodeProto]:
        """The graph's nodes in order, without the joined ones."""
        single: dict[str, onnx.NodeProto] = {}
        removed: set[str] = set()
        for node in self._nodes:
            if (parts := self._parts(node)) is not None:
                single[node.output[0]] = self._operator(node, parts)
                removed |= {part.output[0] for part in parts}
        if not single:
            raise ModelMissing("the graph is no BERT of opset 11: it has no layer normalisation in nine operators")
        return [single.get(node.output[0], node) for node in self._nodes if node.output[0] not in removed]

    def _parts(self, last: onnx.NodeProto) -> list[onnx.NodeProto] | None:
        """The eight operators before the last addition, from back to front; None for another addition."""
        if last.op_type != "Add":
            return None
        parts: list[onnx.NodeProto] = []
        node = last
        for kind, position in (
            ("Mul", 0),
            ("Div", 0),
            ("Sqrt", 1),
            ("Add", 0),
            ("ReduceMean", 0),
            ("Pow", 0),
            ("Sub", 0),
        ):
            maker = self._makers.get(node.input[position])
            if maker is None or maker.op_type != kind:
                return None
            parts.append(maker)
            node = maker
        return [*parts, self._makers[node.input[1]]]

    def _operator(self, last: onnx.NodeProto, parts: list[onnx.NodeProto]) -> onnx.NodeProto:
        from onnx import helper, numpy_helper

        scaled, variance_sum, centred = parts[0], parts[3], parts[6]
        epsilon = numpy_helper.to_array(self._makers[variance_sum.input[1]].attribute[0].t)
        inputs = [centred.input[0], scaled.input[1], last.input[1]]
        return helper.make_node(
            "LayerNormalization", inputs, list(last.output), name=last.name, axis=-1, epsilon=float(epsilon)
        )


def _with_axes_as_input(node: onnx.NodeProto) -> list[onnx.NodeProto]:
    """Since opset 13 ``Unsqueeze`` takes its axes as an input."""
    if node.op_type != "Unsqueeze":
        return [node]
    from onnx import helper, numpy_helper

    axes = helper.get_attribute_value(node.attribute[0])
    name = f"{node.output[0]}.axes"
    constant = helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.array(axes, dtype=np.int64)))
    return [constant, helper.make_node("Unsqueeze", [node.input[0], name], list(node.output), name=node.name)]
