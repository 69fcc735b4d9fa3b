"""Stores a language model's answers on disk, so that an interrupted run does not ask again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from core.ports import LanguageModel
from training.examples import TrainingError


class RememberingModel:
    """core.ports.LanguageModel. Stores each complete answer as one JSON line; an incomplete line is ignored."""

    def __init__(self, model: LanguageModel, name: str, path: Path) -> None:
        """``name`` identifies the model: answers of other models in the same file are ignored."""
        self._model, self._name, self._path = model, name, path
        self._said = _read(path)

    def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:
        """The stored or new answer, as one piece. Raises TrainingError if it cannot be stored."""
        key = _key(self._name, messages)
        if key not in self._said:
            self._keep(key, "".join(self._model.stream(messages)))
        yield self._said[key]

    def forget(self) -> None:
        """Call this after the results are written."""
        self._path.unlink(missing_ok=True)

    def _keep(self, key: str, answer: str) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                # The line feed before it closes a line that a crash left incomplete.
                file.write("\n" + json.dumps({"key": key, "answer": answer}, ensure_ascii=False))
        except OSError as error:
            raise TrainingError(
                f"{self._path} cannot be written: {error.strerror}; what was said before is there."
            ) from error
        self._said[key] = answer


def _key(name: str, messages: Sequence[Mapping[str, str]]) -> str:
    written = json.dumps([name, [dict(message) for message in messages]], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(written.encode()).hexdigest()


def _read(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    found: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            one = json.loads(line)
            found[str(one["key"])] = str(one["answer"])
        except (ValueError, KeyError, TypeError):
            continue  # the line that was being written during a crash
    return found
