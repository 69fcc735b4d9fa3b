"""Questions that lean on the ones before them."""

from __future__ import annotations

import pytest

from search_api.search.passages.retrieve import in_context, needs_context
from search_api.search.passages.values import ConversationTurn

FIRST = "How many lakes of the 1985 survey in Maine are impoundments?"


@pytest.mark.parametrize(
    "question",
    [
        "And in 2015?",
        "What about the lakes of New Hampshire and Vermont?",
        "How was their chemical composition measured in the laboratory?",
        "Why?",
        "Wie wurde deren chemische Zusammensetzung im Labor gemessen?",
        "Comment leur composition chimique est-elle mesurée au laboratoire ?",
        "¿Y cuál es la composición química de los lagos del norte?",
    ],
)
def test_such_a_question_takes_the_one_before_with_it(question: str) -> None:
    assert needs_context(question)
    assert in_context(question, [ConversationTurn(FIRST)]).startswith("How many lakes of the")
    assert in_context(question, [ConversationTurn(FIRST)]).endswith(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which instruments recorded sea surface temperature in the Baltic Sea?",
        "Welche Geräte zeichneten die Meerestemperatur in der Ostsee auf?",
        "Quels instruments ont mesuré la température de la mer Baltique ?",
    ],
)
def test_a_question_that_stands_alone_is_asked_alone(question: str) -> None:
    assert in_context(question, [ConversationTurn(FIRST)]) == question


def test_a_chain_leads_back_to_its_topic() -> None:
    asked = in_context("Why?", [ConversationTurn(FIRST), ConversationTurn("And in Vermont?")])
    assert asked == f"{FIRST} And in Vermont? Why?"


def test_a_year_replaces_the_year_before() -> None:
    assert (
        in_context("And in 2015?", [ConversationTurn(FIRST)])
        == "How many lakes of the survey in Maine are impoundments? And in 2015?"
    )


def test_without_earlier_questions_nothing_is_added() -> None:
    assert in_context("Why?", []) == "Why?"
