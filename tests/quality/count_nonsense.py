"""``python -m tests.quality.count_nonsense [COLLECTION]``: which of the eighty nonsense questions get an answer.

Over the records of a judged collection (``samples`` where none is named) in a throw-away index, with the pipeline that
serves. Prints each answered question with its number of answers. Hits that a note calls off topic are no answer.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path

import click

from evaluation.collection import JudgedQuestion
from evaluation.variants import Variant
from sonde.ops.temporary_node import temporary_node
from sonde.settings import load_settings
from sonde.wiring.evaluating import bench, judged_collection

NONSENSE = Path(__file__).resolve().parent / "nonsense.jsonl"


def questions() -> list[JudgedQuestion]:
    rows = map(json.loads, NONSENSE.read_text("utf-8").splitlines())
    return [JudgedQuestion(row["_id"], row["text"], kind=row["kind"]) for row in rows]


def main(name: str) -> None:
    shared = os.environ.get("SONDE_SHARED")
    collection = judged_collection(name, Path(shared) if shared else None, None)
    with (
        temporary_node(load_settings(), partial(click.echo, err=True)) as settings,
        bench(settings, collection) as ready,
    ):
        asked = [(one, ready.pipeline.search(Variant().request(one.text))) for one in questions()]
    answered = [(one, answer.matched) for one, answer in asked if answer.hits and not answer.is_off_topic]
    for one, count in answered:
        sys.stdout.write(f"{one.id}\t{one.kind}\t{count}\t{one.text}\n")
    sys.stdout.write(f"{len(answered)} of {len(asked)} are answered over {name}\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "samples")
