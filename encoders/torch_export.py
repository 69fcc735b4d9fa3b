"""Exports PyTorch weights to an ONNX graph; in a separate process (see ``prepare``), so that serving never loads
torch.
"""

from __future__ import annotations

import logging
import os
import warnings
from pathlib import Path
from typing import Any, Literal

Head = Literal["states", "logits"]
OPSET = 17
_INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


def export(source: Path, target: Path, head: Head) -> None:
    """Writes the graph of ``source`` with free batch and token axes.

    ``states``: (n, tokens, dims) of the last layer, for an embedder; ``logits``: (n, labels), for a cross-encoder.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"  # read when transformers is imported; a folder needs no hub
    import torch

    logging.getLogger("transformers").setLevel(logging.ERROR)
    model = _wrapped(source, head)
    example = tuple(torch.ones((2, 7), dtype=torch.long) for _ in _INPUTS)
    axes = {0: "batch", 1: "tokens"}
    output_axes = axes if head == "states" else {0: "batch"}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter warns: deprecated; the new one needs onnxscript
        torch.onnx.export(
            model,
            example,
            str(target),
            input_names=_INPUTS,
            output_names=[head],
            dynamic_axes={**dict.fromkeys(_INPUTS, axes), head: output_axes},
            opset_version=OPSET,
            dynamo=False,
        )


def _wrapped(source: Path, head: Head) -> Any:
    import torch
    from transformers import AutoModel, AutoModelForSequenceClassification

    kind = AutoModel if head == "states" else AutoModelForSequenceClassification
    # "eager" attention: its plain operators trace for any length; fused ones fix the example's length.
    inner: Any = kind.from_pretrained(
        str(source), attn_implementation="eager", use_safetensors=True, local_files_only=True
    ).eval()

    class Graph(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            said = self.inner(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
            return said.last_hidden_state if head == "states" else said.logits

    return Graph()
