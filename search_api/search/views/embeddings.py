"""``POST /embeddings``: the serving embedder, with OpenAI's request and answer format."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, ConfigDict, Field

from core.errors import InvalidInput, ModelMissing
from core.json_types import Json
from search_api.http.problems import Problem
from search_api.parts import Parts

MOST_TEXTS = 256
LONGEST_TEXT = 100_000


class EmbeddingsRequest(BaseModel):
    """Texts to embed; the model's instruction is added before a question, not before a document."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(None, description="Must be the model in service; leave it out to use that model.")
    input: (
        Annotated[str, Field(max_length=LONGEST_TEXT)]
        | Annotated[list[Annotated[str, Field(max_length=LONGEST_TEXT)]], Field(min_length=1, max_length=MOST_TEXTS)]
    )
    kind: Literal["query", "document"] = "document"


class EmbeddingsAnswer(BaseModel):
    """OpenAI's list of embeddings, in input order; vectors have unit norm."""

    object: str = "list"
    model: str
    data: list[Json]
    usage: dict[str, int]


def embeddings_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("embeddings", __name__, abp_tags=[Tag(name="embeddings", description="Text to vectors")])

    @api.post(
        "/embeddings",
        summary="Embed texts with the model that serves",
        responses={200: EmbeddingsAnswer, 400: Problem, 503: Problem},
    )
    def embeddings(body: EmbeddingsRequest) -> Response:
        _refuse_empty(body.input)
        serving = parts.serving.resolve()
        if serving.embedder is None:
            raise ModelMissing(serving.embedder_problem or "No embedder is loaded.")
        card = serving.embedder.card
        if body.model not in (None, card.model):
            raise InvalidInput("model", f"model: {body.model!r} does not serve here; {card.model!r} does")
        texts = [body.input] if isinstance(body.input, str) else list(body.input)
        _refuse_too_much(sum(map(len, texts)), parts.embeddings_characters)
        vectors = serving.embedder.embed(texts, body.kind)
        tokens = sum(min(count, card.max_tokens) for count in serving.embedder.count_tokens(texts))
        return jsonify(
            object="list",
            model=card.model,
            data=[
                {"object": "embedding", "index": index, "embedding": [round(float(x), 7) for x in vector]}
                for index, vector in enumerate(vectors)
            ],
            usage={"prompt_tokens": tokens, "total_tokens": tokens},
        )

    return api


def _refuse_empty(given: str | list[str]) -> None:
    """Of a text without words a model gives a vector that means nothing."""
    places = {"input": given} if isinstance(given, str) else {f"input.{at}": one for at, one in enumerate(given)}
    empty = [place for place, text in places.items() if not text.strip()]
    if empty:
        raise InvalidInput(empty[0], f"{', '.join(empty)}: the text is empty; leave it out")


def _refuse_too_much(characters: int, most: int) -> None:
    if characters > most:
        raise InvalidInput("input", f"input: {characters} characters in all; one call takes up to {most}")
