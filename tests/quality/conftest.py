"""The judged NCAR records and a share of the others, read once in a run for several tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.collection import JudgedCollection
from evaluation.collections import ncar
from tests.once import once_in_the_run
from tests.quality.ncar_archives import cut_archives, needed_ids


@pytest.fixture(scope="session")
def judged_ncar(tmp_path_factory: pytest.TempPathFactory) -> JudgedCollection:
    """All judged records of both archives with a sample of the others, and all questions."""

    def make() -> JudgedCollection:
        return ncar.load(cut_archives(tmp_path_factory.mktemp("ncar"), needed_ids()), Path(__file__).parent / "ncar")

    return once_in_the_run(tmp_path_factory, "ncar", make)
