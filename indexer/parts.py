"""The parts of a harvest: all explicit, none read from the environment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from core.errors import IndexMismatch, NotFound, SondeError
from core.ports import Embedder
from es_gateway.client import Elasticsearch
from es_mappings.indices import lost_aliases, serving
from es_mappings.meta import IndexMeta
from es_mappings.names import alias
from reading.concepts import NO_LISTS, NameLists


class Progress(Protocol):
    """Receives events, for a progress bar or a log."""

    def __call__(self, event: str, **numbers: int) -> None: ...


class RunTaken(SondeError):
    """Another process owns the run now; this one stops writing."""


def no_progress(event: str, **numbers: int) -> None:
    """Ignores progress."""


def no_lease() -> None:
    """For a harvest that nobody else can own."""


def no_lists() -> NameLists:
    """For an index without loaded lists of names."""
    return NO_LISTS


@dataclass(frozen=True, slots=True)
class HarvestParts:
    """``embedder`` loads the model with the given name (from the index's ``_meta``) at first use.

    It may raise ModelMissing or Unavailable, and may be None: records are then written without vectors, found by
    their words, and ``embed_missing`` adds the vectors later. ``name_lists``: the loaded lists of GCMD's names.
    ``readers``: how many processes may read documents in a large harvest.
    """

    client: Elasticsearch
    prefix: str
    embedder: Callable[[str], Embedder] | None = None
    progress: Progress = no_progress
    name_lists: Callable[[], NameLists] = no_lists
    readers: int = 1

    def recipe(self) -> IndexMeta:
        """The embedding recipe of the records index.

        Raises NotFound if there is no index yet, IndexMismatch if its alias is gone, Unavailable.
        """
        index = serving(self.client, self.prefix, "records")
        if index is not None:
            return index.meta
        for lost_alias in lost_aliases(self.client, self.prefix, ["records"]):
            raise IndexMismatch(lost_alias.remedy)
        raise NotFound(f"There is no index {alias(self.prefix, 'records')} yet; `sonde harvest` makes it.")


@dataclass(frozen=True, slots=True)
class Options:
    """Options for one slice of a harvest.

    ``seconds`` and ``records`` end the slice after the batch that reaches them, if the source can resume.
    ``since`` (ISO 8601): the source returns only later changes, so nothing is swept. ``max_removal_share`` (0..1): the
    share of a source's records that may vanish at once. ``guard`` is called before every write and raises RunTaken if
    the lease was lost.
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
