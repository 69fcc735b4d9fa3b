"""Reindexing: builds, fills and compares the next index and puts it in service; or returns to the old one.

The serving index is copied in rounds until a round finds nothing to do, so that harvests can continue. Then the alias
moves in one request, and a last round copies what was written during the move; if that is interrupted, the next
reindex or harvest does it. See adr/0007.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import structlog

from core.errors import ModelMissing, NotFound, SondeError
from core.json_types import Json
from core.ports import Embedder
from es_gateway.client import Elasticsearch, retrying
from es_mappings import loader
from es_mappings.indices import ServingIndex, index_named, lost_aliases, resolve_alias, serve
from es_mappings.loader import USUAL, IndexShape
from es_mappings.meta import IndexMeta
from es_mappings.migration import migrate
from es_mappings.names import IndexKind, alias, concrete, generation_of
from indexer.reindex.finish import finish, note_model
from indexer.reindex.sync import (
    REINDEXED,
    Handover,
    Reindexed,
    Round,
    copying,
    differing,
    done_up_to,
    highest,
    record_handover,
    sync,
    unfinished_handovers,
)
from indexer.store.ledger import Ledger, forgotten, write_ledger

log = structlog.get_logger(__name__)

AnswerProbe = Callable[[str], Sequence[Sequence[str]]]
"""Answers sampled questions with the records index of that name: the first ten ids for each."""

_MOST_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class ReindexParts:
    """``embedder`` is the new index's; ``probe`` answers sampled questions (None: no comparison)."""

    client: Elasticsearch
    prefix: str
    embedder: Embedder
    probe: AnswerProbe | None = None
    shape: IndexShape = USUAL
    progress: Callable[[str, int], None] = lambda _kind, _seen: None

    def embedder_of(self, model: str) -> Embedder:
        """Raises ModelMissing for a model other than that of ``embedder``."""
        given = self.embedder.card.model
        if given != model:
            raise ModelMissing(
                f"A reindex to {model} was cut off as its alias moved, and the settings name {given}. "
                f"A harvest ends it, or `sonde reindex` with {model}."
            )
        return self.embedder


@dataclass(frozen=True, slots=True)
class Pair:
    """The serving index, the one being built beside it, and the recipe of the latter."""

    kind: Reindexed
    old: ServingIndex
    new: str
    meta: IndexMeta


@dataclass(frozen=True, slots=True)
class _Settled:
    """The last of ``rounds``, and the sequence number up to which it has seen the old index."""

    rounds: int
    last: Round
    seen: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """``overlap``: mean share (0..1) of the first ten ids that both indices return; None: not compared."""

    documents: dict[str, int]
    rounds: dict[str, int]
    overlap: float | None


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """The result. ``moved`` is False if the comparison refused, with the message in ``refusal``."""

    moved: bool
    comparison: Comparison
    old: tuple[str, ...]
    new: tuple[str, ...]
    refusal: str | None = None


def reindex(parts: ReindexParts, *, least_overlap: float, dry_run: bool = False) -> ReindexReport:
    """Builds, compares and moves; continues an interrupted reindex, also after the move.

    The alias and the new indices stay as they are if a round never settles or the sampled answers share less than
    ``least_overlap`` (0..1). Raises NotFound if there is nothing to reindex, Unavailable if Elasticsearch does not
    answer.
    """
    parts = replace(parts, client=retrying(parts.client))
    migrate(parts.client, parts.prefix)
    left = finish(parts.client, parts.prefix, parts.embedder_of)
    if left and not dry_run and _serves(parts):
        return _finished(parts, left)
    pairs = [pair for kind in REINDEXED if (pair := _prepare(parts, kind)) is not None]
    if not pairs:
        raise NotFound(f"There is no index {alias(parts.prefix, 'records')} yet; harvest something first.")
    settled = {pair.kind: _settle(parts, pair) for pair in pairs}
    comparison = Comparison(
        {pair.kind: _count(parts.client, pair.new) for pair in pairs},
        {kind: each.rounds for kind, each in settled.items()},
        _overlap(parts, pairs),
    )
    old, new = tuple(pair.old.index for pair in pairs), tuple(pair.new for pair in pairs)
    refusal = _refusal(pairs, settled, comparison, least_overlap)
    if refusal is not None or dry_run:
        return ReindexReport(False, comparison, old, new, refusal)
    for pair in pairs:
        seen, copied = settled[pair.kind].seen, highest(parts.client, pair.new)
        record_handover(parts.client, Handover(pair.kind, pair.old.index, pair.new, seen, copied))
    _move(parts.client, [(pair.kind, pair.old.index, pair.new) for pair in pairs], parts.prefix)
    log.info("reindex.moved", old=",".join(old), new=",".join(new))
    finish(parts.client, parts.prefix, parts.embedder_of)
    return ReindexReport(True, comparison, old, new)


