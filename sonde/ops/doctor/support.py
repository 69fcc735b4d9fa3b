"""A bundle for a bug report: what doctor found, the changed settings, the machine and the logs, without secrets."""

from __future__ import annotations

import io
import json
import tarfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO

from local_stack.part import PartStatus
from sonde.ops.doctor.finding import Finding
from sonde.ops.doctor.scrub import changed_settings, scrubber_of
from sonde.ops.measured import this_run
from sonde.settings import Settings
from workers.sources_file import source_entries

_MOST_LOG_BYTES = 1 << 20
_ABOUT = """This bundle was made by `sonde doctor --support`. Configured texts are replaced by the name of their
setting. What looks like a secret or an address of a person is replaced by a word in <>. Read it before you send it.
"""


def support_texts(
    settings: Settings,
    environment: Mapping[str, str],
    findings: Iterable[Finding],
    parts: Iterable[PartStatus],
    logs: Sequence[Path] = (),
) -> dict[str, str]:
    """Names and contents of the bundle's files. ``logs``: files beside those of `sonde up`."""
    scrubber = scrubber_of(settings, environment)
    texts = {
        "doctor.json": _json([asdict(finding) for finding in findings]),
        "settings.json": _json(changed_settings(settings)),
        "machine.json": _json(this_run()),
        "parts.json": _json([asdict(part) for part in parts]),
        "sources.json": _json(_sources(settings.harvest.sources)),
    }
    folder = settings.stack.folder / "logs"
    for log in (*sorted(folder.glob("*.log")), *sorted(folder.glob("*.log.1")), *logs):
        texts[f"logs/{log.name}"] = last_lines(log)
    return {"README.txt": _ABOUT} | {name: scrubber.scrub(text) for name, text in texts.items()}


def write_bundle(stream: IO[bytes], texts: Mapping[str, str]) -> None:
    """As a ``tar.gz``."""
    with tarfile.open(fileobj=stream, mode="w:gz") as bundle:
        for name, text in texts.items():
            content = text.encode("utf-8", "replace")
            entry = tarfile.TarInfo(f"sonde-support/{name}")
            entry.size, entry.mtime, entry.mode = len(content), int(time.time()), 0o600
            bundle.addfile(entry, io.BytesIO(content))


def last_lines(log: Path) -> str:
    """The end of the log in whole lines: half a secret would not be recognised."""
    with log.open("rb") as stream:
        size = stream.seek(0, io.SEEK_END)
        stream.seek(max(0, size - _MOST_LOG_BYTES))
        text = stream.read().decode("utf-8", "replace")
    return text if size <= _MOST_LOG_BYTES else text.partition("\n")[2]


def _sources(path: Path) -> object:
    return [{"id": entry.id, "type": entry.type} for entry in source_entries(path).values()] if path.exists() else []


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n"
