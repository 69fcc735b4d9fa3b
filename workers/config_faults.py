"""Says in plain words what is wrong with a value of a file or a setting, and what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence
from typing import get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

_VALUES = {
    "missing": "is missing; write it",
    "missing_argument": "is missing; write it",
    "string_type": "must be a text, such as a word or a value in quotation marks",
    "path_type": "must be the path of a file or folder",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
}
GROUP_ERRORS = frozenset(("model_type", "model_attributes_type", "dict_type"))
"""Pydantic's errors for a value that should be a group of names with values."""
LIST_ERRORS = frozenset(("tuple_type", "list_type", "set_type", "frozen_set_type"))
"""The same for a value that should be a list."""
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")


def fault(problem: ErrorDetails, known_names: Collection[str]) -> str:
    """``known_names``: the allowed names, of which the nearest is proposed for an unknown one."""
    kind = problem["type"]
    if kind in _UNKNOWN:
        similar = difflib.get_close_matches(str(problem["loc"][-1]), known_names, 1)
        hint = f"did you mean {similar[0]}?" if similar else f"possible are {', '.join(sorted(known_names)) or 'none'}"
        return f"is no known name; {hint}"
    if kind in GROUP_ERRORS:
        return "must be names with values (`name: value`), one in a line"
    if kind in LIST_ERRORS:
        return "must be a list, each entry in a line that starts with a dash"
    return plain_message(problem)


def plain_message(problem: ErrorDetails) -> str:
    """What to write instead of a wrong value that is neither a group nor a list."""
    message = problem["msg"].removeprefix("Value error, ").replace("Input should", "must", 1)
    return _VALUES.get(problem["type"], message.replace("String should match pattern", "must have the form", 1))


def allowed_names(model: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """The allowed names in the group of the last step of ``path``; empty if any name is allowed."""
    for step in path[:-1]:
        if isinstance(step, int):
            continue
        field = model.model_fields.get(step)
        submodel = next(_groups(field.annotation), None) if field is not None else None
        if submodel is None:
            return []
        model = submodel
    return list(model.model_fields)


def _groups(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _groups(argument)
