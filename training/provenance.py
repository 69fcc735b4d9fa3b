"""The origin of a model for its card, besides the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from encoders.model_card import Used
from training.examples import Example

UNKNOWN = "not stated"


@dataclass(frozen=True, slots=True)
class Origin:
    """``licences``: corpus -> licence, as stated by the user. ``commit`` of Sonde; ``reproduce``: the command as
    given.
    """

    base: str
    base_licence: str = UNKNOWN
    licences: Mapping[str, str] | None = None
    commit: str = ""
    reproduce: str = ""

    def used(self, examples: Iterable[Example], note: str = "") -> tuple[Used, ...]:
        """Examples by corpus, most first."""
        counts = Counter(example.corpus or "unnamed" for example in examples)
        known = self.licences or {}
        return tuple(Used(name, known.get(name, UNKNOWN), count, note=note) for name, count in counts.most_common())


def now() -> str:
    """UTC to the second, as ISO 8601."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
