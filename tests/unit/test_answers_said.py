"""What counts of a language model's words: no reasoning, a refusal in any words, no sentence that says the opposite."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search_api.ask.extract import checked_sentences, contradicts
from search_api.ask.generation import is_refusal, without_leading_reasoning, without_reasoning, without_template_marks
from search_api.search.passages.values import REFUSAL, FoundPassage

ANSWER = "It is 12 m deep [1], a < b."


@pytest.mark.parametrize(
    "text",
    [
        f"<think>Passage [2] says 4 m.</think>{ANSWER}",
        f"[THINK]maybe\n[/THINK]{ANSWER}",
        f"<reasoning>a</reasoning>{ANSWER[:10]}<Think>b</Think>{ANSWER[10:]}",
        f"{ANSWER}<think>and now I go on for ever",
        ANSWER,
    ],
)
@given(cuts=st.lists(st.integers(0, 60), max_size=6))
def test_reasoning_is_hidden_wherever_the_stream_is_cut(text: str, cuts: list[int]) -> None:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert "".join(without_reasoning(pieces)) == ANSWER


def test_reasoning_without_its_opening_tag_is_not_in_the_answer() -> None:
    assert without_leading_reasoning(f"The user asks for the depth.</think>\n\n{ANSWER}") == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        "",
        REFUSAL,
        f'"{REFUSAL}"',
        "I'm sorry. The passages do not contain this information.",
        "The provided context does not mention the depth of the lake.",
        "I cannot answer this question from the given passages.",
        "Die Abschnitte enthalten keine Angaben dazu.",
        "Les passages ne mentionnent pas cette valeur.",
        "Los pasajes no contienen esa información.",
        "I passaggi non contengono questa informazione.",
        "Os trechos não mencionam a profundidade.",
    ],
)
def test_a_refusal_is_known_in_other_words(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "The lake is 12 m deep [1].",
        "The lake is 12 m deep [1]. The passages do not mention its surface.",
        "The report does not mention any impoundments [2].",
        "No, the lake was dry in 1985 [1].",
    ],
)
def test_an_answer_is_no_refusal(text: str) -> None:
    assert not is_refusal(text)


@pytest.mark.parametrize(
    ("sentence", "evidence", "opposite"),
    [
        ("The lake did not freeze in 1985.", "The lake did freeze in 1985.", True),
        ("The lake did freeze in 1985.", "The lake didn't freeze in 1985. It was warm.", True),
        ("The lake did not freeze in 1985.", "In 1985 the lake did not freeze.", False),
        ("The temperature increased by 2 K in the north.", "The temperature decreased by 2 K in the north.", True),
        ("The highest flow is in spring.", "The lowest flow is in spring, the highest flow in autumn.", False),
        ("Der See war 1985 nicht gefroren.", "Der See war 1985 gefroren.", True),
        ("Le lac n'a pas gelé en 1985.", "En 1985 le lac n'a pas gelé.", False),
        ("Le lac n'a pas gelé en 1985.", "Le lac a gelé en 1985.", True),
        ("Ozone was measured on board.", "No data were lost. The aircraft flew at noon.", False),
    ],
)
def test_the_opposite_is_no_support(sentence: str, evidence: str, opposite: bool) -> None:
    assert contradicts(sentence, evidence) is opposite


def test_a_sentence_that_says_the_opposite_is_marked() -> None:
    passage = FoundPassage("d#0", "d", "The lake did not freeze in the winter of 1985.", number=1)
    (found,) = checked_sentences("The lake did freeze in the winter of 1985 [1].", [passage], None, 0.35)
    assert not found.supported
    assert found.why == "what it cites says the opposite"


def test_bracketed_numbers_of_a_text_are_not_citations() -> None:
    assert (
        without_template_marks("as shown by Smith [12, 13] and others [4-6]; x[i] [a]")
        == "as shown by Smith (12, 13) and others (4-6); x[i] [a]"
    )
