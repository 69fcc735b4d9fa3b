"""``/``, the page's own addresses, and ``/docs``.

The page's script ``api-docs.js`` sends the forms; without it they are a reference.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from typing import NamedTuple

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.json_types import Json
from search_api.http import openapi
from search_api.http.openapi import MEDIA_TYPE, MEDIA_TYPE_30, answer_as
from search_api.http.parameters import refuse_unknown
from search_api.http.responses import GEOJSON, JSON, Addresses, Link, link
from search_api.page.plain_page import HTML, FormParameters, plain_page, wants_html
from search_api.page.shell import bundle_file, current_look, page
from search_api.parts import Parts


class Landing(BaseModel):
    """OGC API's landing page."""

    title: str
    description: str
    links: list[dict[str, str]]


def landing_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("landing", __name__, abp_tags=[Tag(name="landing", description="Landing page")])

    @api.get("/", summary="Landing page", responses={200: answer_as(JSON, Landing, HTML)})
    def landing() -> Response:
        """The page reads its own address, so only the links refuse unknown parameters."""
        if wants_html(request.args.get("f")):
            return page()
        refuse_unknown(FormParameters)
        return jsonify(
            title=current_look().name,
            description=f"Search for geoscience and environmental data catalogues, version {parts.version}",
            links=landing_links(Addresses.of(parts.http)),
        )

    return api


def landing_links(addresses: Addresses) -> list[Link]:
    """Every entry point that a standard defines."""
    return [
        link("self", addresses.to("/"), JSON, "This page"),
        link("alternate", addresses.to("/"), "text/html", "The search page"),
        link("service-desc", addresses.to("/api", [("f", "oas30")]), MEDIA_TYPE_30, "OpenAPI 3.0"),
        link("service-desc", addresses.to("/api"), MEDIA_TYPE, "OpenAPI 3.1"),
        link("service-doc", addresses.to("/docs"), "text/html", "The API to browse"),
        link("conformance", addresses.to("/conformance"), JSON, "Conformance classes"),
        link("http://www.opengis.net/def/rel/ogc/1.0/conformance", addresses.to("/conformance"), JSON),
        link("data", addresses.to("/collections"), JSON, "Catalogues"),
        link("http://www.opengis.net/def/rel/ogc/1.0/data", addresses.to("/collections"), JSON),
        link("http://www.opengis.net/def/rel/ogc/1.0/ogc-catalog", addresses.collection("all"), JSON, "All records"),
        link("related", addresses.to("/documents"), GEOJSON, "Documents"),
        link("search", addresses.to("/search"), GEOJSON, "Ranked search"),
        link("search", addresses.to("/opensearch.xml"), "application/opensearchdescription+xml", "OpenSearch"),
        link("related", addresses.to("/stac"), JSON, "STAC API"),
        link("related", addresses.to("/oai", [("verb", "Identify")]), "text/xml", "OAI-PMH"),
        link(
            "related",
            addresses.to("/csw", [("service", "CSW"), ("request", "GetCapabilities")]),
            "application/xml",
            "CSW 2.0.2",
        ),
        link("related", addresses.to("/dcat"), "text/turtle", "DCAT feed"),
        link("sitemap", addresses.to("/sitemap.xml"), "application/xml", "Sitemap"),
    ]


_ROOMS = {
    "/sources": "sources",
    "/basket": "basket",
    "/sign-in": "sign_in",
    "/desk": "desk",
    "/answers": "answers",
    "/my-documents": "documents",
}


class PageFile(BaseModel):
    """A file of the bundle."""

    name: str = Field(max_length=100)


class SourcePage(BaseModel):
    """A source's page for stewards."""

    source: str = Field(max_length=200)


class PagePart(BaseModel):
    """A part of the stewards' desk, or of the user's own documents."""

    part: str = Field(max_length=500)


