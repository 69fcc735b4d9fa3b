"""Prompts for common tasks, and records as resources."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from pydantic import Field

from search_api.protocols.mcp.asking import Asked
from search_api.protocols.mcp.find import get_record
from search_api.protocols.mcp.orient import describe_holdings

RECORD_URI = "sonde://records/{id}"
CATALOGUE_URI = "sonde://catalogues/{id}"
Topic = Annotated[str, Field(description="What the data are about.")]
Where = Annotated[str, Field(description="A place; empty for anywhere.")]
When = Annotated[str, Field(description="A period; empty for any.")]
Id = Annotated[str, Field(description="Id of a record.")]


def find_data(topic: Topic, place: Where = "", period: When = "") -> str:
    """Find the data sets that suit a purpose."""
    where, when = f" in {place}" if place else "", f" ({period})" if period else ""
    return (
        f"Find data about {topic}{where}{when}. Call `search` with this as the question and without filters. Compare "
        "period, place and resolution of the best hits with what is wanted, read the two best with `get_record`, and "
        "name at most three, each with its id, why it suits and what speaks against it. If the answer says `nothing`, "
        "say that these catalogues hold nothing about it."
    )


def compare_records(first: Id, second: Id) -> str:
    """Compare two data sets."""
    return (
        f"Call `get_record` for {first} and for {second}. Show a table of period, place, resolution, kind of product, "
        "licence and makers. Say for which use each is better, from what the records say and nothing else."
    )


def open_data(id: Id) -> str:
    """Show how to get and open a data set."""
    return (
        f"Call `get_access` for {id}. Say what the licence allows, which link leads to the data, and show the Python "
        "that opens it. If there is no link to the data, say whom to ask."
    )


def cite_data(id: Id) -> str:
    """Write the citation of a data set."""
    return (
        f"Call `get_record` for {id}. Write a citation: makers, year, title, edition, publisher, DOI. Leave out what "
        "the record does not say, and name what is missing."
    )


def record(id: str, asked: Asked) -> str:
    """One record, as `get_record` returns it."""
    with _as_resource():
        return get_record(asked, id)


def catalogue(id: str, asked: Asked) -> str:
    """What one catalogue holds, as `describe_holdings` returns it."""
    with _as_resource():
        return describe_holdings(asked, source=id)


@contextmanager
def _as_resource() -> Iterator[None]:
    """The SDK would hide the text of a tool's error."""
    try:
        yield
    except ToolError as error:
        raise MCPError(code=INVALID_PARAMS, message=str(error)) from error


PROMPTS = (find_data, compare_records, open_data, cite_data)
