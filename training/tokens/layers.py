"""The token layers of an embedder: copies of its last layers that learn for late interaction alone.

The embedder itself stays as it is. Its lower states are read once and go both ways: through its own last layers to the
vector, through these to the token vectors. Imports torch.
"""

from __future__ import annotations

import copy
import logging
from pathlib import Path
from typing import TYPE_CHECKING, cast

import torch
from torch.nn import functional

from encoders.onnx_graphs import BELOW, OWN_LAYERS
from encoders.quantise import quantise
from encoders.token_head import TokenHead
from encoders.torch_export import trace
from training.examples import TrainingError

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import BertModel
    from transformers.models.bert.modeling_bert import BertLayer

_PADDING_SCORE = -1e4  # added to the score of a padding token before the softmax


class TokenLayers(torch.nn.Module):
    """The lower layers of a BERT, frozen, copies of its last ``OWN_LAYERS``, and the head.

    Raises TrainingError for a model of too few layers.
    """

    def __init__(self, base: BertModel, head: TokenHead, dropout: float = 0.1) -> None:
        super().__init__()
        layers = getattr(getattr(base, "encoder", None), "layer", ())
        if len(layers) <= OWN_LAYERS:
            raise TrainingError(f"The embedder is no BERT of more than {OWN_LAYERS} layers.")
        self.lower = copy.deepcopy(base).requires_grad_(False)
        self.lower.encoder.layer = self.lower.encoder.layer[:-OWN_LAYERS]
        self.lower.pooler = None
        self.width = base.config.hidden_size
        heads = base.config.num_attention_heads
        self.own = torch.nn.ModuleList(_Layer(each, heads, dropout) for each in layers[-OWN_LAYERS:])
        self.mean = torch.nn.Parameter(torch.from_numpy(head.mean.copy()))
        self.projection = torch.nn.Parameter(torch.from_numpy(head.projection.copy()))

    def forward(self, below: Tensor, mask: Tensor) -> Tensor:
        """(n, tokens, states) of the embedder's lower states; ``mask``: (n, tokens), true for a token."""
        for layer in self.own:
            below = layer(below, mask)
        return below

    def states(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(n, tokens, states), unit norm."""
        self.lower.train(False)
        with torch.no_grad():
            below = self.lower(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        return functional.normalize(self(below, mask).float(), dim=-1)

    def documents(self, ids: Tensor, mask: Tensor, places: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Signs (n, count, dims) of norm 1 and which of them are there (n, count), as they are stored.

        ``places``: (n, tokens) which vector a token is joined to, ``count`` for none. The gradient passes through the
        signs unchanged (Bengio et al. 2013).
        """
        states = self.states(ids, mask)
        rows, _, width = states.shape
        joined = torch.zeros(rows, count + 1, width, device=states.device)
        joined = joined.scatter_add(1, places[:, :, None].expand(-1, -1, width), states)[:, :count]
        is_present = torch.zeros(rows, count + 1, device=states.device, dtype=torch.bool)
        is_present = is_present.scatter(1, places, value=True)[:, :count]
        floats = self.projected(functional.normalize(joined, dim=-1))
        signs = floats + (torch.sign(floats) / floats.shape[-1] ** 0.5 - floats).detach()
        return signs, is_present

    def projected(self, states: Tensor) -> Tensor:
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
        attended = functional.scaled_dot_product_attention(
            query, split(projections.key), split(projections.value), attn_mask=padding
        )
        attended = attended.transpose(1, 2).reshape(rows, tokens, width)
        attended = functional.dropout(attention.output.dense(attended), self.dropout, self.training)
        states = attention.output.LayerNorm(states + attended)
        inner = functional.gelu(layer.intermediate.dense(states))
        inner = functional.dropout(layer.output.dense(inner), self.dropout, self.training)
        return cast("Tensor", layer.output.LayerNorm(states + inner))


def export_layers(layers: TokenLayers, target: Path) -> None:
    """Writes the graph that ``encoders.token_head`` names: lower states and mask to states, int8 for any processor."""
    layers = layers.cpu().eval()
    example = (torch.zeros(2, 7, layers.width), torch.ones(2, 7, dtype=torch.long))
    whole = target.with_suffix(".fp32.onnx")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    trace(layers, example, whole, (BELOW, "attention_mask"), "states")
    quantise(whole, target, "portable")
    whole.unlink()
