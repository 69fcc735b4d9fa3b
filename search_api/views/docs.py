"""``/docs``: browse and try the API with Swagger UI from an installed package; needs no other host."""

from __future__ import annotations

from importlib import resources

from flask import Response
from flask_openapi import APIBlueprint
from pydantic import BaseModel

from core.errors import NotFound

_ASSETS = {  # name in our address: path in the package, media type
    "swagger-ui.css": ("css/swagger-ui.css", "text/css"),
    "swagger-ui-bundle.js": ("js/swagger-ui-bundle.js", "text/javascript"),
}
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sonde API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>
body { margin: 0; background: #fff; color: #1b1f24; font-family: sans-serif; }
.frame { display: flex; gap: 2rem; align-items: baseline; padding: .5rem 1.25rem; }
.frame h1 { font-size: 1.1rem; margin: 0; }
.frame a { color: #0b57a4; }
</style>
</head>
<body>
<header class="frame">
<h1>Sonde API</h1>
<nav aria-label="Sonde"><a href="/">Search</a></nav>
</header>
<div id="api">The API is described at <a href="/api">/api</a>.</div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
_START = """SwaggerUIBundle({url: "/api", dom_id: "#api", deepLinking: true, validatorUrl: null});
"""
_CSP = (  # Swagger UI writes style attributes, hence unsafe-inline for styles alone
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
)
_KEPT = "public, max-age=86400"


class AssetPath(BaseModel):
    """A file of Swagger UI."""

    asset: str


def docs_views() -> APIBlueprint:
    api = APIBlueprint("docs", __name__)

    @api.get("/docs", doc_ui=False)
    def page() -> Response:
        response = Response(_PAGE, mimetype="text/html")
        response.headers["Content-Security-Policy"] = _CSP
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    @api.get("/docs/start.js", doc_ui=False)
    def start() -> Response:
        return Response(_START, mimetype="text/javascript")

    @api.get("/docs/<asset>", doc_ui=False)
    def one(path: AssetPath) -> Response:
        if path.asset not in _ASSETS:
            raise NotFound(f"There is no {path.asset!r} here.")
        file, media_type = _ASSETS[path.asset]
        packaged = resources.files("flask_openapi_swagger").joinpath("templates", "swagger", *file.split("/"))
        response = Response(packaged.read_bytes(), mimetype=media_type)
        response.headers["Cache-Control"] = _KEPT
        return response

    return api
