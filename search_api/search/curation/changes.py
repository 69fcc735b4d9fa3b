"""A change of one rule, as the history keeps it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Literal

from core.json_types import Json
from search_api.search.curation.rules import RULES, Rule, RuleKind

Action = Literal["added", "changed", "removed", "published", "undone"]


@dataclass(frozen=True, slots=True)
class RuleKey:
    """``draft`` empty: the rule is live."""

    kind: RuleKind
    id: str
    draft: str = ""

    @property
    def document(self) -> str:
        """Its id in the index; no draft and no id holds a slash."""
        return f"{self.kind}/{self.draft}/{self.id}"

    def live(self) -> RuleKey:
        return RuleKey(self.kind, self.id)


@dataclass(frozen=True, slots=True)
class KeptRule:
    """``content`` None: the draft takes the live rule away. ``at``: ISO 8601."""

    key: RuleKey
    content: Json | None
    by: str
    at: str

    @property
    def rule(self) -> Rule | None:
        """Raises pydantic's ValidationError for content of another version."""
        return None if self.content is None else RULES[self.key.kind].model_validate(self.content)


@dataclass(frozen=True, slots=True)
class Change:
    """``before`` and ``after``: the rule as JSON, None if there was none, or is none now."""

    key: RuleKey
    action: Action
    before: Json | None
    after: Json | None
    by: str
    at: str
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
