"""What every answer has: headers, JSON, and the addresses of its links."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

import orjson
from flask import Flask, Response, jsonify, request
from flask.json.provider import DefaultJSONProvider
from werkzeug.urls import iri_to_uri

from core.document import document_of_record
from core.json_types import Json
from core.record import Record

_JSON_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_SERIALIZE_NUMPY

LEAST_COMPRESSED_BYTES = 1024
LARGEST_COMPRESSED_BYTES = 64 * 1024 * 1024
GZIP_TAG = "-gzip"
"""Suffix of the ETag of a compressed answer, because it is another representation (RFC 9110, 8.8.3)."""
_LEVEL = 1
_GZIP_WINDOW = 31
_TEXTS = ("text/", "application/json", "application/xml", "application/javascript")
_TEXT_SUFFIXES = ("+json", "+xml")
LARGEST_BODY_BYTES = 25 * 1024 * 1024
_UNCACHED = frozenset(("/healthz", "/readyz", "/metrics"))
_EXPOSED = "ETag, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id"
_ALLOWED_HEADERS = (
    "Authorization, Content-Type, Accept, If-Match, If-None-Match, Mcp-Protocol-Version, Mcp-Method, Mcp-Name"
)
_PREFLIGHT_S = "86400"
_LARGEST_TAGGED_BYTES = 16 * 1024 * 1024
_SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_A_YEAR_OF_TLS = "max-age=31536000"


def json_as(media_type: str, body: object) -> Response:
    """``jsonify`` with another media type than ``application/json``."""
    response = jsonify(body)
    response.mimetype = media_type
    return response


def feature_collection(
    features: Sequence[Json], links: Sequence[Link], matched: int | None = None, **members: object
) -> Response:
    """Features as GeoJSON; ``matched``: how many there are in all, left out if unknown."""
    total = {} if matched is None else {"numberMatched": matched}
    counts = {**total, "numberReturned": len(features)}
    return json_as(GEOJSON, {"type": "FeatureCollection", "features": features, **counts, "links": links, **members})


def json_part(value: object) -> bytes:
    """The value as a part of an answer, as ``jsonify`` writes it. Raises TypeError for what JSON cannot hold."""
    return orjson.dumps(value, default=DefaultJSONProvider.default, option=_JSON_OPTIONS)


class OrjsonProvider(DefaultJSONProvider):
    """Flask's provider with a faster ``jsonify``; falls back to Flask where orjson refuses (half a surrogate pair)."""

    sort_keys = False

    def response(self, *args: object, **kwargs: object) -> Response:
        value = self._prepare_response_obj(args, kwargs)
        try:
            body = orjson.dumps(value, default=self.default, option=_JSON_OPTIONS | orjson.OPT_APPEND_NEWLINE)
        except TypeError:
            return super().response(value)  # type: ignore[return-value]  # Flask's type is werkzeug's own class
        return Response(body, mimetype=self.mimetype)


def _is_to_compress(response: Response) -> bool:
    """Whether the answer is a long enough text, the client accepts gzip, and it is not yet compressed."""
    if response.is_streamed or response.direct_passthrough or "Content-Encoding" in response.headers:
        return False
    length = response.calculate_content_length()
    if (
        length is None
        or not LEAST_COMPRESSED_BYTES <= length <= LARGEST_COMPRESSED_BYTES
        or not _is_text(response.mimetype or "")
    ):
        return False
    if "no-store" in response.headers.get("Cache-Control", ""):
        return False
    response.vary.add("Accept-Encoding")
    return bool(request.accept_encodings["gzip"])


def _compress(response: Response) -> None:
    """Compresses the body; status and other headers are unchanged."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
    response.set_data(packer.compress(response.get_data()) + packer.flush())
    response.headers["Content-Encoding"] = "gzip"


def _is_text(mimetype: str) -> bool:
    return mimetype.startswith(_TEXTS) or mimetype.partition(";")[0].endswith(_TEXT_SUFFIXES)


@dataclass(frozen=True, slots=True)
class HttpPolicy:
    """``cors_origins``: exact origins, ``*`` for any, empty for no CORS. ``max_age_s``: 0 means always revalidate.

    ``contact``: a mail address for OAI-PMH; ``publisher``: the catalogue's publisher for DCAT.
    """

    public_url: str | None = None
    cors_origins: tuple[str, ...] = ("*",)
    max_age_s: int = 60
    etag: bool = True
    contact: str = "nobody@sonde.invalid"
    publisher: str = "Sonde"


def register(app: Flask, policy: HttpPolicy) -> None:
    """Adds CORS, caching and security headers to every answer, and answers preflights before any view's own checks."""

    @app.before_request
    def preflight() -> Response | None:
        """A browser asks without a key what it may send; the request itself is checked like any other."""
        rule = request.url_rule
        if request.method != "OPTIONS" or not getattr(rule, "provide_automatic_options", False):
            return None
        return app.make_default_options_response()

    @app.after_request
    def finish(response: Response) -> Response:
        _allow_origin(response, policy)
        packed = _is_to_compress(response)
        response = _add_caching(response, policy, packed=packed)
        if packed and response.status_code != 304:
            _compress(response)
        _add_security_headers(response)
        return response


def _allow_origin(response: Response, policy: HttpPolicy) -> None:
    origin = request.headers.get("Origin")
    if not policy.cors_origins:
        return
    anyone = "*" in policy.cors_origins
    if not anyone:
        response.vary.add("Origin")
    if origin is None or not (anyone or origin in policy.cors_origins):
        return
    response.headers["Access-Control-Allow-Origin"] = "*" if anyone else origin
    response.headers["Access-Control-Expose-Headers"] = _EXPOSED
    if request.method == "OPTIONS":
        response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "GET, HEAD, OPTIONS")
        response.headers["Access-Control-Allow-Headers"] = _ALLOWED_HEADERS
        response.headers["Access-Control-Max-Age"] = _PREFLIGHT_S


