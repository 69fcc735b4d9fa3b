"""Reads ``sources.yaml``; refuses each invalid entry by name and line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Generic, TypeVar

import yaml
from pydantic import BaseModel, ValidationError, field_validator

from core.errors import NotFound, WrongFile
from core.json_types import Json
from workers.config_faults import allowed_names, fault
from workers.source_entry import SourceEntry, Strict

Entry = TypeVar("Entry", bound=SourceEntry)


def line_of(root: yaml.Node | None, path: Sequence[str | int]) -> int | None:
    """The line (from 1) of the value at ``path``, or of its nearest existing parent."""
    if root is None:
        return None
    node, line = root, root.start_mark.line
    for step in path:
        child = _child_of(node, step)
        if child is None:
            break
        node, line = child[0], child[1]
    return line + 1


def _child_of(node: yaml.Node, step: str | int) -> tuple[yaml.Node, int] | None:
    """The value of a key with the key's line, or an item of a list with its own."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == str(step):
                return value, key.start_mark.line
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        item = node.value[step]
        return item, item.start_mark.line
    return None


class SourcesFile(Strict, Generic[Entry]):
    """The whole file, each of its sources an ``Entry``."""

    sources: tuple[Entry, ...] = ()

    @field_validator("sources")
    @classmethod
    def _ids_differ(cls, sources: tuple[Entry, ...]) -> tuple[Entry, ...]:
        ids = [source.id for source in sources]
        duplicates = sorted({id for id in ids if ids.count(id) > 1})
        if duplicates:
            raise ValueError(f"the id {', '.join(duplicates)} is given twice")
        return sources


def source_entries(path: Path) -> dict[str, SourceEntry]:
    """The entries by id, as ``read_sources`` reads them; types and options may be unknown."""
    return read_sources(path, SourcesFile[SourceEntry])


def read_sources(path: Path, file: type[SourcesFile[Entry]]) -> dict[str, Entry]:
    """The sources by id, in the file's order; relative paths start in the file's folder.

    Raises NotFound if there is no such file, and WrongFile that names every invalid entry with its line.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise NotFound(f"{path}: there is no sources file; name the catalogues to harvest there.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise WrongFile(f"{path} cannot be read: {_reason(error)}.") from error
    raw = _yaml(path, text)
    try:
        content = file.model_validate({} if raw is None else raw)
    except ValidationError as error:
        raise WrongFile(f"{path} is wrong. " + "; ".join(_faults(error, yaml.compose(text), file))) from None
    return {source.id: _with_absolute_paths(source, path.parent) for source in content.sources}


def _yaml(path: Path, text: str) -> object:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that does not exist
        raise WrongFile(f"{path} is not YAML: {error}") from error
    except RecursionError:
        raise WrongFile(f"{path} is not YAML that can be read: it is nested too deeply.") from None


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else f"it is no UTF-8 text ({error.reason})"


def _with_absolute_paths(source: Entry, folder: Path) -> Entry:
    """Resolves relative paths from the file's folder."""
    update: Json = {name: folder / path for name in ("path", "ca_file") if (path := getattr(source, name)) is not None}
    if source.auth is not None:
        update["auth"] = source.auth.model_copy(update={"file": folder / source.auth.file})
    return source.model_copy(update=update)


def _faults(error: ValidationError, root: yaml.Node | None, file: type[BaseModel]) -> list[str]:
    """``line 4: sources.0.shedule: is no known name; did you mean schedule?``, one per problem."""
    faults = []
    for problem in error.errors(include_input=False):
        line = line_of(root, problem["loc"])
        position = f"line {line}: " if line is not None else ""
        faults.append(
            f"{position}{'.'.join(map(str, problem['loc']))}: {fault(problem, allowed_names(file, problem['loc']))}"
        )
    return faults
