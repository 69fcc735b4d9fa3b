"""Headers on every answer: cross-origin access (CORS) and caching."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask, Response, request

from search_api.http import compression

LARGEST_BODY_BYTES = 25 * 1024 * 1024

_UNCACHED = frozenset(("/healthz", "/readyz", "/metrics"))
_EXPOSED = "ETag, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id"
_ASKED = "Authorization, Content-Type, Accept, If-Match, If-None-Match, Mcp-Protocol-Version, Mcp-Method, Mcp-Name"
_PREFLIGHT_S = "86400"
_LARGEST_TAGGED_BYTES = 16 * 1024 * 1024


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
    compress: bool = True


def apply(app: Flask, policy: HttpPolicy) -> None:
    """Adds CORS and caching headers to every answer of the app; answers preflights before any view's own checks."""

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
        packed = policy.compress and compression.wanted(response)
        response = _keep(response, policy, packed=packed)
        if packed and response.status_code != 304:
            compression.compress(response)
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
        response.headers["Access-Control-Allow-Headers"] = _ASKED
        response.headers["Access-Control-Max-Age"] = _PREFLIGHT_S


def _keep(response: Response, policy: HttpPolicy, *, packed: bool) -> Response:
    """Successful answers to GET may be cached; answers to a request with a key are private.

    Without a public address, links use the host that the client sent, so shared caches must not store the answer.
    """
    if request.method not in ("GET", "HEAD") or response.status_code != 200 or request.path in _UNCACHED:
        return response
    response.vary.update(("Accept", "Authorization"))
    if "Cache-Control" not in response.headers:
        own = policy.public_url is None or "Authorization" in request.headers
        scope = "private" if own else "public"
        response.headers["Cache-Control"] = f"{scope}, max-age={policy.max_age_s}" if policy.max_age_s else "no-cache"
    length = response.calculate_content_length()
    if not policy.etag or response.is_streamed or length is None or length > _LARGEST_TAGGED_BYTES:
        return response
    response.add_etag()
    tag, weak = response.get_etag()
    if packed and tag is not None:
        response.set_etag(f"{tag}{compression.TAG}", bool(weak))
    response.make_conditional(request)
    return response
