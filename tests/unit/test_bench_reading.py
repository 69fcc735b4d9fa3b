"""What `sonde bench` times of our own thinking is what serving runs, and every sample is counted."""

from __future__ import annotations

from lab.measures import made_up, time_hausdorff, time_ranking, time_understanding
from reading.gazetteer import Gazetteer
from reading.places import PlaceReader
from reading.times import TimeReader
from search_api.search.ranking.config import default_config
from search_api.search.ranking.signals.spatial import BOXES
from search_api.search.understanding.understand import Understander


def test_every_question_of_every_round_is_counted() -> None:
    understander = Understander(PlaceReader(Gazetteer()), TimeReader())
    timed = time_understanding(understander, ["rain in Kenya", "sea ice since 1990"], rounds=3)
    assert timed.count == 6
    assert 0.0 < timed.p50 <= timed.p95


def test_the_candidates_are_the_same_every_time() -> None:
    one, other = made_up(50), made_up(50)
    assert one.ids == other.ids
    assert (one[BOXES].values == other[BOXES].values).all()
    assert one.arms["bm25"].tolist() == other.arms["bm25"].tolist()


def test_ranking_and_distances_are_timed() -> None:
    for timed in (time_ranking(default_config().records, count=20), time_hausdorff(count=20)):
        assert timed.count == 200
        assert 0.0 < timed.p50 <= timed.p95
