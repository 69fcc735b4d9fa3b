"""A runtime for rerankers. ``encoders.rerankers`` lists them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.ports import CrossEncoder
from encoders.specs import CrossEncoderSpec
from net.gate import Gate

OpenGate = Callable[[], Gate]


@dataclass(frozen=True, slots=True)
class Reranker:
    """One way to run a reranker. ``name`` is the setting ``SONDE_CROSS_ENCODER__RUNTIME``.

    ``load(spec, open_gate)`` returns the port ``core.ports.CrossEncoder``. It raises ModelMissing, with what to do, if
    the model is not available; searches then rank without it and report it. ``open_gate`` is for runtimes that call an
    address.
    """

    name: str
    load: Callable[[CrossEncoderSpec, OpenGate], CrossEncoder]
