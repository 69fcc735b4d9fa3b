"""ColBERT models of PyLate and sentence-transformers as rerankers: late interaction when a question is asked.

The library makes the token vectors in PyTorch: it knows each checkpoint's prefixes, expansion of questions and ignored
punctuation. The score is a mean over the question's tokens; ``sonde models calibrate`` finds what it means.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import structlog
from numpy.typing import NDArray

from core.errors import ModelMissing
from core.ports import CrossEncoderCard
from encoders.imports import needs_torch, torch_imports
from encoders.onnx_session import Compute
from encoders.recipe import read_json, read_pair_limit
from encoders.tokens import Tokeniser, sound
from encoders.torch_models import complete, read_modules

log = structlog.get_logger(__name__)

_BATCH = 16
_OTHER_USES = {"Pooling", "LogitScore"}


def is_colbert(folder: Path) -> bool:
    """A Transformer and a Dense over each token, without pooling."""
    kinds = {module.kind for module in read_modules(folder)}
    return {"Transformer", "Dense"} <= kinds and not kinds & _OTHER_USES


def read_text_limit(folder: Path, most: int | None) -> int:
    """How many tokens of a text the model reads: its own limit, or fewer if ``asked``. Loads nothing."""
    stated = read_json(folder / "config_sentence_transformers.json").get("document_length")
    own = int(stated) if stated else read_pair_limit(folder)
    return min(most or own, own)


class ColbertReranker:
    """core.ports.CrossEncoder. Imports torch when an instance is made."""

    def __init__(self, folder: Path, card: CrossEncoderCard, compute: Compute) -> None:
        """``card.max_tokens`` is the limit of a text. Raises ModelMissing if the folder lacks weights."""
        self._model = _load(folder, compute)
        self._model[0].document_length = card.max_tokens
        self._card = card
        self._tokens = Tokeniser(folder / "tokenizer.json", card.max_tokens)

    @property
    def card(self) -> CrossEncoderCard:
        return self._card

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """sum_i max_j (q_i . d_j) over the question's tokens, divided by their number: (n,), -1..1, in order.

        A longer text is cut, and the event ``cross_encoder.cut`` counts such texts. Khattab and Zaharia, SIGIR 2020.
        """
        if not texts:
            return np.empty(0, dtype=np.float64)
        if cut := sum(length > self._card.max_tokens for length in self._tokens.count(texts)):
            log.info("cross_encoder.cut", texts=len(texts), cut=cut)
        (question_vectors,) = self._vectors("query", [question])
        return np.array(
            [float((question_vectors @ vectors.T).max(axis=1).mean()) for vectors in self._vectors("document", texts)]
        )

    def _vectors(self, task: str, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """(tokens, dims) of each text, unit norm."""
        encode = self._model.encode_query if task == "query" else self._model.encode_document
        vectors_of_texts = encode([sound(text) for text in texts], batch_size=_BATCH, show_progress_bar=False)
        return [np.asarray(rows, dtype=np.float32) for rows in vectors_of_texts]


def _load(folder: Path, compute: Compute) -> Any:
    needs_torch(f"the model {folder}")
    with torch_imports:
        import torch
        from sentence_transformers import MultiVectorEncoder

    if compute.threads is not None:
        torch.set_num_threads(compute.threads)
    complete("AutoModel", read_modules(folder)[0].folder)  # the library takes random weights for missing ones
    options: dict[str, object] = {
        "use_safetensors": True,
        **({"dtype": torch.float32} if compute.device == "cpu" else {}),
    }
    try:
        return MultiVectorEncoder(str(folder), device=compute.device, local_files_only=True, model_kwargs=options)
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelMissing(f"{folder} cannot be loaded by sentence-transformers: {str(error)[:200]}") from None
