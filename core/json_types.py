"""Types for parsed JSON and JSON to write. Members are validated where they are read, at the edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
"""Our own object, to fill or change."""

JsonMapping = Mapping[str, Any]
"""A read-only object."""
