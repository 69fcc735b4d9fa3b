"""A worker's app for tests, run by ``celery -A worker_app``: real tasks, a stub embedder, slow enough to be killed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from small_catalogue import HashingEmbedder

from es_gateway.client import Elasticsearch
from indexer.quality.links import LinkParts, check_links
from indexer.raw import RawPage, Source
from indexer.sources.folder import FolderSource
from net.gate import Gate, GatePolicy
from workers.app import create_celery
from workers.config import WorkerConfig, WorkerParts
from workers.source_config import SourceConfig


@dataclass(frozen=True)
class SlowSource:
    """A folder with a pause before each page, so that a test can kill the worker in the middle."""

    source: FolderSource
    pause_s: float

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        for page in self.source.pages(position):
            time.sleep(self.pause_s)
            yield page


def open_source(config: SourceConfig, since: str | None) -> Source:
    return SlowSource(FolderSource(config.folder, page_size=20), float(config.options.get("pause_s", 0.0)))


def parts() -> WorkerParts:
    client = Elasticsearch(os.environ["TEST_ELASTICSEARCH"])
    embedder = HashingEmbedder()
    gate = Gate(GatePolicy(allowed_hosts=frozenset({"127.0.0.1"})))
    links = LinkParts(client, os.environ["TEST_PREFIX"], gate)
    look = lambda source, seconds: check_links(source, links, seconds=seconds)  # noqa: E731
    return WorkerParts(client, open_source, lambda _: None, embedder.load, check_links=look)


config = WorkerConfig(
    broker_url=os.environ["TEST_BROKER"],
    prefix=os.environ["TEST_PREFIX"],
    sources=Path(os.environ["TEST_SOURCES"]),
    visibility_timeout_s=20,
    slice_s=float(os.environ.get("TEST_SLICE_S", "2")),
    lease_s=2.0,
    heartbeat_s=0.5,
    requeue_every_s=1.0,
    reread_every_s=1.0,
    batch=20,
    links_every_s=float(os.environ.get("TEST_LINKS_EVERY_S", "0")),
)
app = create_celery(config, parts)
