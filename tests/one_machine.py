"""The `sonde` command with its own settings, for tests that start the whole stack."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from local_stack.ports import free_port
from tests.service import SAMPLES

ROOT = Path(__file__).resolve().parents[1]


class OneMachine:
    """The `sonde` command with its own settings; everything it writes is below ``folder``."""

    def __init__(self, folder: Path, prefix: str, elasticsearch_url: str, broker_url: str) -> None:
        self.api = f"http://127.0.0.1:{(port := free_port())}"
        sources = folder / "sources.yaml"
        sources.write_text(
            f"sources:\n  - id: scheduled\n    type: folder\n    path: {SAMPLES}\n    schedule: {{interval: 3s}}\n"
        )
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("SONDE_")},
            "SONDE_ELASTICSEARCH__URL": elasticsearch_url,
            "SONDE_BROKER__URL": broker_url,
            "SONDE_INDEX__PREFIX": prefix,
            "SONDE_API__PORT": str(port),
            "SONDE_STACK__FOLDER": str(folder / "stack"),
            "SONDE_HARVEST__SOURCES": str(sources),
        }

    def run(self, *arguments: str, expect: int | None = 0) -> str:
        command = [sys.executable, "-m", "sonde", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=240, check=False
        )
        assert expect in (None, done.returncode), done.stdout + done.stderr
        return done.stdout

    def pids(self) -> list[int]:
        folder = Path(self.environment["SONDE_STACK__FOLDER"])
        return [json.loads(path.read_text())["pid"] for path in folder.glob("run/*.json")]
