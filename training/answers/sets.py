"""RAFT and DPO rows, as chat messages for the usual trainers.

The prompt is the serving one (``search_api.ask.prompt``), so that a model trained on the rows sees the same form in
`/ask`.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import SondeError
from core.json_types import Json
from core.ports import LanguageModel
from reading.sentences import sentences
from reading.small_words import SAYING_NOTHING
from search_api.ask.prompt import build_messages
from search_api.search.passages.values import REFUSAL
from training.answers.context import Context, Noise, without
from training.examples import TrainingError
from training.questions.by_language_model import Generated

Row = Json
_WORD = re.compile(r"\w+")
_CITED = re.compile(r"\s*\[\d+\]")


@dataclass(frozen=True, slots=True)
class AnswerSets:
    """``passages`` per context; after ``answerable`` answered rows, one without an answer (paper 001: 7 to 1).

    ``relevance`` 0..1: the least share of an answer's content words in its passage (paper 001: .4).
    """

    passages: int = 5
    answerable: int = 7
    relevance: float = 0.4
    seed: int = 0


def raft(generated: Iterable[Generated], noise: Noise, how: AnswerSets) -> Iterator[Row]:
    """``{"messages": [system, user, assistant]}``: noise passages with the right one and an answer that cites it; every
    eighth with noise only, and the refusal.
    """
    for at, (one, context) in enumerate(_contexts(generated, noise, how)):
        unanswerable = at % (how.answerable + 1) == how.answerable
        shown = without(context) if unanswerable else context
        answer = REFUSAL if unanswerable else cited(one.answer, shown.right)
        yield {"messages": [*_prompt(one, shown), _said(answer)]}


def dpo(generated: Iterable[Generated], noise: Noise, model: LanguageModel, how: AnswerSets) -> Iterator[Row]:
    """``{"prompt", "chosen", "rejected"}``. Chosen: the cited answer; rejected: the model's answer without any passage,
    which has no evidence. Every eighth is reversed: without an answer in the passages, the refusal is chosen and the
    answer rejected. A row with two equal sides is left out.

    Raises TrainingError if the endpoint fails; earlier rows have been yielded by then.
    """
    for at, (one, context) in enumerate(_contexts(generated, noise, how)):
        if at % (how.answerable + 1) == how.answerable:
            yield _preference(_prompt(one, without(context)), REFUSAL, cited(one.answer, 1))
            continue
        chosen, rejected = cited(one.answer, context.right), _unfounded(one, model)
        if rejected and _CITED.sub("", chosen).strip() != rejected:
            yield _preference(_prompt(one, context), chosen, rejected)


def cited(answer: str, number: int | None) -> str:
    """Each sentence with its passage: ``It rained. [2]`` becomes ``It rained [2].``"""
    if number is None:
        return answer
    return " ".join(_with_number(_CITED.sub("", sentence).strip(), number) for sentence in sentences(answer))


def supported(answer: str, text: str) -> float:
    """The share of the answer's content words in the text, 0..1; 0 for an answer without any."""
    words = {word for word in _WORD.findall(answer.lower()) if word not in SAYING_NOTHING and len(word) > 2}
    held = set(_WORD.findall(text.lower()))
    return len(words & held) / len(words) if words else 0.0


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """JSON lines, each written when it is made, so that rows survive a failure of the endpoint. Returns their number.

    Raises TrainingError if the disk fails.
    """
    count = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                file.flush()
                count += 1
            os.fsync(file.fileno())
    except OSError as error:
        raise TrainingError(f"{path} cannot be written: {error.strerror}; {count} rows are there.") from error
    return count


def _contexts(generated: Iterable[Generated], noise: Noise, how: AnswerSets) -> Iterator[tuple[Generated, Context]]:
    """For answers supported by their passage, if there is noise."""
    for one in generated:
        document = one.asked.document
        if supported(one.answer, document.text) < how.relevance:
            continue
        chance = random.Random(f"{how.seed}:{document.id}")  # noqa: S311 # nosec B311 - a draw to be repeated
        context = noise.context(one.asked.question, document, how.passages, chance, right=True)
        if len(context.passages) > 1:
            yield one, context


def _prompt(one: Generated, context: Context) -> list[dict[str, str]]:
    return build_messages(one.asked.question, context.passages, (), None)


def _unfounded(one: Generated, model: LanguageModel) -> str:
    messages = [{"role": "user", "content": f"{one.asked.question} Answer briefly."}]
    try:
        return "".join(model.stream(messages)).strip()
    except SondeError as error:
        raise TrainingError(f"The language model does not answer: {error}") from error


def _preference(prompt: list[dict[str, str]], chosen: str, rejected: str) -> Row:
    return {"prompt": prompt, "chosen": [_said(chosen)], "rejected": [_said(rejected)]}


def _said(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def _with_number(sentence: str, number: int) -> str:
    end = sentence[-1] if sentence.endswith((".", "!", "?")) else "."
    return f"{sentence.rstrip('.!?')} [{number}]{end}"
