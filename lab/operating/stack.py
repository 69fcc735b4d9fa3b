"""The settings of a stack of a rehearsal's own: ports that are free, and everything in one folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from local_stack.ports import free_port

BATCH = 20


def own_stack(data: Path) -> Mapping[str, str]:
    """As environment variables, which 0.1.0 knows too."""
    ports = ("ELASTICSEARCH__PORT", "ELASTICSEARCH__TRANSPORT_PORT", "BROKER__PORT", "API__PORT")
    return {
        **{f"SONDE_{name}": str(free_port()) for name in ports},
        "SONDE_STACK__FOLDER": str(data / "stack"),
        "SONDE_LIBRARY__FOLDER": str(data / "library"),
        "SONDE_MODELS__FOLDER": str(data / "models"),
        "SONDE_HARVEST__SOURCES": str(data / "sources.yaml"),
        "SONDE_HARVEST__SLICE_S": "10",
        "SONDE_HARVEST__BATCH": str(BATCH),
        "SONDE_NET__ALLOWED_HOSTS": '["127.0.0.1"]',
        "SONDE_ELASTICSEARCH__HEAP": "768m",
        "SONDE_ELASTICSEARCH__TIMEOUT_S": "15",
    }
