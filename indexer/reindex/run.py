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
from es_mappings.indices import ServingIndex, index_named, join_segments, lost_aliases, resolve_alias, serve
from es_mappings.loader import USUAL, IndexShape
from es_mappings.meta import IndexMeta
from es_mappings.migration import migrate
from es_mappings.names import IndexKind, alias, concrete, generation_of
from indexer.reindex.finish import finish, note_model
from indexer.reindex.sync import (
    REINDEXED_KINDS,
    Handover,
    ReindexedKind,
    Round,
    copy_options_of,
    differing_hits,
    highest,
    record_handover,
    sync,
    unfinished_handovers,
    visible_sequence_numbers,
)
from indexer.store.ledger import Ledger, without_hash, write_ledger

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
        own_model = self.embedder.card.model
        if own_model != model:
            raise ModelMissing(
                f"A reindex to {model} was cut off as its alias moved, and the settings name {own_model}. "
                f"A harvest ends it, or `sonde reindex` with {model}."
            )
        return self.embedder


@dataclass(frozen=True, slots=True)
class Pair:
    """The serving index, the one being built beside it, and the recipe of the latter."""

    kind: ReindexedKind
    old: ServingIndex
    new: str
    meta: IndexMeta


@dataclass(frozen=True, slots=True)
class _SettledPair:
    """The last of ``rounds``, and the sequence numbers up to which it has seen the shards of the old index."""

    rounds: int
    last: Round
    seen: list[int]


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
    handovers = finish(parts.client, parts.prefix, parts.embedder_of)
    if handovers and not dry_run and _serves(parts):
        return _finished(parts, handovers)
    pairs = [pair for kind in REINDEXED_KINDS if (pair := _prepare(parts, kind)) is not None]
    if not pairs:
        raise NotFound(f"There is no index {alias(parts.prefix, 'records')} yet; harvest something first.")
    settled_by_kind = {pair.kind: _settle(parts, pair) for pair in pairs}
    for pair in pairs:
        join_segments(parts.client, pair.new)
    comparison = Comparison(
        {pair.kind: _count(parts.client, pair.new) for pair in pairs},
        {kind: settled_pair.rounds for kind, settled_pair in settled_by_kind.items()},
        _overlap(parts, pairs),
    )
    old, new = tuple(pair.old.index for pair in pairs), tuple(pair.new for pair in pairs)
    refusal = _refusal(pairs, settled_by_kind, comparison, least_overlap)
    if refusal is not None or dry_run:
        return ReindexReport(False, comparison, old, new, refusal)
    for pair in pairs:
        seen_count, copied_until = settled_by_kind[pair.kind].seen, highest(parts.client, pair.new)
        record_handover(parts.client, Handover(pair.kind, pair.old.index, pair.new, seen_count, copied_until))
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
    for kind in REINDEXED_KINDS:
        current = resolve_alias(client, prefix, kind)
        if current is None:
            continue
        earlier_indices = [index for index in _generations(client, prefix, kind) if index < current.index]
        if earlier_indices:
            moves.append((kind, current.index, earlier_indices[-1]))
    if not moves:
        raise NotFound(f"No earlier index of {prefix} is kept; there is nothing to go back to.")
    _move(client, moves, prefix)
    for index_kind, old_index, new_index in moves:
        if index_kind == "records":
            _forget_newer(client, prefix, old_index, new_index)
    log.info("reindex.rolled_back", to=",".join(new_index for _, _, new_index in moves))
    return [(old_index, new_index) for _, old_index, new_index in moves]


def serve_index(client: Elasticsearch, prefix: str, index: str) -> str:
    """Puts the lost alias of ``index`` back; returns the alias.

    Raises NotFound if ``index`` is none of those whose alias is gone.
    """
    lost = lost_aliases(client, prefix)
    for lost_alias in lost:
        if index in lost_alias.indices and not lost_alias.is_taken:
            serve(client, index, lost_alias.name)
            return lost_alias.name
    indices_text = ", ".join(index_name for lost_alias in lost for index_name in lost_alias.indices)
    raise NotFound(f"{index} is no index of {prefix} that lost its alias; those are: {indices_text or 'none'}.")


def forget_others(client: Elasticsearch, prefix: str) -> list[str]:
    """Deletes every generation that does not serve: a finished reindex's old one, or an abandoned new one.

    Raises SondeError if an old one still holds what an interrupted reindex has not copied.
    """
    if handovers := unfinished_handovers(client, prefix):
        raise SondeError(
            f"{handovers[0].old} holds what {handovers[0].new} may lack: its reindex was interrupted while the alias "
            "moved. `sonde reindex` ends it, and so does a harvest; then --forget."
        )
    deleted_indices = []
    for kind in REINDEXED_KINDS:
        current = resolve_alias(client, prefix, kind)
        for index in _generations(client, prefix, kind):
            if current is not None and index != current.index:
                client.indices.delete(index=index)
                deleted_indices.append(index)
    return deleted_indices


