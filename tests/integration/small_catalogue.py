"""A catalogue that tests make: tiny ISO 19139 files in a folder, and an embedder that needs no model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.ports import EmbedderCard, Encoded, TextKind, Vectors
from es_mappings.names import IndexKind

CARD = EmbedderCard(model="test/hashing", dims=16, max_tokens=12, min_score=0.1)
KINDS_OF_A_HARVEST: tuple[IndexKind, ...] = ("records", "natives", "ledger", "runs")

_XML = """<?xml version="1.0" encoding="UTF-8"?>
<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco">
  <gmd:fileIdentifier><gco:CharacterString>{identifier}</gco:CharacterString></gmd:fileIdentifier>
  <gmd:dateStamp><gco:Date>{stamp}</gco:Date></gmd:dateStamp>
  <gmd:identificationInfo><gmd:MD_DataIdentification>
    <gmd:citation><gmd:CI_Citation>
      <gmd:title><gco:CharacterString>{title}</gco:CharacterString></gmd:title>{edition}
    </gmd:CI_Citation></gmd:citation>
    <gmd:abstract><gco:CharacterString>{abstract}</gco:CharacterString></gmd:abstract>
    <gmd:descriptiveKeywords><gmd:MD_Keywords>
      <gmd:keyword><gco:CharacterString>{keyword}</gco:CharacterString></gmd:keyword>
    </gmd:MD_Keywords></gmd:descriptiveKeywords>
  </gmd:MD_DataIdentification></gmd:identificationInfo>
</gmd:MD_Metadata>
"""


def document(
    identifier: str,
    title: str = "",
    *,
    abstract: str = "Words.",
    keyword: str = "rain",
    edition: str = "",
    comment: str = "",
) -> str:
    """One record; ``comment`` changes the bytes and nothing else."""
    stated = f"<gmd:edition><gco:CharacterString>{edition}</gco:CharacterString></gmd:edition>" if edition else ""
    text = _XML.format(
        identifier=identifier,
        title=title or f"Title of {identifier}",
        abstract=abstract,
        keyword=keyword,
        edition=stated,
        stamp="2020-01-01",
    )
    return text + (f"<!-- {comment} -->\n" if comment else "")


def write_catalogue(folder: Path, number: int) -> None:
    """``number`` records: rec-0000.xml holds the identifier ``id-0000``, and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    for index in range(number):
        (folder / f"rec-{index:04d}.xml").write_text(document(f"id-{index:04d}"), "utf-8")


class HashingEmbedder:
    """A stub, not a model: the same text gives the same unit vector; ``asked`` remembers every text."""

    card = CARD

    def __init__(self) -> None:
        self.asked: list[str] = []

    def load(self, model: str) -> HashingEmbedder:
        """Stands where a wiring would load the model of that name."""
        assert model == self.card.model
        return self

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        assert kind == "document"
        self.asked += texts
        vectors = np.stack([self._vector(text) for text in texts])
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        return Encoded(self.embed(texts, kind))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) + 2 for text in texts]

    @staticmethod
    def _vector(text: str) -> np.ndarray:
        return np.frombuffer(hashlib.sha256(text.encode()).digest()[:16], dtype=np.uint8).astype(np.float64) - 127.0
