"""Quotes of passages: the sentence that answers first, and others only where they may answer as well."""

from __future__ import annotations

import pytest

from core.document import PassageSection
from search_api.ask.extract import Quote, best_quotes, in_cited_section, quotes_to_show
from search_api.search.passages.values import CitedSentence, FoundPassage
from search_api.search.ranking.config import QuoteWeights

BY_WORDS = QuoteWeights(words=1.0, relevance=0.0, value=0.4, second_margin=0.5, further_margin=0.2)


def quoted(question: str, *texts: str, most: int = 5) -> list[str]:
    passages = [FoundPassage(f"d#{number}", "d", text, number) for number, text in enumerate(texts, 1)]
    return [one.text for one in best_quotes(question, passages, None, most, BY_WORDS)]


def test_one_sentence_that_answers_stands_alone() -> None:
    answer = "The cores of Green Lake were drilled to 731 cm."
    assert quoted("How deep were the cores of Green Lake drilled?", f"Nobody has built a house here. {answer}") == [
        answer
    ]


def test_sentences_that_answer_as_well_are_quoted_too_up_to_the_limit() -> None:
    same = [f"Turbidity of Green Lake was {number} NTU in spring." for number in range(1, 8)]
    assert quoted("Which turbidity has Green Lake?", *same) == same[:5]
    assert quoted("Which turbidity has Green Lake?", *same, most=2) == same[:2]


def test_nothing_is_quoted_of_nothing() -> None:
    assert quoted("Which turbidity has Green Lake?") == []


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        ([0.9, 0.8, 0.75, 0.69, 0.1], [0.9, 0.8, 0.75]),
        ([0.9, 0.45, 0.4], [0.9, 0.45]),
        ([0.9, 0.3, 0.2], [0.9]),
        ([0.3], [0.3]),
        ([0.3, 0.3, 0.3], [0.3, 0.3, 0.3]),
        ([], []),
    ],
)
def test_the_second_may_lie_further_below_the_best_than_others(scores: list[float], kept: list[float]) -> None:
    ranked = [Quote(str(number), 1, score) for number, score in enumerate(scores)]
    assert [one.score for one in quotes_to_show(ranked, BY_WORDS)] == kept


def test_the_sentence_with_the_number_that_is_asked_for_comes_first() -> None:
    counted = "There are 14 sensors of turbidity in the lake."
    text = f"Green Lake has sensors of turbidity. {counted}"
    assert quoted("How many sensors of turbidity has Green Lake?", text)[0] == counted
    assert quoted("Which sensors of turbidity has Green Lake?", text)[-1] == counted


def test_a_quote_is_cited_by_the_section_in_which_it_stands() -> None:
    text = "Rings of steel were used.\nLicence\nThe survey is free.\nContact\nAsk the office."
    parts = (
        PassageSection(0, ("Report", "Bulk density"), "methods"),
        PassageSection(text.index("Licence"), ("Report", "Licence"), None),
        PassageSection(text.index("Contact"), ("Report", "Contact"), None),
    )
    passage = FoundPassage("d#1", "d", text, 1, section_path=parts[0].path, section_role="methods", sections=parts)

    def cited(*texts: str, number: int = 1) -> tuple[tuple[str, ...], str | None]:
        seen = in_cited_section(passage, [CitedSentence(text, (number,), True) for text in texts])
        return seen.section_path, seen.section_role

    assert cited("Rings of steel were used.") == (("Report", "Bulk density"), "methods")
    assert cited("The survey is free.") == (("Report", "Licence"), None)
    assert cited("The survey is free.", "Ask the office.") == (("Report",), None)
    assert cited("The survey is free.", number=2) == (parts[0].path, "methods"), "another passage is cited"
    assert cited("Free is what the survey is.") == (parts[0].path, "methods"), "these words are nowhere in it"
