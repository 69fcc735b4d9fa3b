"""Test questions of paper 001's four kinds from ingested passages, by extracts: each quotes what it asks about. Pure.

An extract shares its words with the text that answers it, so these questions are easier to find than a person's. They
show that something is wrong, and compare two settings; a language model or a person writes harder ones.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

from core.json_types import Json
from core.passage import Passage
from reading.sentences import sentences

QuestionKind = Literal["fact", "inference", "several", "condition"]
"""One document and a fact; one document and a reason or a consequence; several documents; a condition."""

KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)

_FEWEST_WORDS, _MOST_WORDS = 8, 45
_LEANS = re.compile(
    r"^(?:this|these|those|that|it|its|they|their|he|she|such|here|there|also|however|moreover|furthermore|in addition|"
    r"for example|therefore|thus|hence|consequently|as a result|accordingly|but|and|or)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:fig(?:ure)?s?|tab(?:le)?s?|eqs?|equations?|sect(?:ion)?s?|appendix|chapter)\b\.?\s*\d|\[\d", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
_DEFINED = re.compile(
    r"^(?P<what>(?:The |A |An )?[A-Z]?[\w-]+(?: [\w-]+){0,4}) (?P<verb>is|are) (?:a|an|the|defined as|one of) "
)
_BECAUSE = re.compile(
    r"^(?P<what>.{25,200}?),? (?:because|since|due to|owing to|as a result of|caused by) (?P<why>.{12,})$"
)
_FOLLOWS = re.compile(
    r"^(?:therefore|thus|hence|consequently|as a result|accordingly|this (?:means|implies|suggests))\b,?", re.IGNORECASE
)
_IF = re.compile(
    r"^(?P<when>(?:If|When|Where|Whenever|Unless|Under|During|In case of) [^,;]{12,140}), (?P<then>.{20,})$"
)
_WORDS = re.compile(r"[a-zA-ZÀ-ž][\w-]{3,}")
_FEWEST_TIMES = 2
_MOST_DOCUMENTS = 3  # that share a phrase: one that all share says little


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A line of a questions file; ``documents`` are ids, ``pages`` only where there is one document."""

    kind: QuestionKind
    question: str
    documents: tuple[str, ...]
    pages: tuple[int, ...]
    answers: tuple[str, ...]

    def line(self, number: int) -> Json:
        """As ``load_questions`` reads it."""
        first, *more = self.documents
        said: Json = {
            "id": f"{self.kind}-{number}",
            "kind": self.kind,
            "question": self.question,
            "document": first,
            "also": more,
            "pages": list(self.pages),
            "answers": list(self.answers),
        }
        return {name: value for name, value in said.items() if value != []}


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence with its passage, and the sentence behind it."""

    text: str
    passage: Passage
    behind: str = ""

    @property
    def pages(self) -> tuple[int, ...]:
        first, last = self.passage.first_page, self.passage.last_page
        return tuple(range(first, (last or first) + 1)) if first is not None else ()


def by_extracts(
    passages: Sequence[Passage], titles: Mapping[str, str], count: int, seed: int = 0
) -> list[MadeQuestion]:
    """Up to ``count`` questions of each kind, in the order of KINDS; drawn by the seed, evenly over the documents."""
    said = list(_said(passages))
    made: list[MadeQuestion] = []
    for make in _MAKERS:
        found = (one for each in said if (one := make(each, titles.get(each.passage.document, ""))) is not None)
        made += drawn(found, count, seed)
    several = drawn(_several(said, titles), count, seed)
    return sorted([*made, *several], key=lambda one: KINDS.index(one.kind))


def drawn(questions: Iterable[MadeQuestion], count: int, seed: int) -> list[MadeQuestion]:
    """The first of each document, then the second of each, and so on; each question once."""
    by_document: dict[str, list[MadeQuestion]] = defaultdict(list)
    for one in {one.question: one for one in questions}.values():
        by_document[one.documents[0]].append(one)
    for own in by_document.values():
        own.sort(key=lambda one: _shuffled(one.question, seed))
    turns = [(turn, _shuffled(one.question, seed), one) for own in by_document.values() for turn, one in enumerate(own)]
    return [one for *_, one in sorted(turns, key=lambda each: each[:2])][:count]


def _shuffled(text: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\n{text}".encode()).digest()


def _said(passages: Sequence[Passage]) -> Iterator[Said]:
    """Sentences that can be read alone."""
    for passage in passages:
        if passage.kind != "text" or passage.section_role == "references":
            continue
        parts = sentences(passage.text)
        for text, behind in pairwise([*parts, ""]):
            if _is_whole(text):
                yield Said(text, passage, behind)


def _is_whole(text: str) -> bool:
    words = text.split()
    return (
        _FEWEST_WORDS <= len(words) <= _MOST_WORDS
        and text[0].isupper()
        and text.endswith(".")
        and sum(character.isalpha() or character == " " for character in text) >= 0.85 * len(text)
        and _LEANS.match(text) is None
        and _POINTS.search(text) is None
    )


def _fact(said: Said, _: str) -> MadeQuestion | None:
    """A term that a sentence defines, else the only number of a sentence."""
    defined = _DEFINED.match(said.text)
    if defined is not None:
        what = defined["what"]
        what = what[:1].lower() + what[1:] if what.split()[0] in ("The", "A", "An") else what
        return _one("fact", f"What {defined['verb']} {what}?", said)
    numbers = _NUMBER.findall(said.text)
    if len(numbers) != 1:
        return None
    return _one("fact", f"Which number stands for “…” in: {_NUMBER.sub('…', said.text)}", said)


def _inference(said: Said, _: str) -> MadeQuestion | None:
    """The reason that a sentence gives, or what the next one concludes from it."""
    because = _BECAUSE.match(said.text)
    if because is not None:
        return _one("inference", f"What is the reason that {_lowered(because['what'])}?", said)
    if _FOLLOWS.match(said.behind):
        question = f"What follows from this: {said.text}"
        return MadeQuestion("inference", question, (said.passage.document,), said.pages, (said.behind,))
    return None


def _condition(said: Said, title: str) -> MadeQuestion | None:
    condition = _IF.match(said.text)
    if condition is None:
        return None
    of = f" according to “{title}”" if title else ""
    return _one("condition", f"What holds{of} {_lowered(condition['when'])}?", said)


def _one(kind: QuestionKind, question: str, said: Said) -> MadeQuestion:
    return MadeQuestion(kind, question, (said.passage.document,), said.pages, (said.text,))


def _lowered(text: str) -> str:
    """Within a sentence; a name or an abbreviation keeps its capitals."""
    first = text.split()[0]
    keeps = len(first) > 1 and not first[1:].islower()
    usual = first.lower() in _COMMON or first.endswith(("ing", "ed", "s"))
    return text[:1].lower() + text[1:] if usual and not keeps else text


_COMMON_WORDS = """
the a an if when where whenever unless under during in case some all most many few both each at on for with we
our no not one two three more less high low large small water data"""
_COMMON = frozenset(_COMMON_WORDS.split())
_MAKERS: Sequence[Callable[[Said, str], MadeQuestion | None]] = (_fact, _inference, _condition)


def _several(said: Sequence[Said], titles: Mapping[str, str]) -> Iterator[MadeQuestion]:
    """What two documents say about a phrase that few others have."""
    holding: dict[str, dict[str, list[Said]]] = defaultdict(lambda: defaultdict(list))
    for one in said:
        for phrase in _phrases(one.text):
            holding[phrase][one.passage.document].append(one)
    for phrase, by_document in sorted(holding.items()):
        often = {document: own for document, own in by_document.items() if len(own) >= _FEWEST_TIMES}
        if len(often) < 2 or len(by_document) > _MOST_DOCUMENTS:
            continue
        first, second = sorted(often)[:2]
        names = [titles.get(document) or document for document in (first, second)]
        if names[0] == names[1]:
            continue
        question = f"What do “{names[0]}” and “{names[1]}” say about {phrase}?"
        answers = " ".join(often[document][0].text for document in (first, second))
        yield MadeQuestion("several", question, (first, second), (), (answers,))


def _phrases(text: str) -> set[str]:
    """Two neighbouring words of four letters and more, in lower case."""
    counted = Counter(
        f"{a[0].lower()} {b[0].lower()}"
        for a, b in pairwise(_WORDS.finditer(text))
        if text[a.end() : b.start()] == " " and not {a[0].lower(), b[0].lower()} & _EMPTY
    )
    return set(counted)


_EMPTY_WORDS = """
with from that this these those have been were which when where also than then they their there into each other
such will would could should must only more most some many both used using uses based between within during
after before because since very much well over under about while being does made make same different following
shown show given values value number first second several data results study section figure table page"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
