"""Malformed requests of every family, each made from its number alone, so that it can be sent again; and those that
schemathesis makes of the API's own description.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from random import Random
from typing import Any
from urllib.parse import quote, urlsplit

from core.errors import SondeError
from core.json_types import Json
from lab.malformed import values
from lab.malformed.sender import FAMILIES, Family, MalformedRequest, RequestParts, wire_bytes

_LISTS = ("/search", "/collections/all/items", "/stac/search", "/stac/collections/fuzz/items")
_PATHS = (
    "/collections/{}",
    "/collections/{}/items",
    "/collections/all/items/{}",
    "/collections/fuzz/items/{}/similar",
    "/collections/fuzz/items/{}/provenance",
    "/stac/collections/{}",
    "/stac/collections/fuzz/items/{}",
    "/library/documents/{}",
    "/library/documents/{}/file",
    "/harvest/runs/{}",
    "/harvest/sources/{}",
    "/harvest/sources/{}/quality",
    "/records/{}",
    "/sources/{}",
    "/page/{}",
    "/docs/{}",
    "/static/{}",
    "/{}",
)
_NAMES = (
    *(
        "q",
        "algorithm",
        "place",
        "relation",
        "type",
        "source",
        "keyword",
        "organisation",
        "theme",
        "licence",
        "provenance",
    ),
    *(
        "media_type",
        "format",
        "facets",
        "spatial",
        "interpret",
        "scope",
        "explain",
        "highlight",
        "limit",
        "cursor",
        "f",
    ),
    *("ids", "externalIds", "sortby", "offset", "token", "collections", "intersects", "fields", "profile", "nonsense"),
)
_GET = (
    "/search",
    "/collections/all/items",
    "/suggest",
    "/stac/search",
    "/dcat",
    "/sitemap.xml",
    "/library/documents",
    "/collections",
    "/harvest/runs",
    "/harvest/sources",
    "/suggest/opensearch",
    "/",
    "/api",
)
_BODIES: Mapping[str, Json] = {
    "/embeddings": {"model": "sentence-transformers/all-MiniLM-L6-v2", "input": ["rain"], "kind": "query"},
    "/ask": {"question": "How much rain?", "scope": "public", "stream": False, "turns": [], "bbox": "1,2,3,4"},
    "/stac/search": {
        "collections": ["fuzz"],
        "bbox": [1, 2, 3, 4],
        "datetime": "2001/..",
        "limit": 3,
        "ids": [],
        "filter": {},
    },
    "/harvest/runs": {"source": "fuzz"},
    "/library/references": {"doi": "10.5555/x"},
}
_HEADERS = (
    "Authorization",
    "Accept",
    "Accept-Language",
    "Accept-Encoding",
    "Content-Type",
    "Content-Encoding",
    "Cookie",
    "If-None-Match",
    "If-Modified-Since",
    "Range",
    "Host",
    "Origin",
    "X-Request-Id",
    "X-Forwarded-For",
    "X-Forwarded-Proto",
    "traceparent",
    "Expect",
    "Forwarded",
    "Last-Event-ID",
)
_HEADER_VALUES = (
    "Bearer",
    "Bearer ",
    "Bearer sonde_x_y",
    "Bearer eyJhbGciOiJub25lIn0.e30.",
    "Basic !!!",
    "*/*;q=9",
    "text/html;q=",
    "application/json; charset=utf-16",
    "multipart/form-data",
    "gzip",
    "bytes=9-1",
    "W/",
    '"' * 99,
    "a" * 7_000,
    "Sat, 99 Foo 0000",
    "00-" + "0" * 32 + "-" + "0" * 16 + "-zz",
    "::1, unknown",
    "\x7f",
    "é".encode().decode("latin-1"),
)
_WIRE = (
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"get /search HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET http://[::1 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /search?q=%ff%fe HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /search?q=\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /search?q=a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /search?q=a HTTP/1.1\r\nHost : a\r\n\r\n",
    b"POST /embeddings HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    b"POST /embeddings HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n{}",
    b"POST /ask HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /ask HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    b"GET /search?" + b"a=b&" * 3_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /search?q=a HTTP/1.1\r\n" + b"X: y\r\n" * 500 + b"\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    b"TRACE /search HTTP/1.1\r\nHost: a\r\n\r\n",
)
_VERBS = ("ListRecords", "GetRecord", "ListIdentifiers", "Identify", "ListSets", "ListMetadataFormats", "", "X")
_BOUNDARY = "edge"
_ISO = (
    '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco">'
    "<gmd:fileIdentifier><gco:CharacterString>broken</gco:CharacterString></gmd:fileIdentifier></gmd:MD_Metadata>"
)


def make_request(number: int, seed: int, key: str) -> MalformedRequest:
    """The request of that number: the same bytes for the same three values. ``key`` goes with most of them."""
    random = Random(f"{seed}:{number}")  # noqa: S311  # nosec B311
    family = FAMILIES[number % len(FAMILIES)]
    if family == "wire":
        return MalformedRequest(number, family, _wire(random), is_http=False)
    parts = _MAKERS[family](random)
    if key and random.random() < 0.8 and not any(name == "Authorization" for name, _ in parts.headers):
        parts.headers.append(("Authorization", f"Bearer {key}"))
    return MalformedRequest(number, family, wire_bytes(parts))


def _wire(random: Random) -> bytes:
    """Broken HTTP; some of it is broken twice."""
    wire = bytearray(random.choice(_WIRE))
    if random.random() < 0.3:
        wire[random.randrange(len(wire))] = random.randrange(256)
    return bytes(wire)


def _query(random: Random) -> RequestParts:
    names = [random.choice(_NAMES) for _ in range(random.choice((1, 1, 2, 3, 40)))]
    parameters = [(name if random.random() < 0.95 else values.text(random), values.text(random)) for name in names]
    return RequestParts(
        path=random.choice(_GET), query=[("q", "rain"), *parameters] if random.random() < 0.5 else parameters
    )


def _bbox(random: Random) -> RequestParts:
    parameters = [("bbox", values.bbox(random))]
    if random.random() < 0.5:
        parameters.append(("relation", random.choice(("within", "near", "north_of", "contains", "touches", ""))))
    return RequestParts(path=random.choice(_LISTS), query=parameters)


def _datetime(random: Random) -> RequestParts:
    return RequestParts(path=random.choice(_LISTS), query=[("datetime", values.datetime(random))])


def _cql2(random: Random) -> RequestParts:
    in_json = random.random() < 0.4
    expression = values.cql2_json(random) if in_json else values.cql2_text(random)
    language = "cql2-json" if in_json else "cql2-text"
    if random.random() < 0.05:
        language = values.text(random)
    return RequestParts(path=random.choice(_LISTS), query=[("filter", expression), ("filter-lang", language)])


def _path(random: Random) -> RequestParts:
    name = quote(values.text(random)[:2_000], safe=random.choice(("", "/", "/.:%")))
    method = random.choice(("GET", "GET", "GET", "HEAD", "DELETE", "PATCH", "PUT", "POST", "OPTIONS", "BREW"))
    return RequestParts(method, random.choice(_PATHS).format(name))


def _headers(random: Random) -> RequestParts:
    names = random.sample(_HEADERS, random.choice((1, 1, 2, 4)))
    return RequestParts(
        path=random.choice(_GET),
        query=[("q", "rain")],
        headers=[(name, random.choice(_HEADER_VALUES)) for name in names],
    )


def _json(random: Random) -> RequestParts:
    path = random.choice(tuple(_BODIES))
    kind = random.choice(("application/json",) * 6 + ("text/plain", "", "application/json; charset=utf-7"))
    return RequestParts("POST", path, headers=[("Content-Type", kind)], body=values.json_bytes(random, _BODIES[path]))


def _multipart(random: Random) -> RequestParts:
    file_name = values.text(random)[:300].replace("\r", "").replace("\n", "")
    content = random.choice(
        (
            b"",
            b"%PDF-1.7\n",
            b"%PDF-1.4" + bytes(2_000),
            b"PK\x03\x04" + bytes(99),
            b"# Rain\n\nIt rains.",
            b"\xff" * 500,
        )
    )
    disposition = random.choice(
        (
            f'form-data; name="file"; filename="{file_name}"',
            'form-data; name="file"',
            "form-data",
            "",
            "x; name=\"file\"; filename*=UTF-8''%ff",
        )
    )
    part = f"--{_BOUNDARY}\r\nContent-Disposition: {disposition}\r\nContent-Type: application/pdf\r\n\r\n".encode()
    body = (part + content + b"\r\n") * random.choice((1, 1, 1, 2, 1_200)) + random.choice(
        (b"--edge--\r\n", b"--edge", b"")
    )
    kind = random.choice(
        (f"multipart/form-data; boundary={_BOUNDARY}",) * 5
        + ("multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=é")
    )
    return RequestParts("POST", "/library/documents", headers=[("Content-Type", kind)], body=body)


def _push(random: Random) -> RequestParts:
    shapes: tuple[Callable[[], bytes], ...] = (
        lambda: values.json_bytes(random, RECORD | {"id": "broken"}),
        lambda: b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        lambda: values.mutate(random, _ISO, 8).encode("utf-8", "replace"),
        lambda: b"<a>" * random.choice((3, 2_000)),
        lambda: values.text(random).encode("utf-8", "surrogatepass"),
    )
    kind = random.choice(("application/json", "application/xml", "application/geo+json", "text/turtle", "x", ""))
    name = quote(random.choice(("broken", values.text(random)[:300])), safe="")
    return RequestParts(
        "PUT", f"/collections/fuzz/items/{name or 'a'}", headers=[("Content-Type", kind)], body=random.choice(shapes)()
    )


def _oai(random: Random) -> RequestParts:
    names = ("metadataPrefix", "identifier", "from", "until", "set", "resumptionToken", "verb", "x")
    parameters = [("verb", random.choice(_VERBS))]
    for name in random.sample(names, random.randrange(4)):
        made_up = (values.text(random), values.datetime(random), "oai_dc", "2001-01-01")
        parameters.append((name, random.choice(made_up)))
    return RequestParts(random.choice(("GET", "GET", "POST")), "/oai", query=parameters)


_MAKERS: Mapping[Family, Callable[[Random], RequestParts]] = {
    "query": _query,
    "bbox": _bbox,
    "datetime": _datetime,
    "cql2": _cql2,
    "path": _path,
    "headers": _headers,
    "json": _json,
    "multipart": _multipart,
    "push": _push,
    "oai": _oai,
}

RECORD: Json = {
    "type": "Feature",
    "id": "rain-1",
    "conformsTo": ["http://www.opengis.net/spec/ogcapi-records-1/1.0/conf/record-core"],
    "time": {"interval": ["2001-01-01", "2010-12-31"]},
    "geometry": {"type": "Polygon", "coordinates": [[[7, 46], [8, 46], [8, 47], [7, 47], [7, 46]]]},
    "properties": {
        "type": "dataset",
        "title": "Rainfall in the Alps",
        "description": "Rain by gauge.",
        "keywords": ["rain"],
    },
    "links": [],
}
"""A good record, to be found by the requests and to be spoilt by them."""


def made_by_schema(url: str, key: str, number: int, first: int) -> list[MalformedRequest]:
    """About ``number`` requests, as many for each call of ``/api``; the same ones each time, counted from ``first``.

    Raises SondeError if schemathesis is not installed: it is no part of what ships.
    """
    if not number:
        return []
    if find_spec("schemathesis") is None:
        raise SondeError("schemathesis is not installed (the development environment has it); use --schema 0.")
    import schemathesis
    from schemathesis.core.result import Ok

    operations = schemathesis.openapi.from_url(f"{url}/api").get_all_operations()
    calls = [operation.ok() for operation in operations if isinstance(operation, Ok)]
    cases = [case for call in calls for case in _cases(call, max(1, number // len(calls)))]
    return [
        MalformedRequest(first + place, "schema", _case_wire(case, url, key))
        for place, case in enumerate(cases[:number])
    ]


def _cases(call: Any, number: int) -> list[Any]:
    """Examples of one call with something wrong in each; none where nothing of it can be wrong."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis.errors import Unsatisfiable
    from schemathesis import GenerationMode

    cases: list[Any] = []

    @settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=call.as_strategy(generation_mode=GenerationMode.NEGATIVE))
    def collect(case: Any) -> None:
        cases.append(case)

    try:
        collect()
    except Unsatisfiable:
        return cases
    return cases


def _case_wire(case: Any, url: str, key: str) -> bytes:
    """The bytes that `requests` would send."""
    import requests

    arguments = case.as_transport_kwargs(base_url=url)
    arguments["headers"] = {
        **dict(arguments.get("headers") or {}),
        "Authorization": f"Bearer {key}",
        "Connection": "close",
    }
    names = ("method", "url", "headers", "files", "data", "json", "params", "cookies")
    request = requests.Request(**{name: arguments[name] for name in names if name in arguments}).prepare()
    place = urlsplit(request.url or url)
    target = f"{place.path or '/'}{'?' + place.query if place.query else ''}"
    lines = [f"{request.method} {target} HTTP/1.1", f"Host: {place.netloc}"]
    lines += [f"{_text(name)}: {_text(value)}" for name, value in request.headers.items()]
    body = request.body or b""
    return (
        "\r\n".join(lines).encode("latin-1", "replace")
        + b"\r\n\r\n"
        + (body if isinstance(body, bytes) else str(body).encode())
    )


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
