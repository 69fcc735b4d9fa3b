"""Adds a teacher's scores to examples (GPL, Wang et al. 2022): a cross-encoder rates how much better the answer is than
each negative, and MarginMSE learns these margins.

A teacher that was trained on other labelled text can teach only what that text contained. It knows the words of a
catalogue no better than the embedder that it teaches.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.errors import SondeError
from core.ports import CrossEncoder
from training.examples import Example, TrainingError

_SYNC_EVERY = 50


@dataclass(frozen=True, slots=True)
class ScoringTeacher:
    """``name`` as requested; scores of different teachers are not comparable."""

    name: str
    model: CrossEncoder


def with_teacher_scores(
    examples: Sequence[Example],
    teacher: ScoringTeacher,
    folder: Path,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[Example]:
    """The examples with the teacher's logits, in order.

    Scores are stored in ``folder`` as they arrive: after an interruption, the next run with the same teacher and
    examples continues there. Raises TrainingError if the teacher fails or the disk is full.
    """
    path = _stored_at(folder, teacher.name, examples)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scores, complete_bytes = _read_scores(path, examples)
        with path.open("ab") as file:
            file.truncate(complete_bytes)
            for number, example in enumerate(examples[len(scores) :], len(scores)):
                scores.append(_score(teacher, example, number, len(examples)))
                file.write(json.dumps(scores[number]).encode() + b"\n")
                if (number + 1) % _SYNC_EVERY == 0:
                    file.flush()
                    os.fsync(file.fileno())
                progress(number + 1, len(examples))
    except OSError as error:
        raise TrainingError(
            f"{path} cannot be written: {error.strerror}. Make room and run the same command again."
        ) from error
    return [_with(example, row) for example, row in zip(examples, scores, strict=True)]


def _score(teacher: ScoringTeacher, example: Example, done_count: int, count: int) -> list[float]:
    try:
        scores = teacher.model.score(example.question, [text.text for text in example.candidates])
    except SondeError as error:
        raise TrainingError(
            f"The teacher {teacher.name} does not answer: {error} {done_count} of {count} examples are scored and "
            "stored; the same command continues there."
        ) from error
    if not np.isfinite(scores).all():
        raise TrainingError(f"The teacher {teacher.name} gave no number for {example.question!r}.")
    return [round(float(value), 4) for value in scores]


def _with(example: Example, scores: Sequence[float]) -> Example:
    positive, *negatives = (
        replace(text, teacher=score) for text, score in zip(example.candidates, scores, strict=True)
    )
    return replace(example, positive=positive, negatives=tuple(negatives))


def _stored_at(folder: Path, name: str, examples: Sequence[Example]) -> Path:
    digest = hashlib.sha256(name.encode())
    for example in examples:
        digest.update("\0".join([example.question, *(text.text for text in example.candidates)]).encode())
    return folder / f"taught-{digest.hexdigest()[:16]}.jsonl"


def _read_scores(path: Path, examples: Sequence[Example]) -> tuple[list[list[float]], int]:
    """Rows up to the first incomplete one, which a crash left, and the number of their bytes."""
    rows: list[list[float]] = []
    bytes_read = 0
    lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
    for line, example in zip(lines, examples, strict=False):
        try:
            row = [float(value) for value in json.loads(line)]
        except (ValueError, TypeError):
            break
        if len(row) != len(example.candidates) or not line.endswith(b"\n"):
            break
        rows.append(row)
        bytes_read += len(line)
    return rows, bytes_read
