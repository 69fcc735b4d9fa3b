"""Questions in other languages are said in English, and English questions are left alone."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from reading.concepts import Concept, Label
from reading.sentences import detect_language
from reading.translation import Translator
from reading.vocabulary import only_own_vocabulary
from tests.shared_data import shared_data

TRANSLATOR = only_own_vocabulary().translator


def english(text: str) -> str | None:
    foreign = TRANSLATOR.read(text, detect_language(text))
    return None if foreign is None else foreign.in_english(text)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Niederschlagsdaten", "precipitation data"),
        ("Grundwasserstand", "groundwater level"),
        ("Kohlendioxidfluss", "carbon dioxide flux"),
        ("Ozonprofile über der Antarktis", "ozone profile Antarktis"),
        ("Temperatur des Bodens", "soil temperature"),
        ("Ozean Temperatur Daten", "ocean temperature data"),
        ("PM2.5 Feinstaub München", "PM2.5 fine particles München"),
        ("Dürre", "drought"),
        ("Konvektion Schwarzwald", "convection Schwarzwald"),
        ("Konzentration", "concentration"),
        ("température de surface de la mer", "sea surface temperature"),
        ("temperatura superficiale del mare", "sea surface temperature"),
        ("Meeresoberflächentemperatur", "sea surface temperature"),
        ("température de surface", "surface temperature"),
        ("qualité de l'air", "air quality"),
        ("données WRF", "WRF data"),
        ("inondations", "flood"),
        ("temperatura en Alaska", "Alaska temperature"),
        ("espesor del hielo marino", "sea ice thickness"),
        ("corrientes oceánicas", "ocean current"),
        ("vegetación", "vegetation"),
        ("temperatura do solo no Alasca", "Alasca soil temperature"),
        ("poluição do ar", "air pollution"),
        ("qualità dell'acqua", "water quality"),
        ("ghiacciai", "glacier"),
        ("nieve Chile", "Chile snow"),
        ("vientos alisios", "trade wind"),
        ("temporali in Argentina novembre", "thunderstorm novembre Argentina"),
        ("Temperatur auf 500 hPa über Europa", "temperature 500 hPa Europa"),
        ("sondeos en Chile", "sounding Chile"),
        ("chuva na estação seca", "dry season precipitation"),
    ],
    ids=lambda value: value,
)
def test_a_question_is_said_in_english(text: str, meaning: str) -> None:
    assert english(text) == meaning


@pytest.mark.parametrize(
    "text",
    ["soil moisture", "temperature in winter", "humidity in summer", "Moore tornado",
     "rainfall", "El Niño", "La Niña effects", "vegetation", "Terra MODIS", "Costa Rica rainfall",
     "vent", "sol", "mer", "diffusion coefficient", "Dropsonde Products", "Ice Camp Surface Mesonet", "осадки", "", "?",
     "NMC CAC Surface Analyses Imagery", "temperature in the 1990s", "x" * 400],
    ids=lambda value: value[:30] or "empty",
)  # fmt: skip
def test_an_english_question_is_left_alone(text: str) -> None:
    assert english(text) is None


def test_the_table_has_six_languages_and_no_term_twice() -> None:
    header, *rows = files("reading").joinpath("translations.tsv").read_text(encoding="utf-8").splitlines()
    cells = [row.split("\t") for row in rows]
    assert header.split("\t") == ["en", "de", "fr", "es", "it", "pt"]
    assert all(len(row) == 6 and all(row) for row in cells)
    assert len({row[0] for row in cells}) == len(cells) >= 700


def test_each_name_of_the_table_is_known() -> None:
    for code, lexicon in Translator.of(()).lexicons.items():
        for name in lexicon.names:
            assert lexicon.meaning(name.split()) == lexicon.names[name], (code, name)


def test_names_of_a_vocabulary_are_read_too_and_the_table_comes_first() -> None:
    labels = (Label("rift valley", "en"), Label("Grabenbruch", "de"))
    loose = (Label("rain", "en"), Label("Niederschlag", "de"))
    translator = Translator.of([Concept("a", labels), Concept("b", loose)])
    foreign = translator.read("Grabenbruch und Niederschlag")
    assert foreign is not None
    assert foreign.in_english("Grabenbruch und Niederschlag") == "rift valley precipitation"


def test_questions_of_engineers_are_english() -> None:
    text = shared_data("judged", "cranfield", "cran.qry.json").read_text(encoding="utf-8")
    texts = [str(row["query"]) for row in json.loads(text)]
    assert len(texts) > 200
    assert [text for text in texts if english(text) is not None] == []


@pytest.mark.parametrize("text", ["METEO-10", "TEMPERATUREPROFILERS", "download WALE western", "dispersion"])
def test_codes_names_in_capitals_and_words_that_english_has_too_are_not_translated(text: str) -> None:
    assert TRANSLATOR.read(text, "de") is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("temperatura in inverno", "it"),
        ("temperatura no inverno", "pt"),
        ("salinidade mar Báltico", "pt"),
        ("maré de tempestade", "pt"),
        ("neige sauf Alpes", "fr"),
        ("neve sem Andes", "pt"),
        ("Schnee ohne Alpen", "de"),
    ],
    ids=lambda value: value,
)
def test_words_that_languages_share_go_to_the_language_of_the_others(text: str, language: str) -> None:
    foreign = TRANSLATOR.read(text, detect_language(text))
    assert foreign is not None
    assert foreign.language == language
