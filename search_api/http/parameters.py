"""Types and checks of parameters for all operations: texts, lists, boxes, spans."""

from __future__ import annotations

import inspect
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, wraps
from typing import Annotated, Any, TypeVar, cast, get_type_hints
from urllib.parse import unquote_to_bytes

from flask import Flask, Response, abort, request
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema
from werkzeug.datastructures import MultiDict

from core.errors import InvalidInput
from core.geo import BBox
from core.json_types import Json
from core.timespan import TimeSpan, instant_ms, rfc3339_ms
from search_api.http.access.guard import scope_of
from search_api.http.problems import from_validation, unknown_parameter

LONGEST_QUERY = 2000
LONGEST_VALUE = 512
MOST_VALUES = 50
MOST_IDS = 1000

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

SEPARATED = {"format": "separated"}
"""Marks the schema of a comma-separated list, until the OpenAPI document replaces it."""
_INSTANT = r"(\.\.|[0-9+-][0-9TtZz:.+-]*)?"
Cursor = Annotated[str, Field(max_length=2000, json_schema_extra={"pattern": "^[A-Za-z0-9_-]*$"})]
_NUMBERS = (int, float, int | None, float | None)


def printable(text: str) -> str:
    """The text without surrounding space. Raises ValueError for control characters."""
    if not text.isprintable() and any(
        unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\n\r" for character in text
    ):
        raise ValueError("holds control characters; leave them out")
    return text.strip()


def filled(text: str) -> str:
    """Raises ValueError for an empty text, which no record has: nothing would be found, or all."""
    if not text.strip():
        raise ValueError("is empty; give it a value, or leave it out")
    return text


def split_values(values: object) -> list[str]:
    """Splits ``a,b``; accepts ``a&...=b`` too, and a single value of a JSON body. Raises ValueError."""
    texts = values if isinstance(values, list | tuple) else [values]
    if any(isinstance(text, list | dict) for text in texts):
        raise ValueError("is a text, or a list of texts")
    return [part for text in texts for part in str(text).split(",") if part.strip()]


def read_bbox(text: str) -> BBox:
    """``w,s,e,n``. Raises ValueError with the reason."""
    numbers = text.split(",")
    if len(numbers) != 4:
        raise ValueError(f"needs four numbers west,south,east,north; there are {len(numbers)}")
    try:
        west, south, east, north = map(plain_number, numbers)
    except ValueError as error:
        raise ValueError(f"needs four numbers west,south,east,north in degrees; {error}") from None
    return BBox(west, south, east, north)


def plain_number(text: str) -> float:
    """A decimal number in ASCII digits. Python's own reading also takes ``1_0``, ``nan`` and digits of other scripts.

    Raises ValueError.
    """
    if _NUMBER.fullmatch(text.strip()) is None:
        raise ValueError(f"{text.strip()[:40]!r} is not a number")
    return float(text)


def read_flat_bbox(text: str) -> BBox:
    """Four numbers, or six of which the heights are ignored. Raises ValueError."""
    numbers = text.split(",")
    return read_bbox(",".join(numbers[position] for position in (0, 1, 3, 4)) if len(numbers) == 6 else text)


def read_datetime(text: str) -> TimeSpan:
    """An instant (of any precision) or ``start/end``. Raises ValueError with the reason."""
    edges = text.split("/")
    if len(edges) == 1:
        return TimeSpan(instant_ms(text), instant_ms(text, at_end=True))
    if len(edges) > 2:
        raise ValueError("needs one instant or start/end")
    span = TimeSpan.from_iso(edges[0], edges[1])
    if span.start_ms is None and span.end_ms is None:
        raise ValueError("needs at least one end; leave datetime out for any time")
    return span


def read_rfc3339(text: str) -> TimeSpan:
    """STAC's form: a moment of RFC 3339, or two of which either may be open. Raises ValueError."""
    for edge in text.split("/"):
        if "/" not in text or edge not in ("", ".."):
            rfc3339_ms(edge)
    return read_datetime(text)


def _checked_by(parse: Callable[[str], object]) -> AfterValidator:
    """Keeps the text as written, and refuses what ``parse`` refuses."""

    def check(text: str) -> str:
        parse(text)
        return text

    return AfterValidator(check)


def _join(value: object) -> object:
    """Converts ``[5, 47, 15, 55]`` of a JSON body to ``5,47,15,55``."""
    return ",".join(map(str, value)) if isinstance(value, list) else value


def _box_schema(limit: int) -> WithJsonSchema:
    """A bbox as in OGC API: a list of numbers, separated by commas in a query."""
    return WithJsonSchema({"type": "array", "minItems": 4, "maxItems": limit, "items": {"type": "number"}, **SEPARATED})


