"""Placeholders for the commands of the laboratory if it is not installed: each explains how to get it."""

from __future__ import annotations

import click

from core.errors import SondeError

LABORATORY = ("bench", "chaos", "load", "simulate")


def _absent(name: str) -> click.Command:
    @click.command(name, context_settings={"ignore_unknown_options": True}, add_help_option=False)
    @click.argument("_arguments", nargs=-1, type=click.UNPROCESSED, metavar="...")
    def absent(*, _arguments: tuple[str, ...]) -> None:
        """Part of the laboratory, which is not installed here."""
        raise SondeError(
            f"`sonde {name}` belongs to the laboratory, which is not installed here: use a checkout of Sonde after"
            " `make env`, or run `pip install ./lab` in one."
        )

    return absent


COMMANDS = tuple(map(_absent, LABORATORY))
