"""A protocol: how to open, recognise and find its catalogues.

Each module of a protocol ends with its ``PROTOCOL``; ``indexer.sources.protocols`` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from core.json_types import JsonMapping
from indexer.formats.json_documents.parsing import looks_like_json
from indexer.raw import Source
from indexer.sources.fetching import Fetcher, expect_2xx, json_value, local, parse_xml
from indexer.sources.rdf_answers import rdf_format
from net.exchange import HttpAnswer


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The answer of an address, read once for all protocols.

    ``json``: the members of a JSON object, empty for anything else. ``root``: the local name of an XML document's
    root, empty for anything else; a web page (``html``) and RDF (``rdf``) are not read as XML.
    """

    url: str
    content: bytes
    json: JsonMapping
    root: str = ""
    rdf: bool = False
    html: bool = False

    @property
    def link_rels(self) -> frozenset[str]:
        """The ``rel`` of each of its ``links``, if it is JSON."""
        links = self.json.get("links")
        links_listed = links if isinstance(links, list) else []
        rels = (link.get("rel") for link in links_listed if isinstance(link, dict))
        return frozenset(rel for rel in rels if isinstance(rel, str))


def first_answer(answer: HttpAnswer) -> FirstAnswer:
    """Raises BadStatus, and BadAnswer for JSON or XML that cannot be parsed."""
    content = expect_2xx(answer).content
    start = content[:4000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if looks_like_json(content):
        body = json_value(answer)
        return FirstAnswer(answer.url, content, body if isinstance(body, dict) else {})
    if rdf_format(content, answer.headers.get("content-type", "")) in ("turtle", "xml", "nt", "n3"):
        return FirstAnswer(answer.url, content, {}, rdf=True)
    if b"<html" in start.lower() or start.lower().startswith(b"<!doctype html"):
        return FirstAnswer(answer.url, content, {}, html=True)
    return FirstAnswer(answer.url, content, {}, local(parse_xml(content, "it")) if start[:1] == b"<" else "")


@dataclass(frozen=True, slots=True)
class Question:
    """An address where a catalogue of the protocol may be, and the request for it.

    ``ask`` raises SondeError if something else is there; None: the protocol's ``recognises`` judges the answer.
    """

    url: str
    ask: Callable[[Fetcher, str], object] | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a harvest, with the options that an address implies."""

    url: str
    options: JsonMapping


Questions = Callable[[str], Iterable[Question]]


@dataclass(frozen=True, slots=True)
class Protocol:
    """A catalogue protocol. ``name`` is the ``type`` of an entry in ``sources.yaml``.

    ``open(fetcher, url, since, options)``; ``options`` is the dataclass that an entry's ``options`` must fit.
    ``summary`` and ``changes_by`` are for the table in docs/stewards/sources-and-schedules.md. ``changes_by`` says how
    the protocol detects changed records; if it is empty, every run requests everything and ``since`` is None.

    For ``sonde sources add``: ``recognises`` judges the answer of an address. ``questions_at`` and ``questions_below``
    give the questions for the address itself and for the usual places below it. ``of_address`` recognises an address by
    its form alone. ``title`` requests the catalogue's name, if the answer itself does not show it.
    """

    name: str
    open: Callable[[Fetcher, str, str | None, Any], Source]
    options: type[Any]
    summary: str
    changes_by: str = ""
    recognises: Callable[[FirstAnswer], bool] = lambda _answer: False
    questions_at: Questions = lambda _url: ()
    questions_below: Questions = lambda _url: ()
    of_address: Callable[[str], Start | None] = lambda _url: None
    title: Callable[[Fetcher, str], str] | None = None

    def __post_init__(self) -> None:
        """Refuses unknown options, because they are most likely typing errors."""
        self.options.__pydantic_config__ = ConfigDict(extra="forbid")

    @property
    def incremental(self) -> bool:
        return bool(self.changes_by)

    @property
    def option_names(self) -> tuple[str, ...]:
        return tuple(option_field.name for option_field in fields(self.options))

    def read_options(self, options: JsonMapping) -> Any:
        """Raises pydantic.ValidationError that names each unknown or invalid option."""
        return TypeAdapter(self.options, config=None).validate_python(dict(options), strict=None)
