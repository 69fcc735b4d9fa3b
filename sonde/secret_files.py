"""``NAME_FILE`` names a file with the value of the secret setting NAME, as Docker and Kubernetes mount secrets.

Only settings that hold a secret can be given this way: other settings may themselves end in ``_FILE``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from core.errors import SondeError

MOUNTED = "can be mounted as a secret"
"""Marks a setting that belongs to a secret although it is no ``SecretStr``: an address with a password in it."""

_SUFFIX = "_file"


def secret_settings(settings: type[BaseModel]) -> Iterator[str]:
    """The environment variables of all secret settings: ``SONDE_GROUP__NAME``."""
    for group, entry in settings.model_fields.items():
        model = entry.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            yield from (f"SONDE_{group}__{name}".upper() for name, field in model.model_fields.items() if _is(field))


def with_secret_files(environment: Mapping[str, str | None], settings: type[BaseModel]) -> dict[str, str | None]:
    """The variables, named in small letters, with the content of each secret's file in place of the file's name.

    Raises SondeError for a file that cannot be read.
    """
    read = dict(environment)
    for variable in secret_settings(settings):
        if path := read.pop(f"{variable.lower()}{_SUFFIX}", None):
            read[variable.lower()] = _content(variable, Path(path))
    return read


def _is(field: FieldInfo) -> bool:
    return SecretStr in (field.annotation, *get_args(field.annotation)) or MOUNTED in field.metadata


def _content(variable: str, path: Path) -> str:
    try:
        return path.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise SondeError(f"{variable}{_SUFFIX.upper()} names {path}, which cannot be read: {reason}.") from None
