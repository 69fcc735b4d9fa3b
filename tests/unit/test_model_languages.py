"""Which questions a model is asked: one that reads only English leaves the others to the words."""

from __future__ import annotations

import pytest

from core.ports import EmbedderCard
from encoders.presets import preset_for


@pytest.mark.parametrize(
    ("model", "german"),
    [
        ("sentence-transformers/all-MiniLM-L6-v2", False),
        ("artifact:all-MiniLM-L6-v2", False),
        ("BAAI/bge-base-en-v1.5", False),
        ("BAAI/bge-m3", True),
        ("intfloat/multilingual-e5-small", True),
        ("artifact:multilingual-e5-small", True),
        ("a-model-that-nobody-described", True),
    ],
)
def test_what_a_model_reads(model: str, german: bool) -> None:
    card = EmbedderCard(model, 4, 16, 0.2, languages=preset_for(model).languages)
    assert card.reads("de") is german
    assert card.reads("en")


def test_a_question_in_another_language_is_not_for_an_english_model() -> None:
    english = EmbedderCard("m", 4, 16, 0.2, languages=("en",))
    assert [english.reads(language) for language in ("en", None, "de", "pt")] == [True, True, False, False]
    assert EmbedderCard("m", 4, 16, 0.2).reads("de")
