"""JSON as it was parsed, or as it is to be written. Its members are checked where they are read, at the edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
"""An object of our own, to be filled or changed."""

JsonMapping = Mapping[str, Any]
"""An object that is only read."""
