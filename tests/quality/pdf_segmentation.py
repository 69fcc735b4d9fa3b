"""Ways to split documents into passages, compared by passage recall and processor time on the questions of
``pdf_questions``.

    python -m tests.quality.pdf_segmentation ../shared/data/pdfs [--only NAME.pdf ...] [--segmenter FOLDER]

Passages are ranked by the embedder's cosine alone, so that nothing but the split decides. A question is answered at
rank k where one of the first k passages is of its file and touches one of its pages.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

from core.document import Passage
from core.ports import Embedder
from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.model import ReadDocument
from indexer.documents.parse.pdf.read_pdf import read_pdf
from indexer.documents.segment.passages import (
    Coherence,
    SegmentOptions,
    embedding_coherence,
    embedding_text,
    segment,
    uniform_coherence,
)
from tests.quality.pdf_questions import Question, load_questions

CUTS = (1, 3, 5, 8)
_WINDOW = 2
_WORD = re.compile(r"[^\W\d_]{3,}")
_SCAN = "NES_1.pdf"


def by_windows(embedder: Embedder) -> Coherence:
    """The way until 24 November 2026: each pair of sentences on a side of a joint is read as a text."""

    def coherence(texts: Sequence[str]) -> list[float]:
        before = [" ".join(texts[max(0, i - _WINDOW + 1) : i + 1]) for i in range(len(texts) - 1)]
        behind = [" ".join(texts[i + 1 : i + 1 + _WINDOW]) for i in range(len(texts) - 1)]
        vectors = embedder.embed([*before, *behind], "document")
        half = len(before)
        return [float(value) for value in np.sum(vectors[:half] * vectors[half:], axis=1)]

    return coherence


def by_words(texts: Sequence[str]) -> list[float]:
    """Words that both sides share (Hearst 1997), without a model."""
    words = [frozenset(word.lower() for word in _WORD.findall(text)) for text in texts]
    scores = []
    for at in range(len(texts) - 1):
        before = frozenset().union(*words[max(0, at - 2) : at + 1])
        behind = frozenset().union(*words[at + 1 : at + 4])
        scores.append(len(before & behind) / max(1.0, (len(before) * len(behind)) ** 0.5))
    return scores


def ways(embedder: Embedder, segmenter: str | None) -> dict[str, Coherence]:
    found: dict[str, Coherence] = {
        "even halves (default)": uniform_coherence,
        "sentences (until 25 November 2026)": embedding_coherence(embedder),
        "shared words": by_words,
        "pairs of sentences (until 24 November 2026)": by_windows(embedder),
    }
    if segmenter is not None:
        from encoders.segmenter import load_segmenter

        found = {f"trained ({Path(segmenter).name})": load_segmenter(segmenter), **found}
    return found


def read(folder: Path, only: Sequence[str]) -> dict[str, ReadDocument]:
    """The native PDFs of the folder that questions are asked of."""
    asked = {one.file for one in load_questions()} - {None, _SCAN}
    chosen = sorted(name for name in asked if name is not None and (not only or name in only))
    return {name: read_pdf((folder / name).read_bytes(), Limits(), Ocr(command=None)) for name in chosen}


def recalls(
    passages: Sequence[tuple[str, Passage]], vectors: Any, asked: Sequence[Question], questions: Any
) -> dict[str, float]:
    """``passages``: each with its file."""
    ranks = []
    for question, vector in zip(asked, questions, strict=True):
        order = np.argsort(-(vectors @ vector), kind="stable")
        hits = [rank for rank, place in enumerate(order, 1) if _answers(passages[int(place)], question)]
        ranks.append(hits[0] if hits else None)
    return {f"recall@{cut}": round(mean(rank is not None and rank <= cut for rank in ranks), 3) for cut in CUTS}


def _answers(passage: tuple[str, Passage], asked: Question) -> bool:
    file, one = passage
    first, last = one.first_page or 0, one.last_page or one.first_page or 0
    return file == asked.file and any(first <= page <= last for page in asked.pages)


def measured(
    documents: Mapping[str, ReadDocument], embedder: Embedder, coherence: Coherence, asked: Sequence[Question]
) -> dict[str, Any]:
    pages = sum(one.pages for one in documents.values())
    started = time.process_time()
    options = SegmentOptions()
    found = [
        (name, one, document.front.title)
        for name, document in documents.items()
        for one in segment(document, name, embedder, options, coherence).passages
    ]
    split = time.process_time()
    most = embedder.card.max_tokens
    vectors = embedder.embed([embedding_text(one, title, embedder, most) for _, one, title in found], "document")
    embedded = time.process_time()
    words = [len(one.text.split()) for _, one, _ in found if one.kind == "text"]
    return {
        "passages": len(found),
        "median_words": median(words),
        "under_15_words": sum(count < 15 for count in words),
        "split_s_a_page": round((split - started) / pages, 3),
        "embed_s_a_page": round((embedded - split) / pages, 3),
        **recalls(
            [(name, one) for name, one, _ in found],
            vectors,
            asked,
            embedder.embed([one.question for one in asked], "query"),
        ),
    }


def main(given: argparse.Namespace) -> int:
    from sonde.settings import load_settings
    from sonde.wiring.models import Models

    models = Models(load_settings())
    embedder = models.embedder(given.embedder) if given.embedder else models.embedder()
    embedder.embed(["The model is loaded before anything is timed."], "document")
    documents = read(given.folder, given.only)
    asked = [one for one in load_questions() if one.file in documents]
    said = {"embedder": embedder.card.model, "files": len(documents), "questions": len(asked)}
    said["pages"] = sum(one.pages for one in documents.values())
    sys.stdout.write(json.dumps(said) + "\n")
    for way, coherence in ways(embedder, given.segmenter).items():
        row = measured(documents, embedder, coherence, asked)
        sys.stdout.write(f"{way}: {json.dumps(row)}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--embedder", help="Another embedder than that of the settings.")
    parser.add_argument("--segmenter", help="Folder of a trained segmenter.")
    sys.exit(main(parser.parse_args()))
