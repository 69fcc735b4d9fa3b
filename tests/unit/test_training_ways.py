"""Ways of asking: place and time from extents, a choice of them, and answers of a language model that are kept."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from core.errors import Unavailable
from core.geo import BBox
from core.ports import EmbedderCard, TextKind, Vectors
from core.timespan import TimeSpan
from training.corpora import CorpusDocument
from training.examples import TrainingError
from training.questions.language_model import CachedLanguageModel
from training.questions.ways import (
    WITHOUT_A_MODEL,
    BoxNames,
    QuestionModels,
    QuestionSettings,
    by_place_and_time,
    questions,
    time_words,
    ways,
)

NAMES = BoxNames()
TEXT = "Snow depth was measured by hand at stations above the tree line in each winter."


@pytest.mark.parametrize(
    ("box", "name"),
    [
        (BBox(4.0, 57.5, 31.5, 71.5), "Norway"),
        (BBox(-75.0, -34.0, -34.0, 5.5), "Brazil"),
        (BBox(-56.0, -12.0, -55.0, -11.0), "Brazil"),  # far inside: in no other country's box
        (BBox(8.0, 46.0, 8.0, 46.0), None),  # in the boxes of Switzerland, Italy and France
        (BBox(-180.0, -90.0, 180.0, 90.0), None),
    ],
)
def test_a_box_is_called_by_the_place_it_is_like(box: BBox, name: str | None) -> None:
    assert NAMES.of(box) == name


def test_boxes_across_the_antimeridian_are_compared_the_short_way() -> None:
    assert NAMES.of(BBox(177.0, -20.5, -178.5, -12.5)) == "Fiji"


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ("1990", None, {"since 1990"}),
        (None, "1950", {"until 1950"}),
        ("1998", "1998", {"in 1998"}),
        ("1990", "1999", {"in the 1990s"}),
        ("1991", "2004", {"1991 to 2004", "between 1991 and 2004", "1991-2004"}),
    ],
)
def test_words_of_time(start: str | None, end: str | None, said: set[str]) -> None:
    assert {time_words(TimeSpan.from_iso(start, end), random.Random(seed)) for seed in range(40)} == said


def test_deep_time_has_no_words() -> None:
    assert time_words(TimeSpan.from_iso("-0500", "1200"), random.Random(1)) is None


def test_topic_place_and_period_are_asked_together() -> None:
    box, span = BBox(4.0, 57.5, 31.5, 71.5), TimeSpan.from_iso("1990", "1999")
    documents = [CorpusDocument(f"a:{at}", "Snow", TEXT, ("Norway", "snow depth"), (box,), (span,)) for at in range(60)]
    asked = {one.question for one in by_place_and_time(documents, NAMES)}
    assert asked == {
        "snow depth in Norway", "snow depth Norway", "snow depth in the 1990s",
        "snow depth in Norway in the 1990s", "snow depth Norway in the 1990s",
    }  # fmt: skip


def test_without_extents_there_is_no_question() -> None:
    assert list(by_place_and_time([CorpusDocument("a:1", "Snow", TEXT, ("snow",))], NAMES)) == []


def test_ways_are_named() -> None:
    assert ways("titles, sentences") == ("titles", "sentences")
    assert ways("all") == (*WITHOUT_A_MODEL, "language-model")
    with pytest.raises(TrainingError, match="'guesses' is not all or a list of titles, keywords"):
        ways("guesses")


class _NoEmbedder:
    card = EmbedderCard("none", 2, 64, 0.0)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:  # noqa: ARG002
        raise AssertionError("these ways need no vectors")

    def count_tokens(self, texts: Sequence[str]) -> list[int]:  # noqa: ARG002
        raise AssertionError


class _Model:
    """Asks and judges; dies after so many answers."""

    def __init__(self, answers: int) -> None:
        self.left, self.asked = answers, 0

    def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:
        if self.left == 0:
            raise Unavailable("connection refused")
        self.left, self.asked = self.left - 1, self.asked + 1
        if messages[0]["content"].startswith("Judge"):
            yield "1" if "dull" in messages[1]["content"] else "3"
        else:
            title = messages[1]["content"].split("\n")[0]
            yield f'{{"question": "What is known of {title}?", "answer": "Much."}}'


DOCUMENTS = [CorpusDocument(f"a:{at}", title, TEXT) for at, title in enumerate(("snow", "dull ice", "firn"))]
ASKING = QuestionSettings(("language-model",), quality=2)


def test_a_language_models_questions_are_filtered_by_quality() -> None:
    found = questions(DOCUMENTS, ASKING, QuestionModels(_NoEmbedder(), _Model(99)))
    assert [one.question for one in found] == ["What is known of snow?", "What is known of firn?"]


def test_without_an_endpoint_it_is_said() -> None:
    with pytest.raises(TrainingError, match="set SONDE_ANSWERS__URL"):
        questions(DOCUMENTS, ASKING, QuestionModels(_NoEmbedder()))


def test_after_a_dead_endpoint_only_the_rest_is_asked(tmp_path: Path) -> None:
    """Three documents take six answers; the endpoint dies after four, and a power cut halves the last line."""
    path = tmp_path / "kept" / "said.jsonl"
    with pytest.raises(TrainingError, match="does not answer: connection refused"):
        questions(DOCUMENTS, ASKING, QuestionModels(_NoEmbedder(), CachedLanguageModel(_Model(4), "m", path)))
    path.write_text(path.read_text()[:-20])
    second = _Model(99)
    found = questions(DOCUMENTS, ASKING, QuestionModels(_NoEmbedder(), CachedLanguageModel(second, "m", path)))
    assert [one.question for one in found] == ["What is known of snow?", "What is known of firn?"]
    assert second.asked == 3
    other = _Model(99)
    questions(DOCUMENTS, ASKING, QuestionModels(_NoEmbedder(), CachedLanguageModel(other, "another model", path)))
    assert other.asked == 6
