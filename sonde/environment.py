"""How settings are read from environment variables: lists as people write them, secrets from files, and errors that say
what to write.

``NAME_FILE`` names a file with the value of the secret setting NAME, as Docker and Kubernetes mount secrets. Only
settings that hold a secret can be given this way: other settings may themselves end in ``_FILE``.
"""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args, get_origin

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, EnvSettingsSource

from core.errors import SondeError
from workers.config_faults import GROUP_ERRORS, LIST_ERRORS, plain_message

MOUNTED_NOTE = "can be mounted as a secret"
"""Marks a setting that belongs to a secret although it is no ``SecretStr``: an address with a password in it."""

_SUFFIX = "_file"
PREFIX = "SONDE_"
DELIMITER = "__"
_LISTS = (list, set, frozenset, tuple)
_BETWEEN = re.compile(r"[\s,;]+")
_DASH_OF_A_LINE = re.compile(r"^\s*-\s+", re.MULTILINE)
_QUOTATION_MARKS = {**dict.fromkeys(map(ord, "“”„"), '"'), **dict.fromkeys(map(ord, "‘’‚"), "'")}
_IPV6 = re.compile(r"\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\](?::\d+)?")


def secret_settings(settings: type[BaseModel]) -> Iterator[str]:
    """The environment variables of all secret settings: ``SONDE_GROUP__NAME``."""
    for group, entry in settings.model_fields.items():
        model = entry.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            yield from (
                f"SONDE_{group}__{name}".upper() for name, field in model.model_fields.items() if _is_secret(field)
            )


def with_secret_files(environment: Mapping[str, str | None], settings: type[BaseModel]) -> dict[str, str | None]:
    """The variables, named in small letters, with the content of each secret's file in place of the file's name.

    Raises SondeError for a file that cannot be read.
    """
    values = dict(environment)
    for variable in secret_settings(settings):
        if path := values.pop(f"{variable.lower()}{_SUFFIX}", None):
            values[variable.lower()] = _content(variable, Path(path))
    return values


def _is_secret(field: FieldInfo) -> bool:
    return SecretStr in (field.annotation, *get_args(field.annotation)) or MOUNTED_NOTE in field.metadata


def _content(variable: str, path: Path) -> str:
    try:
        return path.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise SondeError(f"{variable}{_SUFFIX.upper()} names {path}, which cannot be read: {reason}.") from None


class EnvironmentSource(EnvSettingsSource):
    """Reads a list from JSON or from values between commas; leaves what it cannot read to the check of the setting."""

    def decode_complex_value(self, field_name: str, field: FieldInfo | None, value: object) -> object:  # noqa: ARG002 - pydantic's
        """The value of a list or of a group, decoded; the text itself if it is neither."""
        text = str(value).strip()
        try:
            decoded_value = json.loads(text)
        except (ValueError, RecursionError):
            decoded_value = None
        if isinstance(decoded_value, list | dict) or text == "null":
            return decoded_value
        members = _members(field.annotation) if field is not None else ()
        if not members or any(_is_group(member) for member in members):
            return value
        return _written_values(text)


def _written_values(text: str) -> list[str] | str:
    """``a, b``, ``'a' b``, ``[a, b]``, ``(a, b)`` and two lines ``- a``, ``- b`` as two values; the text itself if a
    bracket or quotation mark is open.
    """
    values = _split_values(text)
    if any(map(_is_open, values)) and text[:1] + text[-1:] in ("[]", "()"):
        values = _split_values(text[1:-1])
    return text if any(map(_is_open, values)) else values


def _split_values(text: str) -> list[str]:
    values = [value for value in _BETWEEN.split(_DASH_OF_A_LINE.sub("", text.translate(_QUOTATION_MARKS))) if value]
    return [
        value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value for value in values
    ]


def _is_open(value: str) -> bool:
    """Whether a bracket or quotation mark begins or ends it; those of an IPv6 address belong to it."""
    return bool(value) and (value[0] in '[{("' or value[-1] in ']})"') and not _IPV6.fullmatch(value)


def _members(annotation: object) -> tuple[object, ...]:
    """The types of a list's values, also of an optional list; empty if it is no list."""
    if get_origin(annotation) in _LISTS:
        return tuple(argument for argument in get_args(annotation) if argument is not ...)
    return tuple(member for argument in get_args(annotation) for member in _members(argument))


