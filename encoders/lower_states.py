"""Gives an embedder's graph a second output: the states from which the token layers go on."""

from __future__ import annotations

import re
from pathlib import Path

BELOW = "below"
"""The output: (n, tokens, dims), what the last ``OWN_LAYERS`` layers of the embedder read."""
OWN_LAYERS = 3
"""How many of the embedder's layers the token layers replace (ADR 0053). With another number, prepared graphs are made
again: increase ``encoders.prepare._VERSIONS``.
"""

_END = re.compile(r"layer\.(\d+)/output/LayerNorm/[^/]+$")


def expose(graph: Path) -> bool:
    """Whether ``graph`` is a BERT whose layers have their names; without them it stays as it is."""
    import onnx  # a serving process must not

    model = onnx.load(str(graph))
    ends = {int(found[1]): node for node in model.graph.node if (found := _END.search(node.name))}
    end = ends.get(max(ends, default=0) - OWN_LAYERS)
    if end is None:
        return False
    named = end.output[0]
    for node in model.graph.node:
        for names in (node.input, node.output):
            for at, name in enumerate(names):
                names[at] = BELOW if name == named else name
    width = model.graph.output[0].type.tensor_type.shape.dim[2].dim_value
    # Its other axes have no names: by the inputs' names ONNX Runtime joins other operators, which round differently.
    own = onnx.helper.make_tensor_value_info(BELOW, onnx.TensorProto.FLOAT, [None, None, width])
    model.graph.output.append(own)
    onnx.save(model, str(graph))
    return True
