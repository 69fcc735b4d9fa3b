"""A cross-encoder in a hub's layout behind the API: what it reads, and what is said where it cannot be loaded."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from structlog.testing import capture_logs

from encoders.cross_encoder import ModelCrossEncoder
from sonde.ops.doctor import examine
from sonde.settings import ApiSettings, CrossEncoderSettings
from sonde.wiring.api import api_parts
from sonde.wiring.models import Models
from tests.hub_folder import hub_folder
from tests.service import Service


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the model read."""
    texts_read: list[str] = []
    score = ModelCrossEncoder.score

    def noting(self: ModelCrossEncoder, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        texts_read.extend(texts)
        return score(self, question, texts)

    monkeypatch.setattr(ModelCrossEncoder, "score", noting)
    return texts_read


def test_the_second_page_reads_nothing_again(samples: Service, read: list[str], tmp_path: Path) -> None:
    folder = hub_folder(tmp_path / "reader", ["model.onnx", "model_quantized.onnx"])
    service = Service(samples.client, samples.url, samples.prefix, cross_encoder=str(folder))
    first = service.search("rainfall", limit=5)
    assert len(read) == len(set(read)) > 5
    read_once = list(read)
    (following,) = [link["href"] for link in first["links"] if link["rel"] == "next"]
    second = service.http.get(following).get_json()
    assert read == read_once
    hits = [*first["features"], *second["features"]]
    assert len({hit["id"] for hit in hits}) == 10
    assert all(hit["sonde:signals"]["cross_encoder"] is not None for hit in hits)
    assert first["sonde:degraded"] == second["sonde:degraded"] == []
    service.search("rainfall in Africa", limit=5)
    assert len(read) > len(read_once)


def test_one_that_cannot_be_loaded_is_said_at_the_start(samples: Service, tmp_path: Path) -> None:
    folder = hub_folder(tmp_path / "reader", ["model.onnx"])
    (folder / "onnx" / "model.onnx").write_bytes(b"cut")
    given = {"cross_encoder": CrossEncoderSettings(model=str(folder)), "api": ApiSettings(preload=True)}
    settings = samples.settings.model_copy(update=given)
    with capture_logs() as logs:
        parts = api_parts(settings)
        until = time.monotonic() + 20.0
        while not (notes := [note for note in parts.readiness().notes if "reranker" in note]):
            assert time.monotonic() < until, "no note about the reranker"
            time.sleep(0.1)
    assert notes[0].startswith(f"Searches rank without the reranker {folder}: model.onnx: ")
    assert "is not a graph ONNX Runtime can run" in notes[0]
    assert parts.readiness().ready
    (line,) = [line for line in logs if line["event"] == "part.troubled" and line["part"] == "reranker"]
    assert line["reason"] == notes[0]
    found = next(one for one in examine.examine(settings, Models(settings)) if one.part == "cross-encoder")
    assert found.state == "warning"
    assert found.message.startswith(f"searches rank without {folder}: model.onnx: ")
