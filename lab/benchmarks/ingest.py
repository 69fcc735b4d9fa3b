"""Harvests and embedding: records a second, and how near the embedder's own speed we come."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.ports import Embedder
from es_gateway.client import Elasticsearch
from es_mappings.codecs.runs import RunReport
from indexer.formats import registry
from indexer.formats.reader import Refused
from indexer.harvest.harvest import harvest
from indexer.harvest.parts import Options, Parts
from indexer.sources.folder import FolderSource
from indexer.write.embed_missing import embed_missing


@dataclass(frozen=True, slots=True)
class HarvestTime:
    """One harvest of one archive."""

    name: str
    report: RunReport
    seconds: float

    @property
    def per_second(self) -> float:
        return self.report.counts.seen / self.seconds


def time_harvest(client: Elasticsearch, prefix: str, path: Path, embedder: Embedder | None = None) -> HarvestTime:
    """From the first page to the stored report; without an embedder, vectors stay out."""
    parts = Parts(client, prefix, (lambda _name: embedder) if embedder is not None else None)
    started = time.perf_counter()
    report = harvest(path.name.partition(".")[0], FolderSource(path), parts, Options())
    return HarvestTime(path.name, report, time.perf_counter() - started)


@dataclass(frozen=True, slots=True)
class EmbeddingTime:
    """``bare``: the model on the texts alone, with token vectors if it makes them; ``whole``: filling the index with
    them. Texts a second.
    """

    bare: float
    whole: float
    texts: int
    reads_tokens: int
    longer_share: float


def time_embedding(client: Elasticsearch, prefix: str, source: str, path: Path, embedder: Embedder) -> EmbeddingTime:
    """Bare on all texts, then all missing vectors of the source, then bare again: the machine drifts."""
    texts = list(_texts(path))
    lengths = np.asarray(embedder.count_tokens(texts))
    before = _bare(embedder, texts)
    started = time.perf_counter()
    filled = embed_missing(source, Parts(client, prefix, lambda _name: embedder), Options())
    whole = filled.embedded / (time.perf_counter() - started)
    bare = (before + _bare(embedder, texts)) / 2.0
    reads = embedder.card.max_tokens
    return EmbeddingTime(bare, whole, filled.embedded, reads, float((lengths > reads).mean()))


def _bare(embedder: Embedder, texts: Sequence[str]) -> float:
    started = time.perf_counter()
    embedder.encode(texts, "document")
    return len(texts) / (time.perf_counter() - started)


def _texts(path: Path) -> Iterator[str]:
    for page in FolderSource(path).pages():
        for raw in page.records:
            try:
                yield registry.read(raw, "bench").embedding_text
            except Refused:
                continue
