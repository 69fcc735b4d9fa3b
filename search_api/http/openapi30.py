"""Converts an OpenAPI 3.1 document to 3.0: rewrites JSON Schema 2020-12 in the terms of 3.0."""

from __future__ import annotations

from typing import Any

from core.json_types import Json

VERSION = "3.0.3"
_UNKNOWN = frozenset(
    ("prefixItems", "contentMediaType", "contentEncoding", "$defs", "unevaluatedProperties", "$schema")
)
_NULL = {"type": "null"}
_EXCLUSIVE = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


def downgraded(document: Json) -> Json:
    """The same operations and schemas; a list with different items per position becomes a list of anything."""
    made: Json = _node({name: part for name, part in document.items() if name not in ("webhooks", "jsonSchemaDialect")})
    return {**made, "openapi": VERSION}


def never_null(schema: Json) -> Json:
    """The schema of a parameter without null: a parameter without a value is not sent at all."""
    made = _without_null(schema, "anyOf") if _NULL in schema.get("anyOf", []) else schema
    return {name: value for name, value in made.items() if name != "nullable"}


def _node(node: object) -> Any:
    if isinstance(node, list):
        return [_node(one) for one in node]
    if not isinstance(node, dict):
        return node
    made: Json = {}
    for name, value in node.items():
        if name in ("example", "default", "enum"):  # values, no schemas
            made[name] = value
        elif name == "properties":  # names of their own
            made[name] = {key: _node(one) for key, one in value.items()}
        elif name not in _UNKNOWN or not _is_schema(node):
            made[name] = _node(value)
    return _schema(made) if _is_schema(node) else made


def _is_schema(node: Json) -> bool:
    return bool(node.keys() & {"type", "anyOf", "oneOf", "allOf", "$ref", "const", "enum", "properties"})


def _schema(schema: Json) -> Json:
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
    others = [one for one in schema[choice] if one != _NULL]
    kept = {name: value for name, value in schema.items() if name != choice}
    if len(others) > 1:
        return {**kept, choice: others, "nullable": True}
    return {**({"allOf": others} if "$ref" in others[0] else others[0]), **kept, "nullable": True}


def _one_type(schema: Json) -> Json:
    types = [one for one in schema["type"] if one != "null"]
    kept = {name: value for name, value in schema.items() if name != "type"}
    nullable = {"nullable": True} if "null" in schema["type"] else {}
    if len(types) == 1:
        return {**kept, "type": types[0], **nullable}
    return {**kept, "anyOf": [{"type": one} for one in types], **nullable}
