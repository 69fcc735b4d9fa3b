"""``python -m tests.quality.understanding_speed [SKOS FILE...]``: how long a question takes to be understood.

The samples' questions, five times over, on this machine, with the real gazetteer, and language detector;
the files are vocabularies read besides Sonde's own. Then texts of the longest kind, made to be costly, each one unit
repeated over 2,000 characters: milliseconds of processor, the best of three, the costliest first.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from reading.concepts import NamedVocabulary, read_files
from reading.gazetteer import Gazetteer
from reading.places import PlaceReader
from reading.times import TimeReader
from reading.vocabulary import Vocabulary, own_vocabulary
from search_api.search.request import ALL_PARTS
from search_api.search.understanding.understand import Understander

_QUESTIONS = Path(__file__).resolve().parents[2] / "samples" / "questions.jsonl"
_ROUNDS = 5
_LONGEST = 2_000  # characters of q
HOSTILE = (
    *("Berlin Paris London ", "New York ", "AD 1 ", "San Antonio ", "Victoria ", "Santa Rosa, ", "Rome, Oslo, ", "US "),
    *("Springfield, IL ", "Mexico City, Mexico ", "University of ", "Strait of ", "Lagos\n", "Norditalien ", "U.S.A. "),
    *("in Kenya and ", "north of Italy ", "near the coast of ", "outside of Peru ", "der Nordseeküste ", "la La Paz "),
    *(
        "and ",
        "of ",
        "the of ",
        "à ",
        "l'",
        "Côte d'Ivoire ",
        "1990 ",
        "1990-",
        "since 1990 ",
        "2003-05-01 ",
        "between ",
    ),
    *("early May 2003 ", "last 30 years ", "10 years ago ", "Holocene ", "21 ka ", "500 BC ", "1/2/2003 ", "century "),
    *("30 m ", "at 1 m ", "temperature at 30 m ", "1:50 000 ", "1x1 ", "1 000 ", "daily ", "global ", "observations "),
    *("10N 20E ", "10-20N 30-40E ", "1-2N ", "1-2E ", "45.5, 10.2 ", "12.5,3.5;", "bbox 1,2,3,4 ", "lat 1 lon 2 "),
    *("rainfall snow ", "soil moisture ", "10.1234/a ", "a.b", "a1_", "a:", "http://a ", "12345678 ", "123,", "1 2 "),
    *(
        "a",
        "1",
        "x-",
        "é",
        "ß",
        "İ",
        "\N{COMBINING ACUTE ACCENT}",
        "\N{GRINNING FACE}",
        "(",
        "'",
        ".",
        ". ",
        " ",
        "\n",
        "-",
    ),
)
"""Kinds of name, number and sign that some reader looks at closely."""


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


def hostile(understander: Understander) -> list[tuple[float, str]]:
    """Milliseconds of processor for each of the hostile texts, the costliest first."""
    costs = []
    for unit in HOSTILE:
        text = (unit * _LONGEST)[:_LONGEST]
        rounds = []
        for _ in range(3):
            started = time.process_time()
            understander.understand(text, ALL_PARTS)
            rounds.append((time.process_time() - started) * 1000.0)
        costs.append((min(rounds), unit))
    return sorted(costs, reverse=True)


def main(files: list[str]) -> None:
    questions = [json.loads(line)["q"] for line in _QUESTIONS.read_text("utf-8").splitlines()]
    further = [NamedVocabulary("given", read_files([Path(file) for file in files]))] if files else []
    book = Vocabulary.of([own_vocabulary(), *further])
    understander = Understander(PlaceReader(Gazetteer()), TimeReader(), vocabulary=lambda: book)
    took = measure(understander, questions)
    centiles = statistics.quantiles(took, n=20)
    sys.stdout.write(f"{len(took)} readings: p50 {statistics.median(took):.2f} ms, p95 {centiles[18]:.2f} ms\n")
    costs = hostile(understander)
    worst = ", ".join(f"{unit!r} {cost:.0f}" for cost, unit in costs[:6])
    middle = statistics.median(cost for cost, _ in costs)
    sys.stdout.write(f"{len(costs)} hostile texts, ms of processor: median {middle:.0f}, costliest {worst}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
