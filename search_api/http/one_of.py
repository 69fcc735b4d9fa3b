"""A parameter whose values are the names in a table, read at each check or description."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from core.json_types import Json


@dataclass(frozen=True, slots=True)
class OneOf:
    """``Annotated[str, OneOf(names)]``: like ``Literal``, for names known only at run time."""

    names: Callable[[], Iterable[str]]

    def __get_pydantic_core_schema__(self, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._known, core_schema.str_schema())

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> Json:
        return {"enum": list(self.names()), "type": "string"}

    def _known(self, given: str) -> str:
        names = [f"'{name}'" for name in self.names()]
        if f"'{given}'" not in names:
            *first, last = names
            expected = f"{', '.join(first)} or {last}" if first else last
            raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected})
        return given
