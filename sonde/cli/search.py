"""`sonde search`: a question on the terminal; `sonde mcp`: the tools of an agent over standard input and output."""

from __future__ import annotations

from urllib.parse import urlsplit

import click
import httpx
from rich.console import Console

from core.errors import SondeError
from core.json_types import Json
from sonde.cli.options import shown
from sonde.cli.screen import plain_table, say_json, screen
from sonde.settings import load_settings

_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
"""No proxy of the environment reaches it."""
with_key = click.option("--key", envvar="SONDE_KEY", help="A key of the service, if it needs one; better in SONDE_KEY.")


@click.command()
@click.argument("question")
@click.option("--explain", is_flag=True, help="Explain the rank of each hit.")
@shown("--algorithm", "hybrid", type=click.Choice(["hybrid", "bm25", "dense"]))
@click.option("--bbox", help="west,south,east,north: only records in this box.")
@click.option("--place", help="Only records in this place, by name.")
@click.option("--datetime", "when", help="start/end, ISO 8601, .. for an open end: only records of this period.")
@shown("--spatial", "blend", type=click.Choice(["blend", "hausdorff", "off"]))
@shown("--limit", 10, type=click.IntRange(1, 100))
@click.option("--url", help="Address of the service. Default: from the settings.")
@with_key
@click.option("--json", "as_json", is_flag=True, help="Print the service's answer as JSON.")
def search(
    question: str,
    *,
    explain: bool,
    url: str | None,
    key: str | None,
    as_json: bool,
    when: str | None,
    **options: object,
) -> None:
    """Ask the running service a QUESTION in plain words.

    Example: sonde search "rainfall in southern Africa since 1990" --explain
    """
    parameters = {"q": question, "explain": str(explain).lower(), "datetime": when, **options}
    known_parameters = {name: value for name, value in parameters.items() if value is not None}
    answer = ask(f"{url or load_settings().api_url}/search", known_parameters, key=key)
    if as_json:
        say_json(answer)
        return
    show(screen(), answer, explain=explain)


def ask(
    url: str,
    parameters: Json | None = None,
    *,
    method: str = "GET",
    body: Json | None = None,
    key: str | None = None,
    timeout_s: float = 30.0,
) -> Json:
    """``url`` with its path. Raises SondeError with the service's message, or that there is no service."""
    try:
        answer = httpx.request(
            method,
            url,
            params=parameters,
            json=body,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=timeout_s,
            trust_env=_is_proxied(url),
        )
    except httpx.HTTPError as error:
        address = url.rpartition("/")[0]
        raise SondeError(
            f"No service answers at {address} ({type(error).__name__}). Start it with `sonde up`."
        ) from error
    try:
        content: Json = answer.json()
    except ValueError as error:
        raise SondeError(f"{url} answers {answer.status_code} without JSON: no service of Sonde is there.") from error
    if answer.status_code != httpx.codes.OK:
        raise SondeError(str(content.get("detail") or content.get("title")))
    return content


def _is_proxied(url: str) -> bool:
    return urlsplit(url).hostname not in _THIS_MACHINE


def show(console: Console, answer: Json, *, explain: bool = False) -> None:
    """How the question was understood, then the hits as a table."""
    console.print(_understood(answer["sonde:interpretation"]), style="dim")
    if answer["sonde:degraded"]:
        console.print(f"without: {', '.join(answer['sonde:degraded'])}", style="yellow")
    if not answer["features"]:
        console.print("Nothing found. Try other words, or fewer filters.")
        return
    table = plain_table("", "score", "title", "period", "extent", right=("", "score"), fold=True)
    for rank, feature in enumerate(answer["features"], 1):
        table.add_row(
            str(rank), f"{feature['sonde:score']:.3f}", feature["properties"]["title"], *_when_and_where(feature)
        )
        for part in feature.get("sonde:explanation", {}).get("signals", []) if explain else []:
            contribution = f"{part['contribution']:.3f}"
            table.add_row("", contribution, f"  {part['signal']}: {part['reason']}", "", "", style="dim")
    console.print(table)
    console.print(f"{answer['numberReturned']} of {answer['numberMatched']} hits", style="dim")


def _understood(interpretation: Json) -> str:
    places = [f"{place['name']} {_numbers(place['bbox'])}" for place in interpretation["places"]]
    parts = [
        f"what: {interpretation['thematic']}" if interpretation["thematic"] else "",
        f"where: {'; '.join(places)}" if places else "",
        f"when: {_short(interpretation['datetime'])}" if interpretation["datetime"] else "",
        f"kind: {interpretation['kinds'][0]['kind']}" if interpretation["kinds"] else "",
    ]
    return " | ".join(part for part in parts if part)


def _when_and_where(feature: Json) -> tuple[str, str]:
    interval = (feature.get("time") or {}).get("interval")
    boxes = feature["properties"].get("sonde:boxes", [])
    more_note = f" +{len(boxes) - 1}" if len(boxes) > 1 else ""
    return _short("/".join(interval)) if interval else "", _numbers(boxes[0]) + more_note if boxes else ""


def _short(interval: str) -> str:
    """Days are enough for people."""
    return " to ".join(edge.split("T")[0] for edge in interval.split("/"))


def _numbers(box: list[float]) -> str:
    return "[" + ", ".join(f"{edge:g}" for edge in box) + "]"


@click.command()
@click.option("--url", help="Address of the service. Default: from the settings.")
@with_key
def mcp(url: str | None, key: str | None) -> None:
    """Serve the Model Context Protocol over standard input and output, for an agent on this machine.

    Agents that speak HTTP use the service's own address instead: https://.../mcp.

    Example: sonde mcp --url https://sonde.example.org
    """
    from search_api.protocols.mcp.api import AgentApi
    from search_api.protocols.mcp.server import mcp_server
    from sonde import __version__

    address = url or load_settings().api_url
    mcp_server(__version__, AgentApi.at(address, key, trust_env=_is_proxied(address))).run()


COMMANDS = (search, mcp)