Text = Annotated[str, AfterValidator(printable), Field(max_length=LONGEST_VALUE)]
FilledText = Annotated[Text, AfterValidator(filled)]
Values = Annotated[
    list[FilledText],
    BeforeValidator(lambda values: [values] if isinstance(values, str) else values),
    Field(max_length=MOST_VALUES),
]
Tokens = Annotated[
    list[Text],
    BeforeValidator(split_values),
    Field(max_length=MOST_VALUES, json_schema_extra={**SEPARATED}),
]
Ids = Annotated[
    list[Text],
    BeforeValidator(split_values),
    Field(max_length=MOST_IDS, json_schema_extra={**SEPARATED}),
]
BoxText = Annotated[str, BeforeValidator(_join), _checked_by(read_bbox)]
BoxParameter = Annotated[BoxText, _box_schema(4)]
FlatBoxParameter = Annotated[str, BeforeValidator(_join), _checked_by(read_flat_bbox), _box_schema(6)]
SpanText = Annotated[
    str,
    _checked_by(read_datetime),
    Field(json_schema_extra={"maxLength": 100, "pattern": f"^{_INSTANT}(/{_INSTANT})?$"}),
]
MomentText = Annotated[
    str,
    _checked_by(read_rfc3339),
    Field(json_schema_extra={"maxLength": 100, "pattern": f"^{_INSTANT}(/{_INSTANT})?$"}),
]


class Parameters(BaseModel, extra="forbid", populate_by_name=False):
    """Base of every query: refuses unknown names; the schema is made once, not for every request."""

    @field_validator("*", mode="before")
    @classmethod
    def _numbers_are_plain(cls, value: object, info: ValidationInfo) -> object:
        """``limit=1_0`` is no number to anybody but Python."""
        annotation = cls.model_fields[info.field_name].annotation if info.field_name is not None else None
        if isinstance(value, str) and annotation in _NUMBERS:
            plain_number(value)
        return value

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> Json:
        return _schema(cls) if not args and not kwargs else super().model_json_schema(*args, **kwargs)


class NoParameters(Parameters):
    """For an operation without parameters."""


@cache
def _schema(model: type[Parameters]) -> Json:
    return super(Parameters, model).model_json_schema()


def refuse_unknown(model: type[Parameters]) -> None:
    """Ends the request for a parameter that the model does not have; for views that read theirs themselves."""
    try:
        model.model_validate(request.args.to_dict())
    except ValidationError as error:
        abort(from_validation(error))


@dataclass(frozen=True, slots=True)
class OneOf:
    """``Annotated[str, OneOf(names)]``: like ``Literal``, for names known only at run time."""

    names: Callable[[], Iterable[str]]

    def __get_pydantic_core_schema__(self, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check_known, core_schema.str_schema())

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> Json:
        return {"enum": list(self.names()), "type": "string"}

    def _check_known(self, value: str) -> str:
        names = [f"'{name}'" for name in self.names()]
        if f"'{value}'" not in names:
            *first, last = names
            expected_values = f"{', '.join(first)} or {last}" if first else last
            raise PydanticCustomError("literal_error", "Input should be {expected}", {"expected": expected_values})
        return value


_NOT_CHECKED = frozenset(("/oai", "/csw", "/mcp", "/metrics", "/opened/<link>", "/records/<record>"))
"""Two protocols refuse parameters in their own form; tools and people add something to the other addresses."""


def register(app: Flask) -> None:
    """Refuses what flask-openapi would read as something else: a parameter of a view without any, a second value that
    differs from the first, and text that is not UTF-8.
    """

    @app.before_request
    def refuse() -> None:
        rule = request.url_rule
        if not request.query_string or rule is None or rule.rule in _NOT_CHECKED:
            return
        if scope_of(rule.rule, request.method) is None:  # pages and probes
            return
        _refuse_other_encodings(request.query_string)
        model = _query_of(app.view_functions[rule.endpoint])
        for name, values in request.args.lists():
            if model is None:
                abort(unknown_parameter(name))
            if len(set(values)) > 1 and name in _schema(model)["properties"] and name not in _lists(model):
                raise InvalidInput(name, f"{name}: has {len(values)} different values; give it once")


@cache
def _query_of(view: Callable[..., object]) -> type[Parameters] | None:
    return cast(type[Parameters] | None, get_type_hints(inspect.unwrap(view)).get("query"))


def _refuse_other_encodings(query: bytes) -> None:
    """Raises InvalidInput for a parameter that is not UTF-8, such as ``q=M%FCnchen``."""
    for parameter in query.split(b"&"):
        try:
            unquote_to_bytes(parameter).decode()
        except UnicodeDecodeError:
            name = parameter.partition(b"=")[0].decode("ascii", "replace")
            raise InvalidInput(name, f"{name}: is not UTF-8; percent-encode the bytes of its text in UTF-8") from None


Query = TypeVar("Query", bound=Parameters)


def checked_query(view: Callable[[Query], Response]) -> Callable[..., Response]:
    """A view whose only argument is ``query``, a model of Parameters. Goes below the route's decorator.

    flask-openapi, which documents the view, leaves the check to it.
    """
    model: type[Query] = get_type_hints(view)["query"]

    @wraps(view)
    def checked() -> Response:
        try:
            query = model.model_validate(with_lists(model, request.args))
        except ValidationError as error:
            abort(from_validation(error))
        return view(query)

    checked.__delay_validate_request__ = True  # type: ignore[attr-defined]
    return checked


def with_lists(model: type[Parameters], given: MultiDict[str, str]) -> Json:
    """The values as the model reads them; several for a parameter that takes one stay a list, which it refuses."""
    lists = _lists(model)
    return {name: values if name in lists or len(set(values)) > 1 else values[0] for name, values in given.lists()}


@cache
def _lists(model: type[Parameters]) -> frozenset[str]:
    """The parameters that may be given several times."""
    properties = model.model_json_schema()["properties"]
    return frozenset(
        name
        for name, schema in properties.items()
        if any(choice.get("type") == "array" for choice in (schema, *schema.get("anyOf", ())))
    )
