"""Checkpoints of a training: the last and the best state, each written atomically."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path

from core.json_types import Json, JsonMapping
from training.examples import TrainingError

_LAST, _BEST, _SETTINGS = "last.pt", "best.pt", "settings.json"


def beside(out: Path) -> Path:
    """The folder for the checkpoints of the model ``out``."""
    return out.parent / f".{out.name}.checkpoints"


def is_kept(out: Path) -> bool:
    """Whether there is a state from which a training of ``out`` can continue."""
    return (beside(out) / _LAST).is_file()


class Checkpoints:
    """A folder beside the model. ``settings`` are the training's: checkpoints with other settings are refused, because
    their weights come from different settings.
    """

    def __init__(self, folder: Path, settings: JsonMapping, *, resume: bool) -> None:
        """Raises TrainingError if the folder cannot be made, and with ``resume`` if other settings made it.

        Without ``resume`` old checkpoints are deleted.
        """
        self.folder = folder
        written = json.dumps(settings, sort_keys=True, default=str, indent=2)
        earlier = folder / _SETTINGS
        if not resume:
            shutil.rmtree(folder, ignore_errors=True)
        elif earlier.is_file() and earlier.read_text(encoding="utf-8") != written:
            raise TrainingError(f"{folder} is of a training with other settings or data; start anew without --resume.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            earlier.write_text(written, encoding="utf-8")
        except OSError as error:
            raise TrainingError(f"{folder} cannot be written: {error.strerror}.") from error

    def save(self, state: JsonMapping, *, best: bool) -> None:
        """Raises TrainingError if the disk is full; the previous state is kept."""
        import torch

        draft = self.folder / f".{_LAST}.draft"
        try:
            with draft.open("wb") as file:
                torch.save(dict(state), file)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self.folder / _LAST)
            if best:
                draft.hardlink_to(self.folder / _LAST)
                draft.replace(self.folder / _BEST)
        except (OSError, RuntimeError) as error:  # torch's writer reports a full disk as RuntimeError
            draft.unlink(missing_ok=True)
            said = getattr(error, "strerror", None) or str(error)
            raise TrainingError(
                f"A checkpoint cannot be written to {self.folder}: {said[:200]}. The one before it is kept; make room "
                "and run the same command with --resume."
            ) from error

    def last(self) -> Json | None:
        """The last state; None at the beginning. Raises TrainingError if the file is damaged."""
        return self._read(_LAST) if (self.folder / _LAST).is_file() else None

    def best(self) -> Json:
        """The trainee's state at the best evaluation."""
        state: Json = self._read(_BEST)["trainee"]
        return state

    def discard(self) -> None:
        """Call this after the model is written."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self, name: str) -> Json:
        import torch

        damaged = TrainingError(f"{self.folder / name} is damaged; start anew without --resume.")
        if not zipfile.is_zipfile(self.folder / name):  # its end is written last, so an incomplete file is invalid
            raise damaged
        try:
            found: Json = torch.load(self.folder / name, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError):
            raise damaged from None
        return found
