"""What a trial says in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lab.chaos.asking import BAD, SearchOutcome

NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """``missing`` and ``strange``: records that should be there and are not, and the other way round.

    ``left``: records that were still to be written when the part was put right; where there were none the harvest met
    little of the breakage. ``searches``: verdicts and their number. ``search_back_s``, ``harvest_back_s``: from when
    the part was put right to the first answer as good as before, and to the first record written (0 where all were);
    None where that was not seen. ``bad``: what searches that failed were told, and how often.
    """

    name: str
    what: str
    expected: int
    missing: int
    strange: int
    left: int = 0
    searches: Mapping[str, int] = field(default_factory=dict)
    search_back_s: float | None = None
    harvest_back_s: float | None = None
    seconds: float = 0.0
    note: str = ""
    bad: Mapping[str, int] = field(default_factory=dict)

    @property
    def tried(self) -> bool:
        return not self.note.startswith(NOT_TRIED)

    @property
    def right(self) -> bool:
        lost = self.missing or self.strange
        return not (lost or self.note or any(self.searches.get(verdict) for verdict in BAD)) and (
            self.search_back_s is not None
        )

    def back_within(self, seconds: float) -> bool:
        """Whether searches were right and the harvest wrote again so soon after the part was put right."""
        return all(back is not None and back <= seconds for back in (self.search_back_s, self.harvest_back_s))

    def wrong(self, within: float) -> str | None:
        """What does not hold, as a phrase; None where all does, and where it could not be tried."""
        if not self.tried:
            return None
        if not self.right:
            return "WRONG" + (f" ({why})" if (why := self.told) else "")
        return None if self.back_within(within) else f"LATE (more than {within:.0f} s)"

    @property
    def told(self) -> str:
        """The note, and what bad searches were told."""
        return "; ".join(
            [*([self.note] if self.note else []), *(f"{many} x {said}" for said, many in self.bad.items())]
        )


def bad_ones(log: Sequence[SearchOutcome], most: int = 5) -> dict[str, int]:
    """The commonest of what searches that failed were told."""
    return dict(Counter(f"{one.verdict}: {one.detail}" for one in log if one.verdict in BAD).most_common(most))
