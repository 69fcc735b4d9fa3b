"""A group that imports a command when it is called, because the training commands load seconds of libraries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import click

from core.errors import SondeError


class LazyGroup(click.Group):
    """``modules``: the module of each command; its COMMANDS hold the command. ``added``: further ones, used if a
    command is not among ``modules``, and for the help.

    ``tasks``: the help line of each command, under headings; if it is empty, the line comes from the command.
    """

    def __init__(
        self,
        *args: Any,
        modules: Mapping[str, str],
        added: Callable[[], Mapping[str, str]] = dict,
        tasks: Mapping[str, Mapping[str, str]] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._modules = modules
        self._added_modules = added
        self._tasks = tasks or {}

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return sorted({*self._modules, *self._added_modules(), *self.commands})

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        module = self._modules.get(cmd_name) or self._added_modules().get(cmd_name)
        if module is None:
            return None
        commands: Mapping[str | None, click.Command] = {
            command.name: command for command in import_module(module).COMMANDS
        }
        return commands[cmd_name]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Raises UsageError, with the nearest command, for an unknown name."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            similar = get_close_matches(args[0], self.list_commands(ctx), n=1)
            suggestion = f" Did you mean {similar[0]!r}?" if similar else ""
            ctx.fail(f"No such command {args[0]!r}.{suggestion}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """By task; imports no command whose task has a help line."""
        for heading, lines in self._tasks.items():
            with formatter.section(heading):
                formatter.write_dl(list(lines.items()))
        commands_with_task = {name for names in self._tasks.values() for name in names}
        other_commands = [name for name in self.list_commands(ctx) if name not in commands_with_task]
        rows = [
            (name, command.get_short_help_str(70))
            for name in other_commands
            if (command := self.get_command(ctx, name))
        ]
        if rows:
            with formatter.section("Other commands" if commands_with_task else "Commands"):
                formatter.write_dl(rows)


GROUP = "sonde.commands"
LABORATORY = ("bench", "chaos", "drill", "load", "simulate")


def added_commands() -> Mapping[str, str]:
    """The module of each command. If the laboratory is not installed, its commands explain how to get it."""
    absent = dict.fromkeys(LABORATORY, "sonde.cli.lazy_group")
    return {**absent, **{entry_point.name: entry_point.value for entry_point in entry_points(group=GROUP)}}


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
