"""Converts weights to eight bits, and checks that the vectors stay close."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from encoders.onnx_session import Compute, OnnxSession, TokenIds
from encoders.pooling import agreement, pool_states
from encoders.recipe import Recipe
from encoders.tokens import Tokeniser

LEAST_MEAN_COSINE = 0.99  # the least mean cosine to fp32 with which int8 is used

Int8Kind = Literal["vnni", "portable"]
INT8_GRAPHS: Mapping[Int8Kind, str] = {"portable": "model.int8.onnx", "vnni": "model.int8.vnni.onnx"}
"""``portable`` is correct on every processor; ``vnni`` is closer to fp32, on processors that support it."""


@dataclass(frozen=True, slots=True)
class Int8Comparison:
    """int8 against fp32 on our sample: mean and smallest cosine, and the number of texts."""

    mean: float
    minimum: float
    texts: int

    @property
    def is_good(self) -> bool:
        return self.mean >= LEAST_MEAN_COSINE


def sample_texts() -> list[str]:
    """Titles with abstracts, and questions, in our own words about environmental data."""
    text = (files("encoders") / "sample.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def quantise(graph: Path, target: Path, kind: Int8Kind) -> None:
    """Dynamic int8, one scale per output channel of each weight matrix; activations are scaled at run time.

    Processors without VNNI add pairs of products in 16 bits, which overflow unless weights use only 7 bits, as in the
    portable graph.
    """
    import logging

    from onnxruntime.quantization import QuantType, quantize_dynamic

    logging.getLogger().setLevel(logging.ERROR)  # the quantiser logs on the root logger that shapes were not inferred
    quantize_dynamic(
        graph,
        target,
        op_types_to_quantize=["MatMul", "Gemm"],
        per_channel=True,
        reduce_range=kind == "portable",
        weight_type=QuantType.QInt8,
    )


def int8_kind() -> Int8Kind:
    """``vnni`` if this processor multiplies int8 without overflow, else ``portable``."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.is_file():
        return "portable"
    words = set(cpuinfo.read_text(encoding="utf-8", errors="replace").split())
    return "vnni" if words & {"avx512_vnni", "avx_vnni", "asimddp", "i8mm"} else "portable"


def compare(folder: Path, recipe: Recipe, texts: list[str], kind: Int8Kind = "portable") -> Int8Comparison:
    """The int8 graph of that kind against ``model.onnx`` of one folder."""
    tokens = [TokenIds(ids) for ids in Tokeniser(folder / "tokenizer.json", recipe.max_tokens).ids(texts)]
    vectors = [
        OnnxSession(folder / file, Compute()).map(
            tokens, lambda states, mask: pool_states(states, mask, recipe.pooling)
        )
        for file in ("model.onnx", INT8_GRAPHS[kind])
    ]
    mean, minimum = agreement(vectors[0], vectors[1])
    return Int8Comparison(mean, minimum, len(texts))
