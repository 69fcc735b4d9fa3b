"""`sonde train`: trains models on your own catalogue."""

from __future__ import annotations

import click

from sonde.cli.lazy_group import LazyGroup

MODULES = {
    "examples": "sonde.cli.train_answers",
    "teach": "sonde.cli.train_answers",
    "embedder": "sonde.cli.train_encoders",
    "cross-encoder": "sonde.cli.train_encoders",
    "reranker": "sonde.cli.train_encoders",
    "tokens": "sonde.cli.train_tokens",
    "segmenter": "sonde.cli.train_reading",
    "tagger": "sonde.cli.train_reading",
    "answers": "sonde.cli.train_answers",
}


@click.group(cls=LazyGroup, modules=MODULES)
def train() -> None:
    """Train a model on the records of a catalogue and measure it before and after. The service does not change."""


COMMANDS = [train]
