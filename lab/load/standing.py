"""A made catalogue that stays: filled once, to be asked as often as one likes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

from core.errors import SondeError
from core.json_types import Json
from core.ports import Embedder
from core.record import Record
from es_gateway.client import Elasticsearch
from es_mappings.names import concrete
from lab.load.catalogue import MadeCatalogue, CatalogueSize, ProgressReport, delete, fill

_PREFIX = "sonde-load-"  # not the throw-away one: nobody sweeps it
_MANIFEST = "load"

Made_of = Callable[[], tuple[Sequence[Record], Embedder]]
"""The real records and the embedder: asked for only where there is something to fill, since both take a while."""


def standing(client: Elasticsearch, name: str, size: CatalogueSize, of: Made_of, told: ProgressReport) -> MadeCatalogue:
    """The catalogue of that name as it stands; made where it does not.

    One that a killed run left half filled carries no manifest and is made anew. Raises SondeError where it stands in
    another size, Unavailable where Elasticsearch does not answer.
    """
    prefix = f"{_PREFIX}{name}"
    manifest = _manifest(client, prefix)
    if manifest is None:
        delete(client, prefix)
        made = fill(client, prefix, *of(), size, told)
        _commit(client, made, size)
        return made
    if manifest["size"] != asdict(size):
        raise SondeError(f"The catalogue {name} has another size: {manifest['size']}. Use that size, or --drop it.")
    return MadeCatalogue(**manifest["made"])


def drop(client: Elasticsearch, name: str) -> None:
    """Its indices are deleted, by name."""
    delete(client, f"{_PREFIX}{name}")


def _index(prefix: str) -> str:
    return concrete(prefix, "records", 1)


def _meta(client: Elasticsearch, prefix: str) -> Json | None:
    found = client.options(ignore_status=404).indices.get_mapping(index=_index(prefix)).body
    return dict(found[_index(prefix)]["mappings"].get("_meta", {})) if _index(prefix) in found else None


def _manifest(client: Elasticsearch, prefix: str) -> Json | None:
    return (_meta(client, prefix) or {}).get(_MANIFEST)


def _commit(client: Elasticsearch, made: MadeCatalogue, size: CatalogueSize) -> None:
    """Written last: what carries it is whole."""
    manifest = {"size": asdict(size), "made": asdict(made)}
    client.indices.put_mapping(
        index=_index(made.prefix), meta={**(_meta(client, made.prefix) or {}), _MANIFEST: manifest}
    )
