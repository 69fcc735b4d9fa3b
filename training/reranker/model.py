"""Late interaction with gradients: each token of a question looks for its best match among the tokens of a text.

score = sum_i w_i max_j (q_i . d_j) / sum_i w_i over unit vectors, -1..1; the question's first token ([CLS]) is matched
with the text's first one only, so that the whole meaning counts beside the words. ColBERT (Khattab and Zaharia, SIGIR
2020) with learned token weights. A question and a text are encoded apart, so that every text of a batch can be
scored with every question of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from encoders.tokens import Tokeniser
from training.examples import TrainingError
from training.reranker.held_out import Score
from training.reranker.settings import RerankerSettings
from training.weights import loading

_BATCH = 16
_HELD = 2000  # texts whose states are kept at once: 400 MB at 128 tokens
_ONE = 0.5413  # softplus of it is 1: all tokens weigh the same before anything is learnt


class LateModel:
    """The base's lower layers, a projection that begins as the identity, and a weight for each token."""

    def __init__(self, base: Path, settings: RerankerSettings) -> None:
        """Raises ModelMissing where the folder holds no such model, TrainingError where it holds a graph only."""
        self.settings, self.tokenizer = settings, base / "tokenizer.json"
        self.module = _module(base, settings)
        self._texts = Tokeniser(self.tokenizer, settings.max_tokens)
        self._questions = Tokeniser(self.tokenizer, settings.question_tokens)

    def scores(self, questions: Sequence[str], texts: Sequence[str]) -> Any:
        """(questions, texts) in -1..1, with gradients."""
        asked, asked_mask = self._states(self._questions.ids(questions))
        found, found_mask = self._states(self._texts.ids(texts))
        return interact(asked, asked_mask, found, found_mask)

    def reader(self) -> Score:
        """Logits without gradients and without dropout, as the weights are now: each text is read once, however many
        questions it stands beside."""
        import torch

        self.module.eval()
        held: dict[str, Any] = {}

        def score(question: str, texts: Sequence[str]) -> NDArray[np.float64]:
            with torch.inference_mode():
                self._hold(texts, held)
                asked, asked_mask = self._states(self._questions.ids([question]))
                found = [held[text] for text in texts]
                states = torch.nn.utils.rnn.pad_sequence(found, batch_first=True)
                lengths = torch.tensor([len(each) for each in found])
                mask = (torch.arange(states.shape[1])[None] < lengths[:, None]).long()
                logits = interact(asked, asked_mask, states, words_of(mask))[0].numpy()
            return np.asarray(logits, dtype=np.float64) * self.settings.scale

        return score

    def _hold(self, texts: Sequence[str], held: dict[str, Any]) -> None:
        """States of texts that are not held yet, those of like length together so that little is padded."""
        new = sorted({text for text in texts if text not in held}, key=lambda text: (len(text), text))
        for text in list(held)[: max(0, len(held) + len(new) - _HELD)]:
            if text not in texts:
                del held[text]
        for at in range(0, len(new), _BATCH):
            part = new[at : at + _BATCH]
            ids = self._texts.ids(part)
            states, _ = self._states(ids)
            held.update({text: row[: len(each)] for text, row, each in zip(part, states, ids, strict=True)})

    def learning(self) -> list[dict[str, Any]]:
        """Parameter groups with their learning rates: the base's layers, and what is new."""
        base, new = self.settings.learning_rate, self.settings.head_rate
        layers = [one for one in self.module.encoder.parameters() if one.requires_grad]
        groups = [{"params": self.module.head_parameters(), "rate": new}]
        return [*groups, {"params": layers, "rate": base}] if layers else groups

    def weights(self) -> dict[str, Any]:
        """What changes, by name; enough to go on from the base."""
        changing = ((name, each) for name, each in self.module.named_parameters() if each.requires_grad)
        return {name: each.detach().clone() for name, each in changing}

    def take(self, weights: dict[str, Any]) -> None:
        self.module.load_state_dict(weights, strict=False)

    def _states(self, ids: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        import torch

        longest = max(len(each) for each in ids)
        tokens = torch.zeros((len(ids), longest), dtype=torch.long)
        mask = torch.zeros((len(ids), longest), dtype=torch.long)
        for row, each in enumerate(ids):
            tokens[row, : len(each)] = torch.tensor(each)
            mask[row, : len(each)] = 1
        return self.module(tokens, mask), words_of(mask)


def interact(asked: Any, asked_mask: Any, found: Any, found_mask: Any) -> Any:
    """States (n, tokens, dims + 1), the last a token's weight, and masks of words; (questions, texts) in -1..1."""
    import torch

    vectors, weight = asked[..., :-1], asked[..., -1] * asked_mask
    texts = found[..., :-1]
    similar = torch.einsum("qid,tjd->qtij", vectors[:, 1:], texts[:, 1:])
    best = similar.masked_fill(~found_mask[None, :, None, 1:].bool(), -1.0).amax(-1)
    words = (best * weight[:, None, 1:]).sum(-1)
    whole = (vectors[:, 0] @ texts[:, 0].T) * weight[:, :1]
    return (words + whole) / weight.sum(1, keepdim=True)


def words_of(mask: Any) -> Any:
    """The mask without each row's last token ([SEP]), which means nothing."""
    import torch

    kept = mask.clone()
    kept[torch.arange(len(mask)), mask.sum(1) - 1] = 0
    return kept


def _module(base: Path, settings: RerankerSettings) -> Any:
    with loading(base, threads=settings.threads, seed=settings.seed) as transformers:
        encoder = transformers.AutoModel.from_pretrained(  # nosec B615
            str(base), use_safetensors=True, local_files_only=True, attn_implementation="eager"
        )
    layers = getattr(getattr(encoder, "encoder", None), "layer", None)
    if layers is None or len(layers) < settings.layers:
        raise TrainingError(f"{base} is not a BERT of at least {settings.layers} layers.")
    encoder.encoder.layer = layers[: settings.layers]
    encoder.config.num_hidden_layers = settings.layers
    encoder.pooler = None
    encoder.requires_grad_(False)
    for layer in encoder.encoder.layer[settings.layers - settings.learning_layers :]:
        layer.requires_grad_(True)
    return _late(encoder)


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

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            return self.of_words(self.encoder.embeddings.word_embeddings(input_ids), attention_mask)

        def of_words(self, embedded: Any, attention_mask: Any) -> Any:
            states = self.encoder(inputs_embeds=embedded, attention_mask=attention_mask).last_hidden_state
            unit = torch.nn.functional.normalize(self.project(states), dim=-1)
            return torch.cat([unit, torch.nn.functional.softplus(self.weigh(states))], dim=-1)

        def head_parameters(self) -> list[Any]:
            return [*self.project.parameters(), *self.weigh.parameters()]

    return Late()
