"""Chooses among the graphs of a model in a hub's layout: in ``onnx/`` or next to ``config.json``, with the names of
Optimum, sentence-transformers and transformers.js.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from core.errors import ModelMissing
from encoders.quantise import int8_kind

Processor = Literal["vnni", "x86", "arm", "gpu"]

_FP32_GRAPHS = ("model.onnx", "model_O2.onnx", "model_O1.onnx", "model_O3.onnx")
GRAPHS_BY_PROCESSOR: Mapping[Processor, Sequence[str]] = {
    "vnni": (
        "model_qint8_avx512_vnni.onnx",
        "model_qint8_avx512.onnx",
        "model_quantized.onnx",
        "model_int8.onnx",
        "model_quint8_avx2.onnx",
        "model_uint8.onnx",
        *_FP32_GRAPHS,
    ),
    "x86": ("model_quint8_avx2.onnx", "model_quantized.onnx", "model_uint8.onnx", *_FP32_GRAPHS),
    "arm": ("model_qint8_arm64.onnx", "model_quantized.onnx", "model_int8.onnx", "model_uint8.onnx", *_FP32_GRAPHS),
    "gpu": (*_FP32_GRAPHS, "model_O4.onnx", "model_fp16.onnx"),
}
"""The best first. ``x86`` has no VNNI: it adds pairs of products in 16 bits, which overflow with signed weights of
eight bits (``qint8``). A GPU has no int8 operators.
"""
_FOLDER = "onnx"


def processor(device: str) -> Processor:
    """The type of processor behind ``device``, for the table ``GRAPHS_BY_PROCESSOR``."""
    if device != "cpu":
        return "gpu"
    if platform.machine().lower() in ("aarch64", "arm64"):
        return "arm"
    return "vnni" if int8_kind() == "vnni" else "x86"


def hub_graphs(folder: Path, device: str) -> list[Path]:
    """The graphs that fit this processor, best first; empty for another layout, or for one graph at the folder's root.

    Raises ModelMissing if the folder has graphs for other processors only, and no other weights.
    """
    file_names = GRAPHS_BY_PROCESSOR[processor(device)]
    graphs = [path for name in file_names for path in (folder / _FOLDER / name, folder / name) if path.is_file()]
    if graphs == [folder / "model.onnx"]:
        return []
    unfit_graphs = sorted(file.name for file in folder.glob(f"{_FOLDER}/*.onnx"))
    if unfit_graphs and not graphs and not any(folder.glob("*.safetensors")):
        raise ModelMissing(
            f"{folder / _FOLDER} has no graph for this processor, only {', '.join(unfit_graphs)}: add its model.onnx"
        )
    return graphs
