"""Begins with the files that take longest, so that the processes of a run end at about the same time.

xdist gives each process whole files (``--dist loadfile``) in the order of collection (``--no-loadscope-reorder``).
A file that is missing here costs minutes at most, never a result; ``--durations 30`` shows what the longest are.
"""

from __future__ import annotations

import pytest

LONGEST = (
    "tests/integration/test_ckan.py",
    "tests/end_to_end/test_one_machine.py",
    "tests/integration/test_local_stack_up.py",
    "tests/integration/test_chaos_cluster.py",
    "tests/quality/test_gate.py",
    "tests/integration/test_models_prepared.py",
    "tests/integration/test_hostile_course.py",
    "tests/integration/test_train_stages.py",
    "tests/integration/test_workers.py",
    "tests/browser/test_page_languages.py",
    "tests/browser/test_page_people.py",
    "tests/quality/test_ncar_questions.py",  # long after test_gate.py, which makes what both read
    "tests/browser/test_page_bundle.py",
    "tests/integration/test_worker_sight.py",
    "tests/integration/test_training_embedder.py",
    "tests/integration/test_sources_volume.py",
    "tests/integration/test_train_commands.py",
    "tests/integration/test_image_roles.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {path: number for number, path in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.nodeid.partition("::")[0], len(LONGEST)))
