"""In how many bits a training computes: weights stay in 32, products may be taken in 16."""

from __future__ import annotations

from typing import Any, Literal

Precision = Literal["float32", "bfloat16"]


def arithmetic(precision: Precision, device: str = "cpu") -> Any:
    """A context for forward passes. ``bfloat16`` is some three times as fast on processors that have it (avx512_bf16,
    amx) and on GPUs; on others slower."""
    import torch

    return torch.autocast(device.partition(":")[0], torch.bfloat16, enabled=precision == "bfloat16")
