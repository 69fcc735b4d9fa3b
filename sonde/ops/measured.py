"""What every measurement says about itself: the command, Sonde's version and commit, the machine and the time."""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import psutil

from core.json_types import Json, JsonMapping
from sonde import __version__
from sonde.wiring.checkout import CHECKOUT, own_commit

_OUTPUTS = ("--json", "--html", "--page")


def write_measurement(path: Path, figures: JsonMapping) -> None:
    """Writes the figures as JSON, with ``measured``: what was run, where and on which commit.

    The file is replaced as a whole, so that a command may write after each step and be ended in between.
    """
    partial_path = path.with_name(f"{path.name}.half")
    text = json.dumps({"measured": this_run(), **figures}, indent=1, ensure_ascii=False)
    partial_path.write_text(f"{text}\n", "utf-8")
    partial_path.replace(path)


def this_run() -> Json:
    return {
        "command": command_line(sys.argv),
        "version": __version__,
        "commit": own_commit() or None,
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ"),
        "machine": machine(),
    }


def command_line(words: Sequence[str]) -> str:
    """The command as a reader repeats it: without the path of the program, the file that it writes, and our folders."""
    kept_words: list[str] = []
    words_left = iter(words[1:])
    for word in words_left:
        if word in _OUTPUTS:
            next(words_left, None)
        elif not word.startswith(tuple(f"{option}=" for option in _OUTPUTS)):
            kept_words.append(_without_folder(word))
    return " ".join([_program(Path(words[0])), shlex.join(kept_words)]).strip()


def _without_folder(word: str) -> str:
    """FILE or FOLDER in the place of an absolute path, of an option too."""
    option, equals, value = word.rpartition("=")
    path = Path(value)
    return word if not path.is_absolute() else f"{option}{equals}{'FILE' if path.is_file() else 'FOLDER'}"


def _program(path: Path) -> str:
    """A command's name, or ``python -m`` and the module."""
    if path.suffix != ".py" or not path.is_relative_to(CHECKOUT):
        return path.name
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return f"python -m {'.'.join(parts).removesuffix('.__main__')}"


def machine() -> dict[str, str]:
    """Processor, cores, memory, load and the versions that matter."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "load": f"{os.getloadavg()[0]:.1f}",
        "python": platform.python_version(),
        "onnxruntime": version("onnxruntime"),
        "elasticsearch client": version("elasticsearch"),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except FileNotFoundError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())
