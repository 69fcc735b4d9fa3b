"""What the data of a record are called, and what made them: products, platforms, instruments, variables, projects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.folding import folded_words


@dataclass(frozen=True, slots=True)
class Variable:
    """A quantity that the data hold; ``standard_name`` is CF's, ``unit`` as written (``K``, ``kg m-2 s-1``)."""

    name: str
    standard_name: str | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """Empty where the metadata do not say. ``short_names`` are those of the product: ``MOD11_L2``, ``ERA5``.

    ``projects`` holds campaigns as well, ``platforms`` missions. ``processing_level`` is ``L2A`` where it is a level of
    the usual scale, else as written. ``written``: names as the record writes them, where a loaded list of names calls
    the same things otherwise.
    """

    short_names: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    instruments: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    projects: tuple[str, ...] = ()
    processing_level: str | None = None
    written: tuple[str, ...] = ()


def name_key(text: str) -> str:
    """Letters and digits alone, lower case without accents: ``MOD11_L2`` is ``mod11l2``."""
    return "".join(folded_words(text))


def names_once(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, whatever its case, as first written."""
    kept: dict[str, str] = {}
    for name in names:
        kept.setdefault(name.casefold(), name)
    return tuple(kept.values())


def variables_once(variables: Iterable[Variable]) -> tuple[Variable, ...]:
    """Each name once; what one says and another does not (standard name, unit) is brought together."""
    kept: dict[str, Variable] = {}
    for one in variables:
        known = kept.setdefault(one.name.casefold(), one)
        kept[one.name.casefold()] = Variable(
            known.name, known.standard_name or one.standard_name, known.unit or one.unit
        )
    return tuple(kept.values())
