"""An output format, and the endpoints that offer it.

Each module of a format ends with its ``FORMAT`` (or several); ``search_api.formats_out.formats`` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lxml import etree

from core.record import Record

Element = etree._Element


@dataclass(frozen=True, slots=True)
class ResultPage:
    """One page of a search. ``entries``: each record with its address. ``following``: the next page's address."""

    title: str
    address: str
    matched: int
    entries: Sequence[tuple[Record, str]]
    following: str | None = None


@dataclass(frozen=True, slots=True)
class About:
    """The description of a feed's catalogue; ``publisher`` and ``mail`` are the service's."""

    title: str
    address: str
    publisher: str
    mail: str | None = None


@dataclass(frozen=True, slots=True)
class FeedPage:
    """One page of the feed ``/dcat``; ``first`` and ``following`` are addresses of pages."""

    about: About
    address: str
    first: str
    following: str | None
    matched: int
    entries: Sequence[tuple[Record, str]]


@dataclass(frozen=True, slots=True)
class DcatFeed:
    """The format in ``/dcat?f=``, if it has its own ``name``."""

    name: str
    write: Callable[[FeedPage], str]


@dataclass(frozen=True, slots=True)
class OaiFormat:
    """The format in OAI-PMH: its ``metadataPrefix``, XML schema and namespace, and a record's metadata."""

    prefix: str
    schema: str
    namespace: str
    write: Callable[[Record, str], Element]


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """One output format. It is available at each endpoint for which it has a writer.

    ``record(record, address)``: ``/collections/{catalogue}/items/{id}?f={name}``, with an alternate link in every
    record that it is ``offered`` for. ``results``: ``/search?f={name}``. ``oai``: ``/oai``. ``feed``: ``/dcat``.
    """

    name: str
    media_type: str
    title: str
    record: Callable[[Record, str], str] | None = None
    results: Callable[[ResultPage], str] | None = None
    oai: OaiFormat | None = None
    feed: DcatFeed | None = None
    offered: Callable[[Record], bool] = lambda _record: True


def xml_text(element: Element) -> str:
    return etree.tostring(element, xml_declaration=True, encoding="UTF-8", pretty_print=True).decode("utf-8")
