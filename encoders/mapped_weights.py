"""Moves the large arrays of a graph to a file beside it, which ONNX Runtime maps into memory instead of copying it.

A process then holds only the rows of the word table that it has read, and all processes share them.
"""

from __future__ import annotations

from pathlib import Path

_LEAST_BYTES = 4 << 20  # smaller arrays are multiplied: ONNX Runtime copies those into its own order


def weights_beside(graph: Path) -> Path:
    """The file of a graph's large arrays; a graph with small ones has none."""
    return graph.with_name(f"{graph.name}.data")


def move_weights_beside(graph: Path) -> None:
    import onnx  # a serving process must not

    beside = weights_beside(graph)
    onnx.save_model(
        onnx.load(str(graph)),
        str(graph),
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location=beside.name,
        size_threshold=_LEAST_BYTES,
    )
    if beside.exists():
        beside.chmod(0o644)  # onnx makes it for its owner only


def write_whole(graph: Path, target: Path) -> None:
    """Copies a graph with all of its arrays in one file."""
    import onnx

    onnx.save_model(onnx.load(str(graph)), str(target))