def _add_caching(response: Response, policy: HttpPolicy, *, packed: bool) -> Response:
    """Successful answers to GET may be cached; answers to a request with a key are private.

    Without a public address, links use the host that the client sent, so shared caches must not store the answer.
    """
    if request.method not in ("GET", "HEAD") or response.status_code != 200 or request.path in _UNCACHED:
        return response
    response.vary.update(("Accept", "Authorization"))
    if "Cache-Control" not in response.headers:
        is_private = policy.public_url is None or "Authorization" in request.headers
        scope = "private" if is_private else "public"
        response.headers["Cache-Control"] = f"{scope}, max-age={policy.max_age_s}" if policy.max_age_s else "no-cache"
    length = response.calculate_content_length()
    if not policy.etag or response.is_streamed or length is None or length > _LARGEST_TAGGED_BYTES:
        return response
    response.add_etag()
    tag, weak = response.get_etag()
    if packed and tag is not None:
        response.set_etag(f"{tag}{GZIP_TAG}", bool(weak))
    response.make_conditional(request)
    return response


def _add_security_headers(response: Response) -> None:
    """Data responses load, run and frame nothing. Pages set their own policies."""
    present = {name.lower() for name in response.headers.keys()}  # noqa: SIM118 - iterating gives pairs
    for name, value in _SECURITY_HEADERS.items():
        if name.lower() not in present and not (name == "X-Frame-Options" and _may_be_framed(response)):
            response.headers.add(name, value)
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", _A_YEAR_OF_TLS)


def _may_be_framed(response: Response) -> bool:
    """Whether a policy names pages that may frame the answer, which X-Frame-Options cannot express."""
    policy = response.headers.get("Content-Security-Policy", "")
    return "frame-ancestors" in policy and "frame-ancestors 'none'" not in policy


Link = dict[str, str]
Ways = list[Json]

JSON = "application/json"
GEOJSON = "application/geo+json"
GRANULES_REL = "sonde:granules"
SCHEMA_JSON = "application/schema+json"
CATALOG_JSON = "application/ogc-catalog+json"
RECORD_PROFILE = {"rel": "profile", "href": "http://www.opengis.net/def/profile/OGC/0/ogc-record"}
CATALOG_PROFILE = {"rel": "profile", "href": "http://www.opengis.net/def/profile/OGC/0/ogc-catalog"}


class Addresses:
    """Absolute URLs below one base."""

    def __init__(self, base: str) -> None:
        self.base = base.rstrip("/")

    @classmethod
    def of(cls, policy: HttpPolicy) -> Addresses:
        """Below the public address, else below that of this request."""
        return cls(policy.public_url or request.url_root)

    def to(self, path: str, parameters: Iterable[tuple[str, object]] = ()) -> str:
        """``path`` starts with a slash and is URL-safe."""
        query = urlencode(list(parameters))
        return f"{self.base}{path}" + (f"?{query}" if query else "")

    def collection(self, catalogue: str, suffix: str = "") -> str:
        return self.to(f"/collections/{quote(catalogue, safe='')}{suffix}")

    def item(self, record: Record, suffix: str = "") -> str:
        """The record in the catalogue of its source; ids are already URL-safe."""
        return f"{self.base}{item_path(record)}{suffix}"

    def record_page(self, record_id: str) -> str:
        """The record's page for people: its canonical address for crawlers."""
        return self.to(f"/records/{quote(record_id, safe=':~')}")

    def this(self) -> str:
        """The address of this request, with its query as sent; percent-encoded where the client did not do so."""
        return iri_to_uri(f"{self.base}{request.full_path if request.query_string else request.path}")

    def with_form(self, form: str) -> str:
        """This request in another form."""
        parameters = [(key, value) for key, value in request.args.items(multi=True) if key != "f"]
        return self.to(request.path, [*parameters, ("f", form)])

    def page(self, cursor: str | None, name: str = "cursor") -> str:
        """This request with another cursor, or none."""
        parameters = [(key, value) for key, value in request.args.items(multi=True) if key != name]
        return self.to(request.path, [*parameters, (name, cursor)] if cursor is not None else parameters)


def document_link(record: Record, base: str) -> Link | None:
    """The document's own address, if the record is that of a public document."""
    document = document_of_record(record.id)
    if document is None:
        return None
    return link("describes", f"{base}/documents/{document}", GEOJSON, "The document with its passages and tables")


def item_path(record: Record) -> str:
    return f"/collections/{quote(record.source, safe='')}/items/{quote(record.id, safe=':~')}"


def link(rel: str, href: str, media_type: str, title: str = "") -> Link:
    members = {"rel": rel, "href": href, "type": media_type}
    return {**members, "title": title} if title else members


def ways_on(addresses: Addresses, cursor: str | None) -> Ways:
    """``self``, and ``next`` if there is a cursor; after a POST it is a POST again, in STAC's form."""
    links: Ways = [{**link("self", addresses.this(), GEOJSON)}]
    if cursor is None:
        return links
    if request.method == "POST":
        next_link = {**link("next", addresses.to(request.path), GEOJSON), "method": "POST"}
        return [*links, {**next_link, "body": {"cursor": cursor}, "merge": True}]
    return [*links, {**link("next", addresses.page(cursor), GEOJSON)}]
