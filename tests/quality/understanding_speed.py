"""``python -m tests.quality.understanding_speed [SKOS FILE...]``: how long a question takes to be understood.

The samples' questions, five times over, on this machine, with the real gazetteer, recogniser and language detector;
the files are vocabularies read besides Sonde's own.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from encoders.catalogue import load_recogniser
from encoders.specs import RecogniserSpec
from reading.gazetteer import Gazetteer
from reading.places import PlaceReader
from reading.times import TimeReader
from reading.vocabulary.concept import NamedVocabulary
from reading.vocabulary.skos import read_files
from reading.vocabulary.vocabulary import Vocabulary, own_vocabulary
from search_api.request import ALL_PARTS
from search_api.understanding.understand import Understander

_QUESTIONS = Path(__file__).resolve().parents[2] / "samples" / "questions.jsonl"
_ROUNDS = 5


def measure(understander: Understander, questions: list[str]) -> list[float]:
    """Milliseconds of each reading, after one round that is not counted."""
    took = []
    for counted in range(_ROUNDS + 1):
        for question in questions:
            started = time.perf_counter()
            understander.understand(question, ALL_PARTS)
            if counted:
                took.append((time.perf_counter() - started) * 1000.0)
    return took


def main(files: list[str]) -> None:
    questions = [json.loads(line)["q"] for line in _QUESTIONS.read_text("utf-8").splitlines()]
    further = [NamedVocabulary("given", read_files([Path(file) for file in files]))] if files else []
    book = Vocabulary.of([own_vocabulary(), *further])
    understander = Understander(
        PlaceReader(Gazetteer(), load_recogniser(RecogniserSpec())), TimeReader(), vocabulary=lambda: book
    )
    took = measure(understander, questions)
    centiles = statistics.quantiles(took, n=20)
    sys.stdout.write(f"{len(took)} readings: p50 {statistics.median(took):.2f} ms, p95 {centiles[18]:.2f} ms\n")


if __name__ == "__main__":
    main(sys.argv[1:])
