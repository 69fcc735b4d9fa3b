"""Which settings the code reads, found in its syntax: an attribute of a group of settings, wherever that is named."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel

from sonde.settings import Settings

_WHOLE = {"settings", "_settings"}
"""The names that the whole tree goes by."""

GROUPS: Mapping[str, type[BaseModel]] = {
    name: field.annotation
    for name, field in Settings.model_fields.items()
    if inspect.isclass(field.annotation) and issubclass(field.annotation, BaseModel)
}
_BY_CLASS = {group.__name__: name for name, group in GROUPS.items()}

Read = tuple[str, str]
"""A group, and an attribute of it."""


def documented() -> set[Read]:
    """Every setting, and every property by which others are read."""
    return {(name, field) for name, group in GROUPS.items() for field in group.model_fields}


def read_in(files: Iterable[Path]) -> set[Read]:
    return {each for file in files for each in _reads(ast.parse(file.read_text("utf-8")))}


def read_by_properties(source: str) -> dict[Read, set[Read]]:
    """For each property of the tree and its groups (the tree's own under ``""``), what it reads."""
    found: dict[Read, set[Read]] = {}
    for group in (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)):
        name = "" if group.name == Settings.__name__ else _BY_CLASS.get(group.name)
        for each in group.body if name is not None else ():
            if isinstance(each, ast.FunctionDef):
                found[str(name), each.name] = set(_reads_of_self(each, str(name)))
    return found


def _reads_of_self(property: ast.FunctionDef, group: str) -> Iterator[Read]:
    for node in ast.walk(property):
        match node:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=outer), attr=inner) if not group:
                yield outer, inner
            case ast.Attribute(value=ast.Name(id="self"), attr=own) if group:
                yield group, own


def _reads(tree: ast.AST) -> Iterator[Read]:
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.Module):
            named = dict(_named_groups(scope))
            for node in ast.walk(scope):
                if isinstance(node, ast.Attribute):
                    if _is_whole(node.value):
                        yield "", node.attr
                    group = _group_of(node.value, named)
                    if group is not None:
                        yield group, node.attr


def _named_groups(scope: ast.AST) -> Iterator[tuple[str, str]]:
    """Names in the scope that stand for a group: its parameters by their annotation, and what is assigned."""
    if isinstance(scope, ast.Module | ast.ClassDef):
        return
    assert isinstance(scope, ast.FunctionDef | ast.Lambda)
    for argument in (*scope.args.args, *scope.args.kwonlyargs):
        if isinstance(argument.annotation, ast.Name) and argument.annotation.id in _BY_CLASS:
            yield argument.arg, _BY_CLASS[argument.annotation.id]
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            for target, value in _pairs(node.targets[0], node.value):
                group = _group_of(value, {})
                if isinstance(target, ast.Name) and group is not None:
                    yield target.id, group


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def _group_of(node: ast.expr, named: Mapping[str, str]) -> str | None:
    match node:
        case ast.Name(id=name):
            return named.get(name)
        case ast.Attribute(value=whole, attr=group) if group in GROUPS and _is_whole(whole):
            return group
    return None


def _is_whole(node: ast.expr) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _WHOLE
        case ast.Call(func=ast.Name(id="load_settings")):
            return True
    return False
