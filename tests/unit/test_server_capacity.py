"""How many processes fit: control groups of both versions as the kernel writes them, in files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sonde.ops.capacity import PROCESS_MB, Capacity, current_capacity
from sonde.server.__main__ import gunicorn_settings
from sonde.settings import ApiSettings

CORES = len(os.sched_getaffinity(0))
GIB = 1 << 30


def _written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return root


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(
            {"sys/fs/cgroup/cpu.max": "50000 100000", "sys/fs/cgroup/memory.max": str(GIB)}, id="2, its own namespace"
        ),
        pytest.param(
            {
                "proc/self/cgroup": "0::/kubepods/pod1/box",
                "sys/fs/cgroup/kubepods/pod1/cpu.max": "100000 100000",
                "sys/fs/cgroup/kubepods/pod1/box/cpu.max": "max 100000",
                "sys/fs/cgroup/kubepods/pod1/memory.max": str(GIB),
                "sys/fs/cgroup/kubepods/pod1/box/memory.max": "max",
            },
            id="2, the limit above",
        ),
        pytest.param(
            {
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "100000",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": str(GIB),
            },
            id="1, its own namespace",
        ),
        pytest.param(
            {
                "proc/self/cgroup": "4:memory:/docker/box\n3:cpu,cpuacct:/docker/box",
                "sys/fs/cgroup/cpu/docker/box/cpu.cfs_quota_us": "100000",
                "sys/fs/cgroup/cpu/docker/box/cpu.cfs_period_us": "100000",
                "sys/fs/cgroup/memory/docker/box/memory.limit_in_bytes": str(GIB),
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
            },
            id="1, by path",
        ),
    ],
)
def test_a_containers_limits_count(tmp_path: Path, files: dict[str, str]) -> None:
    found = current_capacity(root=_written(tmp_path, files))
    assert found == Capacity(cores=1, memory_mb=int(0.8 * GIB / 1e6))
    assert found.processes() == 1


def test_without_limits_it_is_the_machine_of_which_others_need_the_most(tmp_path: Path) -> None:
    none = {"sys/fs/cgroup/cpu.max": "max 100000", "sys/fs/cgroup/memory.max": "max"}
    found = current_capacity(root=_written(tmp_path, none))
    assert found == current_capacity(root=tmp_path / "nothing")
    assert found.cores == CORES


@pytest.mark.parametrize(
    ("there", "processes"),
    [
        (Capacity(cores=8, memory_mb=8 * PROCESS_MB), 8),
        (Capacity(cores=8, memory_mb=3 * PROCESS_MB + 1), 3),
        (Capacity(cores=2, memory_mb=100 * PROCESS_MB), 2),
        (Capacity(cores=8, memory_mb=1), 1),
    ],
)
def test_one_process_a_core_as_far_as_memory_allows(there: Capacity, processes: int) -> None:
    assert there.processes() == processes


def test_models_share_the_cores() -> None:
    threads = [
        Capacity(cores, 0).model_threads(processes) for cores, processes in ((1, 1), (2, 2), (8, 1), (8, 2), (8, 8))
    ]
    assert threads == [1, 2, 8, 4, 2]


def test_settings_decide_where_they_say_something() -> None:
    given = gunicorn_settings(ApiSettings(host="::1", port=8080, probes_port=8081, workers=3))
    assert (given["bind"], given["workers"]) == (["[::1]:8080", "[::1]:8081"], 3)
    assert gunicorn_settings(ApiSettings(memory_mb=PROCESS_MB))["workers"] == 1
