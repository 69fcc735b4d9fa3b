"""A model's card: read as it was written, with the hash of every file, and a page for people."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from encoders.model_card import ModelCard, TrainingData, damaged_files, page, write_card
from tests.model_cards import read_card

CARD = ModelCard(
    kind="embedder",
    name="own",
    base="artifact:all-MiniLM-L6-v2",
    licence="Apache-2.0",
    data=(TrainingData("samples", "CC0-1.0", 169, "records", "train groups"),),
    settings={"loss": "infonce", "steps": 10},
    seed=3,
    commit="4de6315",
    made="2026-11-22T04:20:00Z",
    figures={"nDCG@10": {"before": 0.5, "after": 0.625}, "steps": 10},
    reproduce="sonde train embedder --from samples --minutes 3",
    serving={"pooling": "mean", "max_tokens": 256, "dims": 384},
    recorded={"vectors": [[1.0, 0.0]]},
)


def folder(tmp_path: Path) -> Path:
    (tmp_path / "onnx").mkdir()
    (tmp_path / "weights").write_bytes(b"w")
    (tmp_path / "onnx" / "graph").write_bytes(b"g")
    write_card(tmp_path, CARD)
    return tmp_path


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_card(folder(tmp_path)) == CARD


def test_serving_finds_its_facts_flat_and_every_file_has_its_hash(tmp_path: Path) -> None:
    facts = json.loads((folder(tmp_path) / "card.json").read_text())
    assert (facts["pooling"], facts["max_tokens"], facts["dims"]) == ("mean", 256, 384)
    assert facts["sha256"] == {
        "onnx/graph": hashlib.sha256(b"g").hexdigest(),
        "weights": hashlib.sha256(b"w").hexdigest(),
    }


def test_changed_and_lost_files_are_named(tmp_path: Path) -> None:
    made = folder(tmp_path)
    assert damaged_files(made) == []
    (made / "weights").write_bytes(b"other")
    (made / "onnx" / "graph").unlink()
    assert damaged_files(made) == ["onnx/graph", "weights"]


def test_the_page_shows_before_and_after_the_data_and_the_command() -> None:
    shown = page(CARD)
    assert "| nDCG@10 | 0.5000 | 0.6250 |" in shown
    assert "- samples: 169 records, CC0-1.0; train groups" in shown
    assert "$ sonde train embedder --from samples --minutes 3" in shown
