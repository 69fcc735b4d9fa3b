"""Questions in another language than the texts that answer them, with an embedder that reads both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluation.answers.questions import AnswerCollection
from search_api.search.passages.values import AskRequest
from sonde.settings import ElasticsearchSettings, EmbedderSettings, Settings
from sonde.wiring.evaluating import Examiner, examiner

pytestmark = pytest.mark.models

TEXTS = {
    "amsel": "Im Amselgrund wurden 2018 an zwölf Brunnen die Wasserstände gemessen. Sie lagen im Mittel 14,2 Meter "
    "unter dem Gelände. In drei Brunnen überschritt der Gehalt an Nitrat den Grenzwert für Trinkwasser.",
    "brumm": "The Brumm estuary is 31 km long. Its tides reach 4 metres at the mouth, and seals rest on sand banks.",
}


@pytest.fixture(scope="module")
def examined(elasticsearch_url: str) -> Iterator[Examiner]:
    settings = Settings(
        elasticsearch=ElasticsearchSettings(url=elasticsearch_url),
        embedder=EmbedderSettings(model="artifact:multilingual-e5-small"),
    )
    with examiner(settings, AnswerCollection("two texts", (), TEXTS)) as made:
        yield made


def best(examined: Examiner, question: str, threshold: float | None = None) -> tuple[str, float] | None:
    examination = examined.examination
    asked = AskRequest(question, threshold=threshold)
    found = examination.answerer.retriever.retrieve(asked, examination.resolver.resolve()).passages
    return (found[0].document, found[0].relevance) if found else None


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("How far below the surface does groundwater stand?", "amsel"),
        ("Welche Tiere ruhen auf den Sandbänken?", "brumm"),
        ("Quelle est la longueur de l'estuaire de la Brumm ?", "brumm"),
    ],
)
def test_the_text_that_answers_is_relevant(examined: Examiner, question: str, document: str) -> None:
    found = best(examined, question)
    assert found is not None
    assert found[0] == document


@pytest.mark.parametrize(
    "question",
    ["Who painted the ceiling of the Sistine Chapel?", "Wer hat die Decke der Sixtinischen Kapelle gemalt?"],
)
def test_what_no_text_answers_is_refused(examined: Examiner, question: str) -> None:
    assert best(examined, question, threshold=0.0) is not None
    assert best(examined, question) is None
