"""What a harvest is given: explicit parts, nothing read from the environment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from core.errors import NotFound, SondeError
from core.ports import Embedder
from es_gateway.client import Elasticsearch
from es_mappings.indices import serving
from es_mappings.names import alias


class Progress(Protocol):
    """Told what happens, for a bar or a log."""

    def __call__(self, event: str, **numbers: int) -> None: ...


class RunTaken(SondeError):
    """Another process owns the run by now; this one writes nothing more."""


def no_progress(event: str, **numbers: int) -> None:
    """For who does not look."""


def no_lease() -> None:
    """For a harvest that nobody else can own."""


@dataclass(frozen=True, slots=True)
class Parts:
    """``embedder`` loads the model of the given name (what the index's ``_meta`` says) when it is first needed.

    It may raise ModelMissing or Unavailable, and may be None: records are then written without vectors, found by
    their words, and ``embed_missing`` fills the vectors later.
    """

    client: Elasticsearch
    prefix: str
    embedder: Callable[[str], Embedder] | None = None
    progress: Progress = no_progress

    def model(self) -> str:
        """The embedding model of the records index. Raises NotFound where there is no index yet, Unavailable."""
        found = serving(self.client, self.prefix, "records")
        if found is None:
            raise NotFound(f"There is no index behind {alias(self.prefix, 'records')}; create the indices first.")
        return found.meta.embedding_model


@dataclass(frozen=True, slots=True)
class Options:
    """How one slice of a harvest goes.

    ``seconds`` and ``records`` end the slice after the batch that reaches them, where the source can resume.
    ``since`` (ISO 8601): the source gives only what changed since then, so that nothing is swept.
    ``max_removal_share`` (0..1) of a source's records may vanish at once. ``guard`` is called before anything is
    written and raises RunTaken where the lease was lost.
    """

    batch: int = 256
    seconds: float | None = None
    records: int | None = None
    max_removal_share: float = 0.2
    allow_mass_removal: bool = False
    since: str | None = None
    trigger: str = "cli"
    worker: str = ""
    guard: Callable[[], None] = no_lease
