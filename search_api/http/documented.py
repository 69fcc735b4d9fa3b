"""Describes answers in OpenAPI: their media type and their problems."""

from __future__ import annotations

from flask_openapi.types import ResponseDict
from pydantic import BaseModel

from core.json_types import Json
from search_api.http.problems import Problem

PROBLEMS: ResponseDict = {400: Problem, 503: Problem}
WITH_NOT_FOUND: ResponseDict = {400: Problem, 404: Problem, 503: Problem}


def sent_as(media_type: str, answer: type[BaseModel], *or_text: str) -> Json:
    """An answer of this shape with another media type than ``application/json``; ``or_text``: the same as text."""
    shaped = {media_type: {"schema": answer.model_json_schema(mode="serialization")}}
    return {"content": {**shaped, **texts(*or_text)["content"]}}


def texts(*media_types: str) -> Json:
    """An answer in one of these media types: text, or JSON with a standard's schema."""
    return {
        "content": {
            media_type: {"schema": {} if media_type.endswith("json") else {"type": "string"}}
            for media_type in media_types
        }
    }
