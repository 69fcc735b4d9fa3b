"""Checks an answer: whether each citation exists, and whether the cited text supports the sentence.

A sentence is supported if its numbers and names occur in the cited text, its words (or the cross-encoder) agree, and
the text does not say the opposite.
Pure: passages in, verdicts out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from reading.sentences import sentences
from search_api.ask.contradiction import contradicts
from search_api.search.passages.coverage import content_words
from search_api.search.passages.values import FoundPassage, Sentence

_CITATION = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-ZÄÖÜÉ][\w'’-]{2,}")
_CITED_BEHIND = re.compile(r"([.!?])\s*((?:\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]\s*)+)")

Judge = Callable[[str, str], float]
"""Maps a sentence and its cited text to 0..1: how far the text supports the sentence."""


def checked_sentences(
    text: str, passages: Sequence[FoundPassage], judge: Judge | None, least: float
) -> tuple[Sentence, ...]:
    """Each sentence with its citations and whether they support it. ``judge`` None: by shared words alone."""
    by_number = {passage.number: passage.text for passage in passages}
    ready = _CITED_BEHIND.sub(r" \2\1 ", text)  # "... 12 m. [1]": the citation belongs before the full stop
    return tuple(_checked(sentence, by_number, judge, least) for sentence in sentences(ready.replace("\n", " ")))


def citations_of(sentence: str) -> tuple[int, ...]:
    """The numbers in text order, each once."""
    numbers = [int(part) for match in _CITATION.findall(sentence) for part in re.split(r"\s*[,;]\s*", match)]
    return tuple(dict.fromkeys(numbers))


def without_citations(sentence: str) -> str:
    return re.sub(r"\s+([.,;!?])", r"\1", re.sub(r"\s+", " ", _CITATION.sub("", sentence))).strip()


def _checked(sentence: str, texts: Mapping[int, str], judge: Judge | None, least: float) -> Sentence:
    cited = citations_of(sentence)
    said = without_citations(sentence)
    unknown = [number for number in cited if number not in texts]
    if not cited:
        return Sentence(said, (), False, "cites nothing")
    if unknown:
        return Sentence(said, cited, False, f"cites {', '.join(f'[{n}]' for n in unknown)}, which is no passage")
    evidence = "\n".join(texts[number] for number in cited)
    missing = [*missing_numbers(said, evidence), *missing_names(said, evidence)]
    if missing:
        return Sentence(said, cited, False, f"not in what it cites: {', '.join(missing[:5])}")
    if contradicts(said, evidence):
        return Sentence(said, cited, False, "what it cites says the opposite")
    agreement = judge(said, evidence) if judge is not None else shared_words(said, evidence)
    if agreement < least:
        return Sentence(said, cited, False, f"what it cites does not say it ({agreement:.2f})")
    return Sentence(said, cited, True)


def missing_numbers(sentence: str, evidence: str) -> list[str]:
    """The sentence's numbers that the evidence lacks; 1,000 and 1000 are equal."""
    held = {_plain_number(number) for number in _NUMBER.findall(evidence)}
    return [number for number in _NUMBER.findall(sentence) if _plain_number(number) not in held]


def _plain_number(text: str) -> str:
    bare = text.replace("−", "-")
    if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", bare):
        bare = bare.replace(",", "")
    bare = bare.replace(",", ".")
    return bare.rstrip("0").rstrip(".") if "." in bare else bare


def missing_names(sentence: str, evidence: str) -> list[str]:
    """Capitalised words inside the sentence that the evidence lacks in any case."""
    held = evidence.lower()
    return [name for name in _NAME.findall(sentence) if name.lower().rstrip("'’s") not in held]


def shared_words(sentence: str, evidence: str) -> float:
    """The share of the sentence's content words that the evidence contains, 0..1."""
    words = content_words(sentence)
    return len(words & content_words(evidence)) / len(words) if words else 0.0
