"""Plain text from metadata text: removes excess white space, control characters and HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import TypeVar

T = TypeVar("T")

_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff]"
)
_PARAGRAPH = re.compile(r"\r?\n[^\S\n]*\r?\n\s*")
_MARKUP = re.compile(
    r"</?(?:p|br|div|span|a|b|i|u|em|strong|ul|ol|li|h[1-6]|sub|sup|table|tr|td|th|tbody|font|img|hr|pre|code|dl|dt|dd)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|[a-zA-Z]{3,6}\d{1,2}|#[0-9]{1,6}|#[xX][0-9a-fA-F]{1,5});")
_BLOCKS = frozenset({
    "p", "br", "div", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "table", "tr", "hr", "pre", "dl",
    "dt", "dd"
})  # fmt: skip
_SILENT = frozenset({"script", "style"})
_EMPTY_WORDS = frozenset(
    {"", "none", "n/a", "na", "null", "unknown", "tbd", "missing", "not available", "not applicable", "-", "."}
)

_LONGEST_EMPTY_TEXT = 20
_ESCAPED_AT_MOST = 3


def line(text: str | None) -> str:
    """One line: single blanks, no control or invisible characters, entities and tags resolved."""
    if not text:
        return ""
    if "&" in text or "<" in text:
        text = plain_text_of(text)
    return _visible(" ".join(text.split()))


def block(text: str | None) -> str:
    """Paragraphs separated by an empty line where the text has empty lines; each paragraph is one line."""
    if not text:
        return ""
    if "&" in text or "<" in text:
        text = plain_text_of(text)
    if "\n" not in text:
        return _visible(" ".join(text.split()))
    paragraphs = (_visible(" ".join(part.split())) for part in _PARAGRAPH.split(text))
    return "\n\n".join(part for part in paragraphs if part)


def plain_text_of(text: str) -> str:
    """HTML as plain text, blocks as paragraphs; text that only contains ``<`` or ``&`` is unchanged.

    Entities are resolved first: metadata editors often escape their HTML more than once.
    """
    for _ in range(_ESCAPED_AT_MOST):
        if not _ENTITY.search(text):
            break
        text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    if not _MARKUP.search(text):
        return text
    reader = _PlainTextParser()
    reader.feed(text)
    reader.close()
    return "".join(reader.pieces)


def is_placeholder(text: str) -> bool:
    """Whether a text only says that a value is missing (``none``, ``n/a``)."""
    return len(text) < _LONGEST_EMPTY_TEXT and text.casefold().strip(" .") in _EMPTY_WORDS


def shorten(text: str, longest: int = 300) -> str:
    """At most ``longest`` characters; a text that was cut ends with an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def unique(items: Iterable[T]) -> tuple[T, ...]:
    """Each item once, in order of the first."""
    return tuple(dict.fromkeys(items))


def _visible(text: str) -> str:
    return text if text.isprintable() else _INVISIBLE.sub("", text)


class _PlainTextParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  # html.parser's own signature
        if tag in _SILENT:
            self._silent += 1
        elif tag in _BLOCKS:
            self.pieces.append("\n\n")
        elif not _MARKUP.match(f"<{tag}>"):  # "<5 m" or "<Name>" is not markup
            self.pieces.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag in _BLOCKS:
            self.pieces.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.pieces.append(data)
