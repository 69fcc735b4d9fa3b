"""Reads what an OPeNDAP server (DAP 2.0) sends: the declaration (DDS), the attributes (DAS) and the values (DODS)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from urllib.parse import unquote

from core.errors import Unavailable

_FORMS = {
    "byte": "B", "int16": "i", "uint16": "I", "int32": "i", "uint32": "I", "float32": "f", "float64": "d",
}  # fmt: skip
"""Of one value in XDR, big-endian; whole numbers of 16 bits take four bytes."""
_TEXTS = ("string", "url")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\];:=,]|[^\s{}\[\];:=,"]+')
_DEEPEST = 8
_DATA_MARK = re.compile(rb"\r?\nData:\r?\n")
_MOST_ATTRIBUTES = 20_000

Values = tuple[float | str, ...]


@dataclass(frozen=True, slots=True)
class Dimension:
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class DapVariable:
    """``path``: as a request names it. ``type``: of DAP, in lower case."""

    path: str
    type: str
    dimensions: tuple[Dimension, ...] = ()

    @property
    def name(self) -> str:
        return unquote(self.path.rpartition(".")[2])

    @property
    def grid(self) -> str:
        """The grid whose array it is: a request of the grid also gives the coordinates. Empty if it is of none."""
        outer, _, name = self.path.rpartition(".")
        return outer if outer.rpartition(".")[2] == name else ""


class _Tokens:
    """Raises Unavailable at the end: what was sent is cut or no declaration."""

    def __init__(self, text: str) -> None:
        self._words = [match[0] for match in _TOKEN.finditer(text)]
        self._at = 0

    def peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def take(self, wanted: str | None = None) -> str:
        word = self.peek()
        if not word or (wanted is not None and word.lower() != wanted):
            raise Unavailable("The declaration of the data set (DDS) cannot be read.")
        self._at += 1
        return word


def read_declaration(text: str) -> tuple[DapVariable, ...]:
    """The variables in the order of their values; of a grid its array, then its maps. Raises Unavailable.

    A Sequence has no shape: it is left out.
    """
    tokens = _Tokens(text)
    tokens.take("dataset")
    variables, _ = _members(tokens, 0)
    return tuple(variables)


def _members(tokens: _Tokens, depth: int) -> tuple[list[DapVariable], str]:
    """Those of a block, and the block's own name after it."""
    if depth > _DEEPEST:
        raise Unavailable("The declaration of the data set (DDS) is nested too deeply.")
    tokens.take("{")
    entries: list[DapVariable] = []
    while tokens.peek() != "}":
        form = tokens.take().lower()
        if form in ("array", "maps") and tokens.peek() == ":":
            tokens.take(":")
        elif tokens.peek() == "{":
            members, name = _members(tokens, depth + 1)
            if form != "sequence":
                entries += [DapVariable(f"{name}.{member.path}", member.type, member.dimensions) for member in members]
        else:
            entries.append(DapVariable(*_declared(tokens, form)))
    tokens.take("}")
    name, _, _ = _declared(tokens, "")
    return entries, name


def _declared(tokens: _Tokens, form: str) -> tuple[str, str, tuple[Dimension, ...]]:
    """Name, type and shape, up to the semicolon."""
    words = [tokens.take()]
    dimensions = []
    while (word := tokens.take()) != ";":
        if word != "[":
            words.append(word)  # names of data sets may have colons and blanks
            continue
        name = tokens.take()
        size = name
        if tokens.peek() == "=":
            tokens.take("=")
            size = tokens.take()
        tokens.take("]")
        if not size.isdigit():
            raise Unavailable("The declaration of the data set (DDS) has a shape that is no number.")
        dimensions.append(Dimension("" if name == size else unquote(name), int(size)))
    return " ".join(words), form, tuple(dimensions)