def page_views() -> APIBlueprint:
    """The bundle's files, and addresses whose content the page's script loads."""
    api = APIBlueprint("page", __name__, doc_ui=False)

    @api.get("/page/<name>")
    def file(path: PageFile) -> Response:
        return bundle_file(path.name)

    @api.get("/embed")
    def embed() -> Response:
        """The search for a frame in other pages."""
        return page('<meta name="sonde-embedded" content="yes">', embedded_in=current_look().frame_ancestors)

    for path, endpoint in _ROOMS.items():
        api.add_url_rule(path, endpoint, page)

    @api.get("/sources/<source>")
    def source(path: SourcePage) -> Response:  # noqa: ARG001 - the page reads its own address
        return page()

    @api.get("/desk/<path:part>")
    def desk_part(path: PagePart) -> Response:  # noqa: ARG001
        return page()

    @api.get("/my-documents/<path:part>")
    def documents_part(path: PagePart) -> Response:  # noqa: ARG001
        return page()

    return api


_HEAD = '<link rel="stylesheet" href="page/api-docs.css"><script type="module" src="page/api-docs.js"></script>'
_METHODS = ("get", "post", "put", "patch", "delete")
_DEEPEST = 6
_FIRST = "service"


def docs_views() -> APIBlueprint:
    api = APIBlueprint("docs", __name__)

    @cache  # views do not change at run time
    def article_html() -> str:
        return article(openapi.current_document())

    @api.get("/docs", doc_ui=False)
    def page() -> Response:
        return plain_page("API", article_html(), head=_HEAD)

    return api


class ApiOperation(NamedTuple):
    """``id`` is its anchor: ``get-search``."""

    id: str
    method: str
    path: str
    definition: Json

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


def article(document: Json) -> str:
    """All operations by their tag, in the order of the document."""
    by_tag = _by_tag(document)
    about = {tag["name"]: tag.get("description", "") for tag in document.get("tags", ())}
    index = "".join(f'<li><a href="docs#tag-{_slug(tag)}">{escape(tag)}</a></li>' for tag in by_tag)
    parts = "".join(_tag(tag, about.get(tag, ""), by_tag[tag], document) for tag in by_tag)
    info = document["info"]
    return (
        f"<h1>{escape(info['title'])} <small>{escape(info['version'])}</small></h1>"
        '<p>This page is made of the OpenAPI document at <a href="api">/api</a>. '
        "Open an operation to read and to try it.</p>"
        '<form class="api-key"><label>Key or token for what you send '
        '<input type="password" id="api-key" autocomplete="off"></label></form>'
        f'<nav aria-label="Parts of the API"><ul class="values">{index}</ul></nav>{parts}'
    )


