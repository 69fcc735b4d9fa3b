"""Writes docs/settings.md from the settings: `python -m sonde.ops.settings_page > docs/settings.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from sonde.secret_files import secret_settings
from sonde.settings import Settings

_HEAD = """# Settings

Every setting is an environment variable. Sonde reads them once at start. It refuses a wrong value and names the
variable and says what to write. A list is written with commas, `a.example,b.example`, or as JSON,
`["a.example", "b.example"]`. `python -m sonde.ops.settings_page > docs/settings.md` writes this page; a test
checks that it is up to date.

A secret can also be read from a file: `NAME_FILE=/run/secrets/file` gives the setting `NAME` the content of this file.
This works for {secrets}.

| variable | default | what it is |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    secrets = [f"`{name}`" for name in secret_settings(Settings)]
    head = _HEAD.format(secrets=f"{', '.join(secrets[:-1])} and {secrets[-1]}")
    return head + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    for group, entry in Settings.model_fields.items():
        model = entry.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            for name, field in model.model_fields.items():
                variable = f"SONDE_{group}__{name}".upper()
                yield f"| `{variable}` | {_default(field)} | {(field.description or '').replace('|', '/')} |"


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "the user's folder"
    if field.default in (None, PydanticUndefined, (), ""):
        return ""
    return f"`{field.default}`"


if __name__ == "__main__":
    sys.stdout.write(page())
