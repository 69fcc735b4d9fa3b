"""``sources.yaml``: what is taken, and what is refused by name."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from core.errors import NotFound, SondeError, WrongFile
from workers.config import WorkerConfig
from workers.source_config import load_sources
from workers.source_entry import interval_seconds


def load(folder: Path, text: str) -> dict[str, object]:
    path = folder / "sources.yaml"
    path.write_text(text, "utf-8")
    return dict(load_sources(path))


def test_a_full_entry(tmp_path: Path) -> None:
    (tmp_path / "sources.yaml").write_text(
        "sources:\n"
        "  - id: ncar\n    type: folder\n    path: data/ncar.tar.gz\n    title: NCAR\n"
        "    schedule: {cron: '30 3 * * *'}\n    max_removal_share: 0.1\n"
        "  - {id: two, type: folder, path: /abs, schedule: {interval: 6h}}\n",
        "utf-8",
    )
    sources = load_sources(tmp_path / "sources.yaml")
    assert list(sources) == ["ncar", "two"]
    assert sources["ncar"].path == tmp_path / "data/ncar.tar.gz"
    assert sources["two"].path == Path("/abs")
    assert sources["ncar"].schedule is not None
    assert sources["two"].schedule is not None
    assert sources["ncar"].schedule.for_celery().hour == {3}  # type: ignore[union-attr]
    assert sources["two"].schedule.for_celery().run_every == timedelta(hours=6)


def test_intervals_in_seconds() -> None:
    assert [interval_seconds(text) for text in ("45s", "10m", "6h", "2d")] == [45, 600, 21_600, 172_800]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("{id: a, type: folder, path: x, shedule: {interval: 1h}}", "sources.0.shedule"),
        ("{id: a, type: ftp, path: x}", "sources.0.type"),
        ("{id: 'A b', type: folder, path: x}", "sources.0.id"),
        ("{id: a, type: folder}", "sources.0.path"),
        ("{id: a, type: folder, path: x, schedule: {interval: soon}}", "sources.0.schedule.interval"),
        ("{id: a, type: folder, path: x, schedule: {cron: '61 3 * * *'}}", "sources.0.schedule.cron"),
        ("{id: a, type: folder, path: x, schedule: {cron: '3 * *'}}", "five fields"),
        ("{id: a, type: folder, path: x, schedule: {}}", "either cron or interval"),
        ("{id: a, type: folder, path: x, max_removal_share: 2}", "sources.0.max_removal_share"),
        ("{id: a, type: folder, path: x}\n  - {id: a, type: folder, path: y}", "the id a is given twice"),
        ("'unclosed", "not YAML"),
        ("{id: a, type: folder, path: x, access: {restrictedto: [g]}}", "no known name; did you mean restricted_to?"),
        ("{id: a, type: folder, path: x, schedule: {interval: 24}}", "interval: must be a text"),
        ("{id: a, type: csw, url: 'http://a', options: {contain: x}}", "contain: is no known name"),
        ("{id: a, type: sitemap, url: 'http://a', options: {contain: x}}", "did you mean contains"),
        ("{id: a, type: folder, path: x, paused: maybe}", "paused: must be true or false"),
        ("{type: folder, path: x}", "id: is missing; write it"),
        ("a", "sources.0: must be names with values"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, line: str, named: str) -> None:
    with pytest.raises(SondeError, match=named):
        load(tmp_path, f"sources:\n  - {line}\n")


def test_sources_that_are_no_list_are_refused_in_plain_words(tmp_path: Path) -> None:
    with pytest.raises(
        SondeError, match="line 1: sources: must be a list, each entry in a line that starts with a dash"
    ):
        load(tmp_path, "sources: a\n")


def test_an_empty_file_has_no_sources_and_a_missing_one_is_named(tmp_path: Path) -> None:
    assert load(tmp_path, "") == {}
    with pytest.raises(NotFound, match=r"none\.yaml"):
        load_sources(tmp_path / "none.yaml")


def config(**times: float) -> WorkerConfig:
    return WorkerConfig("redis://x", "p", Path("s"), **times)  # type: ignore[arg-type]


def test_times_that_do_not_fit_together_are_refused() -> None:
    assert config().task_limit_s < config().visibility_timeout_s
    with pytest.raises(ValueError, match="heartbeat_s"):
        config(heartbeat_s=21.0)
    with pytest.raises(ValueError, match="lease_s"):
        config(lease_s=12.0)
    with pytest.raises(ValueError, match="slice_s"):
        config(slice_s=1350.0)  # three quarters of 1,800


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"sources: \x00",
        b"sources: [{id: a, type: folder, path: 2020-13-45}]",
        b"[" * 5000,
        b"secret",
        b"{",
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "sources.yaml"
    path.write_bytes(content)
    with pytest.raises(WrongFile, match=r"sources\.yaml"):
        load_sources(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(WrongFile, match="cannot be read"):
        load_sources(path)


def test_access_is_for_groups_or_for_everybody(tmp_path: Path) -> None:
    def groups(access: str) -> object:
        return load(tmp_path, f"sources:\n  - {{id: a, type: folder, path: x{access}}}\n")["a"].access.groups  # type: ignore[attr-defined]

    assert groups(", access: {restricted_to: [b, c]}") == ("b", "c")
    assert groups(", access: {public: true}") == ()
    assert groups("") is groups(", access: {}") is groups(", access: {restricted_to: []}") is None
    with pytest.raises(WrongFile, match="either restricted_to or public"):
        groups(", access: {restricted_to: [b], public: true}")
