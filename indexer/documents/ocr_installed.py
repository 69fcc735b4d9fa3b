"""Which language packs OCR has on this machine, and what it lacks, for those who operate Sonde."""

from __future__ import annotations

import re
import shutil
import subprocess  # nosec B404

from indexer.documents.limits import Ocr

_LIST_SECONDS = 20.0
_LANGUAGE = re.compile(r"^[A-Za-z_]+$")


def installed_languages(command: str) -> tuple[str, ...]:
    """The language packs that tesseract finds, without those that only tell scripts apart; empty if it does not run."""
    try:
        done = subprocess.run(  # noqa: S603  # nosec B603
            [command, "--list-langs"], capture_output=True, timeout=_LIST_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    names = done.stdout.decode("utf-8", "replace").split("\n")
    return tuple(sorted(name for name in names if _LANGUAGE.match(name) and name not in ("osd", "equ", "snum")))


def ocr_lacks(ocr: Ocr) -> str:
    """A sentence about what cannot be read and why; empty if OCR is complete, or not wanted."""
    if ocr.command is None and not ocr.missing:
        return ""
    command = shutil.which(ocr.command) if ocr.command is not None else None
    if command is None:
        return (
            "tesseract is not installed: scanned pages and page images are not read. Install it on the machines of the "
            "workers (Debian's package tesseract-ocr), or set SONDE_DOCUMENTS__OCR=false"
        )
    installed = installed_languages(command)
    wanted = () if ocr.languages == "auto" else ocr.languages.split("+")
    missing = [name for name in wanted if name not in installed]
    if missing:
        return (
            f"tesseract lacks the language packs {', '.join(missing)} of SONDE_DOCUMENTS__OCR_LANGUAGES: scanned pages "
            f"are not read. Install them (Debian's packages {', '.join(f'tesseract-ocr-{name}' for name in missing)})"
        )
    return "" if installed else "tesseract has no language pack: install one (Debian's package tesseract-ocr-eng)"
