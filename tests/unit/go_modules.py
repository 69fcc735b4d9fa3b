"""Go modules by Go's own client, for the schemas that they carry."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest


@cache
def go_module(module: str) -> Path:
    """The folder of a Go module, fetched by Go's own client where it is not there yet."""
    go = shutil.which("go") or ("/usr/local/go/bin/go" if Path("/usr/local/go/bin/go").exists() else None)
    if go is None:
        pytest.skip("there is no Go on this machine")
    done = subprocess.run([str(go), "mod", "download", "-json", module], capture_output=True, timeout=200, check=False)
    folder = json.loads(done.stdout or b"{}").get("Dir")
    if not folder:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{module} cannot be fetched; under CI it must be there")
        pytest.skip(f"{module} cannot be fetched")
    return Path(folder)
