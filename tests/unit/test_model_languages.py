"""Which questions a model is asked: one that reads only English leaves the others to the words."""

from __future__ import annotations

import pytest

from core.ports import EmbedderCard
from encoders.presets import preset_for


@pytest.mark.parametrize(
    ("model", "english_only"),
    [
        ("sentence-transformers/all-MiniLM-L6-v2", True),
        ("artifact:all-MiniLM-L6-v2", True),
        ("BAAI/bge-base-en-v1.5", True),
        ("BAAI/bge-m3", False),
        ("intfloat/multilingual-e5-small", False),
        ("a-model-that-nobody-described", False),
    ],
)
def test_what_a_model_reads(model: str, english_only: bool) -> None:
    assert preset_for(model).english_only is english_only


def test_a_question_in_another_language_is_not_for_an_english_model() -> None:
    english = EmbedderCard("m", 4, 16, 0.2, english_only=True)
    assert [english.reads(language) for language in ("en", None, "de", "pt")] == [True, True, False, False]
    assert EmbedderCard("m", 4, 16, 0.2).reads("de")
