"""A trainable bi-encoder: a sentence-transformers folder, its tokenizer and its pooling, full or with LoRA."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.json_types import Json
from core.ports import Vectors
from encoders.recipe import Recipe, read_recipe
from encoders.tokens import Tokeniser
from training.embedder.settings import EmbedderSettings
from training.examples import TrainingError
from training.precision import arithmetic
from training.weights import loading

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Parameter
    from transformers import PreTrainedModel

# Files besides the weights that are copied to the new folder.
_KEPT = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "modules.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
)
_BATCH = 32
_LORA_PLACES = ["query", "key", "value", "dense"]


class TrainableEncoder:
    """Trainable weights. ``recipe`` is the base's own: pooling, token limit for serving, dimensions."""

    def __init__(self, folder: Path, settings: EmbedderSettings) -> None:
        """Raises ModelMissing if the folder holds no such model, TrainingError if it has only a graph."""
        self.folder, self.settings = folder, settings
        self.recipe: Recipe = read_recipe(folder)
        self.module = _loaded(folder, settings)
        reads = min(settings.max_tokens, self.recipe.max_tokens)
        self._tokens = Tokeniser(folder / "tokenizer.json", reads)

    def encode(self, texts: Sequence[str]) -> Tensor:
        """A tensor (n, dims) of unit norm, with gradients."""
        import torch

        ids = self._tokens.ids(texts)
        longest = max(len(each) for each in ids)
        tokens = torch.zeros((len(ids), longest), dtype=torch.long)
        mask = torch.zeros((len(ids), longest), dtype=torch.long)
        for row, each in enumerate(ids):
            tokens[row, : len(each)] = torch.tensor(each)
            mask[row, : len(each)] = 1
        device = self.settings.device
        mask = mask.to(device)
        with arithmetic(self.settings.precision, device):
            states = self.module(input_ids=tokens.to(device), attention_mask=mask).last_hidden_state.float()
        if self.recipe.pooling == "cls":
            vectors = states[:, 0]
        else:
            weights = mask[..., None].float()
            vectors = (states * weights).sum(1) / weights.sum(1)
        return torch.nn.functional.normalize(vectors, dim=1)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dims) float32 without gradients, longest first so that little is padded."""
        import torch

        order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
        rows = np.empty((len(texts), self.recipe.dims), dtype=np.float32)
        self.module.eval()
        with torch.inference_mode():
            for at in range(0, len(order), _BATCH):
                part = order[at : at + _BATCH]
                rows[part] = self.encode([texts[index] for index in part]).float().cpu().numpy()
        self.module.train()
        return rows

    def learning(self) -> list[Parameter]:
        """The parameters that change."""
        return [parameter for parameter in self.module.parameters() if parameter.requires_grad]

    def weights(self) -> Json:
        """The trained weights by name; sufficient to continue from the base."""
        changing = {name for name, parameter in self.module.named_parameters() if parameter.requires_grad}
        return {
            name: value.detach().cpu().clone() for name, value in self.module.state_dict().items() if name in changing
        }

    def take(self, weights: Json) -> None:
        self.module.load_state_dict(weights, strict=False)

    def save(self, folder: Path) -> None:
        """A sentence-transformers folder with safetensors, adapters merged. Raises OSError if the disk fails."""
        whole = self.module.merge_and_unload() if self.settings.lora else self.module
        whole.save_pretrained(str(folder), safe_serialization=True)
        for name in _KEPT:
            if (self.folder / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.folder / name, folder / name)


def _loaded(folder: Path, settings: EmbedderSettings) -> Any:
    import torch

    with loading(folder, threads=settings.threads, seed=settings.seed) as transformers:
        module = transformers.AutoModel.from_pretrained(  # nosec B615
            str(folder), use_safetensors=True, local_files_only=True
        )
    # Short runs see a text only a few times: they do not overfit, and dropout costs a fifth of the time.
    for part in module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
        elif hasattr(part, "dropout_prob"):  # attention's own dropout, which is not a module
            part.dropout_prob = 0.0
    if settings.frozen:
        _freeze(module, settings.frozen)
    if settings.lora:
        module = _with_adapters(module, settings)
    return module.to(settings.device).train()


def _freeze(module: PreTrainedModel, count: int) -> None:
    """Freezes word vectors and the ``count`` lowest layers. Raises TrainingError if no layer would learn."""
    import torch

    of_model = module.config.num_hidden_layers
    stacks = (part for part in module.modules() if isinstance(part, torch.nn.ModuleList) and len(part) == of_model)
    layers = next(stacks, None)
    if layers is None or count >= of_model:
        raise TrainingError(f"Of {of_model} layers {count} cannot be frozen: at least one has to learn.")
    for part in (getattr(module, "embeddings", module.get_input_embeddings()), *layers[:count]):
        part.requires_grad_(False)


def _with_adapters(module: PreTrainedModel, settings: EmbedderSettings) -> Any:
    from peft import LoraConfig, get_peft_model

    shape = LoraConfig(r=settings.rank, lora_alpha=settings.alpha, target_modules=_LORA_PLACES, lora_dropout=0.05)
    return get_peft_model(module, shape)
