"""The catalogues of the service, as an agent sees them."""

from __future__ import annotations

from mcp.server.mcpserver.exceptions import ToolError

from core.json_types import Json
from search_api.protocols.mcp import records
from search_api.protocols.mcp.api import Api

_MOST_SOURCES = 30
_MOST_NAMED = 10


def catalogues(api: Api) -> list[Json]:
    """The largest first."""
    return [
        records.stated(
            {
                "id": one["id"],
                "title": one["title"],
                "records": one["sonde:count"],
                "bbox": one.get("extent", {}).get("spatial", {}).get("bbox", [None])[0],
                "period": one.get("extent", {}).get("temporal", {}).get("interval", [None])[0],
            }
        )
        for one in _by_size(api)[:_MOST_SOURCES]
    ]


def refuse_unknown(api: Api, source: str) -> None:
    """Raises ToolError if there is no such catalogue."""
    known = [one["id"] for one in _by_size(api)]
    if source not in known:
        listed = ", ".join(known[:_MOST_NAMED]) + (", ..." if len(known) > _MOST_NAMED else "")
        raise ToolError(f"There is no catalogue {source!r}; there are {listed}. Change `source` and call again.")


def _by_size(api: Api) -> list[Json]:
    found = [one for one in api.get("/collections")["collections"] if one["id"] != "all"]
    return sorted(found, key=lambda one: -one["sonde:count"])
