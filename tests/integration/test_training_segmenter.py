"""A segmenter is trained end to end on a tiny order of sentences, and parts documents where that order breaks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_models import tiny_embedder

from core.errors import ModelMissing
from core.ports import EmbedderCard, TextKind, Vectors
from encoders.model_card import ModelCard, damaged_files
from encoders.registry import entry_of_folder, verify
from encoders.segmenter import load_segmenter
from es_gateway.client import Elasticsearch
from indexer.documents.parse.model import Block, FrontMatter, ReadDocument
from indexer.documents.segment.passages import SegmentOptions, segment
from sonde.document_settings import DocumentsSettings
from sonde.model_settings import ModelsSettings
from sonde.settings import Settings
from sonde.wiring.documents import document_parts
from sonde.wiring.models import Models
from tests.lazy_module import LazyModule
from tests.model_cards import read_card
from training.examples import TrainingError
from training.loop import HeldOutEvaluation, TrainingBudget
from training.provenance import Origin
from training.segmenter.train import (
    Boundaries,
    RunningText,
    SegmenterSettings,
    SentencePair,
    section_end_scores,
    sentence_pairs_of,
    train_segmenter,
)

torch = LazyModule("torch")

pytestmark = pytest.mark.models

STAGES = ("Ships left the harbour", "Probes sank into water", "Salt was then measured", "Tables list all values")
SETTINGS = SegmenterSettings(layers=2, window=1, max_tokens=32, learning_rate=2e-3, threads=1)
ORIGIN = Origin("tiny", "Apache-2.0", {"tiny": "CC0"}, "abc", "sonde train segmenter --from tiny")


def reports(count: int) -> list[RunningText]:
    """Each goes through the same stages, somewhere else."""
    places = ("Norway", "Ghana", "Peru", "Japan", "Crete", "Kenya")
    chance = random.Random(3)
    return [
        RunningText(f"d{number}", tuple(f"{stage} near {chance.choice(places)}." for stage in STAGES))
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ModelCard]:
    home = tmp_path_factory.mktemp("segmenter")
    base, out = tiny_embedder(home / "base"), home / "made"
    course = TrainingBudget(steps=120, look_every=60)
    return out, train_segmenter(base, reports(60), SETTINGS, course, ORIGIN, out, held_out=0.2)


def test_it_learns_what_follows_what_and_finds_where_a_report_ends(
    made: tuple[Path, ModelCard], tmp_path: Path
) -> None:
    out, card = made
    found = card.figures["held-out AUC"]
    assert found["after"] > max(0.75, found["before"] + 0.1)
    assert read_card(out) == card
    assert damaged_files(out) == []
    entry = entry_of_folder(out)
    assert entry is not None
    assert [(check.what, check.ok) for check in verify(entry, tmp_path / "cache")] == [
        ("files", True),
        ("recorded coherence", True),
    ]
    coherence = load_segmenter(str(out), tmp_path / "cache", threads=1)
    sentences = tuple(sentence for report in reports(5) for sentence in report.sentences)
    scores = coherence(sentences)
    assert len(scores) == len(sentences) - 1
    assert all(0.0 <= score <= 1.0 for score in scores)
    ends = section_end_scores(Boundaries(sentences, frozenset({3, 7, 11, 15})), coherence)
    assert ends is not None
    assert ends.auc > 0.9
    assert coherence(sentences[:1]) == []


def test_serving_gives_the_probability_of_label_nought(made: tuple[Path, ModelCard], tmp_path: Path) -> None:
    """Label 1 is 'not the next sentence': the graph's two logits by PyTorch, against what coherence says."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer  # seconds that only this test needs

    out, _ = made
    asked = ("Ships left the harbour.", "Salt was then measured.")
    tokens = AutoTokenizer.from_pretrained(out)(*asked, return_tensors="pt")
    with torch.inference_mode():
        logits = AutoModelForSequenceClassification.from_pretrained(out)(**tokens).logits
    wanted = torch.softmax(logits, dim=1)[0, 0].item()
    assert load_segmenter(str(out), tmp_path / "cache")(asked) == pytest.approx([wanted], abs=1e-4)


def test_documents_are_parted_by_the_segmenter_that_the_settings_name(
    made: tuple[Path, ModelCard], tmp_path: Path
) -> None:
    """Five reports of some 25 words in one section, passages of at most 38: again and again parted where one ends."""
    out, _ = made
    settings = Settings(
        documents=DocumentsSettings(segmenter=str(out)), models=ModelsSettings(folder=tmp_path / "cache")
    )
    parts = document_parts(settings, Models(settings), Elasticsearch("http://127.0.0.1:1"))
    assert parts.segmenter == load_segmenter(str(out), tmp_path / "cache").digest
    text = " ".join(sentence for report in reports(5) for sentence in report.sentences)
    read = ReadDocument("text", (Block("text", text, 1, 1),), FrontMatter())
    passages = segment(read, "d", _WordsAreTokens(), SegmentOptions(), parts.coherence).passages
    assert " ".join(passage.text for passage in passages) == text
    begun = [passage.text.startswith(STAGES[0]) for passage in passages]
    assert 5 <= len(begun) <= 7
    assert sum(begun) >= 4


class _WordsAreTokens:
    """A stub, not a model: it only counts; where passages end is the segmenter's to say."""

    card = EmbedderCard("test/counting", 4, 40, 0.0)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        raise AssertionError(f"{kind} {texts}: the segmenter was not asked")

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) + 2 for text in texts]


def test_too_little_text_an_interruption_and_what_is_no_segmenter(tmp_path: Path) -> None:
    base, out = tiny_embedder(tmp_path / "base"), tmp_path / "made"
    with pytest.raises(TrainingError, match="too little text for a segmenter"):
        train_segmenter(base, reports(3), SETTINGS, TrainingBudget(), ORIGIN, out)

    def interrupt(look: HeldOutEvaluation) -> None:
        if look.step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_segmenter(
            base,
            reports(40),
            SETTINGS,
            TrainingBudget(steps=4, look_every=2),
            ORIGIN,
            out,
            held_out=0.2,
            report=interrupt,
        )
    assert not out.exists()
    assert (tmp_path / ".made.checkpoints" / "checkpoint-2" / "model.safetensors").is_file()
    changed = replace(SETTINGS, window=2)
    with pytest.raises(TrainingError, match="other settings"):
        train_segmenter(base, reports(40), changed, TrainingBudget(steps=4), ORIGIN, out, held_out=0.2, resume=True)
    with pytest.raises(ModelMissing):
        load_segmenter(str(tmp_path / "nowhere"), tmp_path / "cache")


def test_joints_have_both_labels_as_often() -> None:
    boundaries: list[SentencePair] = sentence_pairs_of(reports(20), 1, 0)
    assert len(boundaries) == 2 * 20 * (len(STAGES) - 1)
    assert np.mean([pair.label for pair in boundaries]) == 0.5
