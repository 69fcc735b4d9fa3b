"""A test catalogue of records and passages made of real ones, in separate indices: for one run, or with a name."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import structlog

from core.document import Passage, WhereWhen
from core.errors import SondeError
from core.json_types import Json
from core.ports import Embedder
from core.record import Record
from es_gateway.client import Elasticsearch
from es_mappings.codecs.passages import inherited
from es_mappings.codecs.records import to_document
from es_mappings.codecs.vectors import VECTOR, to_fields
from es_mappings.indices import ensure_indices, join_segments
from es_mappings.loader import USUAL, IndexShape
from es_mappings.names import concrete
from evaluation.collections.ncar import records_of
from evaluation.temporary_index import PREFIX, delete_indices, sweep_abandoned
from indexer.background import Background
from indexer.documents.index.store import passage_document
from indexer.store.bulk import Failure, Operation, chunked, index_operation, write
from reading.sentences import sentences

SOURCE = "load"

_SEED = 20_11
_STEP = 7_919  # a prime: abstracts move on against titles, and pairs come back late
_NOISE = 0.5  # cosine to the vector it came from: about 1 / sqrt(1 + 0.5²) = 0.89
_SENTENCES = 3  # of a passage
log = structlog.get_logger(__name__)
ProgressReport = Callable[[str, int, int], None]
"""What is under way, how many are done, of how many."""
_CALM_S = 600.0
_PREFIX = "sonde-load-"  # not the throw-away one: nobody sweeps it
_MANIFEST = "load"
Made_of = Callable[[], tuple[Sequence[Record], Embedder]]
"""The real records and the embedder: asked for only where there is something to fill, since both take a while."""


def made_records(real: Sequence[Record], number: int) -> Iterator[Record]:
    """First the real ones under ids of their own, then each title with the abstract of another; all are distinct."""
    for place in range(number):
        lap, row = divmod(place, len(real))
        record, abstract_record = real[row], real[(row + lap * _STEP) % len(real)]
        name = f"{place:07d}"
        yield replace(
            record,
            id=f"{SOURCE}:{name}",
            source=SOURCE,
            identifier=name,
            abstract=abstract_record.abstract,
            doi=None,  # by it two made of one would be folded into one hit
            parent=None,
        )


def passage_texts(real: Sequence[Record]) -> list[str]:
    """Three sentences after another of each abstract, in order; where nothing is described, the title."""
    texts = []
    for record in real:
        sentences_found = sentences(record.abstract) or [record.title]
        texts += [
            " ".join(sentences_found[start : start + _SENTENCES])
            for start in range(0, len(sentences_found), _SENTENCES)
        ]
    return texts


def made_passages(texts: Sequence[str], number: int, records: int) -> Iterator[tuple[Passage, int]]:
    """Each with the place of its record; spread over all records, texts begin again where they end."""
    for place in range(number):
        ordinal, record = divmod(place, records)
        document = f"{SOURCE}-document-{record:07d}"
        passage = Passage(
            f"{document}:{ordinal}",
            document,
            ordinal,
            texts[place % len(texts)],
            f"{SOURCE}:{record:07d}",
            section_path=("Description",),
            section_role="body",
            first_page=ordinal + 1,
            last_page=ordinal + 1,
        )
        yield passage, record


@dataclass(frozen=True, slots=True)
class MadeVectors:
    """``real``: the fields of each text's vectors. Past them each vector is a real one moved by noise, the same every
    time, with the token vectors of the real one.
    """

    real: Sequence[Json]

    @classmethod
    def of(cls, texts: Sequence[str], embedder: Embedder, limit: int) -> MadeVectors:
        """Embeds the first ``limit`` texts."""
        return cls(to_fields(embedder.encode(texts[:limit], "document"), embedder.card, embedder.card.tokens))

    def at(self, place: int) -> Json:
        """The fields; the vector has unit norm."""
        fields = self.real[place % len(self.real)]
        if place < len(self.real):
            return fields
        base = np.array(fields[VECTOR])
        moved = base + np.random.default_rng([_SEED, place]).normal(size=len(base)) * (_NOISE / np.sqrt(len(base)))
        return {**fields, VECTOR: (moved / np.linalg.norm(moved)).tolist()}


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
    records = [record for path in paths for record in records_of(path, SOURCE)]
    if not records:
        raise SondeError(f"No record can be read in {', '.join(map(str, paths))}.")
    return records


@contextmanager
def made_catalogue(
    client: Elasticsearch, real: Sequence[Record], embedder: Embedder, size: CatalogueSize, report: ProgressReport
) -> Iterator[MadeCatalogue]:
    """On entry it is filled, refreshed and merged. A later run deletes the indices of a killed one.

    Raises Unavailable if Elasticsearch does not answer, SondeError where it refuses a document.
    """
    sweep_abandoned(client)  # also finds out, before anything is embedded, whether it answers
    prefix = f"{PREFIX}load-{uuid.uuid4().hex[:12]}"
    try:
        yield fill(client, prefix, real, embedder, size, report)
    finally:
        delete_indices(client, prefix)


def fill(
    client: Elasticsearch,
    prefix: str,
    real: Sequence[Record],
    embedder: Embedder,
    size: CatalogueSize,
    report: ProgressReport,
) -> MadeCatalogue:
    """Indices of ``prefix`` made and filled; refreshed and done with merging on return."""
    started_s = time.perf_counter()
    ensure_indices(client, prefix, embedder.card, shape=size.shape)
    _refresh(client, prefix, "-1")  # nobody searches yet, and larger segments are merged less often
    records = MadeVectors.of([record.embedding_text for record in real], embedder, min(size.records, size.embedded))
    _write(client, _records(prefix, real, records, size), "records", size.records, report)
    vectors = 0
    if size.passages:
        texts = passage_texts(real)
        passages = MadeVectors.of(texts, embedder, min(size.passages, size.embedded))
        vectors = len(passages.real)
        _write(client, _passages(prefix, real, texts, passages, size), "passages", size.passages, report)
    _refresh(client, prefix, None)
    wait_for_merges(client, _filled_indices(prefix))
    for index in _filled_indices(prefix):  # as after a harvest, and once a day
        join_segments(client, index)
    return MadeCatalogue(prefix, len(real), len(records.real), vectors, time.perf_counter() - started_s)


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


def _write(
    client: Elasticsearch, operations: Iterator[Operation], kind: str, total: int, report: ProgressReport
) -> None:
    def count_operations() -> Iterator[Operation]:
        for count, operation in enumerate(operations, start=1):
            yield operation
            report(kind, count, total)

    failures: list[Failure] = []
    pending: Future[list[Failure]] | None = None
    with Background(1, "fill") as sending:  # the next documents are made while Elasticsearch takes these
        for chunk in chunked(count_operations()):
            failures += [] if pending is None else pending.result()
            pending = sending.submit(write, client, chunk)
    failures += [] if pending is None else pending.result()
    if failures:
        raise SondeError(f"{len(failures)} {kind} were refused, {failures[0].id} first: {failures[0].reason}")


def _refresh(client: Elasticsearch, prefix: str, interval: str | None) -> None:
    settings = {"index.refresh_interval": interval}
    client.indices.put_settings(index=_filled_indices(prefix), settings=settings)


def _filled_indices(prefix: str) -> list[str]:
    return [concrete(prefix, "records", 1), concrete(prefix, "passages", 1)]


def wait_for_merges(client: Elasticsearch, indices: Sequence[str]) -> None:
    """Waits until all documents can be found and no merge disturbs the searches, at most ten minutes."""
    client.indices.refresh(index=indices)
    ends_s = time.monotonic() + _CALM_S
    while time.monotonic() < ends_s:
        stats = client.indices.stats(index=indices, metric="merge")
        if not stats["_all"]["total"]["merges"]["current"]:
            return
        time.sleep(0.5)
    log.warning("load.still_merging", indices=indices)


def standing_catalogue(
    client: Elasticsearch, name: str, size: CatalogueSize, of: Made_of, report: ProgressReport
) -> MadeCatalogue:
    """The catalogue with that name; it is filled first if it is absent.

    A half-filled catalogue of a killed run has no manifest and is filled again. Raises SondeError if it has another
    size, Unavailable where Elasticsearch does not answer.
    """
    prefix = f"{_PREFIX}{name}"
    manifest = (_meta(client, prefix) or {}).get(_MANIFEST)
    if manifest is None:
        delete_indices(client, prefix)
        catalogue = fill(client, prefix, *of(), size, report)
        _commit(client, catalogue, size)
        return catalogue
    if manifest["size"] != asdict(size):
        raise SondeError(f"The catalogue {name} has another size: {manifest['size']}. Use that size, or --drop it.")
    return MadeCatalogue(**manifest["made"])


def drop(client: Elasticsearch, name: str) -> None:
    """Its indices are deleted, by name."""
    delete_indices(client, f"{_PREFIX}{name}")


def _index(prefix: str) -> str:
    return concrete(prefix, "records", 1)


def _meta(client: Elasticsearch, prefix: str) -> Json | None:
    mappings = client.options(ignore_status=404).indices.get_mapping(index=_index(prefix)).body
    return dict(mappings[_index(prefix)]["mappings"].get("_meta", {})) if _index(prefix) in mappings else None


def _commit(client: Elasticsearch, catalogue: MadeCatalogue, size: CatalogueSize) -> None:
    """Written last: what carries it is whole."""
    manifest = {"size": asdict(size), "made": asdict(catalogue)}
    client.indices.put_mapping(
        index=_index(catalogue.prefix), meta={**(_meta(client, catalogue.prefix) or {}), _MANIFEST: manifest}
    )
