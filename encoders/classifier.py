"""A cross-encoder's weights in PyTorch, with its head. The torch runtime serves it; the exporter makes a graph of it.

The head is part of the model (``...ForSequenceClassification``), or sentence-transformers keeps it in folders beside
the model (see ``classifier_head``).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ModelMissing
from encoders.classifier_head import Head, read_modules
from encoders.recipe import read_json
from encoders.torch_weights import accepted, complete

if TYPE_CHECKING:
    from torch import Tensor, nn

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
MOST_LABELS = 2
_GENERATIVE = ("ForCausalLM", "ForConditionalGeneration")


def load_classifier(folder: Path, **options: object) -> nn.Module:
    """A torch module from ``INPUTS`` to logits (n, 1 or 2). ``options`` are those of ``from_pretrained``.

    Raises ModelMissing with what the folder lacks: no weight is ever random.
    """
    _refuse_generative(folder)
    modules = read_modules(folder)
    if len(modules) > 1:
        head = Head.of(folder, modules)
        return _module(complete("AutoModel", modules[0].folder, **options), head)
    model = complete("AutoModelForSequenceClassification", modules[0].folder if modules else folder, **options)
    labels = int(model.config.num_labels)
    if labels > MOST_LABELS:
        raise ModelMissing(f"{folder}: a cross-encoder has one or two labels, this model has {labels}")
    return _module(model, None)


def _refuse_generative(folder: Path) -> None:
    architectures = read_json(folder / "config.json").get("architectures") or []
    if any(str(name).endswith(_GENERATIVE) for name in architectures):
        raise ModelMissing(
            f"{folder} is a language model and has no classification head: serve it behind a /rerank endpoint "
            "and set SONDE_CROSS_ENCODER__RUNTIME=remote"
        )


def _module(model: nn.Module, head: Head | None) -> nn.Module:
    import torch

    names = accepted(model, INPUTS)
    layers = None if head is None else head.layers(next(model.parameters()).dtype)

    class Classifier(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model
            self.head = layers

        def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
            given = dict(zip(INPUTS, (input_ids, attention_mask, token_type_ids), strict=True))
            said = self.model(**{name: given[name] for name in names})
            if head is None or self.head is None:
                scores: Tensor = said.logits
            else:
                scores = self.head(head.pooled(said.last_hidden_state, attention_mask))
            return scores

    return Classifier().eval()
