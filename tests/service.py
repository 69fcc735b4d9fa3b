"""The real service on a prefix of its own, filled with the samples: what API, end-to-end and quality tests ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from elasticsearch import Elasticsearch
from flask import Flask
from flask.testing import FlaskClient

from core.ports import Embedder, EmbedderCard, Encoded, TextKind, Vectors
from es_mappings.codecs.runs import RunReport
from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts as HarvestParts
from indexer.sources.folder import FolderSource
from search_api.app import create_app
from sonde.settings import ApiSettings, CrossEncoderSettings, ElasticsearchSettings, IndexSettings, Settings
from sonde.wiring.api import api_parts
from sonde.wiring.models import Models

SAMPLES = Path(__file__).resolve().parent.parent / "samples" / "records"


@dataclass(frozen=True)
class SharedReading:
    """Implements the port ``Embedder``: a document that a test of this process read is not read again."""

    embedder: Embedder
    _read: ClassVar[dict[tuple[str, str], tuple[Vectors, Vectors | None]]] = {}

    @property
    def card(self) -> EmbedderCard:
        return self.embedder.card

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        return self.embedder.embed(texts, kind)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.embedder.count_tokens(texts)

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        if kind != "document" or not texts:
            return self.embedder.encode(texts, kind)
        keys = [(f"{self.card.model} {self.card.runtime}", text) for text in texts]
        if new := [key for key in dict.fromkeys(keys) if key not in self._read]:
            made = self.embedder.encode([text for _, text in new], kind)
            self._read.update(zip(new, zip(made.vectors, made.tokens or [None] * len(new), strict=True), strict=True))
        vectors, tokens = zip(*(self._read[key] for key in keys), strict=True)
        return Encoded(np.array(vectors), None if tokens[0] is None else list(tokens))


@dataclass(frozen=True)
class Service:
    """One prefix of one Elasticsearch with the API over it.

    ``cross_encoder`` is none unless a test is about it: reading thirty records again is most of a search's time.
    """

    client: Elasticsearch
    url: str
    prefix: str
    cross_encoder: str = ""

    @cached_property
    def settings(self) -> Settings:
        return Settings(
            cross_encoder=CrossEncoderSettings(model=self.cross_encoder),
            elasticsearch=ElasticsearchSettings(url=self.url),
            index=IndexSettings(prefix=self.prefix),
            api=ApiSettings(preload=False),
        )

    @cached_property
    def models(self) -> Models:
        return Models(self.settings)

    @cached_property
    def app(self) -> Flask:
        return create_app(api_parts(self.settings, self.models))

    @cached_property
    def http(self) -> FlaskClient:
        return self.app.test_client()

    def prepare(self) -> None:
        """The six indices, empty."""
        ensure_indices(self.client, self.prefix, self.models.embedder().card)

    def harvest(self, path: Path = SAMPLES, source: str = "samples") -> RunReport:
        self.prepare()
        parts = HarvestParts(self.client, self.prefix, lambda name=None: SharedReading(self.models.embedder(name)))
        return harvest(source, FolderSource(path), parts)

    def search(self, q: str = "", **parameters: Any) -> dict[str, Any]:
        """The answer of ``/search``; fails with what the service said where it is not 200."""
        answer = self.http.get("/search", query_string={"q": q, **parameters})
        assert answer.status_code == 200, answer.get_data(as_text=True)
        body: dict[str, Any] = answer.get_json()
        return body

    def ids(self, q: str = "", **parameters: Any) -> list[str]:
        """Ids of the hits without their source, best first."""
        return [feature["id"].partition(":")[2] for feature in self.search(q, **parameters)["features"]]