def rollback(client: Elasticsearch, prefix: str) -> list[tuple[str, str]]:
    """Puts the previous generation back in service with one request; returns the (left, taken) index names.

    Then the ledger forgets what was harvested since the move, so that the next harvest writes it again.
    Raises NotFound if no earlier generation exists.
    """
    moves: list[tuple[IndexKind, str, str]] = []
    for kind in REINDEXED:
        current = resolve_alias(client, prefix, kind)
        if current is None:
            continue
        earlier = [index for index in _generations(client, prefix, kind) if index < current.index]
        if earlier:
            moves.append((kind, current.index, earlier[-1]))
    if not moves:
        raise NotFound(f"No earlier index of {prefix} is kept; there is nothing to go back to.")
    _move(client, moves, prefix)
    for moved, left, taken in moves:
        if moved == "records":
            _forget_newer(client, prefix, left, taken)
    log.info("reindex.rolled_back", to=",".join(taken for _, _, taken in moves))
    return [(left, taken) for _, left, taken in moves]


def serve_index(client: Elasticsearch, prefix: str, index: str) -> str:
    """Puts the lost alias of ``index`` back; returns the alias.

    Raises NotFound if ``index`` is none of those whose alias is gone.
    """
    lost = lost_aliases(client, prefix)
    for one in lost:
        if index in one.indices and not one.is_taken:
            serve(client, index, one.name)
            return one.name
    waiting = ", ".join(found for one in lost for found in one.indices)
    raise NotFound(f"{index} is no index of {prefix} that lost its alias; those are: {waiting or 'none'}.")


def forget_others(client: Elasticsearch, prefix: str) -> list[str]:
    """Deletes every generation that does not serve: a finished reindex's old one, or an abandoned new one.

    Raises SondeError if an old one still holds what an interrupted reindex has not copied.
    """
    if left := unfinished_handovers(client, prefix):
        raise SondeError(
            f"{left[0].old} holds what {left[0].new} may lack: its reindex was interrupted while the alias moved. "
            "`sonde reindex` ends it, and so does a harvest; then --forget."
        )
    deleted = []
    for kind in REINDEXED:
        current = resolve_alias(client, prefix, kind)
        for index in _generations(client, prefix, kind):
            if current is not None and index != current.index:
                client.indices.delete(index=index)
                deleted.append(index)
    return deleted


def _prepare(parts: ReindexParts, kind: Reindexed) -> Pair | None:
    """The pair, with its new index created or, after an interruption, found again."""
    old = resolve_alias(parts.client, parts.prefix, kind)
    if old is None:
        return None
    card = parts.embedder.card
    new = concrete(parts.prefix, kind, generation_of(old.index) + 1)
    wanted = IndexMeta.of(card)
    if parts.client.indices.exists(index=new):
        if index_named(parts.client, new).meta != wanted:
            raise SondeError(f"{new} exists, half built for another model. `sonde reindex --forget` deletes it.")
    else:
        mappings = loader.mapping(kind, card, shape=parts.shape)
        parts.client.indices.create(index=new, mappings=mappings, settings=loader.settings(kind, parts.shape))
    return Pair(kind, old, new, wanted)


def _serves(parts: ReindexParts) -> bool:
    """Whether the result of this reindex already serves."""
    serves = resolve_alias(parts.client, parts.prefix, "records")
    return serves is not None and serves.meta == IndexMeta.of(parts.embedder.card)


