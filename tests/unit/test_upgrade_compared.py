"""What `python -m lab.operating upgrade` calls lost."""

from __future__ import annotations

from lab.operating.filling import KindComparison, compare_contents
from lab.operating.upgrade import UpgradeStep


def test_documents_are_compared_by_kind_and_id() -> None:
    before = {"keys": {"a": "1", "b": "2", "c": "3"}, "visits": {"x": "1"}}
    now = {"keys": {"a": "1", "b": "changed", "d": "new"}}
    assert compare_contents(before, now) == [KindComparison("keys", 3, 3, 1, 1), KindComparison("visits", 1, 0, 1, 0)]  # type: ignore[arg-type]


def test_a_changed_document_is_lost_only_where_no_version_writes_it_again() -> None:
    kinds = (
        KindComparison("library", 9, 9, 0, 9),
        KindComparison("keys", 2, 2, 0, 1),
        KindComparison("records", 5, 4, 1, 0),
    )
    assert UpgradeStep("", 0.0, "", kinds=kinds).lost == 2
    assert UpgradeStep("", 0.0, "", kinds=kinds[:1]).right


def test_a_bad_search_or_a_failed_command_is_not_right() -> None:
    assert UpgradeStep("", 0.0, "", {"right": 9, "refused": 1}).right
    assert not UpgradeStep("", 0.0, "", {"right": 9, "failed": 1}).right
    assert not UpgradeStep("", 0.0, "", trouble="it did not start").right
