"""An answer without a model, in the best sentences; and checks of the citations of every answer.

A sentence is supported if its numbers and names occur in the cited text, its words (or the cross-encoder) agree, and
the text does not say the opposite.
Pure: passages in, verdicts out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat, takewhile

import numpy as np

from core.document import CELL, section_at
from core.names import position_of
from core.ports import Embedder
from reading.sentences import sentences
from search_api.ask.asked_value import asked_value
from search_api.ask.cells import label_words
from search_api.search.passages.coverage import content_words, coverage, weights
from search_api.search.passages.quotable import is_quotable, without_prompt
from search_api.search.passages.values import CitedSentence, FoundPassage
from search_api.search.ranking.config import QuoteWeights

_SHORTEST = 4  # words; shorter sentences are not meaningful alone
_LONGEST = 120
_MOST_SENTENCES = 200
_REPEATS = 3
"""A line that so many passages of one document have is printed on each page or slide."""


def in_cited_section(passage: FoundPassage, answer: Sequence[CitedSentence]) -> FoundPassage:
    """The passage with the section in which its cited sentences stand; of several, the headings that they share."""
    cited = [sentence.text for sentence in answer if passage.number in sentence.citations]
    places = [place for text in cited if passage.sections and (place := position_of(text, passage.text)) is not None]
    sections = [section for start, _ in places if (section := section_at(passage.sections, start)) is not None]
    if not sections:
        return passage
    roles = {section.role for section in sections}
    levels = takewhile(lambda headings: len(set(headings)) == 1, zip(*(s.path for s in sections), strict=False))
    shared_path = tuple(headings[0] for headings in levels)
    return replace(passage, section_path=shared_path, section_role=roles.pop() if len(roles) == 1 else None)


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a passage with its score."""

    text: str
    number: int
    score: float


def best_quotes(
    question: str,
    passages: Sequence[FoundPassage],
    embedder: Embedder | None,
    count: int,
    share: QuoteWeights,
    language: str | None = None,
) -> tuple[CitedSentence, ...]:
    """The best distinct sentences, best first, at most ``count``; each cites its own passage.

    ``embedder`` None: by words alone. ``language``: the question's (ISO 639-1).
    """
    best = quotes_to_show(ranked_quotes(question, passages, embedder, share, language), share)
    shown_sentences = _without_other_rows(best, content_words(question, language), passages, language)
    return tuple(CitedSentence(quote.text, (quote.number,), True) for quote in shown_sentences[:count])


def _without_other_rows(
    quotes: Sequence[Quote], question: frozenset[str], passages: Sequence[FoundPassage], language: str | None
) -> list[Quote]:
    """Of the rows of one table only those whose label has most words of the question, if any has one."""
    table_of = {passage.number: (passage.document, passage.table) for passage in passages if passage.kind == "table"}
    heads: dict[Quote, int] = {
        quote: label_words(question, quote.text.split(CELL), language)
        for quote in quotes
        if CELL in quote.text and quote.number in table_of
    }
    best: dict[tuple[str, int | None], int] = {}
    for quote, words in heads.items():
        best[table_of[quote.number]] = max(words, best.get(table_of[quote.number], 0))
    return [quote for quote in quotes if quote not in heads or heads[quote] == best[table_of[quote.number]]]


def quotes_to_show(ranked_sentences: Sequence[Quote], share: QuoteWeights) -> list[Quote]:
    """The best quote, the second if its score is near (an answer often takes two sentences), and all others whose score
    is almost that of the best.
    """
    margins = chain((0.0, share.second_margin), repeat(share.further_margin))
    return [
        quote
        for quote, margin in zip(ranked_sentences, margins, strict=False)
        if quote.score >= ranked_sentences[0].score - margin
    ]


