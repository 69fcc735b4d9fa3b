"""The network of the tagger, to learn it. ``encoders.tagger`` computes the same with numpy."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from encoders.tagger import LAYERS, ROWS, TAGS

_WIDTH, _STATES = 32, 80


class Maxout(nn.Module):
    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, 2 * _STATES)
        self.norm = nn.LayerNorm(_STATES, eps=1e-5)

    def forward(self, states: Tensor) -> Tensor:
        pieces = self.linear(states)
        normal: Tensor = self.norm(pieces.unflatten(-1, (_STATES, 2)).amax(-1))
        return normal

    def tensors(self, name: str) -> dict[str, Tensor]:
        return {
            f"{name}.weight": self.linear.weight,
            f"{name}.bias": self.linear.bias,
            f"{name}.scale": self.norm.weight,
            f"{name}.shift": self.norm.bias,
        }


class TaggerNetwork(nn.Module):
    """(questions, words, features) rows to (questions, words, tags); ``mask`` is 0 for words that only fill."""

    def __init__(self, drop: float) -> None:
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(rows, _WIDTH) for rows in ROWS)
        for values in self.word_vectors():
            nn.init.normal_(values, std=0.3)
        self.first = Maxout(_WIDTH * len(ROWS))
        self.layers = nn.ModuleList(Maxout(3 * _STATES) for _ in range(LAYERS))
        self.tags = nn.Linear(_STATES, len(TAGS))
        self.drop = nn.Dropout(drop)

    def forward(self, rows: Tensor, mask: Tensor) -> Tensor:
        embedded = torch.cat([embedding(rows[..., number]) for number, embedding in enumerate(self.embeddings)], -1)
        states = self.first(self.drop(embedded)) * mask
        for layer in self.layers:
            padded = nn.functional.pad(states, (0, 0, 1, 1))
            states = states + layer(self.drop(torch.cat([padded[:, :-2], states, padded[:, 2:]], -1)))
            states = states * mask
        scores: Tensor = self.tags(states)
        return scores

    def word_vectors(self) -> list[Tensor]:
        """The values of each feature's embedding, to be changed in place."""
        return [embedding.weight.data for embedding in self.embeddings if isinstance(embedding, nn.Embedding)]

    def tensors(self) -> dict[str, Tensor]:
        named = {f"embed.{number}": values for number, values in enumerate(self.word_vectors())}
        named |= self.first.tensors("first")
        for number, layer in enumerate(self.layers):
            named |= layer.tensors(f"layer.{number}") if isinstance(layer, Maxout) else {}
        return named | {"tags.weight": self.tags.weight, "tags.bias": self.tags.bias}
