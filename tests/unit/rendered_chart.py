"""The chart as Helm renders it, for the tests: manifests, their pods and containers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from helm_python import Chart

CHART = Path(__file__).resolve().parents[2] / "helm" / "sonde"
EXAMPLES = {path.name.removesuffix("-values.yaml"): path for path in sorted((CHART / "ci").glob("*-values.yaml"))} | {
    path.stem.removeprefix("values-"): path for path in sorted(CHART.glob("values-*.yaml"))
}

Manifest = dict[str, Any]
WITH_PODS = ("Deployment", "StatefulSet", "Job", "Pod", "CronJob")


def example(name: str) -> dict[str, Any]:
    """The values of ci/NAME-values.yaml or values-NAME.yaml."""
    values: dict[str, Any] = yaml.safe_load(EXAMPLES[name].read_text("utf-8"))
    return values


@dataclass(frozen=True)
class Rendered:
    """All manifests of one rendering, of a release `demo` in the namespace `geo`."""

    manifests: tuple[Manifest, ...]

    @classmethod
    def of(cls, values: dict[str, Any], *, is_upgrade: bool = False) -> Rendered:
        """Raises HelmError where the chart refuses the values."""
        with Chart.load(CHART) as chart:
            files = chart.render(values, name="demo", namespace="geo", is_upgrade=is_upgrade, is_install=not is_upgrade)
        texts = (text for name, text in files.items() if name.endswith(".yaml"))
        return cls(tuple(one for text in texts for one in yaml.safe_load_all(text) if one))

    def of_kind(self, *kinds: str) -> list[Manifest]:
        return [one for one in self.manifests if one["kind"] in kinds]

    def one(self, kind: str, name: str) -> Manifest:
        (found,) = [one for one in self.of_kind(kind) if one["metadata"]["name"] == name]
        return found

    def pods(self) -> Iterator[tuple[str, Manifest]]:
        """Each pod's template (`metadata`, `spec`) with the name of what makes it."""
        for one in self.of_kind(*WITH_PODS):
            made = one["spec"]["jobTemplate"] if one["kind"] == "CronJob" else one
            yield one["metadata"]["name"], made if one["kind"] == "Pod" else made["spec"]["template"]

    def environment(self, pod: Manifest) -> dict[str, Any]:
        """Variable -> its value, or its `valueFrom`."""
        given = pod["spec"]["containers"][0].get("env", [])
        return {each["name"]: each.get("value", each.get("valueFrom")) for each in given}
