"""Settings of the models: embedder, cross-encoder, geocoder, and the model that answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import AfterValidator, Field, SecretStr

from sonde.setting_types import HttpUrl, SettingsGroup


class EmbedderSettings(SettingsGroup):
    model: str = Field(
        "sentence-transformers/all-MiniLM-L6-v2",
        description="A hub id, a folder, or artifact:NAME (a package with weights).",
    )
    runtime: Literal["auto", "onnx-int8", "onnx-fp32", "torch", "remote"] = "auto"
    instruction: str | None = Field(None, description="Text before each question. Default: from the model.")
    threads: int = Field(0, ge=0, description="0: all cores.")
    device: str = "cpu"
    url: HttpUrl | None = Field(None, description="OpenAI-style endpoint for runtime=remote.")
    key: SecretStr | None = None
    input_type: bool = Field(False, description="Whether to send `query` or `passage` to the endpoint, for E5 servers.")
    timeout_s: float = Field(60.0, gt=0, description="Limit for one call of the endpoint, up to 64 texts.")
    min_score: float | None = Field(None, ge=-1, le=1, description="Minimum cosine of a hit. Default: from the model.")
    answer_score: float | None = Field(
        None, ge=-1, le=1, description="Minimum cosine of the best hit. Default: from the model."
    )
    floor: float | None = Field(
        None, ge=-1, lt=1, description="Lower end of the scale of cosines in fusion. Default: from the model."
    )
    tokens: str = Field(
        "auto", description="What makes token vectors: auto (the model's own, or Sonde's for it), a folder, or none."
    )


def _unless_none(name: str | None) -> str | None:
    """An empty variable counts as not set, so "none" needs a word."""
    return None if name in ("", "none") else name


def _runtime_of_rerankers(name: str) -> str:
    from encoders.rerankers import RERANKERS  # only if one is named, because the runtimes take long to import

    if name not in RERANKERS:
        raise ValueError(f"must be one of {', '.join(RERANKERS)}")
    return name


class CrossEncoderSettings(SettingsGroup):
    model: Annotated[str | None, AfterValidator(_unless_none)] = Field(
        None,
        description="A reranker (folder or hub id): reads the question beside each of the best hits. Default: none.",
    )
    weight: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Its share of the final score. Default: from its card, or the ranking configuration.",
    )
    runtime: Annotated[str, AfterValidator(_runtime_of_rerankers)] = Field(
        "auto", description="auto, onnx, torch, or remote for an endpoint at the URL."
    )
    device: str = Field("cpu", description="cpu or cuda, for onnx and torch.")
    threads: int = Field(0, ge=0)
    url: HttpUrl | None = Field(
        None, description="For runtime=remote: the root of a TEI server, or an address up to /v1 or /v2 (Cohere, Jina)."
    )
    key: SecretStr | None = None
    timeout_s: float = Field(10.0, gt=0, description="For one call of the endpoint, up to 64 texts.")


class ModelsSettings(SettingsGroup):
    folder: Path = Field(
        default_factory=lambda: platformdirs.user_cache_path("sonde") / "models",
        description="Folder for exported models.",
    )
    allow_hub: bool = Field(False, description="Whether a model may be downloaded from a hub.")


class GeocoderSettings(SettingsGroup):
    kind: Literal["embedded", "photon", "nominatim"] = "embedded"
    url: HttpUrl | None = None


class RankingSettings(SettingsGroup):
    config: Path | None = Field(None, description="Ranking configuration to use instead of the included one.")


class AnswersSettings(SettingsGroup):
    """Cited answers. Without a URL they are quotes from the passages."""

    url: HttpUrl | None = Field(None, description="OpenAI-style endpoint, up to and including /v1.")
    model: str | None = Field(None, description="Name of the model at that endpoint.")
    key: SecretStr | None = None
    timeout_s: float = Field(60.0, gt=0, description="Limit for one complete answer.")
    max_tokens: int = Field(800, ge=1, description="Maximum tokens of an answer.")
    top_k: int = Field(8, ge=1, le=32, description="Number of passages for an answer.")
    threshold: float = Field(0.35, ge=0, le=1, description="Minimum relevance of a passage.")
    support: float = Field(0.35, ge=0, le=1, description="Minimum support of a sentence by its citations.")
