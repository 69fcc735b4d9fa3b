"""The option `--precision` of every network training."""

from __future__ import annotations

from typing import get_args

import click

from core.json_types import JsonMapping
from training.weights import Precision, quickest

precise = click.option(
    "--precision",
    type=click.Choice(("auto", *get_args(Precision))),
    default="auto",
    show_default=True,
    help="bfloat16 is about three times as fast; auto uses it if the processor supports it.",
)


def precision_of(given: JsonMapping) -> Precision:
    """The precision that ``--precision`` means on the requested ``device``, if any."""
    asked: Precision = given["precision"]
    return quickest(given.get("device", "cpu")) if given["precision"] == "auto" else asked
