"""The precision of a training: weights have 32 bits, products can have 16."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Literal

Precision = Literal["float32", "bfloat16"]


def quickest(device: str = "cpu") -> Precision:
    """``bfloat16`` if the processor (or the GPU) supports it, else ``float32``."""
    import torch

    if device.startswith("cuda"):
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
    able = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return "bfloat16" if able else "float32"


def arithmetic(precision: Precision, device: str = "cpu") -> AbstractContextManager[None]:
    """A context for forward passes. ``bfloat16`` is some three times as fast on processors that support it
    (avx512_bf16, amx) and on GPUs; on others slower.
    """
    import torch

    return torch.autocast(device.partition(":")[0], torch.bfloat16, enabled=precision == "bfloat16")
