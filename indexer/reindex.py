"""The next index beside the serving one: built, filled, compared, put in service; or the old one put back.

The serving index is copied in rounds until a round finds nothing to do, so that harvests go on meanwhile. Then the
alias moves in one request, and a last round brings over what was written while it moved. See adr/0007.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import structlog
from elasticsearch import Elasticsearch

from core.errors import NotFound, SondeError
from core.passage import Passage
from core.ports import Embedder
from es_mappings import loader
from es_mappings.documents import from_document, to_document
from es_mappings.indices import ServingIndex, resolved
from es_mappings.meta import IndexMeta
from es_mappings.names import IndexKind, alias, concrete, generation_of
from indexer.commit import write_ledger
from indexer.converge import Copying, Json, Round, converge, differing
from indexer.documents.segment import embedding_text
from indexer.ledger import Ledger
from indexer.patience import patient_client, patiently
from indexer.runs import now_iso
from indexer.sweep import forget

log = structlog.get_logger(__name__)

Reindexed = Literal["records", "passages", "library"]
REINDEXED: tuple[Reindexed, ...] = ("records", "passages", "library")

AnswerProbe = Callable[[str], Sequence[Sequence[str]]]
"""Sampled questions asked of the records index of that name: the ids of the first ten for each."""

_MOST_ROUNDS = 8
_OF_THE_RECORD = ("native", "harvest", "family")  # what the harvest adds to what to_document writes


@dataclass(frozen=True, slots=True)
class ReindexParts:
    """``embedder`` is the one that the new index is for; ``probe`` asks sampled questions (None: not compared)."""

    client: Elasticsearch
    prefix: str
    embedder: Embedder
    probe: AnswerProbe | None = None
    vector_index: str = "int8_hnsw"
    progress: Callable[[str, int], None] = lambda _kind, _seen: None


@dataclass(frozen=True, slots=True)
class Pair:
    """The serving index and the one being built beside it."""

    kind: Reindexed
    old: ServingIndex
    new: str
    same_model: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """``overlap``: mean share (0..1) of the first ten that both give for the sampled questions; None: not asked."""

    documents: dict[str, int]
    rounds: dict[str, int]
    overlap: float | None


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What was done. ``moved`` is False where the comparison refused, with the sentence in ``refusal``."""

    moved: bool
    comparison: Comparison
    old: tuple[str, ...]
    new: tuple[str, ...]
    refusal: str | None = None


def reindex(parts: ReindexParts, *, least_overlap: float, dry_run: bool = False) -> ReindexReport:
    """Builds, compares and moves; goes on from where an interrupted one stopped.

    The alias stays where it is, and the new indices too, where a round never settles or the sampled answers share
    less than ``least_overlap`` (0..1). Raises NotFound where there is nothing to reindex, Unavailable where
    Elasticsearch does not answer.
    """
    parts = replace(parts, client=patient_client(parts.client))
    pairs = [pair for kind in REINDEXED if (pair := _prepare(parts, kind)) is not None]
    if not pairs:
        raise NotFound(f"There is no index {alias(parts.prefix, 'records')} yet; harvest something first.")
    rounds = {pair.kind: _settle(parts, pair) for pair in pairs}
    comparison = Comparison(
        {pair.kind: _count(parts.client, pair.new) for pair in pairs},
        {kind: count for kind, (count, _) in rounds.items()},
        _overlap(parts, pairs),
    )
    old, new = tuple(pair.old.index for pair in pairs), tuple(pair.new for pair in pairs)
    refusal = _refusal(pairs, rounds, comparison, least_overlap)
    if refusal is not None or dry_run:
        return ReindexReport(False, comparison, old, new, refusal)
    moved_at = now_iso()
    _move(parts.client, [(pair.kind, pair.old.index, pair.new) for pair in pairs], parts.prefix)
    for pair in pairs:
        _catch_up(parts, pair, moved_at)
    _note_model(parts.client, parts.prefix, parts.embedder.card.model)
    log.info("reindex.moved", old=",".join(old), new=",".join(new))
    return ReindexReport(True, comparison, old, new)


def rollback(client: Elasticsearch, prefix: str) -> list[tuple[str, str]]:
    """Puts the generation before back in service; the (left, taken) index names. One request, so it takes no time.

    Then the ledger forgets what was harvested since the move, so that the next harvest writes it again.
    Raises NotFound where no earlier generation is kept.
    """
    moves: list[tuple[IndexKind, str, str]] = []
    for kind in REINDEXED:
        current = resolved(client, prefix, kind)
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


def forget_others(client: Elasticsearch, prefix: str) -> list[str]:
    """Deletes every generation that does not serve: a finished reindex's old one, or an abandoned new one."""
    deleted = []
    for kind in REINDEXED:
        current = resolved(client, prefix, kind)
        for index in _generations(client, prefix, kind):
            if current is not None and index != current.index:
                client.indices.delete(index=index)
                deleted.append(index)
    return deleted


