"""Trainable late interaction: each token of a question finds its best match among the tokens of a text.

score = sum_i w_i max_j (q_i . d_j) / sum_i w_i over unit vectors, -1..1; the question's first token ([CLS]) is matched
only with the text's first one, so that the whole meaning counts besides the words. ColBERT (Khattab and Zaharia, SIGIR
2020) with learned token weights. A question and a text are encoded separately, so that every text of a batch can be
scored with every question of it.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.json_types import Json
from encoders.tokens import Tokeniser
from encoders.windows import wanted, windowed
from training.examples import TrainingError
from training.precision import arithmetic
from training.reranker.held_out import Score
from training.reranker.settings import RerankerSettings
from training.weights import loading

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Parameter

_BATCH = 16
_HELD = 2000  # windows whose states are stored at once: 400 MB at 128 tokens
_ONE = 0.5413  # its softplus is 1: all tokens have the same weight before training


class LateModel:
    """The base's lower layers, a projection that starts as the identity, and a weight for each token."""

    def __init__(self, base: Path, settings: RerankerSettings) -> None:
        """Raises ModelMissing if the folder holds no such model, TrainingError if it has only a graph."""
        self.settings, self.tokenizer = settings, base / "tokenizer.json"
        self.module, self._whole = _modules(base, settings)
        self._texts = Tokeniser(self.tokenizer, settings.max_tokens)
        self._questions = Tokeniser(self.tokenizer, settings.question_tokens)

    def scores(self, questions: Sequence[str], texts: Sequence[str], about: Sequence[int]) -> Interaction:
        """With gradients. ``about``: for each text, the question whose words choose its window."""
        with self._arithmetic():
            ids = self._questions.ids(questions)
            asked = self._read(ids)
            found = self._read(self._stretches(texts, self._worth(ids, asked), about))
            return Interaction(interact(asked.states, asked.mask, found.states, found.mask), asked, found)

    def drift(self, read: Interaction) -> Tensor:
        """The distance of the tokens' vectors to those of the whole base: mean of 1 - cosine, with gradients."""
        import torch

        apart = []
        for one in (read.asked, read.found):
            with torch.inference_mode(), self._arithmetic():
                states = self._whole(one.tokens, attention_mask=one.attention).last_hidden_state
            aimed = torch.nn.functional.normalize(states.float(), dim=-1).clone()
            cosine = (one.states[..., :-1].float() * aimed).sum(-1)
            apart.append(((1.0 - cosine) * one.mask).sum() / one.mask.sum())
        return sum(apart[1:], apart[0]) / len(apart)

    def reader(self) -> Score:
        """Logits with the current weights, without gradients and dropout: each window of text is encoded once, for all
        its questions.
        """
        import torch

        self.module.eval()
        held: dict[tuple[int, ...], Tensor] = {}

        def score(question: str, texts: Sequence[str]) -> NDArray[np.float64]:
            with torch.inference_mode(), self._arithmetic():
                ids = self._questions.ids([question])
                asked = self._read(ids)
                stretches = [tuple(one) for one in self._stretches(texts, self._worth(ids, asked), [0] * len(texts))]
                self._hold(stretches, held)
                found = [held[stretch] for stretch in stretches]
                states = torch.nn.utils.rnn.pad_sequence(found, batch_first=True)
                lengths = torch.tensor([len(each) for each in found])
                mask = (torch.arange(states.shape[1])[None] < lengths[:, None]).long()
                logits = interact(asked.states, asked.mask, states, words_of(mask))[0].float().numpy()
            return np.asarray(logits, dtype=np.float64) * self.settings.scale

        return score

    def _hold(self, stretches: Sequence[tuple[int, ...]], held: dict[tuple[int, ...], Tensor]) -> None:
        """Computes missing states, windows of similar length together to reduce padding."""
        new = sorted({one for one in stretches if one not in held}, key=lambda one: (len(one), one))
        wanted_now = set(stretches)
        for one in list(held)[: max(0, len(held) + len(new) - _HELD)]:
            if one not in wanted_now:
                del held[one]
        for at in range(0, len(new), _BATCH):
            part = new[at : at + _BATCH]
            read = self._read(part)
            held.update({one: row[: len(one)] for one, row in zip(part, read.states, strict=True)})

    def _worth(self, ids: Sequence[Sequence[int]], asked: Read) -> list[dict[int, float]]:
        return [wanted(own[1:-1], row[1 : len(own) - 1]) for own, row in zip(ids, asked.weights(), strict=True)]

    def _stretches(
        self, texts: Sequence[str], worth: Sequence[dict[int, float]], about: Sequence[int]
    ) -> list[list[int]]:
        whole, most = self._texts.whole(texts), self._texts.max_tokens
        return [windowed(each, worth[at], most) for each, at in zip(whole, about, strict=True)]

    def learning(self) -> list[Json]:
        """Parameter groups with their learning rates: the base's layers, and the new parts."""
        base, new = self.settings.learning_rate, self.settings.head_rate
        layers = [one for one in self.module.encoder.parameters() if one.requires_grad]
        groups = [{"params": self.module.head_parameters(), "rate": new}]
        return [*groups, {"params": layers, "rate": base}] if layers else groups

    def weights(self) -> Json:
        """The trained weights by name; sufficient to continue from the base."""
        changing = ((name, each) for name, each in self.module.named_parameters() if each.requires_grad)
        return {name: each.detach().clone() for name, each in changing}

    def take(self, weights: Json) -> None:
        self.module.load_state_dict(weights, strict=False)

    def _arithmetic(self) -> AbstractContextManager[None]:
        return arithmetic(self.settings.precision)

    def _read(self, ids: Sequence[Sequence[int]]) -> Read:
        import torch

        longest = max(len(each) for each in ids)
        tokens = torch.zeros((len(ids), longest), dtype=torch.long)
        mask = torch.zeros((len(ids), longest), dtype=torch.long)
        for row, each in enumerate(ids):
            tokens[row, : len(each)] = torch.tensor(each)
            mask[row, : len(each)] = 1
        return Read(tokens, mask, words_of(mask), self.module(tokens, mask))


