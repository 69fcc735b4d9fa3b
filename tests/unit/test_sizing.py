"""`sonde plan`: what was measured is what results/ holds, more needs more, and the chart takes each plan's values."""

from __future__ import annotations

import json
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from helm_python import lint

from sonde.cli import cli
from sonde.cli.plan import (
    OWN_PART_MS,
    RATES,
    TEXTS_PER_SECOND,
    WHOLE_MS,
    Demand,
    cautions,
    chart_values,
    cluster_of,
    needs_of,
    one_machine_gb,
    searches_per_second,
)
from tests.unit.rendered_chart import CHART, Rendered

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operators" / "requirements.md").read_text("utf-8")
RESULTS = ROOT / "results" / "0.2.0"
DEMANDS = {
    "small": Demand(500, 0, 0.1, 0),
    "town": Demand(10_000, 3_300, 1),
    "country": Demand(1_000_000, 660_000, 20),
    "ten million": Demand(2_000_000, 8_000_000, 40),
    "two copies more": Demand(30_000_000, 70_000_000, 100, 2),
}


def _figures(name: str, row: str) -> dict[str, float]:
    figures: dict[str, float] = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))["rows"][row]["figures"]
    return figures


def test_the_measured_figures_are_those_of_results() -> None:
    rates = [_figures("speed", "overload_8")["per_second"]]
    rates += [_figures("scale", row)["per_second_8"] for row in ("400k", "1m", "2m")]
    assert [rate for _, rate in RATES] == rates
    search = _figures("speed", "search")
    assert (
        _figures("speed", "search_arms")["own_part_p50_ms"],
        search["without_late_interaction_p50_ms"],
    ) == (OWN_PART_MS, WHOLE_MS)
    assert _figures("speed", "embedding")["texts_per_second"] == TEXTS_PER_SECOND


def test_the_plan_of_what_was_measured_has_room_for_it() -> None:
    """A million records and a million passages took 13.4 GB, and a heap of 5 GB answered 12 a second on two cores."""
    needs = needs_of(Demand(1_000_000, 1_000_000, 12))
    assert needs.disk_gb >= _figures("scale", "2m")["disk_gb"]
    assert needs.heap_gb == 5
    assert needs.cores >= 2
    assert needs_of(Demand(10_875, 4_000, 28.0 * 0.6)).cores == 2


def test_no_larger_catalogue_and_no_more_searches_need_less() -> None:
    sizes = [1_000, 15_000, 100_000, 399_000, 401_000, 1_500_000, 2_000_001, 10**7, 10**8]
    rates = [searches_per_second(size) for size in sizes]
    assert rates == sorted(rates, reverse=True)
    plans = [needs_of(Demand(size, size, 5)) for size in sizes]
    for smaller, larger in pairwise(plans):
        assert larger.memory_gb >= smaller.memory_gb
        assert larger.cores >= smaller.cores
        assert larger.shards >= smaller.shards
    assert searches_per_second(4_000_000) == pytest.approx(6)


@pytest.mark.parametrize("demand", DEMANDS.values(), ids=DEMANDS)
def test_the_chart_takes_the_values_of_a_plan(demand: Demand) -> None:
    values = chart_values(demand)
    assert lint(CHART, values, strict=True)["errors"] == []
    (search,) = Rendered.of(values).of_kind("Elasticsearch")
    assert search["spec"]["nodeSets"][0]["count"] == cluster_of(demand).nodes >= demand.replicas + 1


@pytest.mark.parametrize("demand", DEMANDS.values(), ids=DEMANDS)
def test_the_nodes_hold_every_copy(demand: Demand) -> None:
    needs, cluster, copies = needs_of(demand), cluster_of(demand), demand.replicas + 1
    gib = (1 << 30) / 1e9
    assert cluster.nodes * cluster.node_memory_gib * gib / 2 >= needs.heap_gb * copies
    assert cluster.nodes * cluster.node_storage_gib * gib >= 3 * needs.disk_gb * copies
    assert cluster.node_memory_gib / 2 <= 31
    assert cluster.api_pods * cluster.api_processes >= needs.api_cores


def test_what_nobody_measured_is_said() -> None:
    assert list(cautions(Demand(1_000_000, 1_000_000, 12))) == []
    (size,) = cautions(Demand(1_000_000, 1_000_001, 12))
    assert "2,000,000 vectors" in size
    (speed,) = cautions(Demand(1_000, 0, 29))
    assert "28 searches a second" in speed
    assert any("use a cluster" in caution for caution in cautions(Demand(20_000_000, 0, 1)))
    assert any("Few machines have 91 cores" in caution for caution in cautions(Demand(10**7, 10**7, 100)))


def test_the_command_writes_values_with_its_cautions(tmp_path: Path) -> None:
    file = tmp_path / "size.yaml"
    size = ["--records", "4000000", "--passages", "6000000", "--searches", "3"]
    done = CliRunner().invoke(cli, ["plan", *size, "--values", str(file)])
    assert done.exit_code == 0, done.output
    assert re.search(r"memory +4\d\.\d GB", done.output)
    assert "Computed: the largest measured catalogue" in done.output
    assert "# Computed:" in file.read_text("utf-8")
    assert yaml.safe_load(file.read_text("utf-8")) == chart_values(Demand(4_000_000, 6_000_000, 3))
    told = json.loads(CliRunner().invoke(cli, ["plan", *size, "--json"]).output)
    assert (told["vectors"], told["needs"]["heap_gb"]) == (10_000_000, 21)


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["--records", "0"],
        ["--records", "1e6"],
        *(["--records", "5", "--searches", searches] for searches in ("0", "nan", "inf")),
    ],
    ids=" ".join,
)
def test_a_size_that_is_none_is_refused(wrong: list[str]) -> None:
    assert CliRunner().invoke(cli, ["plan", *wrong]).exit_code == 2


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["plan", "--records", "5", "--values", str(tmp_path / "nowhere" / "size.yaml")])
    assert done.exit_code == 1
    assert "size.yaml': No such file or directory" in done.output


def test_the_commands_of_the_page_print_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block = PAGE.partition("tests/unit/test_sizing.py -->\n```console\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    lines = dict.fromkeys(re.findall(r"^\$ sonde (.+)$", block, re.M))
    shown = [CliRunner().invoke(cli, shlex.split(line)).output for line in lines]
    table = "".join(line for line in block.splitlines(keepends=True) if not line.startswith("$"))
    assert len(shown) == 2
    assert re.sub(" +$", "", shown[0], flags=re.M) == table
    assert (tmp_path / "size.yaml").exists()


def test_the_examples_of_the_page_follow_from_the_plan() -> None:
    assert "0.6 GB × API processes" in PAGE
    rows = re.findall(r"^\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| (.+?) \| (.+?) \| (.+?) \| \d+ \|$", PAGE, re.M)
    assert len(rows) == 3
    for records, pages, vectors, *sizes in rows:
        passages = round(3.3 * int(pages.replace(",", "")))
        needs = needs_of(Demand(int(records.replace(",", "")), passages, 1))
        expected = [needs.disk_gb, needs.heap_gb, one_machine_gb(needs.heap_gb, 2)]
        assert [vectors, *sizes] == [
            f"{int(records.replace(',', '')) + passages:,}",
            *(f"{size:.1f}".removesuffix(".0") + " GB" for size in expected),
        ]
