"""When a source should have been harvested: from its schedule and the start of its last run."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from workers.source_entry import ScheduleEntry, overdue_s

BEGAN = datetime(2026, 11, 20, 4, 5, tzinfo=UTC)  # a Friday
NOW = datetime(2026, 11, 26, 15, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("when", "hours"),
    [
        ({"cron": "0 3 * * *"}, 132),  # wanted on the 21st at 03:00
        ({"cron": "0 3 * * sun"}, 108),
        ({"cron": "0 3 1 * *"}, 0),  # not before the first of December
        ({"interval": "7d"}, 0),
        ({"interval": "6d"}, 10 + 55 / 60),
    ],
)
def test_a_source_is_overdue_since_the_first_time_that_it_missed(when: dict[str, str], hours: float) -> None:
    assert overdue_s("a", ScheduleEntry.model_validate(when), BEGAN, NOW) == pytest.approx(hours * 3600)


def test_its_own_delay_is_not_late() -> None:
    when = ScheduleEntry(interval="6d", jitter="10m")
    assert overdue_s("a", when, BEGAN, NOW) == pytest.approx((10 + 55 / 60) * 3600 - when.delay_s("a"))
