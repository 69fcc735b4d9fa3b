"""Loads the weights of a folder for training."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.errors import ModelMissing
from encoders.imports import torch_imports
from training.examples import TrainingError


@contextmanager
def loading(folder: Path, *, threads: int, seed: int) -> Iterator[Any]:
    """``transformers`` for the block that loads from the folder; ``threads`` 0 keeps torch's own.

    Raises TrainingError if the folder has no safetensors, ModelMissing if the block cannot load them.
    """
    if not list(folder.glob("*.safetensors")):
        raise TrainingError(f"{folder} holds a graph without weights that could learn; name a safetensors model.")
    os.environ["HF_HUB_OFFLINE"] = "1"  # read when transformers is imported; a folder needs no hub
    with torch_imports:
        import torch
        import transformers

        # transformers imports its parts at first use: here, under the lock.
        _ = transformers.AutoConfig, transformers.AutoModel, transformers.AutoModelForSequenceClassification
    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call] # loading takes milliseconds
    if threads:
        torch.set_num_threads(threads)
    torch.manual_seed(seed)  # for the new layers
    try:
        yield transformers
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelMissing(f"{folder} cannot be loaded for training: {str(error)[:200]}") from None
