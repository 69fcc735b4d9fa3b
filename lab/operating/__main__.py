"""``python -m lab.operating``: what operators do once in a while, tried on one machine with real data."""

from __future__ import annotations

import sys

import click

from core.errors import SondeError
from lab.operating.restore import restore
from lab.operating.upgrade import upgrade


@click.group()
def main() -> None:
    """Rehearse what operators do once in a while. Own ports; nothing is left running."""


main.add_command(upgrade)
main.add_command(restore)


if __name__ == "__main__":
    try:
        main()
    except (SondeError, TimeoutError) as error:
        sys.exit(str(error))
