"""Loads the configured models once, so that exports are in the models folder: for the image and for warm starts.

``python -m sonde.ops.prepare_models [EMBEDDER]...`` prepares these embedders as well, so that a setting can choose them
where the folder is read-only.
"""

from __future__ import annotations

import subprocess  # nosec B404
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from core.errors import SondeError
from encoders.catalogue import needs_preparing
from encoders.specs import EmbedderSpec
from local_stack.part import Reporter
from sonde.settings import Settings, load_settings
from sonde.telemetry.logs import configure_logs
from sonde.wiring.models import Models


def main(further: Sequence[str]) -> None:
    settings = load_settings()
    configure_logs(settings.log)
    models = Models(settings)
    for name in (None, *further):
        models.embedder(name).embed(["warm"], "query")
    if models.question_recogniser is not None:
        models.question_recogniser.entities("Berlin")


@contextmanager
def preparing_in_background(settings: Settings, report: Reporter) -> Iterator[None]:
    """Prepares the embedder in another process while the block runs, if it is not prepared yet.

    A process that loads the embedder meanwhile waits for the other one, and reports problems of the model.
    """
    embedder_settings = settings.embedder
    if not needs_preparing(EmbedderSpec(embedder_settings.model, settings.models.folder, embedder_settings.runtime)):
        yield
        return
    report("embedder.preparing", model=embedder_settings.model)
    command = [sys.executable, "-m", "sonde.ops.prepare_models"]
    # Our own interpreter and module.
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):  # noqa: S603 # nosec B603
        yield


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SondeError as error:
        sys.exit(f"sonde: {error}")
