"""Options that the commands share: kinds of paths, and an option whose help shows its default."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
PRESENT_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
PRESENT_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)
ABOVE_0 = click.FloatRange(min=0, min_open=True)


def shown(
    name: str, default: object, help: str | None = None, type: click.ParamType[object] | type | None = None
) -> Callable[[F], F]:
    """An option whose help ends with its default. Without ``type`` it is that of the default."""
    return click.option(name, type=type, default=default, show_default=True, help=help)
