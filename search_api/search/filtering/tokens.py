"""Reads the words and signs of a CQL2 text once from left to right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from core.errors import InvalidInput

Kind = Literal["text", "quoted", "number", "name", "sign", "end"]

DEEPEST = 32
_TOKEN = re.compile(
    r"""(?P<text>'(?:''|\\'|[^'])*+')
      | (?P<quoted>"(?:""|[^"])*+")
      | (?P<number>(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]++)?)
      | (?P<name>(?:[^\W\d]|:)[\w:.]*+)
      | (?P<sign><>|<=|>=|!=|[-+*/%^=<>(),])""",
    re.VERBOSE,
)
_SPACE = re.compile(r"\s*+")


@dataclass(frozen=True, slots=True)
class Token:
    """``word``: the name or sign in capitals, as in the grammar; empty for literals. Columns start at 1."""

    kind: Kind
    value: str
    column: int

    @property
    def word(self) -> str:
        return self.value.upper() if self.kind in ("name", "sign") else ""


class Tokens:
    """The unread part of the text. It only moves forward, so the time is linear in the number of words."""

    def __init__(self, text: str) -> None:
        self._rest = _split(text)
        self.current = next(self._rest)
        self.following = next(self._rest, self.current)
        self._depth = 0

    def take(self) -> Token:
        token = self.current
        self.current, self.following = self.following, next(self._rest, self.following)
        return token

    def accept(self, *words: str) -> bool:
        """Whether the current word is one of these; if so, moves past it."""
        matches = self.current.word in words
        if matches:
            self.take()
        return matches

    def expect(self, word: str) -> None:
        if not self.accept(word):
            raise self.wrong(word)

    def wrong(self, expected: str) -> InvalidInput:
        token = self.current
        description = "it ends there" if token.kind == "end" else f"found {token.value[:40]}"
        return _not_cql2(token.column, f"expected {expected}, {description}")

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level of brackets, NOT or minus signs. Raises InvalidInput beyond DEEPEST."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise InvalidInput("filter", f"filter: is nested more than {DEEPEST} deep")
        yield
        self._depth -= 1


def _split(text: str) -> Iterator[Token]:
    at = _skip_space(text, 0)
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            problem = "this text is not closed" if text[at] in "'\"" else f"{text[at]} has no meaning here"
            raise _not_cql2(at + 1, problem)
        yield _token(match)
        at = _skip_space(text, match.end())
    yield Token("end", "", len(text) + 1)


def _token(text_match: re.Match[str]) -> Token:
    column, value = text_match.start() + 1, text_match[0]
    match text_match.lastgroup:
        case "text":
            return Token("text", re.sub(r"''|\\'", "'", value[1:-1]), column)
        case "quoted":
            return Token("quoted", value[1:-1].replace('""', '"'), column)
        case "number":
            return Token("number", value, column)
        case "name":
            return Token("name", value, column)
        case _:
            return Token("sign", value, column)


def _skip_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _not_cql2(column: int, problem: str) -> InvalidInput:
    return InvalidInput("filter", f"filter: is not CQL2 text: column {column}: {problem}")
