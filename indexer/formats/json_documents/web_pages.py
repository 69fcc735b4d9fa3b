"""The JSON-LD scripts of a web page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from indexer.formats.json_documents.parsing import describe_member, parse_inner_json
from indexer.raw import RecordRefused
from indexer.text_encoding import utf16_as_utf8

_CHARSET = re.compile(rb"charset=[\"']?\s*([A-Za-z0-9._-]+)", re.IGNORECASE)
_OPENING_MARKS = ("<!--", "-->", "<![CDATA[", "//>", "//", "/*", "*/")  # marks that hide a script from old browsers
_CLOSING_MARKS = ("-->", "]]>", "<!", "//", "/*", "*/")
_MOST_MARKS = 10
_EMPTY = "it is empty"
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\Z))|,(?=\s*[}\]])', re.DOTALL)


def may_hold_scripts(content: bytes) -> bool:
    """Whether this can be an HTML page with JSON-LD in it."""
    page = utf16_as_utf8(content)
    return (
        b"application/ld+json" in page.lower()  # in a thirtieth of the time of a search without case
        and re.search(rb"<(?:html|script|!doctype)", page[:100_000], re.I) is not None
    )


@dataclass(frozen=True, slots=True)
class JsonLdScript:
    """A JSON-LD script of a page: its document, or the reason why it cannot be read."""

    place: str
    document: object
    reason: str = ""


def page_scripts(page: bytes) -> list[JsonLdScript]:
    """The JSON-LD scripts of an HTML page, in order; empty ones are left out beside others.

    A page whose only scripts are empty, or that ends inside one, has lost what it described.
    """
    reader = _Scripts()
    reader.feed(_page_text(page))
    is_cut = reader.is_inside
    reader.feed("</script>" if is_cut else "")
    reader.close()
    scripts = []
    for number, (line, text) in enumerate(reader.texts, 1):
        place = f"JSON-LD script {number}, which starts in line {line}"
        try:
            scripts.append(JsonLdScript(place, _script_document(_without_marks(text))))
        except RecordRefused as refusal:
            cut_note = "; the page ends inside it" if is_cut and number == len(reader.texts) else ""
            scripts.append(JsonLdScript(place, None, f"{refusal}{cut_note}"))
    return [script for script in scripts if script.reason != _EMPTY] or scripts


def _page_text(page: bytes) -> str:
    """Decoded as UTF-8 or UTF-16, else as the page says, else as Windows-1252."""
    page = utf16_as_utf8(page)
    charset_match = _CHARSET.search(page[:4096])
    for encoding in ("utf-8", charset_match[1].decode("ascii", "replace") if charset_match else "cp1252"):
        try:
            return page.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return page.decode("cp1252", "replace")


def _without_marks(text: str) -> str:
    """The JSON without the marks of a comment or of CDATA around it."""
    text = text.strip().removeprefix("\ufeff").lstrip()
    for _ in range(_MOST_MARKS):
        opening_mark = next((mark for mark in _OPENING_MARKS if text.startswith(mark)), "")
        closing_mark = next((mark for mark in _CLOSING_MARKS if text.endswith(mark)), "")
        if not opening_mark and not closing_mark:
            break
        text = text.removeprefix(opening_mark).removesuffix(closing_mark).strip()
    return text


def _script_document(text: str) -> object:
    """Leaves out a comma before a closing bracket: browsers refuse it, but it hides nothing. Raises RecordRefused."""
    if not text:
        raise RecordRefused(_EMPTY)
    try:
        document = parse_inner_json(text)
    except RecordRefused:
        repaired_text = _TRAILING_COMMA.sub(lambda match: match[1] or "", text)
        if repaired_text == text:
            raise
        document = parse_inner_json(repaired_text)
    if not isinstance(document, dict | list):
        raise RecordRefused(describe_member(document))
    return document


class _Scripts(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[tuple[int, str]] = []  # the line where it starts, and the text
        self.is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self.is_inside = any(name == "type" and "ld+json" in (value or "").lower() for name, value in attrs)
            if self.is_inside:
                self.texts.append((self.getpos()[0], ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self.is_inside = False

    def handle_data(self, data: str) -> None:
        if self.is_inside:
            line, text = self.texts[-1]
            self.texts[-1] = (line, text + data)
