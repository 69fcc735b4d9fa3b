"""Reads a file line by line and collects all its faults, so that they can be fixed together."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO, TypeVar, cast

from pydantic import BaseModel, ValidationError

from core.errors import SondeError
from evaluation.collection import BadCollection

M = TypeVar("M", bound=BaseModel)


@dataclass(slots=True)
class Faults:
    """The faults of one file, by line."""

    path: Path
    found: list[str] = field(default_factory=list)

    def add(self, line: int, what: str) -> None:
        self.found.append(f"line {line}: {what}")

    def refuse(self) -> None:
        """Raises BadCollection if there is a fault."""
        if self.found:
            raise BadCollection(str(self.path), self.found)


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, numbered from 1; decompressed if the name ends in ``.gz``.

    Raises SondeError if the file cannot be read as UTF-8 text.
    """
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SondeError(f"{path} is not a whole gzip file.") from error
    except OSError as error:
        raise SondeError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SondeError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}.") from error


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return cast(TextIO, gzip.open(path, "rt", encoding="utf-8-sig"))
    return path.open(encoding="utf-8-sig")


def json_lines(path: Path, kind: type[M], faults: Faults) -> Iterator[tuple[int, M]]:
    """One object per line as ``kind``; an invalid line is a fault and is skipped."""
    for number, line in lines(path):
        try:
            value: object = json.loads(line)
            yield number, kind.model_validate(value)
        except ValidationError as error:
            named = (f"{'.'.join(map(str, one['loc'])) or 'line'}: {one['msg']}" for one in error.errors())
            faults.add(number, ", ".join(named))
        except (ValueError, RecursionError) as error:
            faults.add(number, f"is not JSON ({error})")
