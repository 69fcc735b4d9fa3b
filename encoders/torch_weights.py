"""Loads transformers' models only with all of their weights. transformers itself fills missing ones with random numbers
and warns.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.errors import ModelMissing

if TYPE_CHECKING:
    from torch import nn

Architecture = Literal["AutoModel", "AutoModelForSequenceClassification"]
_POOLER = "pooler."  # BERT's layer over [CLS], which models of sentence-transformers do not use and often lack
_SHOWN = 3


def complete(kind: Architecture, folder: Path, **options: object) -> Any:
    """The model, for inference. ``options`` are those of ``from_pretrained``.

    Raises ModelMissing, also for a model that needs code of its own: such code is never run.
    """
    import transformers

    given = {"use_safetensors": True, "local_files_only": True, "trust_remote_code": False, **options}
    try:
        model, report = getattr(transformers, kind).from_pretrained(str(folder), output_loading_info=True, **given)
    except (OSError, ValueError, RuntimeError, KeyError, AttributeError) as error:
        raise ModelMissing(f"{folder} cannot be loaded by transformers: {' '.join(str(error).split())[:200]}") from None
    has_head = kind != "AutoModel"
    if missing := sorted(key for key in report["missing_keys"] if has_head or not key.startswith(_POOLER)):
        what = "no complete classification head" if has_head else "only a part of the weights"
        raise ModelMissing(f"{folder} holds {what}: {listed(missing)} missing")
    return model.eval()


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are; with the verb."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more} {'is' if len(names) == 1 else 'are'}"


def accepted(model: nn.Module, names: Sequence[str]) -> list[str]:
    """Those of the inputs that the model takes; ModernBERT, for example, has no ``token_type_ids``."""
    taken = inspect.signature(model.forward).parameters
    return [name for name in names if name in taken]