def read_attributes(text: str) -> dict[str, dict[str, str]]:
    """The attributes of each variable by its name, first value of each; empty if the text is no DAS."""
    tokens = _Tokens(text)
    entries: dict[str, dict[str, str]] = {}
    try:
        tokens.take("attributes")
        tokens.take("{")
        _attributes(tokens, "", entries, 0)
    except Unavailable:
        """Cut or wrong: what was read counts."""
    return entries


def _attributes(tokens: _Tokens, name: str, entries: dict[str, dict[str, str]], depth: int) -> None:
    while depth <= _DEEPEST and tokens.peek() != "}":
        first = tokens.take()
        if tokens.peek() == "{":
            tokens.take("{")
            _attributes(tokens, unquote(first), entries, depth + 1)
            continue
        attribute, value = tokens.take(), tokens.take()
        while tokens.peek() not in (";", ""):
            tokens.take()
        tokens.take(";")
        if len(entries) < _MOST_ATTRIBUTES:
            entries.setdefault(name, {}).setdefault(unquote(attribute), _without_quotes(value))
    tokens.take("}")


def _without_quotes(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value


def read_values(content: bytes) -> dict[str, Values]:
    """The values by the variable's path, in row-major order. Raises Unavailable for another or a cut answer."""
    mark = _DATA_MARK.search(content)
    if mark is None:
        raise Unavailable(error_message(content) or "The other side did not send values.")
    variables = read_declaration(content[: mark.start()].decode("utf-8", "replace"))
    reader = _Xdr(content, mark.end())
    try:
        return {variable.path: reader.values(variable) for variable in variables}
    except struct.error:
        raise Unavailable("The values that the other side sent are cut.") from None


def error_message(content: bytes) -> str:
    """What an error of DAP says; empty if it is none."""
    text = content[:4000].decode("utf-8", "replace")
    message = re.search(r'^\s*Error\s*\{.*?message\s*=\s*"((?:[^"\\]|\\.)*)"', text, re.DOTALL)
    return " ".join(message[1].split())[:200] if message else ""


class _Xdr:
    """Values in XDR, one variable after the other; struct.error where they end early."""

    def __init__(self, content: bytes, start: int) -> None:
        self._content, self._at = content, start

    def values(self, variable: DapVariable) -> Values:
        is_array = bool(variable.dimensions)
        count = prod(dimension.size for dimension in variable.dimensions)
        if is_array and self._number() != count:
            raise Unavailable("The other side sent other values than it declared.")
        if variable.type in _TEXTS:
            return tuple(self._text() for _ in range(count))
        if variable.type not in _FORMS:
            raise Unavailable(f"The type {variable.type!r} of a variable cannot be read.")
        if is_array:
            self._number()  # the count, once more
        return self._numbers(_FORMS[variable.type], count, padded=is_array)

    def _numbers(self, form: str, count: int, *, padded: bool) -> Values:
        if form == "B" and not padded:  # one byte takes four
            return self._numbers("I", count, padded=padded)
        values = struct.unpack_from(f">{count}{form}", self._content, self._at)
        self._at += -(-struct.calcsize(f">{count}{form}") // 4) * 4
        return values

    def _number(self) -> int:
        (number,) = struct.unpack_from(">I", self._content, self._at)
        self._at += 4
        return int(number)

    def _text(self) -> str:
        length = self._number()
        raw = self._content[self._at : self._at + length]
        self._at += -(-length // 4) * 4
        if len(raw) < length:
            raise Unavailable("The values that the other side sent are cut.")
        return raw.decode("utf-8", "replace")


def by_name(values: Mapping[str, Values]) -> dict[str, Values]:
    """By the last part of the path; of two of one name the first, which is the array of its grid."""
    names: dict[str, Values] = {}
    for path, numbers in values.items():
        names.setdefault(unquote(path.rpartition(".")[2]), numbers)
    return names


def names_of(variables: tuple[DapVariable, ...]) -> Iterator[DapVariable]:
    """Each variable once: the maps of grids repeat the coordinates."""
    seen = set()
    for variable in sorted(variables, key=lambda each: each.path.count(".")):
        if variable.name not in seen:
            seen.add(variable.name)
            yield variable
