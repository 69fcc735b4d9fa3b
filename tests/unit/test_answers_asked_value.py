"""The number or date that a question asks for, and sentences that have it."""

from __future__ import annotations

import pytest

from search_api.ask.asked_value import asked_value


@pytest.mark.parametrize(
    ("question", "sentence", "match"),
    [
        ("How many buoys are moored?", "The array has 12 wave buoys.", 1.0),
        ("How many buoys are moored?", "Buoys report for 12 hours.", 0.5),
        ("How many buoys are moored?", "Several buoys were moored in 2012.", 0.0),
        ("How many buoys are moored?", "Many buoys were moored (Smith and others, 2012).", 0.0),
        ("How many cores were drilled?", "Seven cores were drilled.", 1.0),
        ("What percentage of the coast erodes?", "Erosion affects 24 per cent of it.", 1.0),
        ("What percentage of the coast erodes?", "Erosion affects 24 villages.", 0.5),
        ("How deep is the trench?", "It goes down to 8,020 m.", 1.0),
        ("How deep is the trench?", "It has 8,020 species.", 0.5),
        ("How long did the cruise last?", "The ship was at sea for 43 days.", 1.0),
        ("How warm is the current?", "Its water has 14.5 °C.", 1.0),
        ("How fast does the glacier move?", "It moves by 12 km per year, 0.4 mm/s or 3 km/h.", 1.0),
        ("When was the station closed?", "The station was closed in 1987.", 1.0),
        ("When was the station closed?", "The station has 1,987 sensors.", 0.0),
        ("When did the ice retreat?", "It retreated some 12 thousand years before.", 1.0),
        ("In which year did it erupt?", "It erupted in 79 AD.", 1.0),
        ("Wie viele Bojen liegen dort?", "Dort liegen 12 Bojen.", 1.0),
        ("Wann wurde die Station geschlossen?", "Sie wurde 1987 geschlossen.", 1.0),
        ("Combien de bouées sont ancrées ?", "Il y a 12 bouées.", 1.0),
        ("¿Cuántas boyas hay?", "Hay doce boyas y 3 boyas nuevas.", 1.0),
        ("Quante boe ci sono?", "Ci sono 12 boe.", 1.0),
        ("Quantas boias existem?", "Existem 12 boias.", 1.0),
    ],
)
def test_a_value_is_found_in_a_sentence(question: str, sentence: str, match: float) -> None:
    value = asked_value(question)
    assert value is not None
    assert value.match(sentence) == match


@pytest.mark.parametrize(
    "question",
    [
        "Why does the coast erode?",
        "What happens when a glacier melts?",
        "Which buoys are moored?",
        "Where is the trench?",
    ],
)
def test_other_questions_ask_for_no_value(question: str) -> None:
    assert asked_value(question) is None
