"""The SDK's server with errors that say what to change, where the SDK answers with its own or hides them."""

from __future__ import annotations

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult
from pydantic import ValidationError

from core.json_types import Json
from search_api.agents.api import Api

_MOST = 5


class PlainServer(MCPServer[Api | None]):
    """Wrong arguments of tools and prompts are named, each with what is wrong."""

    async def call_tool(
        self, name: str, arguments: Json, context: Context[Api | None, object] | None = None
    ) -> CallToolResult | InputRequiredResult:
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
            raise _refused(f"The prompt {name} takes {told}; you gave {', '.join(sorted(given)) or 'nothing'}.")
        return await super().get_prompt(name, arguments, context)


def _refused(message: str) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message=message)


def _wrong(error: ValidationError) -> str:
    """``limit: Input should be less than or equal to 20. Change it and call again.``"""
    faults = [f"{one['loc'][0] if one['loc'] else 'arguments'}: {one['msg']}" for one in error.errors()[:_MOST]]
    return f"{'; '.join(dict.fromkeys(faults))}. Change it and call again."
