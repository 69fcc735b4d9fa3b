"""A base that learns: weights as they are, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from encoders.locate import Located
from training.examples import TrainingError
from training.weights import trainable_folder


def test_a_folder_with_weights_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").touch()
    assert trainable_folder(Located("weights", tmp_path, "cd" * 32), tmp_path / "cache") == tmp_path


def test_a_folder_with_neither_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"neither safetensors nor model\.onnx"):
        trainable_folder(Located("nothing", tmp_path, "ef" * 32), tmp_path / "cache")