def _by_tag(document: Json) -> dict[str, list[ApiOperation]]:
    by_tag: dict[str, list[ApiOperation]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                operation = ApiOperation(_slug(f"{method} {path}"), method.upper(), path, methods[method])
                by_tag.setdefault((operation.definition.get("tags") or [_FIRST])[0], []).append(operation)
    return by_tag


def _tag(name: str, about: str, operations: Iterable[ApiOperation], document: Json) -> str:
    anchor = f"tag-{_slug(name)}"
    content = "".join(_operation(operation, document) for operation in operations)
    paragraph = f"<p>{_text(about)}</p>" if about else ""
    return f'<section aria-labelledby="{anchor}"><h2 id="{anchor}">{escape(name)}</h2>{paragraph}{content}</section>'


def _operation(operation: ApiOperation, document: Json) -> str:
    summary = (
        f'<summary><b class="method">{operation.method}</b> <code>{escape(operation.path)}</code> '
        f'<span class="soft">{escape(operation.definition.get("summary", ""))}</span></summary>'
    )
    text = operation.definition.get("description")
    about = f"<p>{_text(text)}</p>" if text else ""
    content = f"{summary}{about}{_form(operation, document)}{_answers(operation.definition.get('responses', {}))}"
    return f'<details class="operation" id="{operation.id}">{content}</details>'


def _form(operation: ApiOperation, document: Json) -> str:
    parameters = operation.definition.get("parameters", ())
    bodies = operation.definition.get("requestBody", {}).get("content", {})
    media_type = next(iter(bodies), "")
    return (
        f'<form class="try" data-method="{operation.method}" data-path="{escape(operation.path)}">'
        + "".join(_field(f"{operation.id}-{_slug(parameter['name'])}", parameter, document) for parameter in parameters)
        + (_body(operation, media_type, bodies[media_type], document) if bodies else "")
        + f'<p><button type="submit" aria-label="Send {escape(operation.name)}">Send</button></p>'
        + f'<div class="answer" role="status" aria-label="Answer to {escape(operation.name)}"></div></form>'
    )


def _field(id: str, parameter: Json, document: Json) -> str:
    schema = _resolve_references(parameter.get("schema", {}), document)
    pairs = {"id": id, "name": parameter["name"], "data-in": parameter["in"], "aria-describedby": f"{id}-about"}
    attributes = " ".join(f'{name}="{escape(value)}"' for name, value in pairs.items())
    required_note = " (required)" if parameter.get("required") else ""
    about = _text(str(parameter.get("description") or schema.get("description", "")))
    return (
        f'<div class="field"><label for="{id}"><code>{escape(parameter["name"])}</code>{required_note}</label>'
        f"{_control(attributes, parameter, schema)}"
        f'<div id="{id}-about" class="small soft">{about} {_kind(schema)}</div></div>'
    )


def _control(attributes: str, parameter: Json, schema: Json) -> str:
    values = [value for choice in _choices(schema) for value in choice.get("enum", ())]
    if values and schema.get("type") != "array":
        options = "".join(f"<option>{escape(str(value))}</option>" for value in ("", *dict.fromkeys(values)))
        return f"<select {attributes}>{options}</select>"
    hint = parameter.get("example", next(iter(schema.get("examples", ())), ""))
    return f'<input type="text" {attributes} placeholder="{escape(_short(hint))}">'


def _body(operation: ApiOperation, media_type: str, content: Json, document: Json) -> str:
    id = f"{operation.id}-body"
    schema = json.dumps(_resolve_references(content.get("schema", {}), document), indent=2, ensure_ascii=False)
    attributes = f'id="{id}" name="body" data-in="body" data-type="{escape(media_type)}" rows="5" spellcheck="false"'
    return (
        f'<div class="field"><label for="{id}">Body ({escape(media_type)})</label>'
        f"<textarea {attributes}></textarea></div>"
        f"<details><summary>Schema of the body of {escape(operation.name)}</summary>"
        f'<pre tabindex="0" role="region" aria-label="Schema of {operation.id}">{escape(schema)}</pre></details>'
    )


def _answers(responses: Json) -> str:
    rows = "".join(
        f"<li><b>{escape(str(status))}</b> {escape(answer.get('description', ''))} "
        f'<span class="soft">{escape(", ".join(answer.get("content") or ()))}</span></li>'
        for status, answer in responses.items()
    )
    return f'<ul class="small responses">{rows}</ul>'


def _kind(schema: Json) -> str:
    """Type, limits and default of a parameter, in short."""
    types = [choice.get("format") or choice.get("type") for choice in _choices(schema)]
    named = " or ".join(dict.fromkeys(str(type_name) for type_name in types if type_name))
    limits = [f"{name} {schema[name]}" for name in ("minimum", "maximum", "maxLength", "maxItems") if name in schema]
    default = [f"default {_short(schema['default'])}"] if schema.get("default") not in (None, "", []) else []
    return escape(", ".join([named, *limits, *default]).strip(", "))


def _choices(schema: Json) -> Iterator[Json]:
    for choice in schema.get("anyOf") or schema.get("oneOf") or (schema,):
        if choice.get("type") != "null":
            yield choice


def _resolve_references(schema: Json, document: Json, depth: int = 0) -> Json:
    """With what it refers to in its place; deeper than a few levels the reference stays."""
    reference = schema.get("$ref", "")
    if reference and depth < _DEEPEST:
        named: Json = document["components"]["schemas"].get(reference.rpartition("/")[2], {})
        return _resolve_references(named, document, depth + 1)
    return {name: _inner(value, document, depth + 1) for name, value in schema.items()}


def _inner(value: object, document: Json, depth: int) -> object:
    if isinstance(value, dict):
        return _resolve_references(value, document, depth)
    if isinstance(value, list):
        return [_inner(item, document, depth) for item in value]
    return value


def _text(markdown: str) -> str:
    """Plain text, with code between backticks."""
    pieces = escape(markdown).split("`")
    return "".join(f"<code>{piece}</code>" if place % 2 else piece for place, piece in enumerate(pieces))


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _slug(text: str) -> str:
    return "-".join("".join(letter if letter.isalnum() else " " for letter in text).split()).lower()
