"""The judged NCAR questions as they lie in ``ncar/questions.yaml`` and ``ncar/topics.yaml``, read into values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from core.geo import BBox
from core.timespan import TimeSpan
from tests.quality.ncar_rule import Question, Topic

FOLDER = Path(__file__).resolve().parent / "ncar"


def load_questions(folder: Path = FOLDER) -> list[Question]:
    """All questions in their order. Raises KeyError for a topic that is not defined, ValueError for a bad box."""
    topics = read_topics(yaml.safe_load((folder / "topics.yaml").read_text("utf-8")))
    return [read_question(entry, topics) for entry in yaml.safe_load((folder / "questions.yaml").read_text("utf-8"))]


def read_topics(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Topic]:
    return {name: read_topic(name, entry) for name, entry in entries.items()}


def read_topic(name: str, entry: Mapping[str, Any]) -> Topic:
    """``any`` stands for all three fields; ``title``, ``keywords`` and ``abstract`` add to it, each in its own."""
    anywhere = entry.get("any", ())
    return Topic(
        name=name,
        title=_any_of([*anywhere, *entry.get("title", ())]),
        keywords=_any_of([*anywhere, *entry.get("keywords", ())]),
        abstract=_any_of([*anywhere, *entry.get("abstract", ())]),
        needs=_any_of(entry.get("needs", ())),
        needs_anywhere=_any_of(entry.get("needs_anywhere", ())),
        never=_any_of(entry.get("never", ())),
    )


def read_question(entry: Mapping[str, Any], topics: Mapping[str, Topic]) -> Question:
    box = entry.get("box")
    period = (entry.get("from"), entry.get("to"))
    return Question(
        id=entry["id"],
        text=entry["text"],
        topic_words=entry["topic_words"],
        topic=topics[entry["topic"]],
        box=None if box is None else BBox(*map(float, box)),
        period=None
        if period == (None, None)
        else TimeSpan.from_iso(*(None if end is None else str(end) for end in period)),
        place_names=_any_of(entry.get("names", ())),
    )


def _any_of(sources: Sequence[str]) -> re.Pattern[str] | None:
    """One pattern for all of them, letter case ignored, ``^`` and ``$`` at each keyword's ends; None for none."""
    if not sources:
        return None
    return re.compile("|".join(f"(?:{source})" for source in sources), re.IGNORECASE | re.MULTILINE)
