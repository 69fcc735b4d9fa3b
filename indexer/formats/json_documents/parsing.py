"""The only parser of JSON metadata: limits size and depth, and rejects values that are not numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from core.json_types import Json, JsonMapping
from indexer.raw import RecordRefused
from indexer.text_encoding import decode

LARGEST_BYTES = 256 * 1024 * 1024
DEEPEST = 100  # levels; real metadata stay below 20

_LOOK_BACK = 1000
_LONGEST_QUOTE = 60
_ONLY_NAMES = frozenset({"@type", "type", "@context", "stac_version", "@id"})
_STARTS = (b"{", b"[")
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_HALF_OF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def looks_like_json(content: bytes) -> bool:
    """By the first character after white space or a byte order mark."""
    start = content[:64].lstrip()
    for mark in _BYTE_ORDER_MARKS:
        start = start.removeprefix(mark)
    return start.replace(b"\x00", b"").lstrip().startswith(_STARTS)


def parse_json(content: bytes) -> Any:
    """The parsed document; numbers that JSON does not allow (NaN, Infinity) become null.

    Raises RecordRefused: too large, nested too deeply, not JSON (with line and column).
    """
    if len(content) > LARGEST_BYTES:
        raise RecordRefused(f"it is JSON of {len(content)} bytes, more than {LARGEST_BYTES}")
    return parse_inner_json(decode(content.lstrip()))


def parse_inner_json(text: str) -> Any:
    """JSON inside a text of a document, with the same limit of depth. Raises RecordRefused.

    Half of a surrogate pair, which no text may hold, becomes U+FFFD.
    """
    try:
        document = json.loads(text, strict=False, parse_constant=lambda _: None)
    except RecursionError as error:
        raise RecordRefused(f"it is JSON nested deeper than {DEEPEST} levels") from error
    except json.JSONDecodeError as error:
        raise RecordRefused(f"it is not well-formed JSON: {syntax_fault(error)}") from error
    except ValueError as error:  # a number with thousands of digits
        raise RecordRefused(f"it is not well-formed JSON: {error}") from error
    _check_depth(document)
    return _replace_lone_surrogates(document) if _HALF_OF_A_PAIR.search(text) else document


def syntax_fault(error: json.JSONDecodeError) -> str:
    """``a comma stands before a closing bracket, line 3, column 1``."""
    text_before = error.doc[max(error.pos - _LOOK_BACK, 0) : error.pos].rstrip()
    is_comma = text_before.endswith(",") and error.doc[error.pos : error.pos + 1] in ("]", "}")
    description = "a comma stands before a closing bracket" if is_comma else error.msg
    return f"{description}, line {error.lineno}, column {error.colno}"


def in_fixed_order(value: object) -> Any:
    """The same value with the members of each object in the order of their names."""
    if isinstance(value, dict):
        return {name: in_fixed_order(value[name]) for name in sorted(value)}
    return [in_fixed_order(item) for item in value] if isinstance(value, list) else value


def to_bytes(document: object) -> bytes:
    """The document in one fixed form, so that equal documents have equal hashes."""
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(errors="replace")


def _replace_lone_surrogates(document: object) -> object:
    """UTF-16 joins whole pairs and finds the halves, in the names of members too."""
    text = json.dumps(document, ensure_ascii=False)
    repaired_document: object = json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return repaired_document


def _check_depth(document: object) -> None:
    level = [document]
    for _ in range(DEEPEST + 1):
        level = [child for node in level for child in _values_of(node) if isinstance(child, dict | list)]
        if not level:
            return
    raise RecordRefused(f"it is JSON nested deeper than {DEEPEST} levels")


def _values_of(node: object) -> Any:
    return node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()


def as_list(value: object) -> list[Any]:
    """One value, several or none, as a list without nulls."""
    if value is None:
        return []
    if isinstance(value, list):
        return [item for item in value if item is not None]
    return [value]


def objects_in(value: object) -> Iterator[Json]:
    """The JSON objects among one or several values."""
    return (item for item in as_list(value) if isinstance(item, dict))


def first_object(value: object) -> Json:
    """The first JSON object among one or several values; an empty one without any."""
    return next(objects_in(value), {})


def text_in(value: object) -> str:
    """A string or number as text; of a list or a language map, the first meaningful text; else empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return next((text for item in value if (text := text_in(item))), "")
    if isinstance(value, dict):
        for name in ("@value", "value", "en", "#text", "name", "title", "@id"):
            if text := text_in(value.get(name)):
                return text
        if all(len(str(name)) <= 5 and str(name)[:1] != "@" for name in value):  # {"sv": "...", "fi": "..."}
            return next((text for item in value.values() if (text := text_in(item))), "")
    return ""


def texts_in(value: object) -> list[str]:
    return [text for item in as_list(value) if (text := text_in(item).strip())]


def describe_member(member: object) -> str:
    """Why no reader takes this member of a JSON list."""
    if member is None:
        return "it is null"
    if isinstance(member, str):
        return f"it is a text, not an object: {member[:_LONGEST_QUOTE]!r}"
    if isinstance(member, list):
        return f"it is a list of {len(member)}, not an object"
    if not isinstance(member, dict):
        return f"it is {member!s:.20}, not an object"
    if not member:
        return "it is an empty object"
    if member.keys() <= _ONLY_NAMES:
        return "it has nothing but its type" if member.keys() - {"@id"} else "it only refers to another document"
    return f"no reader knows it: it is JSON that starts with {first_members(member)}"


def first_members(document: JsonMapping) -> str:
    """The first names of an object, and its type."""
    kind = text_in(document.get("type"))
    names = ", ".join(str(name)[:30] for name in list(document)[:5]) or "nothing"
    return f"{names}{f' (type {kind[:30]})' if kind else ''}"
