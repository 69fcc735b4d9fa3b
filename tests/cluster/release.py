"""Helm's commands through the library of the tests: ``python -m tests.cluster.release COMMAND NAME [VALUES]``.

Runs inside the cluster's namespaces. ``install`` is `helm upgrade --install`. Where it fails, it exits with 1 and
Helm's message.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import yaml
from helm_python import Config, HelmError

CHART = Path(__file__).resolve().parents[2] / "helm" / "sonde"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["install", "rollback", "test", "uninstall"])
    parser.add_argument("name")
    parser.add_argument("values", nargs="?", type=Path)
    parser.add_argument("--namespace", default="geo")
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--chart", default=str(CHART))
    given = parser.parse_args()
    try:
        with Config(namespace=given.namespace) as helm:
            _run(helm, given)
    except HelmError as error:
        sys.stderr.write(f"{given.command} {given.name}: {error}\n")
        return 1
    return 0


def _run(helm: Config, given: argparse.Namespace) -> None:
    name, seconds = given.name, given.timeout
    if given.command == "install":
        values: dict[str, Any] = yaml.safe_load(given.values.read_text("utf-8"))
        there = [one for one in helm.list(all_states=True) if one["name"] == name]
        act = helm.upgrade if there else helm.install
        act(given.chart, name, values, namespace=given.namespace, wait="watcher", timeout=seconds)
    elif given.command == "rollback":
        helm.rollback(name, wait="watcher", timeout=seconds)
    elif given.command == "test":
        helm.test(name, logs=True, timeout=seconds)
    else:
        helm.uninstall(name, wait="watcher", timeout=seconds)


if __name__ == "__main__":
    sys.exit(main())
