"""Commands are found where the table says, and none of them costs what another one needs."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
from click.testing import CliRunner

from sonde.cli import MODULES, TASKS, cli
from sonde.cli.lazy_group import LABORATORY, added_commands


def test_every_command_of_every_module_is_in_the_table() -> None:
    expected = {**MODULES, **added_commands()}
    offered = {command.name: module for module in set(expected.values()) for command in import_module(module).COMMANDS}
    assert offered == expected


def test_a_reranker_is_trained_by_either_name() -> None:
    usages = [CliRunner().invoke(cli, ["train", name, "--help"]).output for name in ("reranker", "cross-encoder")]
    assert usages[0].replace("train reranker", "train cross-encoder") == usages[1]
    assert "--pairs" in usages[0]


def test_the_laboratory_adds_its_commands_by_entry_points() -> None:
    assert {name: added_commands()[name] for name in LABORATORY} == {
        "bench": "lab.cli.bench",
        "chaos": "lab.cli.chaos",
        "drill": "lab.operating.drill",
        "load": "lab.cli.load",
        "simulate": "lab.cli.simulate",
    }


@pytest.mark.parametrize("command", LABORATORY)
def test_where_the_laboratory_is_absent_its_commands_say_how_to_get_it(command: str) -> None:
    program = (
        "import importlib.metadata as metadata, sys;"
        " metadata.entry_points = lambda **_: ();"
        f" from sonde.cli import main; sys.argv = ['sonde', {command!r}, '--records', '5', 'reindex']; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"sonde: `sonde {command}` belongs to the laboratory")
    assert "pip install . ./sonde_client ./lab" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_command_skips_a_node_that_is_away_without_a_traceback() -> None:
    program = (
        "from es_gateway.client import Connection, connected; from es_gateway.errors import NotReachable;"
        " from sonde.cli import _log_to_standard_error as as_a_command_does; as_a_command_does()\n"
        "try: connected(Connection(['http://127.0.0.1:1', 'http://127.0.0.1:2'])).info()\n"
        "except NotReachable: print('away')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "away\n", "")


def test_the_list_of_commands_tells_what_each_is_for() -> None:
    done = CliRunner().invoke(cli, ["--help"])
    assert done.exit_code == 0
    assert "reindex" in done.output
    assert "rollback" in CliRunner().invoke(cli, ["reindex", "--help"]).output


def test_the_help_tells_every_command_under_one_task_and_imports_none_of_them() -> None:
    told = [name for some in TASKS.values() for name in some]
    assert sorted(told) == sorted({**MODULES, **added_commands()})
    assert all(f"\n{heading}:" in CliRunner().invoke(cli, ["--help"]).output for heading in TASKS)
    program = "import sys; from sonde.cli import cli; cli(['--help'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {*MODULES.values(), *added_commands().values()}.isdisjoint(loaded)
    assert {"elasticsearch", "numpy", "shapely", "torch", "celery", "flask"}.isdisjoint(loaded)


def test_a_typing_error_is_met_with_the_nearest_command() -> None:
    done = CliRunner().invoke(cli, ["serch"])
    assert (done.exit_code, "Did you mean 'search'?" in done.output) == (2, True)
    assert "Did you mean 'report'?" in CliRunner().invoke(cli, ["sources", "reprot"]).output


def test_an_unknown_command_is_named() -> None:
    done = CliRunner().invoke(cli, ["rendex"])
    assert done.exit_code == 2
    assert "No such command 'rendex'" in done.output


@pytest.mark.parametrize("command", ["reindex", "keys"])
def test_a_rollback_and_keys_wait_for_no_model_and_no_pipeline(command: str) -> None:
    program = f"import sys; from sonde.cli import cli; cli.get_command(None, '{command}'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    heavy = {"torch", "spacy", "training", "encoders.catalogue", "search_api.search.flow", "sonde.wiring.models"}
    assert heavy.isdisjoint(done.stdout.split())
