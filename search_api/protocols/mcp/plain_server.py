"""The SDK's server with errors that say what to change, where the SDK answers with its own or hides them."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from urllib.parse import parse_qsl

from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult, Tool
from pydantic import AnyUrl, ValidationError

from core.json_types import Json
from search_api.protocols.mcp.api import Api

_MOST = 5
_ALIKE = 0.6
_ELSEWHERE = {
    "query": ("text", "question", "search", "keywords", "words", "terms", "prompt", "topic"),
    "question": ("text", "query", "search", "prompt"),
    "topic": ("query", "text", "subject", "about", "theme"),
    "name": ("place", "location", "query", "where"),
    "term": ("word", "query", "text", "name", "acronym"),
    "place": ("location", "region", "area", "where", "country", "spatial"),
    "bbox": ("bounds", "extent", "bounding_box", "envelope", "box"),
    "period": ("datetime", "date", "time", "when", "years", "temporal", "start", "end", "from", "to"),
    "kind": ("type", "resource_type", "category", "provenance"),
    "source": ("catalogue", "catalog", "collection", "provider", "collections"),
    "limit": ("size", "count", "max", "rows", "max_results", "top_k", "k", "n", "page_size", "number"),
    "cursor": ("page", "offset", "after", "next", "token"),
    "id": ("record", "identifier", "uuid", "doi", "key"),
    "record": ("id", "identifier", "uuid", "doi", "document"),
}
"""What other services call the arguments of these tools."""


class PlainServer(MCPServer[Api | None]):
    """Wrong and unknown arguments of tools and prompts are named, each with what is wrong."""

    async def list_tools(self) -> list[Tool]:
        return [
            tool.model_copy(update={"input_schema": {**tool.input_schema, "additionalProperties": False}})
            for tool in await super().list_tools()
        ]

    async def call_tool(
        self, name: str, arguments: Json, context: Context[Api | None, object] | None = None
    ) -> CallToolResult | InputRequiredResult:
        takes = {tool.name: list(tool.input_schema["properties"]) for tool in await self.list_tools()}
        if name in takes and (unknown := [one for one in arguments if one not in takes[name]]):
            faults = " ".join(_unknown(one, takes[name]) for one in unknown[:_MOST])
            raise ToolError(f"{faults} The arguments of {name} are {', '.join(takes[name])}. Change it and call again.")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_wrong(error.__cause__)) from error.__cause__
            raise

    async def get_prompt(
        self, name: str, arguments: Json | None = None, context: Context[Api | None, object] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        known = {one.name: one for one in await self.list_prompts()}
        if name not in known:
            raise _refused(f"There is no prompt {name!r}; there are {', '.join(known)}.")
        takes, given = known[name].arguments or [], set(arguments or {})
        missing = [one.name for one in takes if one.required and one.name not in given]
        if missing or given - {one.name for one in takes}:
            told = ", ".join(f"{one.name} (required)" if one.required else one.name for one in takes)
            said = f"The prompt {name} takes {told}; you gave {', '.join(sorted(given)) or 'nothing'}."
            names = [one.name for one in takes]
            faults = [_unknown(one, names) for one in sorted(given.difference(names))[:_MOST]]
            raise _refused(" ".join([said, *faults]))
        return await super().get_prompt(name, arguments, context)

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Api | None, object] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        address, _, arguments = str(uri).partition("?")
        if arguments:
            faults = " ".join(_unknown(name, ()) for name in list(dict(parse_qsl(arguments, True)))[:_MOST])
            raise _refused(f"{faults} A resource takes no arguments: read {address}.")
        return await super().read_resource(uri, context)


def _unknown(name: str, known: Collection[str]) -> str:
    """``q: not known; did you mean query?``"""
    near = _nearest(name, known)
    return f"{name[:100]}: not known{f'; did you mean {near}?' if near else '.'}"


def _nearest(name: str, known: Collection[str]) -> str | None:
    """The argument that begins with this name or is part of it, is spelled nearly so or is called so elsewhere."""
    asked = name.casefold().replace("-", "_")
    for one in known:
        if asked and (one.startswith(asked) or one in asked.split("_")):
            return one
    for one in known:
        if asked in _ELSEWHERE.get(one, ()):
            return one
    spelled = {other: one for one in reversed(list(known)) for other in (*_ELSEWHERE.get(one, ()), one)}
    near = difflib.get_close_matches(asked, spelled, 1, _ALIKE)
    return spelled[near[0]] if near else None


def _refused(message: str) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message=message)


def _wrong(error: ValidationError) -> str:
    """``limit: Input should be less than or equal to 20. Change it and call again.``"""
    faults = [f"{one['loc'][0] if one['loc'] else 'arguments'}: {one['msg']}" for one in error.errors()[:_MOST]]
    return f"{'; '.join(dict.fromkeys(faults))}. Change it and call again."
