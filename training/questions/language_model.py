"""Questions by a language model about a text, of nine kinds, with its own judgement of each from 0 to 3; questions with
0 are left out. Tables 6 and 8 of GeoGPT-RAG (doi:10.48550/arXiv.2509.09686).
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from core.errors import SondeError
from core.ports import LanguageModel
from training.corpora import CorpusDocument, PseudoQuestion
from training.examples import TrainingError

FormOfQuestion = Literal["what", "which", "who", "when", "where", "how", "why", "general", "imperative"]

_WORD = 'The question should use "{word} ..." to ask.'
FORMS: dict[FormOfQuestion, str] = {
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
class GeneratedPair:
    """``quality`` 0..3 by the model's own judgement; ``form`` of the question."""

    question: PseudoQuestion
    answer: str
    form: FormOfQuestion
    quality: int


def by_language_model(
    documents: Iterable[CorpusDocument], model: LanguageModel, *, min_quality: int = 1, seed: int = 0
) -> Iterator[GeneratedPair]:
    """One question per document, of a random form by the seed, if its quality is at least ``min_quality``.

    A document with an unreadable answer is skipped. Raises TrainingError if the endpoint fails or returns unreadable
    text several times in a row; earlier questions have been yielded by then.
    """
    unreadable = 0
    for document in documents:
        try:
            pair = _generate(document, model, seed)
        except SondeError as error:
            raise TrainingError(f"The language model does not answer: {error}") from error
        unreadable = 0 if pair is not None else unreadable + 1
        if unreadable == _TRIES_IN_A_ROW:
            raise TrainingError(f"The language model gave nothing readable for {unreadable} documents in a row.")
        if pair is not None and pair.quality >= min_quality:
            yield pair


def _generate(document: CorpusDocument, model: LanguageModel, seed: int) -> GeneratedPair | None:
    form = random.Random(f"{seed}:{document.id}").choice(list(FORMS))  # noqa: S311 # nosec B311 - to be repeated
    text = document.title_and_text[:_LONGEST]
    pair = _parse(_complete(model, _ASK.format(form=FORMS[form]), text))
    if pair is None:
        return None
    judgement = _complete(model, _JUDGE, f"Document: {text}\n\nQuestion: {pair.question}\n\nAnswer: {pair.answer}")
    digit = _DIGIT.search(judgement)
    if digit is None:
        return None
    question = PseudoQuestion(pair.question.strip(), document.title_and_text, f"language model, {form}", document)
    return GeneratedPair(question, pair.answer.strip(), form, int(digit[0]))


def _complete(model: LanguageModel, instruction: str, text: str) -> str:
    messages = [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
    return "".join(model.stream(messages))


def _parse(text: str) -> _Pair | None:
    match = _OBJECT.search(text)
    try:
        return None if match is None else _Pair.model_validate(json.loads(match[0]))
    except (ValueError, ValidationError):
        return None


class CachedLanguageModel:
    """core.ports.LanguageModel. Stores each complete answer on disk as one JSON line, so that an interrupted run does
    not ask again; an incomplete line is ignored.
    """

    def __init__(self, model: LanguageModel, name: str, path: Path) -> None:
        """``name`` identifies the model: answers of other models in the same file are ignored."""
        self._model, self._name, self._path = model, name, path
        self._answers = _read_answers(path)

    def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:
        """The stored or new answer, as one piece. Raises TrainingError if it cannot be stored."""
        request = json.dumps([self._name, [dict(message) for message in messages]], sort_keys=True, ensure_ascii=False)
        key = hashlib.sha256(request.encode()).hexdigest()
        if key not in self._answers:
            self._store(key, "".join(self._model.stream(messages)))
        yield self._answers[key]

    def forget(self) -> None:
        """Deletes the stored answers; call this after the results are written."""
        self._path.unlink(missing_ok=True)

    def _store(self, key: str, answer: str) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                # The line feed before it closes a line that a crash left incomplete.
                file.write("\n" + json.dumps({"key": key, "answer": answer}, ensure_ascii=False))
        except OSError as error:
            raise TrainingError(
                f"{self._path} cannot be written: {error.strerror}; earlier answers are kept."
            ) from error
        self._answers[key] = answer


def _read_answers(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    answers: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
            answers[str(entry["key"])] = str(entry["answer"])
        except (ValueError, KeyError, TypeError):
            continue  # the line that was being written during a crash
    return answers