def _prepare(parts: ReindexParts, kind: ReindexedKind) -> Pair | None:
    """The pair, with its new index created or, after an interruption, found again."""
    old = resolve_alias(parts.client, parts.prefix, kind)
    if old is None:
        return None
    card = parts.embedder.card
    new = concrete(parts.prefix, kind, generation_of(old.index) + 1)
    new_meta = IndexMeta.of(card)
    if parts.client.indices.exists(index=new):
        if index_named(parts.client, new).meta != new_meta:
            raise SondeError(f"{new} exists, half built for another model. `sonde reindex --forget` deletes it.")
    else:
        mappings = loader.mapping(kind, card, shape=parts.shape)
        parts.client.indices.create(index=new, mappings=mappings, settings=loader.settings(kind, parts.shape))
    return Pair(kind, old, new, new_meta)


def _serves(parts: ReindexParts) -> bool:
    """Whether the result of this reindex already serves."""
    serves = resolve_alias(parts.client, parts.prefix, "records")
    return serves is not None and serves.meta == IndexMeta.of(parts.embedder.card)


def _finished(parts: ReindexParts, handovers: Sequence[Handover]) -> ReindexReport:
    """The report of a reindex that had compared and moved before it was interrupted."""
    documents: dict[str, int] = {handover.kind: _count(parts.client, handover.new) for handover in handovers}
    old, new = tuple(handover.old for handover in handovers), tuple(handover.new for handover in handovers)
    return ReindexReport(True, Comparison(documents, {}, None), old, new)


def _settle(parts: ReindexParts, pair: Pair) -> _SettledPair:
    """Repeats rounds until one finds nothing to do."""
    embedder = None if pair.meta.keeps_vectors_of(pair.old.meta) else parts.embedder
    copy_options = copy_options_of(
        pair.kind, pair.meta.tokens, embedder, lambda seen_until: parts.progress(pair.kind, seen_until)
    )
    for number in range(1, _MOST_ROUNDS + 1):
        seen_until = visible_sequence_numbers(parts.client, pair.old.index)
        sync_round = sync(parts.client, pair.old.index, pair.new, copy_options)
        log.info("reindex.round", kind=pair.kind, round=number, copied=sync_round.copied, deleted=sync_round.deleted)
        if sync_round.is_settled or sync_round.failures:
            break
    return _SettledPair(number, sync_round, seen_until)


def _overlap(parts: ReindexParts, pairs: Sequence[Pair]) -> float | None:
    records = next((pair for pair in pairs if pair.kind == "records"), None)
    if parts.probe is None or records is None:
        return None
    shares = [
        len(set(old_answer) & set(new_answer)) / max(len(old_answer), len(new_answer))
        for old_answer, new_answer in zip(parts.probe(records.old.index), parts.probe(records.new), strict=True)
        if old_answer or new_answer
    ]
    return sum(shares) / len(shares) if shares else None


def _refusal(
    pairs: Sequence[Pair],
    settled_by_kind: dict[ReindexedKind, _SettledPair],
    comparison: Comparison,
    least_overlap: float,
) -> str | None:
    for pair in pairs:
        last = settled_by_kind[pair.kind].last
        if last.failures:
            first = last.failures[0]
            return f"{len(last.failures)} documents of {pair.kind} were not taken, the first {first.id}: {first.reason}"
        if not last.is_settled:
            return (
                f"{pair.kind}: {last.copied} documents still differed after {_MOST_ROUNDS} rounds; pause the harvests."
            )
    if comparison.overlap is not None and comparison.overlap < least_overlap:
        return (
            f"The first ten answers to the sampled questions share {comparison.overlap:.2f}, less than "
            f"{least_overlap:.2f}. Look at the difference; --least-overlap lowers the bar."
        )
    return None


def _move(client: Elasticsearch, moves: Sequence[tuple[IndexKind, str, str]], prefix: str) -> None:
    """Moves all aliases in one request, so that there is always exactly one index."""
    actions: list[Json] = []
    for kind, old_index, new_index in moves:
        actions.append({"remove": {"index": old_index, "alias": alias(prefix, kind)}})
        actions.append({"add": {"index": new_index, "alias": alias(prefix, kind), "is_write_index": True}})
    client.indices.update_aliases(actions=actions)


def _forget_newer(client: Elasticsearch, prefix: str, old_index: str, new_index: str) -> None:
    """Marks records that exist only in the abandoned index, so that the next harvest writes them again."""
    by_source: dict[str, list[str]] = {}
    for hit in differing_hits(client, old_index, new_index, index_named(client, old_index).meta.tokens):
        by_source.setdefault(hit["_source"]["source"], []).append(hit["_id"])
    ledger = Ledger(client, prefix)
    for source, ids in by_source.items():
        write_ledger(client, prefix, [without_hash(entry) for entry in ledger.holders(source, ids).values()])
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
