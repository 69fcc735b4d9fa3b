"""No passage of running text in the real PDFs is too short to say anything, under the limits of two embedders."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest

from core.ports import EmbedderCard, TextKind, Vectors
from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.pdf.read_pdf import read_pdf
from indexer.documents.segment.passages import SegmentOptions, segment
from indexer.documents.segment.units import LEAST_WORDS
from tests.shared_data import shared_data

FILES = ("NES_manuscript.pdf", "seawaveQ.pdf", "swissgeol-16132.pdf", "second/de-steckbrief-gwk.pdf")


class Counting:
    """A stub, not a model: five letters are a token, and all vectors are alike, so sections are split evenly."""

    def __init__(self, most: int) -> None:
        self.card = EmbedderCard("test/counting", 4, most, 0.0)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:  # noqa: ARG002
        return np.tile(np.array([1, 0, 0, 0], dtype=np.float32), (len(texts), 1))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(re.findall(r"\w{1,5}|[^\w\s]", text)) + 2 for text in texts]


@pytest.mark.parametrize("name", FILES)
def test_no_running_text_is_short_and_nothing_is_longer_than_is_read(name: str) -> None:
    document = read_pdf(shared_data("pdfs", *name.split("/")).read_bytes(), Limits(), Ocr(command=None))
    for most in (256, 512):
        embedder = Counting(most)
        found = segment(document, "d", embedder, SegmentOptions()).passages  # type: ignore[arg-type]
        texts = [one.text for one in found if one.kind == "text"]
        assert [text for text in texts if len(text.split()) < LEAST_WORDS] == []
        assert max(embedder.count_tokens([one.text for one in found])) <= most
