"""Creates indices, resolves the serving ones, joins their segments, and finds those whose alias is lost.

An alias is lost after a restore without aliases, or a deletion by hand. Readers and writers use only aliases, so they
cannot find such an index until its alias is back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from core.errors import IndexMismatch
from core.json_types import JsonMapping
from core.ports import EmbedderCard
from es_gateway.client import Elasticsearch, NoDeadlineElasticsearch
from es_gateway.errors import AlreadyExists, ElasticsearchError
from es_mappings import loader
from es_mappings.loader import USUAL, IndexShape
from es_mappings.meta import IndexMeta, refuse_unknown_schema
from es_mappings.names import KINDS, IndexKind, alias, concrete

_NO_MODEL = EmbedderCard(model="none", dims=4, max_tokens=16, min_score=0.0)
_DESCRIBING = ("mappings", "settings")
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ServingIndex:
    """A resolved alias with its index's ``_meta``, for the duration of one request or run."""

    alias: str
    index: str
    meta: IndexMeta
    uuid: str
    """Elasticsearch's unique id of the index: another one with the same name has another id."""


def ensure_indices(
    client: Elasticsearch,
    prefix: str,
    card: EmbedderCard,
    *,
    kinds: Sequence[IndexKind] = KINDS,
    shape: IndexShape = USUAL,
) -> list[str]:
    """Creates missing indices, as generation 1 behind their alias; returns the names created.

    Safe to call from several processes at once: creation and alias are one request, and only one process succeeds.
    """
    new_indices = []
    for kind in kinds:
        if client.indices.exists_alias(name=alias(prefix, kind)):
            continue
        index = concrete(prefix, kind, 1)
        try:
            client.indices.create(
                index=index,
                mappings=loader.mapping(kind, card, shape=shape),
                settings=loader.settings(kind, shape),
                aliases={alias(prefix, kind): {"is_write_index": True}},
            )
        except AlreadyExists:
            continue
        new_indices.append(index)
    return new_indices


def ensure_without_vectors(client: Elasticsearch, prefix: str, kinds: Sequence[IndexKind]) -> list[str]:
    """The same for indices into which no vector is written, so that no embedder has to be loaded."""
    return ensure_indices(client, prefix, _NO_MODEL, kinds=kinds)


def serving(client: Elasticsearch, prefix: str, kind: IndexKind) -> ServingIndex | None:
    """The index behind the alias with its ``_meta``, in one request; None if there is none yet.

    Raises IndexMismatch if the alias spans several indices, or this version cannot read its schema.
    """
    current = resolve_alias(client, prefix, kind)
    if current is not None:
        refuse_unknown_schema(current.index, current.meta)
    return current


def resolve_alias(client: Elasticsearch, prefix: str, kind: IndexKind) -> ServingIndex | None:
    """The same for any schema: the input of a reindex. Raises IndexMismatch if the alias spans several indices."""
    name = alias(prefix, kind)
    indices = client.options(ignore_status=404).indices.get(index=name, features=_DESCRIBING).body
    if "error" in indices or not indices:
        return None
    if len(indices) > 1:
        raise IndexMismatch(f"The alias {name} spans {', '.join(sorted(indices))}; it must stand for one index.")
    index, body = next(iter(indices.items()))
    return _index_of(name, index, body)


def index_named(client: Elasticsearch, index: str) -> ServingIndex:
    """A concrete index, serving or not, by its own name. Raises IndexGone if there is none."""
    return _index_of(index, index, client.indices.get(index=index, features=_DESCRIBING).body[index])


def _index_of(name: str, index: str, body: JsonMapping) -> ServingIndex:
    meta = IndexMeta.read(index, body["mappings"].get("_meta"))
    return ServingIndex(name, index, meta, body["settings"]["index"]["uuid"])


_SEGMENT_BYTES = 256 * 1024 * 1024
_JOIN_TIMEOUT_S = 120.0


