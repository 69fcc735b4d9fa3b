"""Security headers for browsers. A view that needs a weaker policy sets its own."""

from __future__ import annotations

from flask import Flask, Response, request

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_A_YEAR_OF_TLS = "max-age=31536000"


def register(app: Flask) -> None:
    """Data responses load, run and frame nothing. Pages set their own policies."""

    @app.after_request
    def kept_in_place(response: Response) -> Response:
        own = {name.lower() for name in response.headers.keys()}  # noqa: SIM118 - iterating gives pairs
        for name, value in _ALWAYS.items():
            if name.lower() not in own and not (name == "X-Frame-Options" and _may_be_framed(response)):
                response.headers.add(name, value)
        if request.is_secure:
            response.headers.setdefault("Strict-Transport-Security", _A_YEAR_OF_TLS)
        return response


def _may_be_framed(response: Response) -> bool:
    """Whether a policy names pages that may frame the answer, which X-Frame-Options cannot express."""
    policy = response.headers.get("Content-Security-Policy", "")
    return "frame-ancestors" in policy and "frame-ancestors 'none'" not in policy