def ranked_quotes(
    question: str,
    passages: Sequence[FoundPassage],
    embedder: Embedder | None,
    share: QuoteWeights,
    language: str | None = None,
) -> list[Quote]:
    """All sentences of the passages with their scores, best first, each text once."""
    candidates = [(text, passage) for passage in passages for text in _sentences(passage)]
    repeats = Counter((passage.document or passage.id, text) for text, passage in candidates)
    candidates = [
        (text, passage)
        for text, passage in candidates
        if repeats[passage.document or passage.id, text] < _REPEATS and is_quotable(text)
    ][:_MOST_SENTENCES]
    if not candidates:
        return []
    contexts = [_with_heads(text, passage) for text, passage in candidates]
    words = [content_words(text, language) for text in contexts]
    question_weights = weights(words, content_words(question, language))
    cosines, value = _cosines(question, contexts, embedder), asked_value(question)
    quotes = [
        Quote(
            text,
            passage.number,
            share.words * coverage(question_weights, text_words)
            + (1.0 - share.words) * cosine
            + share.relevance * passage.relevance
            + (share.value * value.match(text) if value is not None else 0.0),
        )
        for (text, passage), text_words, cosine in zip(candidates, words, cosines, strict=True)
    ]
    best = sorted(quotes, key=lambda quote: (-quote.score, quote.number))
    return list({quote.text: quote for quote in reversed(best)}.values())[::-1]


def quoted_text(quotes: Sequence[CitedSentence]) -> str:
    """The quotes as an answer: each in quotation marks with its number."""
    return " ".join(
        f"“{quote.text if quote.cell is None else quote.cell.text}” [{quote.citations[0]}]" for quote in quotes
    )


def _sentences(passage: FoundPassage) -> list[str]:
    """Sentences of text, rows of a table without its caption and header, lines of code."""
    if passage.kind == "table" or "\n" in passage.text:
        lines = [line for line in passage.text.split("\n") if line.strip() and line not in passage.header]
        parts = [part for line in lines for part in ([line] if "|" in line else sentences(line))]
    else:
        parts = sentences(passage.text)
    return [part for part in map(without_prompt, parts) if _SHORTEST <= len(part.split()) <= _LONGEST]


def _with_heads(text: str, passage: FoundPassage) -> str:
    """A row of a table is read with its header, which names what its numbers are."""
    return "\n".join((*passage.header, text)) if passage.kind == "table" and CELL in text else text


def _cosines(question: str, texts: Sequence[str], embedder: Embedder | None) -> list[float]:
    if embedder is None:
        return [0.0] * len(texts)
    question_vector = embedder.embed([question], "query")[0]
    text_vectors = embedder.embed(list(texts), "document")
    return [float(value) for value in np.asarray(text_vectors @ question_vector)]


