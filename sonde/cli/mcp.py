"""`sonde mcp`: the tools of an agent over standard input and output."""

from __future__ import annotations

import click


@click.command()
@click.option("--url", help="Address of the service. Default: from the settings.")
@click.option("--key", envvar="SONDE_KEY", help="A key of the service, if it needs one; better in SONDE_KEY.")
def mcp(url: str | None, key: str | None) -> None:
    """Serve the Model Context Protocol over standard input and output, for an agent on this machine.

    Agents that speak HTTP use the service's own address instead: https://.../mcp.

    Example: sonde mcp --url https://sonde.example.org
    """
    from search_api.protocols.mcp.api import AgentApi
    from search_api.protocols.mcp.server import mcp_server
    from sonde import __version__

    mcp_server(__version__, AgentApi.at(url or _own_address(), key)).run()


def _own_address() -> str:
    from sonde.settings import load_settings

    return load_settings().api_url


COMMANDS = (mcp,)
