"""The freezer's normal form and its comparison."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from local_stack.state import made_login
from sonde.settings import ElasticsearchSettings, Settings, StackSettings
from tests.freeze.lines import Normaliser, differences, digest, read_state, write_state
from tests.freeze.service import frozen_settings
from tests.quality.count_calls import Calls

SINCE = datetime.now(UTC) - timedelta(minutes=1)


def test_durations_and_the_runs_own_moments_are_no_content() -> None:
    stamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    answer = {"sonde:took_ms": 12, "b": [1.00000049, -0.0], "at": f"made {stamp}", "object": "<X at 0x7f00aabbccdd>"}
    assert Normaliser(SINCE).value(answer) == {"at": "made NOW", "b": [1.0, 0.0], "object": "<X at ADDRESS>"}


def test_stored_moments_stay() -> None:
    assert Normaliser(SINCE).text("harvested 2026-03-01T10:00:00Z") == "harvested 2026-03-01T10:00:00Z"


def test_a_vector_is_its_digest_and_a_short_list_is_itself() -> None:
    vector, other = [0.1] * 100, [0.1] * 99 + [0.2]
    normal = Normaliser(SINCE)
    assert normal.value(vector) == normal.value([0.1000000001] * 100) != normal.value(other)
    assert normal.value([0.1, 0.2]) == [0.1, 0.2]


def test_the_digest_of_a_dataclass_knows_values_not_names() -> None:
    @dataclass(frozen=True)
    class Before:
        said: str
        size: tuple[float, ...]

    @dataclass(frozen=True)
    class After:
        text: str
        box: tuple[float, ...]

    assert digest(Before("a", (1.0,))) == digest(After("a", (1.0,))) != digest(After("a", (1.1,)))


def test_differences_are_named_by_line_and_part_and_can_be_allowed() -> None:
    before = {
        "search: ice": {"name": "search: ice", "answer": {"hits": ["a", "b"], "total": 2}, "sent": [1]},
        "gone": {"name": "gone", "answer": 1},
    }
    after = {"search: ice": {"name": "search: ice", "answer": {"hits": ["b", "a"], "total": 2}, "sent": [2]}}
    found = differences(before, after, [])
    assert [one.name for one in found] == ["search: ice#answer", "gone#missing", "search: ice#sent"]
    assert found[0].where == ("/hits/0: 'a' -> 'b'", "/hits/1: 'b' -> 'a'")
    assert [one.name for one in differences(before, after, ["*#sent", "gone#missing"])] == ["search: ice#answer"]
    assert differences(before, before, []) == []


def test_a_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    lines = [{"name": "ü", "answer": ["a\nb", 1.5, None]}, {"name": "b", "digest": "1"}]
    assert write_state(tmp_path / "deep" / "state.gz", {"prefix": "p"}, lines) == 2
    assert read_state(tmp_path / "deep" / "state.gz") == ({"prefix": "p"}, {line["name"]: line for line in lines})


def test_calls_of_the_named_folders_alone_are_counted() -> None:
    counted = Calls((str(Path(__file__).parent),))

    def numbers() -> list[int]:
        return sorted(number for number in (2, 1))

    counted.watch(numbers)
    assert (len(counted.files), len(counted.functions), counted.moves) == (1, 2, 0)
    assert counted.calls - counted.resumed == 2


def test_the_frozen_service_has_the_login_of_the_stack_of_this_machine(tmp_path: Path) -> None:
    settings = Settings(elasticsearch=ElasticsearchSettings(url=None), stack=StackSettings(folder=tmp_path))
    login = made_login(tmp_path)
    frozen = frozen_settings(settings, "http://127.0.0.1:9", "trial")
    assert frozen.elasticsearch_url == f"http://{login.user}:{login.password}@127.0.0.1:9"