def _is_group(annotation: object) -> bool:
    arguments = get_args(annotation) or (annotation,)
    return any(isinstance(member, type) and issubclass(member, BaseModel) for member in arguments)


def wrong_settings(error: ValidationError, settings: type[BaseSettings]) -> str:
    """Names every variable with a wrong value, what is wrong with it and what to write; never the value itself."""
    return "; ".join(_sentence(problem, settings) for problem in error.errors(include_url=False))


def unknown_groups(settings: type[BaseSettings]) -> list[str]:
    """A sentence for each variable of the form of a setting whose group does not exist.

    Only names with ``__`` are settings: SONDE_URL, SONDE_KEY and others mean something else.
    """
    known_variables = [DELIMITER.join(variable_path) for variable_path in dict(_fields(settings))]
    sentences = []
    for name in sorted(os.environ):
        path = name.lower().removeprefix(PREFIX.lower())
        group = path.partition(DELIMITER)[0]
        if not name.upper().startswith(PREFIX) or DELIMITER not in path or group in settings.model_fields:
            continue
        similar = difflib.get_close_matches(path, known_variables, 1, 0.7)
        groups = ", ".join(
            f"{PREFIX}{variable_path}".upper()
            for variable_path in difflib.get_close_matches(group, settings.model_fields)
        )
        hint = f"did you mean {PREFIX}{similar[0].upper()}?" if similar else f"near groups: {groups or 'none'}"
        sentences.append(f"{name}: is no setting; {hint}")
    return sentences


def _sentence(problem: ErrorDetails, settings: type[BaseSettings]) -> str:
    path = tuple(str(part) for part in problem["loc"])
    if not path:
        return _message(problem, None)
    known_fields = dict(_fields(settings))
    variable = _variable(path)
    path_inside = path[variable.count(DELIMITER) + 1 :]
    position = f" ({' '.join(path_inside)})" if path_inside else ""
    if problem["type"] == "extra_forbidden":
        similar = difflib.get_close_matches("__".join(path), ["__".join(names) for names in known_fields], 1, 0.7)
        message = f"is no setting{f'; did you mean {PREFIX}{similar[0].upper()}?' if similar else ''}"
    else:
        message = _message(problem, known_fields.get(path[:2]))
    return f"{variable}{position}: {message}"


def _variable(path: tuple[str, ...]) -> str:
    """The variable that holds the value: a group and a list can also be given whole, as JSON."""
    names = [f"{PREFIX}{DELIMITER.join(path[:depth])}".upper() for depth in range(len(path), 0, -1)]
    present = {name.upper() for name in os.environ}
    usual_name = names[-2] if len(names) > 1 else names[-1]
    return next((name for name in names if name in present), usual_name)


def _fields(settings: type[BaseSettings]) -> Iterator[tuple[tuple[str, ...], FieldInfo]]:
    for group, entry in settings.model_fields.items():
        if isinstance(entry.annotation, type) and issubclass(entry.annotation, BaseModel):
            for name, field in entry.annotation.model_fields.items():
                yield (group, name), field


def _message(problem: ErrorDetails, field: FieldInfo | None) -> str:
    kind, value = problem["type"], problem.get("input")
    if kind in GROUP_ERRORS:
        return f'must be JSON, {{"name": "value"}}{_json_error_position(value)}'
    if kind in LIST_ERRORS:
        members = _members(field.annotation) if field is not None else ()
        if any(_is_group(member) for member in members):
            return f'must be a list in JSON, [{{"name": "value"}}]{_json_error_position(value)}'
        return f'must be a list: values with commas between them, or JSON, ["one", "two"]{_json_error_position(value)}'
    message = plain_message(problem)
    if kind == "string_pattern_mismatch" and field is not None and isinstance(field.default, str) and field.default:
        message += f", such as {field.default}"
    return message


def _json_error_position(value: object) -> str:
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        try:
            json.loads(value)
        except json.JSONDecodeError as error:
            return f"; the JSON is broken at character {error.pos + 1}: {error.msg}"
        except RecursionError:
            return "; the JSON is nested too deeply"
    return ""
