"""The list of reranker runtimes. A new one is a module with a ``RERANKER``, and one line in the list here."""

from __future__ import annotations

from encoders import late_interaction, remote
from encoders.specs import Reranker

_RERANKERS = (
    late_interaction.AUTO,
    late_interaction.ONNX,
    late_interaction.TORCH,
    remote.RERANKER,
)
RERANKERS: dict[str, Reranker] = {reranker.name: reranker for reranker in _RERANKERS}
