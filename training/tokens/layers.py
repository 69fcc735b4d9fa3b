"""The token layers of an embedder: copies of its last layers that learn for late interaction alone.

The embedder itself stays as it is. Its lower layers run once. Its last layers make the vector of their states, and the
token layers make the token vectors. Imports torch.
"""

from __future__ import annotations

import copy
import logging
from pathlib import Path
from typing import TYPE_CHECKING, cast

import torch
from torch.nn import functional

from encoders.onnx_graphs import LOWER_STATES, REPLACED_LAYERS
from encoders.quantise import quantise
from encoders.token_head import TokenHead
from encoders.torch_models import trace
from training.examples import TrainingError

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import BertModel
    from transformers.models.bert.modeling_bert import BertLayer

_PADDING_SCORE = -1e4  # added to the score of a padding token before the softmax


class TokenLayers(torch.nn.Module):
    """The lower layers of a BERT, frozen, copies of its last ``REPLACED_LAYERS``, and the token head.

    Raises TrainingError for a model with too few layers.
    """

    def __init__(self, base: BertModel, head: TokenHead, dropout: float = 0.1) -> None:
        super().__init__()
        layers = getattr(getattr(base, "encoder", None), "layer", ())
        if len(layers) <= REPLACED_LAYERS:
            raise TrainingError(f"The embedder is not a BERT with more than {REPLACED_LAYERS} layers.")
        self.lower = copy.deepcopy(base).requires_grad_(False)
        self.lower.encoder.layer = self.lower.encoder.layer[:-REPLACED_LAYERS]
        self.lower.pooler = None
        self.width = base.config.hidden_size
        heads = base.config.num_attention_heads
        self.upper = torch.nn.ModuleList(_Layer(layer, heads, dropout) for layer in layers[-REPLACED_LAYERS:])
        self.mean = torch.nn.Parameter(torch.from_numpy(head.mean.copy()))
        self.projection = torch.nn.Parameter(torch.from_numpy(head.projection.copy()))

    def forward(self, lower_states: Tensor, mask: Tensor) -> Tensor:
        """(n, tokens, states) of the embedder's lower states; ``mask``: (n, tokens), true for a token."""
        for layer in self.upper:
            lower_states = layer(lower_states, mask)
        return lower_states

    def states(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(n, tokens, states), unit norm."""
        self.lower.train(False)
        with torch.no_grad():
            lower_states = self.lower(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        return functional.normalize(self(lower_states, mask).float(), dim=-1)

    def documents(self, ids: Tensor, mask: Tensor, places: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Signs (n, count, dims) of norm 1, as the index stores them, and which of them exist (n, count).

        ``places``: (n, tokens) the number of the vector that a token is added to, ``count`` for none. The gradient
        passes through the signs unchanged (Bengio et al. 2013).
        """
        states = self.states(ids, mask)
        rows, _, width = states.shape
        sums = torch.zeros(rows, count + 1, width, device=states.device)
        sums = sums.scatter_add(1, places[:, :, None].expand(-1, -1, width), states)[:, :count]
        is_present = torch.zeros(rows, count + 1, device=states.device, dtype=torch.bool)
        is_present = is_present.scatter(1, places, value=True)[:, :count]
        floats = self.project(functional.normalize(sums, dim=-1))
        signs = floats + (torch.sign(floats) / floats.shape[-1] ** 0.5 - floats).detach()
        return signs, is_present

    def project(self, states: Tensor) -> Tensor:
        """(..., dims), unit norm, of unit states."""
        return functional.normalize((states - self.mean) @ self.projection, dim=-1)


class _Layer(torch.nn.Module):
    """BERT's layer (Devlin et al. 2019) with the weights of ``source``."""

    def __init__(self, source: BertLayer, heads: int, dropout: float) -> None:
        super().__init__()
        self.layer = copy.deepcopy(source).requires_grad_(True)
        self.heads, self.dropout = heads, dropout

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        attention, layer = self.layer.attention, self.layer
        rows, tokens, width = states.shape

        def split(linear: torch.nn.Linear) -> Tensor:
            return cast("Tensor", linear(states)).view(rows, tokens, self.heads, width // self.heads).transpose(1, 2)

        projections = attention.self
        query = split(projections.query)
        padding = (1.0 - mask[:, None, None, :].to(query.dtype)) * _PADDING_SCORE
        context = functional.scaled_dot_product_attention(
            query, split(projections.key), split(projections.value), attn_mask=padding
        )
        context = context.transpose(1, 2).reshape(rows, tokens, width)
        context = functional.dropout(attention.output.dense(context), self.dropout, self.training)
        states = attention.output.LayerNorm(states + context)
        inner = functional.gelu(layer.intermediate.dense(states))
        inner = functional.dropout(layer.output.dense(inner), self.dropout, self.training)
        return cast("Tensor", layer.output.LayerNorm(states + inner))


def export_layers(layers: TokenLayers, target: Path) -> None:
    """Writes the layers' graph for a token head: lower states and mask to states, int8 for any processor."""
    layers = layers.cpu().eval()
    example = (torch.zeros(2, 7, layers.width), torch.ones(2, 7, dtype=torch.long))
    fp32_graph = target.with_suffix(".fp32.onnx")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    trace(layers, example, fp32_graph, (LOWER_STATES, "attention_mask"), "states")
    quantise(fp32_graph, target, "portable")
    fp32_graph.unlink()
