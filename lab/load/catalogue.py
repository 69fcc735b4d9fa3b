"""A catalogue of made records and passages in indices of its own, deleted when it ends, however it ends."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from core.errors import SondeError
from core.passage import WhereWhen
from core.ports import Embedder
from core.record import Record
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.codecs.passages import inherited
from es_mappings.codecs.records import to_document
from es_mappings.indices import ensure_indices
from es_mappings.loader import USUAL, IndexShape
from es_mappings.names import KINDS, concrete
from evaluation.throwaway import PREFIX, sweep_abandoned
from indexer.documents.store import passage_document
from indexer.formats import registry
from indexer.formats.reader import Refused
from indexer.harvest.background import Background
from indexer.sources.folder import FolderSource
from indexer.write.bulk import Failure, Operation, chunked, index_operation, write
from lab.load.made import SOURCE, MadeVectors, made_passages, made_records, passage_texts

log = structlog.get_logger(__name__)

ProgressReport = Callable[[str, int, int], None]
"""What is under way, how many are done, of how many."""

_CALM_S = 600.0


@dataclass(frozen=True, slots=True)
class CatalogueSize:
    """``embedded``: most texts of records, and of passages, that get their own vector; the rest are perturbed ones.

    ``shape``: of both indices.
    """

    records: int
    passages: int
    embedded: int
    shape: IndexShape = USUAL


@dataclass(frozen=True, slots=True)
class MadeCatalogue:
    """What was made. ``real``: records that it was made of; ``vectors_*``: how many of the vectors are real ones."""

    prefix: str
    real: int
    vectors_records: int
    vectors_passages: int
    seconds: float


def real_records(paths: Sequence[Path]) -> list[Record]:
    """What is read of folders and archives, in their order; what is refused is left out. Raises SondeError for none."""
    found = []
    for path in paths:
        for page in FolderSource(path).pages():
            for raw in page.records:
                try:
                    found.append(registry.read(raw, "load"))
                except Refused:
                    continue
    if not found:
        raise SondeError(f"No record can be read in {', '.join(map(str, paths))}.")
    return found


@contextmanager
def made_catalogue(
    client: Elasticsearch, real: Sequence[Record], embedder: Embedder, size: CatalogueSize, told: ProgressReport
) -> Iterator[MadeCatalogue]:
    """Filled, refreshed and done with merging on entry. What a killed run left is deleted by a later one.

    Raises Unavailable where Elasticsearch does not answer, SondeError where it refuses a document.
    """
    sweep_abandoned(client)  # also finds out, before anything is embedded, whether it answers
    prefix = f"{PREFIX}load-{uuid.uuid4().hex[:12]}"
    try:
        yield fill(client, prefix, real, embedder, size, told)
    finally:
        delete(client, prefix)


def fill(
    client: Elasticsearch,
    prefix: str,
    real: Sequence[Record],
    embedder: Embedder,
    size: CatalogueSize,
    told: ProgressReport,
) -> MadeCatalogue:
    """Indices of ``prefix`` made and filled; refreshed and done with merging on return."""
    begun = time.perf_counter()
    ensure_indices(client, prefix, embedder.card, shape=size.shape)
    _refresh(client, prefix, "-1")  # nobody searches yet, and larger segments are merged less often
    records = MadeVectors.of([record.embedding_text for record in real], embedder, min(size.records, size.embedded))
    _write(client, _records(prefix, real, records, size), "records", size.records, told)
    vectors = 0
    if size.passages:
        texts = passage_texts(real)
        passages = MadeVectors.of(texts, embedder, min(size.passages, size.embedded))
        vectors = len(passages.real)
        _write(client, _passages(prefix, real, texts, passages, size), "passages", size.passages, told)
    _refresh(client, prefix, None)
    calm(client, _filled(prefix))
    return MadeCatalogue(prefix, len(real), len(records.real), vectors, time.perf_counter() - begun)


def _records(prefix: str, real: Sequence[Record], vectors: MadeVectors, size: CatalogueSize) -> Iterator[Operation]:
    index = concrete(prefix, "records", 1)
    for place, record in enumerate(made_records(real, size.records)):
        yield index_operation(index, record.id, {**to_document(record), **vectors.at(place)})


def _passages(
    prefix: str, real: Sequence[Record], texts: Sequence[str], vectors: MadeVectors, size: CatalogueSize
) -> Iterator[Operation]:
    index = concrete(prefix, "passages", 1)
    nowhere = WhereWhen()
    for place, (passage, record) in enumerate(made_passages(texts, size.passages, size.records)):
        owner = real[record % len(real)]
        inherits = {**inherited(owner), "record": passage.record, "source": SOURCE}
        document = passage_document(passage, owner.title, nowhere, inherits, vectors.at(place))
        yield index_operation(index, passage.id, document)


def _write(client: Elasticsearch, operations: Iterator[Operation], what: str, total: int, told: ProgressReport) -> None:
    def counted() -> Iterator[Operation]:
        for done, operation in enumerate(operations, start=1):
            yield operation
            told(what, done, total)

    failures: list[Failure] = []
    sent: Future[list[Failure]] | None = None
    with Background(1, "fill") as sending:  # the next documents are made while Elasticsearch takes these
        for chunk in chunked(counted()):
            failures += [] if sent is None else sent.result()
            sent = sending.submit(write, client, chunk)
    failures += [] if sent is None else sent.result()
    if failures:
        raise SondeError(f"{len(failures)} {what} were refused, {failures[0].id} first: {failures[0].reason}")


def _refresh(client: Elasticsearch, prefix: str, interval: str | None) -> None:
    settings = {"index.refresh_interval": interval}
    client.indices.put_settings(index=_filled(prefix), settings=settings)


def _filled(prefix: str) -> list[str]:
    return [concrete(prefix, "records", 1), concrete(prefix, "passages", 1)]


def calm(client: Elasticsearch, indices: Sequence[str]) -> None:
    """Everything can be found, and no merge is left to disturb the searches; after ten minutes it goes on anyway."""
    client.indices.refresh(index=indices)
    until = time.monotonic() + _CALM_S
    while time.monotonic() < until:
        found = client.indices.stats(index=indices, metric="merge")
        if not found["_all"]["total"]["merges"]["current"]:
            return
        time.sleep(0.5)
    log.warning("load.still_merging", indices=indices)


def delete(client: Elasticsearch, prefix: str) -> None:
    """A failure is said and not raised: it would hide why the run ended, and a later one sweeps."""
    for kind in KINDS:
        try:
            client.options(ignore_status=404).indices.delete(index=concrete(prefix, kind, 1))
        except ElasticsearchError as error:
            log.warning("load.left_behind", prefix=prefix, reason=str(error))
