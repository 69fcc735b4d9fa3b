"""Moves the large arrays of a graph to a file beside it, which ONNX Runtime maps into memory instead of copying it.

A process then holds only the rows of the word table that it has read, and all processes share them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

_LEAST_BYTES = 4 << 20  # smaller arrays are multiplied: ONNX Runtime copies those into its own order


def move_weights_beside(graph: Path) -> None:
    """Graphs with the same large arrays share one file, ``weights-<hash>.data``; a graph with small ones has none."""
    import onnx  # a serving process must not

    model = onnx.load(str(graph))
    large = [each for each in model.graph.initializer if len(each.raw_data) >= _LEAST_BYTES]
    if not large:
        return
    name = f"weights-{hashlib.sha256(b''.join(each.raw_data for each in large)).hexdigest()[:12]}.data"
    beside = graph.with_name(name)
    beside.unlink(missing_ok=True)  # onnx appends to what is there
    onnx.save_model(
        model,
        str(graph),
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location=name,
        size_threshold=_LEAST_BYTES,
    )
    beside.chmod(0o644)  # onnx makes it for its owner only


def write_whole(graph: Path, target: Path) -> None:
    """Copies a graph with all of its arrays in one file."""
    import onnx

    onnx.save_model(onnx.load(str(graph)), str(target))
