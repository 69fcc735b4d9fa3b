"""The page of settings describes each of them and lists what it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, get_args

import pytest
from pydantic import BaseModel, Field

from sonde.ops.tables import _models, settings_page, values_of
from sonde.settings import Settings


class _Kind(BaseModel):
    """A kind."""

    kind: Literal["embedded", "photon"] = "embedded"
    ports: int = Field(3, ge=1, lt=9, description="How many.")


class _Bare(BaseModel):
    url: str = Field("", description="An address.")


class _Planted(BaseModel):
    kind: _Kind = _Kind()
    bare: _Bare = _Bare()


def _without_description(settings: type[BaseModel]) -> Iterator[str]:
    """The variables without a description, and the groups without a sentence."""
    for group, model in _models(settings):
        if not model.__dict__.get("__doc__"):
            yield f"SONDE_{group}".upper()
        yield from (
            f"SONDE_{group}__{name}".upper() for name, field in model.model_fields.items() if not field.description
        )


def test_every_setting_and_every_group_is_described() -> None:
    assert list(_without_description(Settings)) == []


def test_a_setting_or_a_group_without_a_description_would_be_found() -> None:
    assert list(_without_description(_Planted)) == ["SONDE_KIND__KIND", "SONDE_BARE"]


def _choices(kind: object) -> set[str]:
    """The values of each ``Literal`` inside of the type."""
    inside = get_args(kind)
    if getattr(kind, "__origin__", None) is Literal:
        return set(map(str, inside))
    return {value for one in inside for value in _choices(one)}


@pytest.mark.parametrize("group", Settings.model_fields)
def test_each_value_of_an_enumeration_stands_in_its_row(group: str) -> None:
    rows = {row.split("`")[1]: row for row in settings_page().splitlines() if row.startswith("| `SONDE_")}
    model = Settings.model_fields[group].annotation
    for name, field in model.model_fields.items():  # type: ignore[union-attr]
        listed = set(re.findall(r"`([^`]+)`", rows[f"SONDE_{group}__{name}".upper()].split("|")[3]))
        assert _choices(field.annotation) <= listed


def test_values_are_said_in_words() -> None:
    fields = _Kind.model_fields
    assert values_of("SONDE_KIND__KIND", fields["kind"]) == "`embedded`, `photon`"
    assert values_of("SONDE_KIND__PORTS", fields["ports"]) == "1 to below 9"


@pytest.mark.parametrize(
    ("variable", "values"),
    [
        ("SONDE_GEOCODER__KIND", "`embedded`, `photon`, `nominatim`"),
        ("SONDE_CROSS_ENCODER__RUNTIME", "`auto`, `onnx`, `torch`, `remote`"),
        ("SONDE_API__PORT", "1 to 65535"),
        ("SONDE_API__PROBES_PORT", "1 to 65535"),
        ("SONDE_LIMITS__PER_KEY", "`NUMBER/second`, `/minute` or `/hour`; `none`"),
        ("SONDE_NET__ALLOWED_HOSTS", "list of `name` or `name:port`"),
        ("SONDE_BROKER__URL", "secret"),
    ],
)
def test_the_page_says_what_a_setting_takes(variable: str, values: str) -> None:
    row = next(row for row in settings_page().splitlines() if row.startswith(f"| `{variable}`"))
    assert row.split("|")[3].strip() == values
