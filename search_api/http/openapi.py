"""The OpenAPI document: flask-openapi's output, corrected for media types and parameter styles.

``GET /api`` serves it as OpenAPI 3.1 and as 3.0, which many clients and OGC's test suites require.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import Any, Literal

from flask import Response, current_app, jsonify, request
from flask_openapi import OpenAPI
from flask_openapi.types import ResponseDict
from pydantic import BaseModel, Field

from core.json_types import Json
from search_api.http.parameters import SEPARATED, Parameters, refuse_unknown
from search_api.http.problems import Problem

Version = Literal["oas30", "oas31"]

MEDIA_TYPE = "application/vnd.oai.openapi+json;version=3.1"
MEDIA_TYPE_30 = "application/vnd.oai.openapi+json;version=3.0"
_PROBLEM = "application/problem+json"
_EXTENSION = "sonde.openapi"
_REFERENCE = "#/components/schemas/"
_BY_MEDIA_TYPE: dict[str, Version] = {
    MEDIA_TYPE: "oas31",
    MEDIA_TYPE_30: "oas30",
    "application/vnd.oai.openapi+json": "oas31",
    "application/json": "oas31",
}
_ITEMS = "/collections/{catalogue}/items"

VERSION_30 = "3.0.3"
_UNKNOWN = frozenset(
    ("prefixItems", "contentMediaType", "contentEncoding", "$defs", "unevaluatedProperties", "$schema")
)
_NULL = {"type": "null"}
_EXCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
PROBLEMS: ResponseDict = {400: Problem, 503: Problem}
WITH_NOT_FOUND: ResponseDict = {400: Problem, 404: Problem, 503: Problem}


class FeatureCollectionAnswer(BaseModel):
    """A GeoJSON FeatureCollection in a stable order; follow ``next`` to the end."""

    type: str = "FeatureCollection"
    features: list[Json]
    numberMatched: int  # noqa: N815 - OGC's name
    numberReturned: int  # noqa: N815 - OGC's name
    links: list[Json]


class DescriptionParameters(Parameters):
    f: Literal["oas30", "oas31", "json"] | None = Field(None, description="Default: the `Accept` header decides.")


def register(app: OpenAPI) -> None:
    """Registers ``GET /api``. The documents are made once, because views do not change at run time."""

    @cache
    def document(version: Version) -> Json:
        api_document = _correct(copy.deepcopy(app.api_doc))
        return as_openapi30(api_document) if version == "oas30" else api_document

    def answer() -> Response:
        refuse_unknown(DescriptionParameters)
        version = _version(request.args.get("f"))
        response = jsonify(document(version))
        response.mimetype = MEDIA_TYPE_30 if version == "oas30" else MEDIA_TYPE
        return response

    app.add_url_rule("/api", "api_description", answer)
    app.extensions[_EXTENSION] = document


def current_document() -> Json:
    """The document of this app, OpenAPI 3.1."""
    current: Json = current_app.extensions[_EXTENSION]("oas31")
    return current


def _version(name: str | None) -> Version:
    if name is not None:
        return "oas30" if name == "oas30" else "oas31"
    best = request.accept_mimetypes.best_match(list(_BY_MEDIA_TYPE), default=MEDIA_TYPE)
    return _BY_MEDIA_TYPE[best]


def _correct(document: Json) -> Json:
    """Problems with their own media type; each operation can also return one from before its view."""
    for path, methods in document.get("paths", {}).items():
        for operation in methods.values():
            for response in operation.get("responses", {}).values():
                _retype_problem(response)
            for parameter in operation.get("parameters", []):
                _add_style(parameter)
            _complete(operation, path)
    parameters = document.get("paths", {}).get(_ITEMS, {}).get("get", {}).get("parameters", [])
    # QGIS reads the maximum page size there.
    limit = {item["name"]: item for item in parameters if item["name"] == "limit"}
    document.setdefault("components", {}).setdefault("parameters", {}).update(copy.deepcopy(limit))
    return document


def _add_style(parameter: Json) -> None:
    """``a,b`` for a list that is split at commas, ``name=a&name=b`` for values that can contain commas."""
    schema = parameter["schema"] = never_null(parameter["schema"])
    if parameter["in"] == "query":
        is_separated = schema.items() >= SEPARATED.items()
        if is_separated:
            schema.pop("format")
        parameter.update(style="form", explode=schema.get("type") == "array" and not is_separated)


def _retype_problem(response: Json) -> None:
    content: Json = response.get("content", {})
    if content.get("application/json", {}).get("schema", {}).get("$ref") == f"{_REFERENCE}Problem":
        content[_PROBLEM] = content.pop("application/json")


def _complete(operation: Json, path: str) -> None:
    """Every operation can also answer 4xx before its view (405, 406, 413, 415) or fail."""
    problem = {"content": {_PROBLEM: {"schema": {"$ref": f"{_REFERENCE}Problem"}}}}
    operation.setdefault("responses", {}).setdefault("default", {"description": "Any other problem", **problem})
    if "{" in path:
        operation["responses"].setdefault("404", {"description": "Not Found", **problem})


def as_openapi30(document: Json) -> Json:
    """The same operations and schemas; a list with different items per position becomes a list of anything."""
    new_node: Json = _node_30(
        {name: part for name, part in document.items() if name not in ("webhooks", "jsonSchemaDialect")}
    )
    return {**new_node, "openapi": VERSION_30}


def never_null(schema: Json) -> Json:
    """The schema of a parameter without null: a parameter without a value is not sent at all."""
    schema_part = _without_null(schema, "anyOf") if _NULL in schema.get("anyOf", []) else schema
    return {name: value for name, value in schema_part.items() if name != "nullable"}


def _node_30(node: object) -> Any:
    if isinstance(node, list):
        return [_node_30(child) for child in node]
    if not isinstance(node, dict):
        return node
    new_node: Json = {}
    for name, value in node.items():
        if name in ("example", "default", "enum"):  # values, no schemas
            new_node[name] = value
        elif name == "properties":  # names, no keywords of JSON Schema
            new_node[name] = {key: _node_30(child) for key, child in value.items()}
        elif name not in _UNKNOWN or not _is_schema(node):
            new_node[name] = _node_30(value)
    return _schema_30(new_node) if _is_schema(node) else new_node


def _is_schema(node: Json) -> bool:
    return bool(node.keys() & {"type", "anyOf", "oneOf", "allOf", "$ref", "const", "enum", "properties"})


def _schema_30(schema: Json) -> Json:
    for choice in ("anyOf", "oneOf"):
        if _NULL in schema.get(choice, []):
            schema = _without_null(schema, choice)
    if isinstance(schema.get("type"), list):
        schema = _one_type(schema)
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    if isinstance(schema.get("examples"), list):
        schema["example"] = schema.pop("examples")[0]
    for exclusive, edge in _EXCLUSIVE.items():
        if exclusive in schema:
            schema[edge], schema[exclusive] = schema[exclusive], True
    if schema.get("type") == "array":
        schema.setdefault("items", {})
    return schema


def _without_null(schema: Json, choice: str) -> Json:
    """``X or null`` becomes a nullable X; a reference may have no siblings in 3.0, hence the allOf."""
    options = [option for option in schema[choice] if option != _NULL]
    other_members = {name: value for name, value in schema.items() if name != choice}
    if len(options) > 1:
        return {**other_members, choice: options, "nullable": True}
    return {**({"allOf": options} if "$ref" in options[0] else options[0]), **other_members, "nullable": True}


def _one_type(schema: Json) -> Json:
    types = [kind for kind in schema["type"] if kind != "null"]
    other_members = {name: value for name, value in schema.items() if name != "type"}
    nullable = {"nullable": True} if "null" in schema["type"] else {}
    if len(types) == 1:
        return {**other_members, "type": types[0], **nullable}
    return {**other_members, "anyOf": [{"type": kind} for kind in types], **nullable}


def answer_as(media_type: str, answer: type[BaseModel], *or_text: str) -> Json:
    """An answer of this shape with another media type than ``application/json``; ``or_text``: the same as text."""
    content = {media_type: {"schema": answer.model_json_schema(mode="serialization")}}
    return {"content": {**content, **text_answer(*or_text)["content"]}}


def text_answer(*media_types: str) -> Json:
    """An answer in one of these media types: text, or JSON with a standard's schema."""
    return {
        "content": {
            media_type: {"schema": {} if media_type.endswith("json") else {"type": "string"}}
            for media_type in media_types
        }
    }
