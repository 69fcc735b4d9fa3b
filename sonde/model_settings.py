"""Settings of the models: embedder, cross-encoder, geocoder, and the model that answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import AfterValidator, Field, SecretStr

from sonde.portal_settings import PortalSettings
from sonde.setting_types import HttpUrl, SettingsGroup

MULTILINGUAL_MODEL = "artifact:multilingual-e5-small"
"""The embedder of a portal with other languages than English."""


class EmbedderSettings(SettingsGroup):
    """The model that turns texts into vectors."""

    model: str = Field(
        "sentence-transformers/all-MiniLM-L6-v2",
        description="A hub id, a folder, or artifact:NAME (a package with weights).",
    )
    runtime: Literal["auto", "onnx-int8", "onnx-fp32", "torch", "remote"] = Field(
        "auto",
        description="What computes: `auto`: ONNX Runtime, in 8 bits where the model keeps its quality; `torch` needs "
        "the extra `models`; `remote`: the endpoint.",
    )
    instruction: str | None = Field(None, description="Text before each question. Default: from the model.")
    url: HttpUrl | None = Field(None, description="OpenAI-style endpoint for runtime=remote.")
    key: SecretStr | None = Field(None, description="Key of the endpoint.")
    input_type: bool = Field(False, description="Whether to send `query` or `passage` to the endpoint, for E5 servers.")
    min_score: float | None = Field(None, ge=-1, le=1, description="Minimum cosine of a hit. Default: from the model.")
    answer_score: float | None = Field(
        None, ge=-1, le=1, description="Minimum cosine of the best hit. Default: from the model."
    )
    floor: float | None = Field(
        None, ge=-1, lt=1, description="Lower end of the scale of cosines in fusion. Default: from the model."
    )
    tokens: str = Field(
        "auto",
        description="What makes token vectors: `auto` (the model's own, or Sonde's for it), a folder, or `none`.",
    )


def _unless_none(name: str | None) -> str | None:
    """An empty variable counts as not set, so "none" needs a word."""
    return None if name in ("", "none") else name


def _runtime_of_rerankers(name: str) -> str:
    from encoders.rerankers import RERANKERS  # only if one is named, because the runtimes take long to import

    if name not in RERANKERS:
        raise ValueError(f"must be one of {', '.join(RERANKERS)}")
    return name


def embedder_of(portal: PortalSettings, embedder: EmbedderSettings) -> EmbedderSettings:
    """With the multilingual model for a portal with other languages than English, if no model is chosen."""
    if "model" in embedder.model_fields_set or set(portal.languages) <= {"en"}:
        return embedder
    return embedder.model_copy(update={"model": MULTILINGUAL_MODEL})


class CrossEncoderSettings(SettingsGroup):
    """A reranker, which reads the question together with each of the best hits."""

    model: Annotated[str | None, AfterValidator(_unless_none)] = Field(
        None,
        description="Folder or hub id of the reranker; with graphs in `onnx/` it needs no PyTorch. Default: none.",
    )
    runtime: Annotated[str, AfterValidator(_runtime_of_rerankers)] = Field(
        "auto",
        description="What computes: `auto`, `onnx`, `torch` (needs the extra `models`), or `remote`: the endpoint.",
    )
    url: HttpUrl | None = Field(
        None,
        description="Endpoint for runtime=remote: the root of a TEI server, or an address up to /v1 or /v2 (Cohere, "
        "Jina).",
    )
    key: SecretStr | None = Field(None, description="Key of the endpoint.")


class ModelsSettings(SettingsGroup):
    """Where models are, what computes them, and whether Sonde may fetch others."""

    folder: Path = Field(
        default_factory=lambda: platformdirs.user_cache_path("sonde") / "models",
        description="Folder for exported models.",
    )
    allow_hub: bool = Field(False, description="Whether a model may be downloaded from a hub.")
    device: Literal["cpu", "cuda"] = Field("cpu", description="What embedder and reranker run on.")
    threads: int = Field(0, ge=0, description="Threads of one call of a model; 0: one for each core.")
    tagger: Path | None = Field(
        None,
        description="A folder of `sonde train tagger`: judges place names in questions for which the rules have no "
        "evidence.",
    )


class GeocoderSettings(SettingsGroup):
    """What finds the places that questions name."""

    kind: Literal["embedded", "photon", "nominatim"] = Field(
        "embedded",
        description="`embedded`: the gazetteer in Sonde; the others: a server at the URL, and the gazetteer where it "
        "finds nothing.",
    )
    url: HttpUrl | None = Field(None, description="Address of the Photon or Nominatim server.")


class RankingSettings(SettingsGroup):
    """The weights of the ranking (docs/quality/ranking.md)."""

    config: Path | None = Field(None, description="File with a ranking configuration, instead of the included one.")


class AnswersSettings(SettingsGroup):
    """The language model of answers. Without a URL, answers are quotes."""

    url: HttpUrl | None = Field(None, description="OpenAI-style endpoint, up to and including /v1.")
    model: str | None = Field(None, description="Name of the model at that endpoint.")
    key: SecretStr | None = Field(None, description="Key of the endpoint.")
    timeout_s: float = Field(60.0, gt=0, description="Limit for one complete answer.")
    max_tokens: int = Field(800, ge=1, description="Maximum tokens of an answer.")
