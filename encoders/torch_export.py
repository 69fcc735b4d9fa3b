"""Exports PyTorch weights to an ONNX graph; in a separate process (see ``prepare``), so that serving never loads
torch.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from encoders.torch_models import INPUTS, accepted_inputs, load_classifier, load_complete

if TYPE_CHECKING:
    from torch import Tensor, nn

GraphOutput = Literal["states", "logits"]
OPSET = 17
AXES: Mapping[int, str] = {0: "batch", 1: "tokens"}


def export(source: Path, target: Path, output: GraphOutput) -> None:
    """Writes the graph of ``source`` with free batch and token axes.

    ``states``: (n, tokens, dims) of the last layer, for an embedder; ``logits``: (n, labels), for a cross-encoder.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"  # transformers reads it at import; a folder needs no hub
    import torch

    logging.getLogger("transformers").setLevel(logging.ERROR)
    model = _module(source, output)
    example = tuple(torch.ones((2, 7), dtype=torch.long) for _ in INPUTS)
    trace(model, example, target, INPUTS, output, AXES if output == "states" else {0: "batch"})


def trace(
    model: nn.Module,
    example: tuple[Tensor, ...],
    target: Path,
    inputs: Sequence[str],
    output: str,
    output_axes: Mapping[int, str] = AXES,
) -> None:
    """Writes the graph of what ``model`` does with ``example``; the inputs' batch and token axes are free."""
    import torch

    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter warns: deprecated; the new one needs onnxscript
        torch.onnx.export(
            model,
            example,
            str(target),
            input_names=list(inputs),
            output_names=[output],
            dynamic_axes={**dict.fromkeys(inputs, AXES), output: output_axes},
            opset_version=OPSET,
            dynamo=False,
        )


def _module(source: Path, output: GraphOutput) -> nn.Module:
    import torch

    # "eager" attention: its plain operators trace for any length; fused ones fix the example's length. ONNX Runtime
    # computes on processors in float32 only, and many models are published in 16 bits.
    options = {"attn_implementation": "eager", "dtype": torch.float32}
    return (
        load_classifier(source, **options)
        if output == "logits"
        else _states(load_complete("AutoModel", source, **options))
    )


def _states(inner: nn.Module) -> nn.Module:
    import torch

    names = accepted_inputs(inner, INPUTS)

    class States(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
            inputs = dict(zip(INPUTS, (input_ids, attention_mask, token_type_ids), strict=True))
            states: Tensor = self.inner(**{name: inputs[name] for name in names}).last_hidden_state
            return states

    return States()
