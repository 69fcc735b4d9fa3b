"""Tools that read documents: ``read_passages``, ``ask_documents``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from core.json_types import Json
from search_api.protocols.mcp import records
from search_api.protocols.mcp.asking import Asked, Box, Limit, Period, Query, Source, api_of, joined
from search_api.protocols.mcp.budget import written
from search_api.protocols.mcp.catalogue_text import marked, shortened

_NOTHING = "No document here speaks of that."
OfRecord = Annotated[str | None, Field(max_length=500, description="Only documents of this record.")]


def read_passages(asked: Asked, query: Query, record: OfRecord = None, source: Source = None, limit: Limit = 4) -> str:
    """Passages of documents (reports, papers, manuals) that speak of the question, with where to cite them."""
    body = {"question": query, "record": record, "source": [source] if source else [], "top_k": limit}
    passages = api_of(asked).first_event("/ask", body).get("passages", [])
    return written(marked({} if passages else _nothing(record), [_passage(one, 1500) for one in passages]))


def ask_documents(
    asked: Asked,
    question: Query,
    record: OfRecord = None,
    source: Source = None,
    bbox: Box = None,
    period: Period = None,
) -> str:
    """An answer from the documents, each sentence with the numbers of the passages that support it.

    `refused` means that the documents do not hold the answer; say so, and do not answer from memory.
    """
    body = {
        "question": question,
        "record": record,
        "source": [source] if source else [],
        "bbox": joined(bbox),
        "datetime": period,
    }
    answer = api_of(asked).post("/ask", body)
    own = {"refused": answer["refused"] or None, "without": answer["degraded"]}
    if answer["refused"]:
        return written(marked({**own, **_nothing(record)}, []))
    said = {
        "answer": [
            {"text": one.get("cell", one)["text"], "passages": one["citations"], "supported": one["supported"]}
            for one in answer["sentences"]
        ],
        "passages": [_passage(one, 300) for one in answer["passages"]],
    }
    return written(marked(own, said))


def _nothing(record: str | None) -> Json:
    if record is None:
        return {"nothing": _NOTHING, "advice": "Tell the user so. `search` finds data sets that are about it."}
    return {"nothing": _NOTHING, "advice": "Call again without `record` to read all documents."}


def _passage(one: Json, longest: int) -> Json:
    return records.stated(
        {
            "number": one["number"],
            "title": one["title"],
            "section": " > ".join(one["section"]),
            "pages": one["pages"],
            "id": one["record"] or one["document"],
            "document": one["document"],
            "text": shortened(one["text"], longest),
        }
    )
