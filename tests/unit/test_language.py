"""The language of short texts; skipped where the optional detector is not installed."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

from reading.sentences import detect_language, sure_language

pytestmark = pytest.mark.skipif(
    find_spec("lingua") is None and os.environ.get("CI") != "true",
    reason="lingua-language-detector is not installed",
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Niederschlag Südafrika", "de"),
        ("Grundwasser", "de"),
        ("rainfall in southern Africa since 1990", "en"),
        ("greenhouse gas measurements north of Italy", "en"),
        ("précipitations Afrique australe depuis 1990", "fr"),
        ("datos de lluvia en España", "es"),
        ("precipitazioni Africa meridionale", "it"),
        ("precipitação na Amazônia", "pt"),
    ],
)
def test_questions(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["rainfall Africa", "soil moisture Germany", "glaciers Alpes", "MODIS NDVI"])
def test_unsure_is_english_or_none(text: str) -> None:
    assert detect_language(text) in ("en", None)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("glaciers in the Himalaya", "en"),  # "glaciers" alone is French and English
        ("Carbon dioxide is a trace gas as it was", "en"),
        ("glaciers dans les Alpes", "fr"),
        ("Regen in der Sahelzone", "de"),
        ("chuva no Brasil", "pt"),
    ],
)
def test_small_words_tell_what_letters_leave_open(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_small_words_that_speak_against_the_letters_make_it_unsure() -> None:
    assert detect_language("rain gauges in Africa") is None  # by its letters French, which "in" is not


@pytest.mark.parametrize("text", ["", "   ", "1990-2000", "10.5065/7", "°"])
def test_nothing_to_read(text: str) -> None:
    assert detect_language(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "rainfall",
        "permafrost",
        "soil moisture",
        "El Niño rainfall",
        "La Niña drought",
        "sea ice",
        "",
        "2003",
    ],
)
def test_few_words_without_a_small_one_of_a_language_are_not_surely_in_it(text: str) -> None:
    assert sure_language(text) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wie warm ist die Ostsee im Sommer", "de"),
        ("température de la mer dans les estuaires", "fr"),
        ("niveles de agua en los ríos desde enero", "es"),
        ("livello del mare lungo le coste della regione", "it"),
    ],
)
def test_a_question_with_its_small_words_is_in_its_language(text: str, language: str) -> None:
    assert sure_language(text) == language