def _finished(parts: ReindexParts, left: Sequence[Handover]) -> ReindexReport:
    """The report of a reindex that had compared and moved before it was interrupted."""
    documents: dict[str, int] = {each.kind: _count(parts.client, each.new) for each in left}
    old, new = tuple(each.old for each in left), tuple(each.new for each in left)
    return ReindexReport(True, Comparison(documents, {}, None), old, new)


def _settle(parts: ReindexParts, pair: Pair) -> _Settled:
    """Repeats rounds until one finds nothing to do."""
    embedder = None if pair.meta.keeps_vectors_of(pair.old.meta) else parts.embedder
    how = copying(pair.kind, pair.meta.tokens, embedder, lambda seen: parts.progress(pair.kind, seen))
    for number in range(1, _MOST_ROUNDS + 1):
        seen = done_up_to(parts.client, pair.old.index)
        done = sync(parts.client, pair.old.index, pair.new, how)
        log.info("reindex.round", kind=pair.kind, round=number, copied=done.copied, deleted=done.deleted)
        if done.settled or done.failures:
            break
    return _Settled(number, done, seen)


def _overlap(parts: ReindexParts, pairs: Sequence[Pair]) -> float | None:
    records = next((pair for pair in pairs if pair.kind == "records"), None)
    if parts.probe is None or records is None:
        return None
    shares = [
        len(set(before) & set(after)) / max(len(before), len(after))
        for before, after in zip(parts.probe(records.old.index), parts.probe(records.new), strict=True)
        if before or after
    ]
    return sum(shares) / len(shares) if shares else None


def _refusal(
    pairs: Sequence[Pair], settled: dict[Reindexed, _Settled], found: Comparison, least_overlap: float
) -> str | None:
    for pair in pairs:
        last = settled[pair.kind].last
        if last.failures:
            first = last.failures[0]
            return f"{len(last.failures)} documents of {pair.kind} were not taken, the first {first.id}: {first.reason}"
        if not last.settled:
            return (
                f"{pair.kind}: {last.copied} documents still differed after {_MOST_ROUNDS} rounds; pause the harvests."
            )
    if found.overlap is not None and found.overlap < least_overlap:
        return (
            f"The first ten answers to the sampled questions share {found.overlap:.2f}, less than {least_overlap:.2f}. "
            "Look at the difference; --least-overlap lowers the bar."
        )
    return None


def _move(client: Elasticsearch, moves: Sequence[tuple[IndexKind, str, str]], prefix: str) -> None:
    """Moves all aliases in one request, so that there is always exactly one index."""
    actions: list[Json] = []
    for kind, left, taken in moves:
        actions.append({"remove": {"index": left, "alias": alias(prefix, kind)}})
        actions.append({"add": {"index": taken, "alias": alias(prefix, kind), "is_write_index": True}})
    client.indices.update_aliases(actions=actions)


def _forget_newer(client: Elasticsearch, prefix: str, left: str, taken: str) -> None:
    """Marks records that exist only in the abandoned index, so that the next harvest writes them again."""
    by_source: dict[str, list[str]] = {}
    for hit in differing(client, left, taken, index_named(client, left).meta.tokens):
        by_source.setdefault(hit["_source"]["source"], []).append(hit["_id"])
    ledger = Ledger(client, prefix)
    for source, ids in by_source.items():
        write_ledger(client, prefix, [forgotten(entry) for entry in ledger.holders(source, ids).values()])
    serves = resolve_alias(client, prefix, "records")
    if serves is not None:
        note_model(client, prefix, serves.meta.embedding_model)


def _count(client: Elasticsearch, index: str) -> int:
    client.indices.refresh(index=index)
    return int(client.count(index=index)["count"])


def _generations(client: Elasticsearch, prefix: str, kind: IndexKind) -> list[str]:
    """Concrete indices of that kind, oldest first."""
    pattern = f"{alias(prefix, kind)}-0*"
    return sorted(client.options(ignore_status=404).indices.get_alias(index=pattern).body)
