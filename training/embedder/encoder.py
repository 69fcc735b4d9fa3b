"""A trainable bi-encoder: a sentence-transformers folder, its tokenizer and its pooling, full or with LoRA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from core.batched import batched
from core.ports import Vectors
from encoders.onnx_session import TokenIds, pad_inputs
from encoders.recipe import Pooling, Recipe, read_recipe
from encoders.tokens import Tokeniser
from training.examples import TrainingError
from training.weights import Precision, arithmetic, copy_files, transformers_for

if TYPE_CHECKING:
    from torch import Tensor, nn
    from transformers import PreTrainedModel

LossName = Literal["infonce", "margin_mse"]

# Files besides the weights that are copied to the new folder.
_COPIED_FILES = (
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


def task_instruction(task: str) -> str:
    """The text before a question as in GeoGPT-RAG: ``Instruct: {I}``, and ``Query: {q}`` on the next line."""
    return f"Instruct: {task}\nQuery: "


@dataclass(frozen=True, slots=True)
class EmbedderTrainingSettings:
    """``infonce``: each answer competes with the answers of the other questions and with ``negatives`` of its own, at
    ``temperature``. ``margin_mse`` (GPL): learns a teacher's margins; ``margin_scale`` converts cosines to logits.

    ``matryoshka``: sizes at which shortened vectors are trained too; empty: whole vectors only. ``lora``: low-rank
    adapters of ``rank`` and ``alpha`` (GeoGPT-RAG: 8 and 16) instead of all weights; merged when the model is written.
    ``frozen``: this many of the lowest layers, with the word vectors, keep the base's weights.
    ``questions_each``: up to this many of the ``batch`` questions share one answer text, which is encoded once.
    ``siblings``: up to this many such texts of one group are in a batch, as near misses of each other.
    ``max_tokens`` of a document during training; the model's own limit does not change. ``threads`` 0: torch's.
    """

    loss: LossName = "infonce"
    temperature: float = 0.05
    margin_scale: float = 20.0
    instruction: str = ""
    matryoshka: tuple[int, ...] = ()
    lora: bool = False
    rank: int = 8
    alpha: int = 16
    frozen: int = 0
    learning_rate: float = 2e-5
    batch: int = 32
    negatives: int = 1
    questions_each: int = 1
    siblings: int = 1
    max_tokens: int = 128
    precision: Precision = "float32"
    seed: int = 0
    device: str = "cpu"
    threads: int = 0

    def __post_init__(self) -> None:
        if self.temperature <= 0 or self.learning_rate <= 0 or self.batch < 2:
            raise TrainingError("Temperature and learning rate are above 0, and a batch holds at least 2 questions.")
        if self.questions_each < 1 or self.siblings < 1:
            raise TrainingError("questions_each and siblings are at least 1.")
        if self.frozen < 0 or (self.frozen and self.lora):
            raise TrainingError("frozen is 0 or more layers, and adapters have none: use either lora or frozen.")
        if self.loss == "margin_mse" and self.negatives < 1:
            raise TrainingError("margin_mse compares an answer with a negative: negatives is at least 1.")


class TrainableEncoder:
    """``recipe`` is the base's own: pooling, token limit for serving, dimensions. ``model`` maps token features to
    ``sentence_embedding``, as the losses of sentence-transformers read it.
    """

    def __init__(self, folder: Path, settings: EmbedderTrainingSettings) -> None:
        """Raises ModelMissing if the folder holds no such model, TrainingError if it has only a graph."""
        self.folder, self.settings = folder, settings
        self.recipe: Recipe = read_recipe(folder)
        self.module = _load(folder, settings)
        self.model = _with_pooling(self.module, self.recipe.pooling, self.recipe.dims, settings)
        self._tokens = Tokeniser(folder / "tokenizer.json", min(settings.max_tokens, self.recipe.max_tokens))

    def features(self, texts: Sequence[str]) -> dict[str, Tensor]:
        """Ids and mask, each (n, longest)."""
        import torch

        arrays, _ = pad_inputs([TokenIds(ids) for ids in self._tokens.ids(texts)])
        names = ("input_ids", "attention_mask")
        return {name: torch.from_numpy(arrays[name]).to(self.settings.device) for name in names}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dims) float32, unit norm, longest first so that little is padded."""
        import torch

        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        rows = np.empty((len(texts), self.recipe.dims), dtype=np.float32)
        self.module.eval()
        with torch.inference_mode():
            for part in batched(order, _BATCH):
                features = self.features([texts[row] for row in part])
                rows[part] = self.model(features)["sentence_embedding"].float().cpu().numpy()
        self.module.train()
        return rows

    def save(self, folder: Path) -> None:
        """A sentence-transformers folder with safetensors, adapters merged. Raises OSError if the disk fails."""
        model = self.module.merge_and_unload() if self.settings.lora else self.module
        model.save_pretrained(str(folder), safe_serialization=True)
        copy_files(self.folder, folder, _COPIED_FILES)


def _with_pooling(module: Any, pooling: Pooling, dims: int, settings: EmbedderTrainingSettings) -> nn.Module:
    import torch

    class Pooled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = module

        def get_embedding_dimension(self) -> int:
            return dims

        def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
            """(n, dims) of unit norm."""
            with arithmetic(settings.precision, settings.device):
                states = self.inner(**features).last_hidden_state.float()
            if pooling == "cls":
                vectors = states[:, 0]
            else:
                weights = features["attention_mask"][..., None].float()
                vectors = (states * weights).sum(1) / weights.sum(1)
            return {"sentence_embedding": torch.nn.functional.normalize(vectors, dim=1)}

    return Pooled()


def _load(folder: Path, settings: EmbedderTrainingSettings) -> Any:
    import torch

    with transformers_for(folder, threads=settings.threads, seed=settings.seed) as transformers:
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
        from peft import LoraConfig, get_peft_model

        shape = LoraConfig(r=settings.rank, lora_alpha=settings.alpha, target_modules=_LORA_PLACES, lora_dropout=0.05)
        module = get_peft_model(module, shape)
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
