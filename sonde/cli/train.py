"""`sonde train`: models of one's own, from one's own catalogue."""

from __future__ import annotations

import click

from sonde.cli.train_answers import answers
from sonde.cli.train_embedder import embedder
from sonde.cli.train_reranker import reranker
from sonde.cli.train_segmenter import segmenter


@click.group()
def train() -> None:
    """Train a model on the records of a catalogue and measure it before and after; nothing that serves is changed."""


for command in (embedder, reranker, segmenter, answers):
    train.add_command(command)

COMMANDS = [train]
