"""Commands that other packages add to `sonde`: entry points of the group ``sonde.commands``, a module for each name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points

from sonde.cli.laboratory import LABORATORY

GROUP = "sonde.commands"


def added_commands() -> Mapping[str, str]:
    """The module of each command. If the laboratory is not installed, its commands explain how to get it."""
    absent = dict.fromkeys(LABORATORY, "sonde.cli.laboratory")
    return {**absent, **{each.name: each.value for each in entry_points(group=GROUP)}}
