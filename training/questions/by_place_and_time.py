"""Topic, place and period from a record's own fields and extents: "snow depth in Norway 1990 to 1999"."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from core.timespan import TimeSpan
from training.corpora import Document, last_part
from training.questions.asked import Asked
from training.questions.place_names import PlaceNames

_FIRST_WORDED = 1000  # nobody types 0800 to 0900


def by_place_and_time(documents: Iterable[Document], names: PlaceNames, seed: int = 0) -> Iterator[Asked]:
    """A keyword that is not a place (else the title) with the name of the place, words for the period, or both; drawn
    by the seed and the document's id. A record without a place or period that has a name gives no question.
    """
    for document in documents:
        chance = random.Random(f"{seed}:{document.id}")  # noqa: S311 # nosec B311 - a draw to be repeated
        topics = [last_part(term) for term in document.keywords if not names.is_place(last_part(term))]
        topic = chance.choice(topics) if topics else document.title
        place = names.of(chance.choice(document.boxes)) if document.boxes else None
        when = time_words(chance.choice(document.times), chance) if document.times else None
        if place is not None and when is not None:
            place, when = chance.choice([(place, None), (None, when), (place, when)])
        where = None if place is None else chance.choice([f"in {place}", place])
        if topic and (where or when):
            asked = " ".join(part for part in (topic, where, when) if part)
            yield Asked(asked, document.whole, "place and time", document)


def time_words(span: TimeSpan, chance: random.Random) -> str | None:
    """``since 1990``, ``in 1998``, ``in the 1990s``, ``1990 to 1999``; None without a year of four digits."""
    first, last = (_year(edge) for edge in (span.start_iso, span.end_iso))
    if first == last is None or any(year is not None and year < _FIRST_WORDED for year in (first, last)):
        return None
    if last is None:
        return f"since {first}"
    if first is None:
        return f"until {last}"
    if first == last:
        return f"in {first}"
    if first % 10 == 0 and last == first + 9:
        return f"in the {first}s"
    return chance.choice([f"{first} to {last}", f"between {first} and {last}", f"{first}-{last}"])


def _year(iso: str | None) -> int | None:
    """The year of ``1990-01-01T00:00:00Z``; 0 for a year before 0 or after 9999, which has a sign."""
    if iso is None:
        return None
    return 0 if iso[0] in "+-" else int(iso[:4])
