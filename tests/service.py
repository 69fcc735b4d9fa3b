"""The real service on a prefix of its own, filled with the samples: what API, end-to-end and quality tests ask."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch
from flask import Flask
from flask.testing import FlaskClient

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
        return harvest(source, FolderSource(path), HarvestParts(self.client, self.prefix, self.models.embedder))

    def search(self, q: str = "", **parameters: Any) -> dict[str, Any]:
        """The answer of ``/search``; fails with what the service said where it is not 200."""
        answer = self.http.get("/search", query_string={"q": q, **parameters})
        assert answer.status_code == 200, answer.get_data(as_text=True)
        body: dict[str, Any] = answer.get_json()
        return body

    def ids(self, q: str = "", **parameters: Any) -> list[str]:
        """Ids of the hits without their source, best first."""
        return [feature["id"].partition(":")[2] for feature in self.search(q, **parameters)["features"]]