def _prepare(parts: ReindexParts, kind: Reindexed) -> Pair | None:
    """The pair, its new index created or, after an interruption, found again."""
    old = resolved(parts.client, parts.prefix, kind)
    if old is None:
        return None
    card = parts.embedder.card
    new = concrete(parts.prefix, kind, generation_of(old.index) + 1)
    wanted = IndexMeta.of(card)
    if parts.client.indices.exists(index=new):
        mapping = parts.client.indices.get_mapping(index=new).body[new]["mappings"]
        if IndexMeta.read(new, mapping.get("_meta")) != wanted:
            raise SondeError(
                f"{new} is there, half built for another model. `sonde reindex --forget` deletes what does not serve."
            )
    else:
        mappings = loader.mapping(kind, card, vector_index=parts.vector_index)
        parts.client.indices.create(index=new, mappings=mappings, settings=loader.settings())
    return Pair(kind, old, new, old.meta.embedding_model == card.model and old.meta.dims == card.dims)


def _settle(parts: ReindexParts, pair: Pair) -> tuple[int, Round]:
    """Rounds until one finds nothing to do; how many, and the last."""
    copying = _copying(parts, pair)
    for number in range(1, _MOST_ROUNDS + 1):
        done = converge(parts.client, pair.old.index, pair.new, copying, may_delete=lambda _document: True)
        log.info("reindex.round", kind=pair.kind, round=number, copied=done.copied, deleted=done.deleted)
        if done.settled or done.failures:
            return number, done
    return _MOST_ROUNDS, done


def _catch_up(parts: ReindexParts, pair: Pair, moved_at: str) -> None:
    """What reached the old index while the alias moved. Records that the new one holds in a newer version stay."""
    copying = replace(_copying(parts, pair), newer=_is_newer)

    def left_behind(document: Json) -> bool:
        written = document.get("harvest", {}).get("written")
        return pair.kind == "records" and written is not None and written < moved_at

    converge(parts.client, pair.old.index, pair.new, copying, may_delete=left_behind)


def _is_newer(source: Json, target: Json) -> bool:
    """Only records say when they were written; a passage in both is left as the new index has it."""
    written, held = (document.get("harvest", {}).get("written") for document in (source, target))
    return held is None or (written is not None and held >= written)


def _copying(parts: ReindexParts, pair: Pair) -> Copying:
    texts = _record_text if pair.kind == "records" else _passage_text

    def embedded(documents: Sequence[Json]) -> Sequence[list[float] | None]:
        vectors = parts.embedder.embed([texts(document, parts.embedder) for document in documents], "document")
        return [vector.tolist() for vector in vectors]

    return Copying(
        renewed=_renewed_record if pair.kind == "records" else dict,
        vectors=None if pair.same_model else embedded,
        progress=lambda seen: parts.progress(pair.kind, seen),
    )


def _renewed_record(source: Json) -> Json:
    """The record as this version writes it, with what the harvest noted of it."""
    document = to_document(from_document(source))
    kept = {name: source[name] for name in _OF_THE_RECORD if name in source}
    return {**document, **kept}


def _record_text(document: Json, _embedder: Embedder) -> str:
    return from_document(document).embedding_text


def _passage_text(document: Json, embedder: Embedder) -> str:
    passage = Passage(
        id="", document=document["document"], ordinal=document["ordinal"], text=document["text"],
        section_path=tuple(document.get("section_path", ())),
    )  # fmt: skip
    return embedding_text(passage, document.get("title", ""), embedder, embedder.card.max_tokens)


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
    pairs: Sequence[Pair], rounds: dict[Reindexed, tuple[int, Round]], found: Comparison, least_overlap: float
) -> str | None:
    for pair in pairs:
        _, last = rounds[pair.kind]
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
    """All aliases in one request: there is no moment without an index, or with two."""
    actions: list[dict[str, Any]] = []
    for kind, left, taken in moves:
        actions.append({"remove": {"index": left, "alias": alias(prefix, kind)}})
        actions.append({"add": {"index": taken, "alias": alias(prefix, kind), "is_write_index": True}})
    client.indices.update_aliases(actions=actions)


def _forget_newer(client: Elasticsearch, prefix: str, left: str, taken: str) -> None:
    """Records that only the left index holds so are read and written again by the next harvest of their source."""
    by_source: dict[str, list[str]] = {}
    for hit in differing(client, left, taken):
        by_source.setdefault(hit["_source"]["source"], []).append(hit["_id"])
    ledger = Ledger(client, prefix)
    for source, ids in by_source.items():
        write_ledger(client, prefix, [forget(entry) for entry in ledger.holders(source, ids).values()])
    serves = resolved(client, prefix, "records")
    if serves is not None:
        _note_model(client, prefix, serves.meta.embedding_model)


def _note_model(client: Elasticsearch, prefix: str, model: str) -> None:
    """The ledger learns whose vectors are there now, else the next harvest would make them all again."""
    patiently(
        lambda: client.update_by_query(
            index=alias(prefix, "ledger"),
            query={"bool": {"filter": [{"exists": {"field": "embedding_model"}}]}},
            script={"source": "ctx._source.embedding_model = params.model", "params": {"model": model}},
            conflicts="proceed",
            refresh=True,
        )
    )


def _count(client: Elasticsearch, index: str) -> int:
    patiently(lambda: client.indices.refresh(index=index))
    return int(patiently(lambda: client.count(index=index))["count"])


def _generations(client: Elasticsearch, prefix: str, kind: IndexKind) -> list[str]:
    """Concrete indices of that kind, oldest first."""
    pattern = f"{alias(prefix, kind)}-0*"
    return sorted(client.options(ignore_status=404).indices.get_alias(index=pattern).body)
