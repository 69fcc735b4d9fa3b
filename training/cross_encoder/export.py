"""Writes a trained cross-encoder as one int8 graph: the word table by row, the layers by the quantiser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from encoders.quantise import quantise
from encoders.torch_export import trace
from encoders.torch_models import INPUTS, accepted_inputs
from training.cross_encoder.weights import GRAPH, word_table

if TYPE_CHECKING:
    from torch import Tensor, nn
    from transformers import PreTrainedModel

_LARGEST = 127.0


def write_int8_graph(classifier: PreTrainedModel, folder: Path) -> Path:
    """``model.onnx`` in ``folder``; its size is a quarter of the weights in 32 bits. The classifier is used up."""
    import torch

    classifier.train(False)
    classifier.set_attn_implementation("eager")  # plain operators trace for any length
    full_graph, example = folder / ".fp32.onnx", torch.ones((2, 7), dtype=torch.long)
    trace(
        _with_byte_table(classifier),
        (example, example, torch.zeros_like(example)),
        full_graph,
        INPUTS,
        "logits",
        {0: "batch"},
    )
    quantise(full_graph, folder / GRAPH, "portable")
    full_graph.unlink()
    return folder / GRAPH


def _with_byte_table(classifier: PreTrainedModel) -> nn.Module:
    """The classifier with its word table in eight bits, one scale for each row: half of a small model's size."""
    import torch

    words = word_table(classifier).weight.detach()
    scales = words.abs().amax(1, keepdim=True).clamp(min=1e-8) / _LARGEST
    classifier.set_input_embeddings(torch.nn.Embedding(1, words.shape[1]))
    names = accepted_inputs(classifier, INPUTS[1:])

    class ByteTable(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.m = classifier
            self.table = torch.nn.Buffer((words / scales).round().to(torch.int8))
            self.by_row = torch.nn.Buffer(scales)

        def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
            inputs = dict(zip(INPUTS[1:], (attention_mask, token_type_ids), strict=True))
            vectors = self.table[input_ids].float() * self.by_row[input_ids]
            logits: Tensor = self.m(inputs_embeds=vectors, **{name: inputs[name] for name in names}).logits
            return logits

    return ByteTable().eval()
