"""A group whose commands are imported when they are called: those of training load seconds of libraries."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class Lazily(click.Group):
    """``modules``: the module of each command, whose COMMANDS hold it; commands that were added are there besides."""

    def __init__(self, *args: Any, modules: Mapping[str, str], **named: Any) -> None:
        super().__init__(*args, **named)
        self._modules = modules

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return sorted({*self._modules, *self.commands})

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = self._modules.get(cmd_name)
        if module is None:
            return self.commands.get(cmd_name)
        commands: Mapping[str | None, click.Command] = {one.name: one for one in import_module(module).COMMANDS}
        return commands[cmd_name]
