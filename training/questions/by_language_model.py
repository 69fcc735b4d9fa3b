"""Questions by a language model about a text, of the nine kinds in paper 001 (its Table 6), with its own judgement of
each from 0 to 3 (Table 8); questions with 0 are left out, as in the paper.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from core.errors import SondeError
from core.ports import LanguageModel
from training.corpora import Document
from training.examples import TrainingError
from training.questions.asked import Asked

QuestionKind = Literal["what", "which", "who", "when", "where", "how", "why", "general", "imperative"]

_WORD = 'The question should use "{word} ..." to ask.'
FORMS: dict[QuestionKind, str] = {
    "what": _WORD.format(word="what"),
    "which": _WORD.format(word="which"),
    "who": _WORD.format(word="who or whose"),
    "when": _WORD.format(word="when"),
    "where": _WORD.format(word="where"),
    "how": _WORD.format(word="how"),
    "why": _WORD.format(word="why"),
    "general": "Please ask in general form, to be answered by yes or no.",
    "imperative": "Use an imperative sentence to ask for the text.",
}
_ASK = (
    "Given the next document, create a question and answer pair that is grounded in the main point of the document; "
    "do not add anything that is not in the document. {form} The question is by a person who looks for information "
    'and has not seen the document. Answer with JSON only: {{"question": "...", "answer": "..."}}'
)
_JUDGE = (
    "Judge how well the answer answers the question by the document: 3 completely correct and detailed, covers all key "
    "information, clear; 2 mostly correct, covers most, minor shortcomings; 1 generally correct with some errors or "
    "omissions; 0 significant errors or omissions, or unclear. Answer with the digit only."
)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_DIGIT = re.compile(r"[0-3]")
_LONGEST = 4000  # characters of a document in the prompt
_TRIES_IN_A_ROW = 5


class _Pair(BaseModel):
    question: str = Field(min_length=5)
    answer: str = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Generated:
    """``quality`` 0..3 by the model's own judgement; ``kind`` of the question."""

    asked: Asked
    answer: str
    kind: QuestionKind
    quality: int


def by_language_model(
    documents: Iterable[Document], model: LanguageModel, *, least: int = 1, seed: int = 0
) -> Iterator[Generated]:
    """One question per document, of a random kind by the seed, if its quality is at least ``least``.

    A document with an unreadable answer is skipped. Raises TrainingError if the endpoint fails or returns unreadable
    text several times in a row; earlier questions have been yielded by then.
    """
    silent = 0
    for document in documents:
        try:
            made = _generated(document, model, seed)
        except SondeError as error:
            raise TrainingError(f"The language model does not answer: {error}") from error
        silent = 0 if made is not None else silent + 1
        if silent == _TRIES_IN_A_ROW:
            raise TrainingError(f"The language model gave nothing readable for {silent} documents in a row.")
        if made is not None and made.quality >= least:
            yield made


def _generated(document: Document, model: LanguageModel, seed: int) -> Generated | None:
    kinds = list(FORMS)
    kind = random.Random(f"{seed}:{document.id}").choice(kinds)  # noqa: S311 # nosec B311 - a draw to be repeated
    shown = document.whole[:_LONGEST]
    pair = _pair(_said(model, _ASK.format(form=FORMS[kind]), shown))
    if pair is None:
        return None
    judged = _said(model, _JUDGE, f"Document: {shown}\n\nQuestion: {pair.question}\n\nAnswer: {pair.answer}")
    digit = _DIGIT.search(judged)
    if digit is None:
        return None
    asked = Asked(pair.question.strip(), document.whole, f"language model, {kind}", document)
    return Generated(asked, pair.answer.strip(), kind, int(digit[0]))


def _said(model: LanguageModel, instruction: str, text: str) -> str:
    messages = [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
    return "".join(model.stream(messages))


def _pair(text: str) -> _Pair | None:
    found = _OBJECT.search(text)
    if found is None:
        return None
    try:
        return _Pair.model_validate(json.loads(found[0]))
    except (ValueError, ValidationError):
        return None