_CITATION = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-ZÄÖÜÉ][\w'’-]{2,}")
_CITED_AFTER_STOP = re.compile(r"([.!?])\s*((?:\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]\s*)+)")

Judge = Callable[[str, str], float]
"""Maps a sentence and its cited text to 0..1: how far the text supports the sentence."""


def checked_sentences(
    text: str, passages: Sequence[FoundPassage], judge: Judge | None, min_support: float
) -> tuple[CitedSentence, ...]:
    """Each sentence with its citations and whether they support it. ``judge`` None: by shared words alone."""
    by_number = {passage.number: passage.text for passage in passages}
    ready = _CITED_AFTER_STOP.sub(r" \2\1 ", text)  # "... 12 m. [1]": the citation belongs before the full stop
    return tuple(
        _check_sentence(sentence, by_number, judge, min_support) for sentence in sentences(ready.replace("\n", " "))
    )


def citations_of(sentence: str) -> tuple[int, ...]:
    """The numbers in text order, each once."""
    numbers = [int(part) for match in _CITATION.findall(sentence) for part in re.split(r"\s*[,;]\s*", match)]
    return tuple(dict.fromkeys(numbers))


def without_citations(sentence: str) -> str:
    return re.sub(r"\s+([.,;!?])", r"\1", re.sub(r"\s+", " ", _CITATION.sub("", sentence))).strip()


def _check_sentence(sentence: str, texts: Mapping[int, str], judge: Judge | None, min_support: float) -> CitedSentence:
    citations = citations_of(sentence)
    claim = without_citations(sentence)
    unknown = [number for number in citations if number not in texts]
    if not citations:
        return CitedSentence(claim, (), False, "cites nothing")
    if unknown:
        return CitedSentence(
            claim, citations, False, f"cites {', '.join(f'[{n}]' for n in unknown)}, which is no passage"
        )
    evidence = "\n".join(texts[number] for number in citations)
    unsupported = [*missing_numbers(claim, evidence), *missing_names(claim, evidence)]
    if unsupported:
        return CitedSentence(claim, citations, False, f"not in what it cites: {', '.join(unsupported[:5])}")
    if contradicts(claim, evidence):
        return CitedSentence(claim, citations, False, "what it cites says the opposite")
    agreement = judge(claim, evidence) if judge is not None else shared_words(claim, evidence)
    if agreement < min_support:
        return CitedSentence(claim, citations, False, f"what it cites does not say it ({agreement:.2f})")
    return CitedSentence(claim, citations, True)


def missing_numbers(sentence: str, evidence: str) -> list[str]:
    """The sentence's numbers that the evidence lacks; 1,000 and 1000 are equal."""
    evidence_numbers = {_plain_number(number) for number in _NUMBER.findall(evidence)}
    return [number for number in _NUMBER.findall(sentence) if _plain_number(number) not in evidence_numbers]


def _plain_number(text: str) -> str:
    bare = text.replace("−", "-")
    if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", bare):
        bare = bare.replace(",", "")
    bare = bare.replace(",", ".")
    return bare.rstrip("0").rstrip(".") if "." in bare else bare


def missing_names(sentence: str, evidence: str) -> list[str]:
    """Capitalised words inside the sentence that the evidence lacks in any case."""
    evidence_text = evidence.lower()
    return [name for name in _NAME.findall(sentence) if name.lower().rstrip("'’s") not in evidence_text]


def shared_words(sentence: str, evidence: str) -> float:
    """The share of the sentence's content words that the evidence contains, 0..1."""
    words = content_words(sentence)
    return len(words & content_words(evidence)) / len(words) if words else 0.0


_WORD_OR_CONTRACTION = re.compile(r"[^\W\d_]+(?:['’]t)?")
_ENGLISH_AND_GERMAN = """not no never none neither nor without cannot nicht kein keine keinen keiner keines nie niemals
ohne"""
_ROMANCE = """ne pas jamais aucun aucune sans nunca ningún ninguna sin tampoco non mai nessun nessuna senza não nenhum
nenhuma sem"""
_NEGATIONS = frozenset(f"{_ENGLISH_AND_GERMAN} {_ROMANCE}".split())
_PAIRS = """increase/decrease rise/fall rose/fell rising/falling higher/lower high/low highest/lowest more/less
more/fewer most/least above/below before/after maximum/minimum northern/southern north/south eastern/western east/west
warmer/colder warm/cold wet/dry gain/loss larger/smaller deeper/shallower positive/negative always/never
winter/summer"""
_OPPOSITE_PAIRS = [tuple(pair.split("/")) for pair in _PAIRS.split()]
_ENDINGS = re.compile(r"(?:ing|ed|es|s|d)$")
_OPPOSITE_OF = {word: other for a, b in _OPPOSITE_PAIRS for word, other in ((a, b), (b, a))}


def contradicts(sentence: str, evidence: str) -> bool:
    """Compared with the sentence of the evidence that shares most words; False if that shares fewer than half."""
    words = content_words(sentence)
    nearest = max(sentences(evidence), key=lambda candidate: len(words & content_words(candidate)), default="")
    common_words = words & content_words(nearest)
    if not words or len(common_words) * 2 < len(words):
        return False
    return _has_negation(sentence) != _has_negation(nearest) or _says_opposite(sentence, nearest)


def _has_negation(text: str) -> bool:
    """An even number of negations says yes."""
    words: list[str] = [word.lower() for word in _WORD_OR_CONTRACTION.findall(text)]
    count = sum(word in _NEGATIONS or word.endswith(("n't", "n’t")) for word in words)
    french = sum(word in ("ne", "n") for word in words)  # "ne ... pas" is one negation
    return (count - min(french, count - french)) % 2 == 1


def _says_opposite(sentence: str, nearest: str) -> bool:
    sentence_words, nearest_words = _word_stems(sentence), _word_stems(nearest)
    return any(
        word not in nearest_words and opposite in nearest_words and opposite not in sentence_words
        for word in sentence_words
        if (opposite := _OPPOSITE_OF.get(word)) is not None
    )


def _word_stems(text: str) -> set[str]:
    """The words, and each without its ending."""
    words = {word.lower() for word in _WORD_OR_CONTRACTION.findall(text)}
    bare = {_ENDINGS.sub("", word) for word in words}
    return words | bare | {f"{word}e" for word in bare}
