"""Examples that a random model cannot answer and a small training teaches: questions in other words than the texts."""

from __future__ import annotations

from itertools import product

from training.examples import CandidateText, Example

WORDS = {
    "rain": "precipitation totals from gauges",
    "snow": "winter cover mapped by satellite",
    "wind": "anemometer speeds at ten metres",
    "soil": "ground moisture beneath fields",
    "waves": "significant height measured by buoys",
    "forest": "tree canopy from radar images",
    "birds": "counts of breeding species",
    "ozone": "trace gases in the stratosphere",
    "rivers": "discharge at gauging stations",
    "heat": "days above thirty degrees",
}
PLACES = ("Norway", "Ghana", "Peru", "Japan", "Texas", "Crete", "Kenya", "Nepal", "Chile", "Malta")


def tiny_examples(count: int = 100) -> list[Example]:
    """Each asked of a topic and a place, beside the same topic elsewhere and another topic there."""
    pairs = list(product(WORDS, PLACES))
    return [_example(topic, place, at) for at, (topic, place) in enumerate(pairs[:count])]


def _example(topic: str, place: str, number: int) -> Example:
    elsewhere = PLACES[(PLACES.index(place) + 1) % len(PLACES)]
    topics = list(WORDS)
    other = topics[(topics.index(topic) + 1) % len(topics)]
    negatives = (
        CandidateText(f"{topic}-{elsewhere}", _text(topic, elsewhere), why="place", teacher=-2.0),
        CandidateText(f"{other}-{place}", _text(other, place), why="bm25", teacher=-4.0),
    )
    answer = CandidateText(f"{topic}-{place}", _text(topic, place), grade=1, teacher=4.0)
    return Example(f"e{number}", f"{topic} in {place}", answer, negatives, "title", "tiny", f"g{number}")


def _text(topic: str, place: str) -> str:
    return f"A data set of {WORDS[topic]}, made for {place} and kept by its survey."