@dataclass(frozen=True, slots=True)
class Read:
    """``tokens`` and ``attention``: (n, longest); ``mask``: without [SEP]; ``states``: (n, longest, dims + 1)."""

    tokens: Tensor
    attention: Tensor
    mask: Tensor
    states: Tensor

    def weights(self) -> list[list[float]]:
        """The weight of each token, padding included."""
        found: list[list[float]] = self.states[..., -1].detach().float().tolist()
        return found


@dataclass(frozen=True, slots=True)
class Interaction:
    """``scores``: (questions, texts) in -1..1."""

    scores: Tensor
    asked: Read
    found: Read


def interact(asked: Tensor, asked_mask: Tensor, found: Tensor, found_mask: Tensor) -> Tensor:
    """States (n, tokens, dims + 1), the last a token's weight, and masks of words; (questions, texts) in -1..1."""
    import torch

    vectors, weight = asked[..., :-1], asked[..., -1] * asked_mask
    texts = found[..., :-1]
    similar = torch.einsum("qid,tjd->qtij", vectors[:, 1:], texts[:, 1:])
    best = similar.masked_fill(~found_mask[None, :, None, 1:].bool(), -1.0).amax(-1)
    words = (best * weight[:, None, 1:]).sum(-1)
    whole = (vectors[:, 0] @ texts[:, 0].T) * weight[:, :1]
    return (words + whole) / weight.sum(1, keepdim=True)


def words_of(mask: Tensor) -> Tensor:
    """The mask without each row's last token ([SEP]), which is ignored."""
    import torch

    kept = mask.clone()
    kept[torch.arange(len(mask)), mask.sum(1) - 1] = 0
    return kept


def _modules(base: Path, settings: RerankerSettings) -> tuple[Any, Any]:
    """The trainable modules, and the whole base as a reference; None if it is not used."""
    with loading(base, threads=settings.threads, seed=settings.seed) as transformers:
        encoder = transformers.AutoModel.from_pretrained(  # nosec B615
            str(base), use_safetensors=True, local_files_only=True, attn_implementation="eager"
        )
    layers = getattr(getattr(encoder, "encoder", None), "layer", None)
    if layers is None or len(layers) < settings.layers:
        raise TrainingError(f"{base} is not a BERT of at least {settings.layers} layers.")
    whole = copy.deepcopy(encoder).eval().requires_grad_(False) if settings.near_base else None
    encoder.encoder.layer = layers[: settings.layers]
    encoder.config.num_hidden_layers = settings.layers
    encoder.pooler = None
    encoder.requires_grad_(False)
    for layer in encoder.encoder.layer[settings.layers - settings.learning_layers :]:
        layer.requires_grad_(True)
    return _late(encoder), whole


def _late(encoder: Any) -> Any:
    import torch

    dims = encoder.config.hidden_size

    class Late(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder
            self.project = torch.nn.Linear(dims, dims, bias=False)
            self.weigh = torch.nn.Linear(dims, 1)
            torch.nn.init.eye_(self.project.weight)
            torch.nn.init.zeros_(self.weigh.weight)
            torch.nn.init.constant_(self.weigh.bias, _ONE)

        def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
            return self.of_words(self.encoder.embeddings.word_embeddings(input_ids), attention_mask)

        def of_words(self, embedded: Tensor, attention_mask: Tensor) -> Tensor:
            states = self.encoder(inputs_embeds=embedded, attention_mask=attention_mask).last_hidden_state
            unit = torch.nn.functional.normalize(self.project(states), dim=-1)
            return torch.cat([unit, torch.nn.functional.softplus(self.weigh(states))], dim=-1)

        def head_parameters(self) -> list[Parameter]:
            return [*self.project.parameters(), *self.weigh.parameters()]

    return Late()