def join_segments(client: Elasticsearch, index: str) -> None:
    """Merges the smallest segments of each shard if it has many: every segment costs every search processor time.

    Waits for the end, up to two minutes; Elasticsearch then finishes without us. Searches and writes continue
    meanwhile. Nothing depends on it, so a failure is only logged.
    """
    joining = NoDeadlineElasticsearch.over(client).options(request_timeout=_JOIN_TIMEOUT_S, max_retries=0)
    try:
        for shards in joining.indices.segments(index=index).body["indices"].values():
            sizes = [_searchable_bytes(copy) for copies in shards["shards"].values() for copy in copies]
            count = max(map(segments_after_joining, sizes), default=0)
            if any(len(shard) > 2 * count for shard in sizes):
                joining.indices.forcemerge(index=index, max_num_segments=count)
                log.info("segments.joined", index=index, segments=count)
    except ElasticsearchError as error:
        log.warning("segments.not_joined", index=index, error=type(error).__name__)


def segments_after_joining(sizes: Sequence[int]) -> int:
    """How many segments a shard with these sizes, in bytes, keeps: two, and more if large ones would be merged."""
    return 2 + sum(sizes) // _SEGMENT_BYTES


def _searchable_bytes(copy: JsonMapping) -> list[int]:
    return [segment["size_in_bytes"] for segment in copy["segments"].values() if segment["search"]]


@dataclass(frozen=True, slots=True)
class LostAlias:
    """``indices``: those that the alias could stand for, oldest first; the alias's own name if an index took it."""

    name: str
    indices: tuple[str, ...]

    @property
    def is_taken(self) -> bool:
        """Whether an index has the alias's name: a write made it while the alias was gone."""
        return self.name in self.indices

    @property
    def remedy(self) -> str:
        """What is there, and what puts the alias back."""
        if self.is_taken:
            return (
                f"{self.name} is an index where the alias should be: delete it (DELETE /{self.name}); "
                "then `sonde harvest` or the role `migrate` puts the alias back."
            )
        problem = f"The alias {self.name} is gone; there is {', '.join(self.indices)}."
        if len(self.indices) == 1:
            return f"{problem} `sonde harvest` or the role `migrate` puts the alias back."
        return f"{problem} `sonde reindex --serve {self.indices[-1]}` (or another one) puts the alias back."


def lost_aliases(client: Elasticsearch, prefix: str, kinds: Sequence[IndexKind] = KINDS) -> list[LostAlias]:
    """Usually empty. One request."""
    names = [alias(prefix, kind) for kind in kinds]
    indices_found = client.indices.get_alias(
        index=[*names, *(f"{name}-*" for name in names)], ignore_unavailable=True, allow_no_indices=True
    ).body
    aliases_present = {name for body in indices_found.values() for name in body["aliases"]}
    lost = []
    for name in names:
        name_pattern = re.compile(rf"{re.escape(name)}(-\d{{6}})?")
        indices = tuple(sorted(index for index in indices_found if name_pattern.fullmatch(index)))
        if name not in aliases_present and indices:
            lost.append(LostAlias(name, indices))
    return lost


def put_back(client: Elasticsearch, prefix: str) -> list[str]:
    """Puts back each lost alias that only one index can have; returns these indices.

    Raises IndexMismatch that names the indices if there are several, or an index has the alias's name.
    """
    lost = lost_aliases(client, prefix)
    for alias_lost in lost:
        if alias_lost.is_taken or len(alias_lost.indices) > 1:
            raise IndexMismatch(alias_lost.remedy)
    for alias_lost in lost:
        serve(client, alias_lost.indices[0], alias_lost.name)
    return [alias_lost.indices[0] for alias_lost in lost]


def serve(client: Elasticsearch, index: str, name: str) -> None:
    client.indices.update_aliases(actions=[{"add": {"index": index, "alias": name, "is_write_index": True}}])
    log.warning("alias.put_back", alias=name, index=index)
