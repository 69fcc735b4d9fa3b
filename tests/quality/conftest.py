"""The judged NCAR records, read once in a run: ten thousand documents for several tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.collection import JudgedCollection
from evaluation.collections import ncar
from tests.once import once_in_the_run
from tests.shared_data import shared_data


@pytest.fixture(scope="session")
def whole_ncar(tmp_path_factory: pytest.TempPathFactory) -> JudgedCollection:
    """All records of both archives, with all questions."""
    data, judged = shared_data("catalogues").parent, Path(__file__).parent / "ncar"
    return once_in_the_run(tmp_path_factory, "ncar", lambda: ncar.load(data, judged))
