"""Writes GRIB messages with ecCodes: a line of JSON in, a line of base64 out, in a process of their own.

The libraries of ecCodes bring another PROJ, which breaks pyproj in a process that loads it later.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any, cast


@dataclass(slots=True)
class GribWriter:
    _process: subprocess.Popen[str] | None = None
    _started: list[str] = field(default_factory=lambda: [sys.executable, "-m", "tests.unit.grib_writer"])

    def message(self, sample: str, keys: Mapping[str, Any], values: tuple[float, float] | None = None) -> bytes:
        """``values``: the first and the last of a series over all points."""
        if self._process is None:
            self._process = subprocess.Popen(self._started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        to_writer, from_writer = cast(IO[str], self._process.stdin), cast(IO[str], self._process.stdout)
        to_writer.write(json.dumps([sample, keys, values]) + "\n")
        to_writer.flush()
        return base64.b64decode(from_writer.readline())

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()


def _written(sample: str, keys: Mapping[str, Any], values: tuple[float, float] | None) -> bytes:
    import eccodes
    import numpy as np

    handle = eccodes.codes_grib_new_from_samples(sample)
    try:
        for key, value in keys.items():
            eccodes.codes_set(handle, key, value)
        if values is not None:
            points = np.linspace(*values, keys["Ni"] * keys["Nj"])
            points[: len(points) // 2 if "missingValue" in keys else 0] = keys.get("missingValue", 0.0)
            eccodes.codes_set_values(handle, points)
        content: bytes = eccodes.codes_get_message(handle)
        return content
    finally:
        eccodes.codes_release(handle)


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(base64.b64encode(_written(*json.loads(line))).decode() + "\n")
        sys.stdout.flush()
