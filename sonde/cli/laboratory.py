"""Commands of other distributions, by entry points; those of an absent laboratory explain how to get it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points

import click

from core.errors import SondeError

GROUP = "sonde.commands"
LABORATORY = ("bench", "chaos", "load", "simulate")


def added_commands() -> Mapping[str, str]:
    """The module of each command. If the laboratory is not installed, its commands explain how to get it."""
    absent = dict.fromkeys(LABORATORY, "sonde.cli.laboratory")
    return {**absent, **{each.name: each.value for each in entry_points(group=GROUP)}}


def _absent(name: str) -> click.Command:
    @click.command(name, context_settings={"ignore_unknown_options": True}, add_help_option=False)
    @click.argument("_arguments", nargs=-1, type=click.UNPROCESSED, metavar="...")
    def absent(*, _arguments: tuple[str, ...]) -> None:
        """Part of the laboratory, which is not installed here."""
        raise SondeError(
            f"`sonde {name}` belongs to the laboratory, which is not installed here: use a checkout of Sonde after"
            " `make env`, or run `pip install . ./sonde_client ./lab` in one."
        )

    return absent


COMMANDS = tuple(map(_absent, LABORATORY))
